import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { PostgresNode } from '../test/support/matrix/postgres-node.ts'
import { findPrograms, placePrograms } from './postgres-programs.ts'

// Runs test suites on real topologies: behind both kinds of transaction poolers, on a Citus cluster by its coordinator
// and by a worker, and on the major versions of PostgreSQL that Tillgate does not bring. `--full` runs every suite that
// has a database; without it only a selection that CI has time for; `--minutes 8` begins none after that time. `--part
// 2/6` runs the second sixth of the files, `--only <glob>` (repeatable) these files instead. Names of topologies may
// follow: node scripts/check-topologies.ts citus citus-worker --full --part 1/4

const root = join(import.meta.dirname, '..')
// The scripts of the topologies are not part of the clone.
const pooler = join(root, '../shared/topologies/pooler.sh')
const cluster = join(root, '../shared/topologies/citus.sh')
const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    full: { type: 'boolean', default: false },
    minutes: { type: 'string', default: 'Infinity' },
    part: { type: 'string', default: '1/1' },
    only: { type: 'string', multiple: true },
  },
})
const isFull = values.full

/** Returns the files of this part; neighboring files, which take about as long, go to different parts. */
function chosenFiles(globs: readonly string[]): string[] {
  const [part = NaN, parts = NaN] = values.part.split('/').map(Number)
  if (!(part >= 1 && part <= parts)) throw new Error(`--part is like 2/6, not ${values.part}`)
  const files = [...new Set((values.only ?? globs).flatMap((glob) => globSync(glob, { cwd: root })))].toSorted()
  return files.filter((_, index) => index % parts === part - 1)
}

const store = 'test/{core,modules/*}/store/**/*.test.ts'
const everything = [
  store,
  'test/{core,modules/*}/{http,ingest,delivery,conformance,projections}/**/*.test.ts',
  'test/programs/backup/*.test.ts',
]

/** Commands that use the database and do not print its address. */
const commands =
  'test/programs/cli/{access,backup,console,export,keys,location-states,operations,redact,sample,verify}.test.ts'

/** The other tests of the store bypass the pooler, or need a session of their own. */
const storeBehindPooler = 'test/core/store/**/{arrays,group-commit,hints,journal,pages,pooler,reader,rows}.test.ts'

const behindPooler = [storeBehindPooler, ...everything.slice(1), commands]

const slice = {
  pooler: [
    storeBehindPooler,
    'test/core/ingest/{concurrency,ended-pushes,kill,meant-events,verdicts}.test.ts',
    'test/core/http/{event-stream,events,pages}.test.ts',
    'test/core/delivery/{engine,engine-leases,engine-hints,sweep}.test.ts',
    'test/core/conformance/{orders,webhook-tests,webhooks}.test.ts',
  ],
  coordinator: [
    store,
    'test/core/ingest/{concurrency,ended-pushes,kill}.test.ts',
    'test/core/delivery/{engine,engine-leases}.test.ts',
    'test/core/conformance/{orders,webhook-tests,webhooks}.test.ts',
    'test/programs/backup/answers.test.ts',
    'test/programs/cli/location-states.test.ts',
    'test/programs/topologies/citus-*.topology.ts',
  ],
  worker: [
    'test/core/http/{event-stream,events,pages,webhook-recipients,webhook-refusals,webhooks}.test.ts',
    'test/core/ingest/{meant-events,verdicts}.test.ts',
    'test/core/delivery/sweep.test.ts',
  ],
  major: [
    'test/core/store/**/{group-commit,journal,migrations,pages,resumption,rows}.test.ts',
    'test/core/ingest/{concurrency,ended-pushes}.test.ts',
    'test/core/delivery/engine.test.ts',
    'test/core/conformance/{orders,webhook-tests,webhooks}.test.ts',
  ],
}

/** A running topology. `directUrl` is set only if it differs from `url`. */
type Running = { url: string; directUrl?: string; stop: () => unknown; env?: Record<string, string> }

type Topology = {
  name: string
  /** Files that must exist. */
  needs: () => string[]
  files: string[]
  start(directory: string, port: number): Running | Promise<Running>
}

/** Returns the topology of PostgreSQL without a pooler. */
function plain(major: number): Topology {
  return {
    name: `postgres-${major}`,
    needs: () => [join(findPrograms(major), 'postgres')],
    files: isFull ? [...everything, commands] : slice.major,
    async start(directory, port) {
      mkdirSync(directory)
      chmodSync(directory, 0o777)
      const node = new PostgresNode(join(directory, 'pg'), port, placePrograms(findPrograms(major), directory))
      await node.create(['fsync = off', 'max_connections = 200'])
      await node.start()
      return { url: `postgres://postgres@127.0.0.1:${port}/postgres`, stop: () => node.stop() }
    },
  }
}

function startPooler(kind: 'OLD' | 'NEW', directory: string, port: number): Running {
  const stop = () => void spawnSync(pooler, ['stop', directory, kind, String(port)])
  execFileSync(pooler, ['start', directory, kind, String(port)], { stdio: ['ignore', 'ignore', 'inherit'] })
  // Each test file has its own database, and the pooler accepts only the databases that it knows.
  const ini = join(directory, 'pool.ini')
  const others = `* = host=127.0.0.1 port=${port + 1} user=postgres\n[pgbouncer]`
  const given = readFileSync(ini, 'utf8').replace('[pgbouncer]', others)
  // Fewer connections than a test file has clients. With three, script tests wait for each other on a busy machine.
  writeFileSync(ini, given.replace(/^default_pool_size = \d+$/m, 'default_pool_size = 8'))
  process.kill(Number(readFileSync(join(directory, 'pool.pid'), 'utf8')), 'SIGHUP')
  const at = (where: number) => `postgres://postgres@127.0.0.1:${where}/postgres`
  return { url: at(port), directUrl: at(port + 1), stop }
}

function startCluster(node: 0 | 1, directory: string, port: number): Running {
  const stop = () => void spawnSync(cluster, ['stop', directory, String(port)])
  execFileSync(cluster, ['start', directory, String(port)], { stdio: ['ignore', 'ignore', 'inherit'] })
  const at = (where: number) => `postgres://postgres@127.0.0.1:${where}/postgres`
  return { url: at(port + node), directUrl: at(port), stop, env: { TILLGATE_TEST_CITUS: directory } }
}

const server = '/usr/lib/postgresql/15/bin/postgres'
const citus = '/usr/share/postgresql/15/extension/citus.control'
const neededByCluster = [cluster, server, ...(process.getuid?.() === 0 ? [] : [citus])]

const topologies: Topology[] = [
  {
    name: 'pgbouncer-1.18',
    needs: () => [pooler, server, '/usr/sbin/pgbouncer'],
    files: isFull ? behindPooler : slice.pooler,
    start: (directory, port) => startPooler('OLD', directory, port),
  },
  {
    name: 'pgbouncer-1.25',
    needs: () => [pooler, server],
    files: isFull ? behindPooler : slice.pooler,
    start: (directory, port) => startPooler('NEW', directory, port),
  },
  {
    name: 'citus',
    needs: () => neededByCluster,
    files: isFull ? [...everything, commands, 'test/programs/topologies/*.topology.ts'] : slice.coordinator,
    start: (directory, port) => startCluster(0, directory, port),
  },
  {
    name: 'citus-worker',
    needs: () => neededByCluster,
    files: isFull ? [...everything, commands] : slice.worker,
    start: (directory, port) => startCluster(1, directory, port),
  },
  // Version 18 is bundled with Tillgate, and all other suites run on it.
  ...[15, 16, 17].map(plain),
]

/** Resolves to the first of three consecutive free ports, below the range for clients. */
async function freePorts(): Promise<number> {
  for (let first = 21_000 + (process.pid % 900) * 10; ; first += 10) {
    const servers = [0, 1, 2].map((n) => createServer().listen(first + n, '127.0.0.1'))
    const taken = await Promise.all(
      servers.map((one) =>
        Promise.race([once(one, 'listening').then(() => false), once(one, 'error').then(() => true)]),
      ),
    )
    for (const one of servers) one.close()
    if (!taken.includes(true)) return first
  }
}

/** Whether a signal has ended the run: the tests stop first, then the servers. */
let isEnded = false

async function runTests(files: string[], concurrency: 1 | 2, { url, directUrl, env = {} }: Running): Promise<boolean> {
  if (files.length === 0 || isEnded) return true
  const flags = ['--test', '--test-force-exit', `--test-concurrency=${concurrency}`, '--test-timeout=300000']
  const setup = '--test-global-setup=test/global-setup.ts'
  const preload = '--import=./test/support/preload.ts'
  const tests = spawn(process.execPath, [...flags, setup, preload, ...files], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env, TEST_DATABASE_URL: url, TEST_DATABASE_DIRECT_URL: directUrl ?? '' },
  })
  const end = () => {
    isEnded = true
    tests.kill()
  }
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, end)
  const [status] = (await once(tests, 'exit')) as [number | null]
  for (const signal of ['SIGTERM', 'SIGINT']) process.off(signal, end)
  return status === 0
}

async function check(topology: Topology): Promise<boolean> {
  // There is nothing to do if this part has no files of the topology.
  if (chosenFiles(topology.files).length === 0) return true
  const missing = topology.needs().find((path) => !existsSync(path))
  if (missing !== undefined) {
    console.log(`topology ${topology.name}: skipped, ${missing} is missing`)
    return true
  }
  const directory = join(tmpdir(), `tillgate-topology-${process.pid}-${topology.name}`)
  const running = await topology.start(directory, await freePorts())
  try {
    console.log(`topology ${topology.name}: ${running.url}`)
    // These files remove nodes of the cluster, which affects all its users.
    const harming = (file: string) => file.endsWith('.topology.ts')
    const files = chosenFiles(topology.files)
    const others = await runTests(
      files.filter((file) => !harming(file)),
      2,
      running,
    )
    return (await runTests(files.filter(harming), 1, running)) && others
  } finally {
    await running.stop()
    // A pooler removes its pid file when it ends; removing the folder at that moment fails and must be repeated.
    while (existsSync(directory)) rmSync(directory, { recursive: true, force: true })
  }
}

const failed: string[] = []
for (const topology of topologies.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  if (isEnded) break
  if (performance.now() > Number(values.minutes) * 60_000)
    console.log(`topology ${topology.name}: skipped, the time is up`)
  else if (!(await check(topology))) failed.push(topology.name)
}
console.log(failed.length === 0 ? 'topologies: all passed' : `topologies: failed on ${failed.join(', ')}`)
process.exitCode = failed.length === 0 ? 0 : 1
