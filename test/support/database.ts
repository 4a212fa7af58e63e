import { after } from 'node:test'
import { openPool, type Connection, type Pool } from '../../src/core/store/db/database.ts'
import {
  copyTemplate,
  dropDatabase,
  leaveDatabase,
  inDatabase,
  startServers,
  type Server,
  type ServerName,
  type Servers,
} from './test-servers.ts'

export type TestDatabase = {
  connection: Connection
  pool: Pool
  server: ServerName
  /** Closes the pool and removes the database now, not at the end of the file or with its server. */
  close(): Promise<void>
}

/** Passes the servers of one `npm test` from `global-setup.ts` to the processes of the test files. */
const variable = 'TILLGATE_TEST_SERVERS'

/** Few enough that files running in parallel do not exhaust the connections of an external server. */
const connections = 8

const poolOptions = { connections, pipelining: true }

/** Makes the servers known to processes started from now on. */
export function announceServers({ servers }: Servers): void {
  process.env[variable] = JSON.stringify(servers)
}

const endings: (() => Promise<unknown>)[] = []

/**
 * Runs `end` after the tests of the file, in reverse order of the calls. The first call must come from the top of a
 * file, not from a test, and every top-level `await` must precede the first test: otherwise the runner considers the
 * file finished.
 */
export function atEnd(end: () => Promise<unknown>): void {
  if (endings.length === 0) {
    after(async () => {
      for (const ending of endings.splice(0).toReversed()) await ending()
    })
  }
  endings.push(end)
}

let found: Promise<readonly Server[]> | undefined

/** Finds the servers of this run. A file that runs alone starts its own server. */
function findServers(alone: boolean): Promise<readonly Server[]> {
  const announced = process.env[variable]
  if (announced !== undefined) return Promise.resolve(JSON.parse(announced) as Server[])
  found ??= startServers({ alone }).then((started) => {
    atEnd(() => started.stop())
    return started.servers
  })
  return found
}

/**
 * Returns the names of the servers of the store suite: the embedded one, and the external one in `TEST_DATABASE_URL`.
 */
export async function everyServer(): Promise<ServerName[]> {
  return (await findServers(false)).map((server) => server.name)
}

let created = 0

/**
 * Creates a private database, copied from the migrated template; `empty` copies nothing. Call it from the top of a
 * file.
 */
export async function createDatabase(options: { server?: ServerName; empty?: boolean } = {}): Promise<TestDatabase> {
  const servers = await findServers(options.server === undefined)
  const server = servers.find(({ name }) => name === options.server) ?? servers[0]
  if (!server) throw new Error('there is no database server to test on')
  const name = `${server.template}_${process.pid}_${++created}`
  await copyTemplate(server, name, options.empty === true)
  const connection = inDatabase(server.connection, name)
  const pool = openPool(connection, poolOptions)
  let closed = false
  const end = async (remove: typeof dropDatabase) => {
    if (closed) return
    closed = true
    await pool.end({ timeout: 5 })
    await remove(server, name)
  }
  atEnd(() => end(leaveDatabase))
  return { connection, pool, server: server.name, close: () => end(dropDatabase) }
}
