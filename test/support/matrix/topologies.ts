import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { openEmbeddedDatabase } from '../../../src/core/embedded/database.ts'
import type { Connection } from '../../../src/core/store/db/database.ts'
import { findPrograms, placePrograms } from '../../../scripts/postgres-programs.ts'
import { startNetwork, type Network } from '../network.ts'
import { Leading } from './leading.ts'
import { asServer, noPostgres, PostgresNode } from './postgres-node.ts'
import { Serving } from './serving.ts'

const run = promisify(execFile)

/** A part that can be killed and restarted. */
export type Part = { name: string; kill(): Promise<unknown>; start(): Promise<unknown>; pids(): Promise<number[]> }

/** The parts of a topology besides the Tillgate servers. */
type Ground = {
  /** The value of `DATABASE_URL`; undefined for the embedded server of `dataDir`. */
  url: string | undefined
  dataDir?: string
  /** Databases and poolers. */
  parts: Part[]
  /** The networks between the Tillgate servers and the database; undefined for the embedded server. */
  network: Network | undefined
  /** The direct URL of the database, for preparation and judging. */
  direct(): Promise<{ connection: Connection; release(): Promise<unknown> }>
  /** Further environment variables of the programs of Tillgate. */
  env?: Record<string, string>
  /** A PostgreSQL server that another one can replace. */
  leading?: Leading
  /** The replica that is to replace the leading server. */
  standby?: PostgresNode
  stop(): Promise<void>
}

export type Installation = Ground & { servings: Serving[]; apis(): string[] }

type Topology = {
  about: string
  /** Why this machine cannot provide the topology; false if it can. */
  missing: false | string
  /** Roles of the Tillgate servers. */
  roles: readonly ('all' | 'api' | 'delivery')[]
  prepare(folder: string): Promise<Ground>
}

/** The scripts of clusters and poolers, which are not part of the clone. */
const scripts = join(import.meta.dirname, '../../../../shared/topologies')

const noScripts = existsSync(scripts) ? false : 'the scripts that set it up are not beside this checkout'

const partOf = (name: string, node: PostgresNode): Part => ({
  name,
  kill: () => node.kill(),
  start: () => node.start(),
  pids: () => node.pids(),
})

const lasting = (connection: Connection) => async () => ({ connection, release: async () => {} })

async function embedded(folder: string): Promise<Ground> {
  const dataDir = join(folder, 'data')
  const node = new PostgresNode(join(dataDir, 'postgres'), 0)
  return {
    url: undefined,
    dataDir,
    // Its `serve` restarts it.
    parts: [{ ...partOf('database', node), start: async () => {} }],
    network: undefined,
    direct: async () => openEmbeddedDatabase(dataDir),
    stop: async () => {
      if ((await node.pid()) !== undefined) await (await openEmbeddedDatabase(dataDir)).stop()
    },
  }
}

function partOfLeading(leading: Leading): Part {
  return {
    name: 'database',
    kill: () => leading.current.node.kill(),
    start: () => leading.current.node.start(),
    pids: () => leading.current.node.pids(),
  }
}

/** Starts PostgreSQL with the programs in `bin`; by default those of Debian are used. */
async function ownOf(folder: string, bin?: string): Promise<Ground & { leading: Leading }> {
  const leading = await Leading.open(folder, bin)
  const { network } = leading
  return {
    url: network.connection.url,
    parts: [partOfLeading(leading)],
    network,
    leading,
    direct: async () => ({ connection: leading.current.node.connection, release: async () => {} }),
    stop: () => leading.stop(),
  }
}

const own = (folder: string) => ownOf(folder)

const own18 = (folder: string) => ownOf(folder, placePrograms(findPrograms(18), folder))

function pooled(kind: 'OLD' | 'NEW') {
  return async (folder: string): Promise<Ground> => {
    const script = join(scripts, 'pooler.sh')
    // The database of this pooler listens on the next port.
    const port = 20_000 + (process.pid % 500) * 20 + (kind === 'OLD' ? 0 : 10)
    await run('bash', [script, 'start', folder, kind, String(port)])
    const node = new PostgresNode(join(folder, 'pg'), port + 1)
    const program = kind === 'OLD' ? '/usr/sbin/pgbouncer' : join(folder, 'pgbouncer')
    const pidOf = async () => Number(await readFile(join(folder, 'pool.pid'), 'utf8').catch(() => Number.NaN))
    const pooler: Part = {
      name: 'pooler',
      pids: async () => [await pidOf()].filter((pid) => existsSync(`/proc/${pid}`)),
      async kill() {
        for (const pid of await this.pids()) {
          process.kill(pid, 'SIGKILL')
          while (existsSync(`/proc/${pid}`)) await delay(10)
        }
      },
      start: () => asServer(program, ['-q', '-d', join(folder, 'pool.ini')]),
    }
    const network = await startNetwork({ url: `postgres://postgres@127.0.0.1:${port}/postgres` })
    return {
      url: network.connection.url,
      parts: [partOf('database', node), pooler],
      network,
      direct: lasting(node.connection),
      stop: async () => {
        await network.close()
        await run('bash', [script, 'stop', folder, kind, String(port)])
      },
    }
  }
}

async function citus(folder: string): Promise<Ground> {
  const script = join(scripts, 'citus.sh')
  // The port is below the range that the system assigns to clients.
  const port = 12_000 + (process.pid % 500) * 16
  await run('bash', [script, 'start', folder, String(port)])
  const nodes = [0, 1, 2].map((n) => new PostgresNode(join(folder, `n${n}`), port + n))
  const [coordinator] = nodes as [PostgresNode, ...PostgresNode[]]
  const network = await startNetwork(coordinator.connection)
  return {
    url: network.connection.url,
    parts: nodes.map((node, n) => partOf(n === 0 ? 'coordinator' : `worker node ${n}`, node)),
    network,
    direct: lasting(coordinator.connection),
    stop: async () => {
      await network.close()
      await run('bash', [script, 'stop', folder, String(port)])
    },
  }
}

async function failover(folder: string): Promise<Ground> {
  const ground = await own(folder)
  return { ...ground, standby: await ground.leading.replicate() }
}

export const topologies = {
  embedded: {
    about: 'the embedded PostgreSQL, one `serve`',
    missing: false,
    roles: ['all'],
    prepare: embedded,
  },
  own: {
    about: 'an external PostgreSQL 15, one `serve`',
    missing: noPostgres,
    roles: ['all'],
    prepare: own,
  },
  'own-18': {
    about: 'an external PostgreSQL 18, one `serve`',
    missing: existsSync(join(findPrograms(18), 'postgres')) ? false : 'npm could not install PostgreSQL 18',
    roles: ['all'],
    prepare: own18,
  },
  'pgbouncer-1.18': {
    about: 'behind PgBouncer 1.18 in transaction mode',
    missing: noPostgres || noScripts || (existsSync('/usr/sbin/pgbouncer') ? false : 'install pgbouncer'),
    roles: ['all'],
    prepare: pooled('OLD'),
  },
  'pgbouncer-1.25': {
    about: 'behind PgBouncer 1.25.2 in transaction mode',
    missing: noPostgres || noScripts,
    roles: ['all'],
    prepare: pooled('NEW'),
  },
  several: {
    about: 'two `--role api` and two `--role delivery` on one PostgreSQL',
    missing: noPostgres,
    roles: ['api', 'api', 'delivery', 'delivery'],
    prepare: own,
  },
  citus: {
    about: 'a Citus cluster of a coordinator and two workers',
    missing: noPostgres || noScripts,
    roles: ['api', 'delivery'],
    prepare: citus,
  },
  failover: {
    about: 'a primary whose asynchronous replica is promoted',
    missing: noPostgres,
    roles: ['api', 'delivery'],
    prepare: failover,
  },
} as const satisfies Record<string, Topology>

export type TopologyName = keyof typeof topologies

export const topologyNames = Object.keys(topologies) as TopologyName[]

/**
 * Sets up a topology in an empty folder that every account can access, with all Tillgate servers running. Their state
 * outside of an external database is in `state`.
 */
export async function install(name: TopologyName, folder: string, state: string): Promise<Installation> {
  const { prepare, roles }: Topology = topologies[name]
  const ground = await prepare(folder)
  // The disk to fill is smaller than the default reserve, which would refuse every push.
  const place = ground.dataDir === undefined ? [] : ['--data-dir', ground.dataDir, '--disk-reserve', '64']
  const env = ground.url === undefined ? {} : { DATABASE_URL: ground.url, TILLGATE_HEADS_DIR: state }
  const servings = roles.map((role, i) => {
    const args = [...place, '--role', role, '--allow-http', '--allow-address', '127.0.0.0/8', '--log-level', 'warn']
    return new Serving(`serve ${i + 1} (${role})`, args, env)
  })
  try {
    for (const serving of servings) await serving.start()
  } catch (error) {
    await Promise.all(servings.map((serving) => serving.kill()))
    await ground.stop()
    throw error
  }
  const apis = () => servings.filter((_, i) => roles[i] !== 'delivery').map(({ url }) => url)
  return { ...ground, env, servings, apis }
}
