import { randomBytes } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openEmbeddedDatabase } from '../../src/core/embedded/database.ts'
import { openPool, type Connection, type Pool } from '../../src/core/store/db/database.ts'
import { migrate } from '../../src/core/store/db/migrations.ts'
import { findPooler } from '../../src/core/store/db/pooler.ts'
import { aheadS, wrongTime } from './set-clock.ts'

export type ServerName = 'external' | 'embedded'

/** A server with a migrated database to copy. */
export type Server = {
  name: ServerName
  /** The URL for the tests: through a pooler, or a node of a cluster. */
  connection: Connection
  /** Each node that has the databases: for a cluster all nodes, the coordinator first. */
  nodes: Connection[]
  template: string
}

/** Few, because more shards would only take time for so few rows. */
const shards = 8

export function inDatabase(connection: Connection, database: string): Connection {
  const { direct, ...rest } = connection
  const past = direct ? { direct: inDatabase(direct, database) } : {}
  if (!('url' in rest)) return { ...rest, ...past, database }
  const url = new URL(rest.url)
  url.pathname = `/${database}`
  return { ...rest, ...past, url: url.href }
}

/** Opens a single session, for statements that must run one after another. */
async function withSession<T>(connection: Connection, work: (session: Pool) => Promise<T>): Promise<T> {
  const session = openPool(connection, { connections: 1, pipelining: true })
  try {
    return await work(session)
  } finally {
    await session.end({ timeout: 1 })
  }
}

const isCitus = async (session: Pool) => (await session`select from pg_extension where extname = 'citus'`).length > 0

async function findNodes(connection: Connection): Promise<Connection[]> {
  const { url } = connection as { url: string }
  return withSession(connection, async (session) => {
    if (!(await isCitus(session))) return [connection]
    const rows = await session<{ host: string; port: number }[]>`
      select nodename as host, nodeport as port from pg_dist_node where isactive order by groupid`
    return rows.map(({ host, port }) => {
      const node = new URL(url)
      node.host = `${host}:${port}`
      return { url: node.href }
    })
  })
}

async function makeCluster(nodes: readonly Connection[], template: string): Promise<void> {
  const [coordinator, ...workers] = nodes.map((node) => inDatabase(node, template)) as [Connection, ...Connection[]]
  for (const node of [coordinator, ...workers]) await withSession(node, (session) => session`create extension citus`)
  await withSession(coordinator, async (session) => {
    const place = (node: Connection) => new URL((node as { url: string }).url)
    const { hostname, port } = place(coordinator)
    await session`select citus_set_coordinator_host(${hostname}, ${Number(port)})`
    for (const worker of workers) {
      const at = place(worker)
      await session`select citus_add_node(${at.hostname}, ${Number(at.port)})`
    }
    await session.unsafe(`alter database ${template} set citus.shard_count = ${shards}`)
  })
}

/** Closes all connections of a database, as copying it requires; Citus has a process in each database. */
async function closeTemplate(node: Connection, template: string): Promise<void> {
  await withSession(node, async (session) => {
    await session.unsafe(`alter database ${template} allow_connections false`)
    for (;;) {
      const left = await session`
        select pg_terminate_backend(pid) from pg_stat_activity where datname = ${template}`
      if (left.length === 0) return
      await delay(50)
    }
  })
}

async function prepareTemplate(name: ServerName, connection: Connection): Promise<Server> {
  const template = `tillgate_test_${randomBytes(6).toString('hex')}`
  const admin = connection.direct ?? connection
  const nodes = 'url' in admin ? await findNodes(admin) : [admin]
  for (const node of nodes) await withSession(node, (session) => session.unsafe(`create database ${template}`))
  if (nodes.length > 1) await makeCluster(nodes, template)
  await withSession(inDatabase(admin, template), (session) => migrate(session))
  if (nodes.length > 1) await Promise.all(nodes.map((node) => closeTemplate(node, template)))
  return { name, connection, nodes, template }
}

/**
 * Drops a database. The server may be out of connections for a moment, while other files end. A database that remains
 * is removed with the server.
 */
async function dropFrom(node: Connection, database: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withSession(node, async (session) => {
        await session.unsafe(`drop database if exists ${database} with (force)`)
      })
    } catch (error) {
      if (attempt === 10) return console.error(`${database} was not dropped:`, error)
      await delay(100 * attempt)
    }
  }
}

export async function dropDatabase({ nodes }: Server, database: string): Promise<void> {
  await Promise.all(nodes.map((node) => dropFrom(node, database)))
}

/**
 * Drops the database of a test file that ends. If the server ends when the tests end, the database stays,
 * because each drop flushes the changes of all other files.
 */
export async function leaveDatabase(server: Server, database: string): Promise<void> {
  if (server.name === 'external') await dropDatabase(server, database)
}

/** Creates a database on every node as a copy of the template; `empty` copies nothing. */
export async function copyTemplate({ name, nodes, template }: Server, database: string, empty: boolean): Promise<void> {
  const from = empty ? 'template0' : template
  // Copied as files: a copy through the log would take twice as long on this server, which does not wait for the disk.
  const strategy = name === 'embedded' ? 'strategy file_copy' : ''
  await Promise.all(
    nodes.map((node) =>
      withSession(node, (session) => session.unsafe(`create database ${database} template ${from} ${strategy}`)),
    ),
  )
}

/**
 * Settings of a server that ends when its tests end: it does not wait for the disk, which only matters if the
 * machine dies, and has enough connections for files that run in parallel.
 */
const shortLived = { fsync: 'off', full_page_writes: 'off', max_connections: '200', autovacuum: 'off' }

/**
 * Starts an embedded server in its own directory, with the clock of this run; `settings` replace those of the product.
 */
export async function startEmbedded(settings: Record<string, string> = {}) {
  const dataDir = await mkdtemp(join(tmpdir(), 'tillgate-test-'))
  const database = await openEmbeddedDatabase(dataDir, { machine: { settings, environment: wrongTime(aheadS) } })
  const stop = async () => {
    await database.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { dataDir, database, stop }
}

/**
 * Returns the external server: `TEST_DATABASE_URL`, and `TEST_DATABASE_DIRECT_URL` if the first is a pooler or a worker
 * of a cluster. Undefined without the first.
 */
async function findExternal(): Promise<Connection | undefined> {
  const { TEST_DATABASE_URL: url = '', TEST_DATABASE_DIRECT_URL: directUrl = '' } = process.env
  if (url === '') return undefined
  const pooler = await withSession({ url }, (session) => findPooler(session))
  return { url, pooler, ...(directUrl === '' ? {} : { direct: { url: directUrl } }) }
}

/**
 * Ends a server of `startEmbedded` and removes its directory synchronously: a runner that ends forcibly does not wait
 * for promises.
 */
function endAtOnce(dataDir: string): void {
  const pid = Number(readFileSync(join(dataDir, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
  process.kill(pid, 'SIGQUIT')
  // Processes of the server may continue to write for a moment.
  rmSync(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}

export type Servers = {
  /** Tests use the first server; the store suite uses all. */
  servers: Server[]
  stop(): Promise<void>
}

/**
 * Starts the embedded server. An external server, if there is one, precedes it; with `alone`, the external one is the
 * only server.
 */
export async function startServers({ alone }: { alone: boolean }): Promise<Servers> {
  const connection = await findExternal()
  const external = connection && (await prepareTemplate('external', connection))
  const embedded = external && alone ? undefined : await startEmbedded(shortLived)
  const servers = [
    ...(external ? [external] : []),
    ...(embedded ? [await prepareTemplate('embedded', embedded.database.connection)] : []),
  ]
  const stop = async () => {
    if (embedded) endAtOnce(embedded.dataDir)
    if (external) await dropDatabase(external, external.template)
  }
  return { servers, stop }
}
