import cluster from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { readConfig, settingNames, type Config } from '../config.ts'
import { findInstallation } from '../store/db/server.ts'
import { listLocations } from '../contract/location/rows.ts'
import { boundHeapGrowth, makeEverythingYoung } from '../server/heap.ts'
import type { DiskRule } from '../server/disk.ts'
import { keepDiskSamples } from '../server/disk-samples.ts'
import { embeddedShare } from '../server/connections.ts'
import { openDatabase, type Database } from '../server/database.ts'
import { endSoon } from '../server/ending.ts'
import { openOperations, type Operations } from '../server/operations.ts'
import { bundledRelease } from '../embedded/bundled-release.ts'
import { measureService } from '../server/metrics/service.ts'
import { takeSnapshot } from '../server/metrics/aggregate.ts'
import { Interrupted } from '../server/errors.ts'
import { catchInterrupts } from './terminal/interrupts.ts'
import { chooseLogLevel, createLog, type Log } from '../server/log.ts'
import { addSettings, finish } from './terminal/options.ts'
import { note, print, printJson } from './terminal/output.ts'
import { CliError } from '../server/errors.ts'
import { dataParts, loadServer } from '../modules.ts'
import type { RunningServer } from '../server/start.ts'
import { tryToListen } from '../server/listening.ts'
import { takeLock, watchDatabase } from '../server/watch.ts'
import { readHandedSockets } from '../server/handed-sockets.ts'
import { readVersion } from '../server/version.ts'

export type Sample = { locationId: string; name: string; key: string }

declare module '../modules.ts' {
  interface ModuleData {
    /** Creates a sample restaurant in an empty installation, with a key for it. */
    bringSample?(database: Database, dataDir: string): Promise<Sample>
  }
}

/** Returns whether SIGHUP reloads the certificate (if set, or without a terminal) instead of ending the program. */
const reloads = ({ tlsCert }: Config) => tlsCert !== null || !process.stdin.isTTY

type ServeFlags = { sample?: true; json?: true; port?: string; host?: string }

/** Returns when to refuse pushes for lack of disk space; undefined for an external database. */
function diskOf({ directory }: Database, { diskReserve }: Config): DiskRule | undefined {
  return directory === null ? undefined : { path: directory, reserveBytes: diskReserve * 2 ** 20 }
}

async function start(database: Database, config: Config, log: Log, fd: number | undefined): Promise<RunningServer> {
  const { processes, dbConnections } = config
  if (processes === 1) {
    const { startServer } = await import('../server/start.ts')
    return startServer(database.pool, config, log, { fd, disk: diskOf(database, config), kept: database.kept })
  }
  const { startWorkers } = await import('../server/workers.ts')
  const share = database.embedded ? embeddedShare(processes) : dbConnections
  const { connection } = database
  const logLevel = chooseLogLevel(config)
  const task = {
    connection,
    logLevel,
    fd: fd ?? null,
    disk: diskOf(database, config) ?? null,
    kept: database.kept,
    config: { ...config, dbConnections: Math.min(dbConnections, share) },
  }
  return startWorkers(processes, task, log)
}

type Running = {
  server: RunningServer
  operations: Operations | undefined
  database: Database
  config: Config
  sample: Sample | undefined
}

async function announce({ server, operations, database, config, sample }: Running, json: boolean): Promise<void> {
  const { url } = server
  const operationsUrl = operations?.url ?? null
  const known = sample ? { locationId: sample.locationId, key: sample.key } : {}
  if (json) return printJson({ url, pid: process.pid, operationsUrl, ...known })
  if (url === null) {
    const probes = operationsUrl === null ? '' : ` Probes and metrics: ${operationsUrl}.`
    return print(`Tillgate ${readVersion()} delivers webhooks of ${database.place}.${probes} Press Ctrl-C to stop.`)
  }
  const lines = [
    `Tillgate ${readVersion()} is running.`,
    '',
    `  Base URL   ${config.publicUrl ?? url}`,
    `  Reference  ${url}/docs`,
    `  Data       ${database.place}`,
    ...(operationsUrl === null ? [] : [`  Operations ${operationsUrl}/readyz, ${operationsUrl}/metrics`]),
  ]
  if (sample) {
    lines.push(`  Sample     ${sample.name}, with the key ${sample.key}`, '', 'To read an order, run:', '')
    lines.push(`  curl -H 'X-API-Key: ${sample.key}' '${url}/v1/orders/?size=1'`)
  } else if ((await listLocations(database.pool)).length === 0) {
    lines.push('', 'There are no locations yet: tillgate location create --help, or tillgate import --help')
  }
  print([...lines, '', 'Press Ctrl-C to stop.'].join('\n'))
}

/** Waits for a signal, then for `drainSeconds` while the server reports that it is not ready. */
async function untilStopped(server: RunningServer, { drainSeconds }: Config, log: Log, signal: AbortSignal) {
  if (!signal.aborted) await once(signal, 'abort')
  server.drain()
  const { signal: name } = signal.reason as Interrupted
  if (drainSeconds > 0) {
    log.info(`${name}: not ready, stopping in ${drainSeconds} s`)
    await delay(drainSeconds * 1_000)
  }
  log.info(`${name}: stopping`)
}

function measure(database: Database, config: Config, log: Log): ReturnType<typeof measureService> {
  const isBundled = database.embedded && config.pgBin === null
  return measureService(
    database.pool,
    {
      version: readVersion(),
      role: config.role,
      disk: diskOf(database, config),
      postgresReleasedAt: isBundled ? new Date(bundledRelease.releasedOn) : undefined,
    },
    log,
  )
}

async function serve(config: Config, flags: ServeFlags, signal: AbortSignal): Promise<void> {
  const log = createLog(chooseLogLevel(config))
  const handed = readHandedSockets(process.env, process.pid)
  // Tried first: no sample is created if the server cannot listen.
  if (flags.sample && handed.api === undefined && config.role !== 'delivery') await tryToListen(config)
  let loading: Promise<unknown> | undefined
  const load = () => (loading ??= Promise.all([loadServer(), config.processes === 1 && import('../server/start.ts')]))
  // Everything that was opened is closed in reverse order, even after an error.
  await using open = new AsyncDisposableStack()
  const database = await openDatabase(config, {
    signal,
    // Loading the server takes as long as PostgreSQL takes to start.
    meanwhile: load,
    waitMs: config.dbWait * 1_000,
    onWait: ({ message }) => log.warn(`waiting up to ${config.dbWait} s for the database: ${message}`),
    deadlineMs: config.dbTimeout * 1_000,
  })
  open.defer(() => database.close())
  await load()
  const lock = await takeLock(database)
  open.defer(() => lock?.release())
  for (const notice of database.notices) note(notice)
  if (config.role === 'delivery' && (flags.port ?? flags.host) !== undefined) {
    note('--role delivery answers no requests, so --port and --host have no effect; see --operations-address')
  }
  signal.throwIfAborted()
  let sample: Sample | undefined
  if (flags.sample) {
    const bringSample = dataParts().find((part) => part.bringSample)?.bringSample
    if (!bringSample)
      throw new CliError('module_off', '--sample needs the module simulator, which is off: add it to TILLGATE_MODULES')
    sample = await bringSample(database, config.dataDir)
  }
  const service = measure(database, config, log)
  open.defer(() => service.close())
  if (database.directory !== null) open.defer(keepDiskSamples(database.directory, log))
  let operations: Operations | undefined
  // While the server closes, probes still get the answer that it is not ready.
  open.defer(() => operations?.close())
  const server = await start(database, config, log, handed.api)
  open.defer(() => server.close())
  if (reloads(config)) process.on('SIGHUP', () => server.reload())
  open.defer(watchDatabase(database, lock, log, () => service.embeddedRestarted()))
  if (config.operationsAddress !== 'off') {
    const { role, publicUrl } = config
    const about = {
      installation: await findInstallation(database.pool),
      url: server.url === null ? null : (publicUrl ?? server.url),
      version: readVersion(),
      role,
    }
    const metrics = async () => [await takeSnapshot(service.registry), ...(await server.metrics())]
    operations = await openOperations(
      config.operationsAddress,
      { about, health: () => server.health(), metrics },
      log,
      handed.operations,
    )
  }
  await announce({ server, operations, database, config, sample }, flags.json === true)
  await untilStopped(server, config, log, signal)
}

async function run(flags: ServeFlags & Record<string, unknown>): Promise<void> {
  boundHeapGrowth()
  makeEverythingYoung()
  if (cluster.isWorker) return (await import('../server/worker.ts')).runWorker()
  const config = readConfig(settingNames, flags, process.env)
  const interrupts = catchInterrupts(reloads(config) ? ['SIGINT', 'SIGTERM', 'SIGQUIT'] : undefined)
  try {
    await serve(config, flags, interrupts.signal)
  } catch (error) {
    // A signal during the start also stops the program in order.
    if (!(error instanceof Interrupted)) throw error
  } finally {
    interrupts.release()
    endSoon()
  }
}

export function define(command: Command): void {
  command
    .description(
      'Serve the API and deliver webhooks. SIGTERM and Ctrl-C stop it gracefully; a second one ends it ' +
        'immediately.',
    )
    .option('--sample', 'create a sample restaurant in an empty installation, and print a key for it')
  addSettings(command, settingNames).action(run)
  finish(command, [
    'serve',
    'serve --sample',
    'serve --host 0.0.0.0 --public-url https://pos.example --trust-proxy 127.0.0.1 --processes 4',
    'serve --role delivery --database-url postgres://tillgate@db.example/tillgate',
    'serve --port 0 --json',
  ])
}
