import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openEmbeddedDatabase } from '../../src/embedded/database.ts'
import { openPool, type Connection, type Pool } from '../../src/store/database.ts'
import { migrate } from '../../src/store/migrations.ts'

export type ServerName = 'external' | 'embedded'

/** A server with a migrated database to copy from. */
type Server = { name: ServerName; connection: Connection; template: string }

export type Servers = {
  /** The first is the one that tests run on; the store suite runs on all. */
  servers: Server[]
  stop(): Promise<void>
}

export type TestDatabase = {
  connection: Connection
  pool: Pool
  server: ServerName
  /** Ends the pool and removes the database. Happens by itself at the end of the file. */
  close(): Promise<void>
}

/** Carries the servers of one `npm test` from `global-setup.ts` to the processes of the test files. */
const variable = 'TILLGATE_TEST_SERVERS'

/** So few that files which run side by side stay below the 50 connections of the embedded server. */
const connections = 8

const poolOptions = { connections, pipelining: true }

function inDatabase(connection: Connection, database: string): Connection {
  if (!('url' in connection)) return { ...connection, database }
  const url = new URL(connection.url)
  url.pathname = `/${database}`
  return { url: url.href }
}

async function prepareTemplate(name: ServerName, connection: Connection): Promise<Server> {
  const template = `tillgate_test_${randomBytes(6).toString('hex')}`
  const admin = openPool(connection, { connections: 1, pipelining: true })
  await admin.unsafe(`create database ${template}`)
  await admin.end()
  const pool = openPool(inDatabase(connection, template), { connections: 1, pipelining: true })
  await migrate(pool)
  await pool.end()
  return { name, connection, template }
}

async function dropTemplate({ connection, template }: Server): Promise<void> {
  const admin = openPool(connection, { connections: 1, pipelining: true })
  await admin.unsafe(`drop database if exists ${template} with (force)`)
  await admin.end()
}

/** Starts an embedded server in a directory of its own. */
export async function startEmbedded() {
  const dataDir = await mkdtemp(join(tmpdir(), 'tillgate-test-'))
  const database = await openEmbeddedDatabase(dataDir)
  const stop = async () => {
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { dataDir, database, stop }
}

/** The embedded server and, first, the one `TEST_DATABASE_URL` names; `alone` leaves the embedded one out then. */
export async function startServers({ alone }: { alone: boolean }): Promise<Servers> {
  const url = process.env['TEST_DATABASE_URL']
  const external = url === undefined || url === '' ? undefined : await prepareTemplate('external', { url })
  const embedded = external && alone ? undefined : await startEmbedded()
  const servers = [
    ...(external ? [external] : []),
    ...(embedded ? [await prepareTemplate('embedded', embedded.database.connection)] : []),
  ]
  const stop = async () => {
    if (external) await dropTemplate(external)
    await embedded?.stop()
  }
  return { servers, stop }
}

/** Makes the servers known to the processes started from here on. */
export function announceServers({ servers }: Servers): void {
  process.env[variable] = JSON.stringify(servers)
}

const endings: (() => Promise<unknown>)[] = []

/**
 * Runs `end` when the file's tests are done, the latest first. The first call comes from the top of a file, not from a
 * test; and every `await` at the top of a file comes before its first test, or the runner takes the file for done.
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

/** The servers of this run; a file that runs by itself starts its own. */
function findServers(alone: boolean): Promise<readonly Server[]> {
  const announced = process.env[variable]
  if (announced !== undefined) return Promise.resolve(JSON.parse(announced) as Server[])
  found ??= startServers({ alone }).then((started) => {
    atEnd(() => started.stop())
    return started.servers
  })
  return found
}

/** What the store suite runs on: the embedded server, and the external one where `TEST_DATABASE_URL` names it. */
export async function everyServer(): Promise<ServerName[]> {
  return (await findServers(false)).map((server) => server.name)
}

/** The server may be out of connections for a moment, while other files end too. What stays goes with the server. */
async function dropDatabase(connection: Connection, name: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const dropper = openPool(connection, { connections: 1, pipelining: true })
    try {
      return void (await dropper.unsafe(`drop database if exists ${name} with (force)`))
    } catch (error) {
      if (attempt === 10) return console.error(`${name} was not dropped:`, error)
      await delay(100 * attempt)
    } finally {
      await dropper.end({ timeout: 1 })
    }
  }
}

let created = 0

/** A private database, copied from the migrated template; `empty` copies nothing. Call it from the top of a file. */
export async function createDatabase(options: { server?: ServerName; empty?: boolean } = {}): Promise<TestDatabase> {
  const servers = await findServers(options.server === undefined)
  const server = servers.find(({ name }) => name === options.server) ?? servers[0]
  if (!server) throw new Error('there is no database server to test on')
  const name = `${server.template}_${process.pid}_${++created}`
  const admin = openPool(server.connection, { connections: 1, pipelining: true })
  await admin.unsafe(`create database ${name} template ${options.empty ? 'template0' : server.template}`)
  await admin.end()
  const connection = inDatabase(server.connection, name)
  const pool = openPool(connection, poolOptions)
  let closed = false
  const close = async () => {
    if (closed) return
    closed = true
    await pool.end({ timeout: 5 })
    await dropDatabase(server.connection, name)
  }
  atEnd(close)
  return { connection, pool, server: server.name, close }
}
