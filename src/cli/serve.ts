import cluster from 'node:cluster'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { readConfig, settingNames, type Config } from '../config.ts'
import { takeInstanceLock, type InstanceLock } from '../store/instance-lock.ts'
import { listLocations } from '../store/locations.ts'
import { embeddedShare } from './connections.ts'
import { openDatabase, type Database } from './database.ts'
import { CliError, Interrupted } from './errors.ts'
import { catchInterrupts } from './interrupts.ts'
import { chooseLogLevel, createLog, type Log } from './log.ts'
import { addSettings, finish } from './options.ts'
import { note, print, printJson } from './output.ts'
import type { Sample } from './sample.ts'
import type { RunningServer } from './server.ts'
import { readVersion } from './version.ts'

type Flags = { sample?: true; json?: true }

const watchMs = 1_000

const lockWaitMs = 500

/** The place of the one server of an embedded database; undefined where the database is another. Throws `CliError`. */
export async function takeLock({ embedded, connection, place }: Database): Promise<InstanceLock | undefined> {
  if (!embedded) return undefined
  // A serve that was killed a moment ago: the database is about to notice.
  for (const deadline = performance.now() + lockWaitMs; performance.now() < deadline; await delay(50)) {
    const lock = await takeInstanceLock(connection)
    if (lock) return lock
  }
  throw new CliError(
    'data_dir_in_use',
    `another tillgate serve uses the data directory ${place}: stop it, or give another --data-dir; ` +
      'several share one database with DATABASE_URL',
  )
}

/** Starts the embedded database again when something killed it: requests answer 503 until it is back. */
export function watchDatabase(database: Database, lock: InstanceLock | undefined, log: Log): () => Promise<void> {
  let stopped = false
  let timer: NodeJS.Timeout | undefined
  let looking = Promise.resolve()
  const look = async () => {
    try {
      if (!(await database.revive())) return
      log('error', 'the embedded database had ended and was started again')
      if (!(await lock?.renew())) log('error', 'another tillgate serve uses the data directory now')
    } catch (error) {
      if (error instanceof Interrupted) return
      log('error', 'the embedded database has ended and does not start', error)
    }
  }
  const schedule = () => {
    if (stopped) return
    timer = setTimeout(() => (looking = look().then(schedule)), watchMs)
  }
  if (database.embedded) schedule()
  return async () => {
    stopped = true
    clearTimeout(timer)
    await looking
  }
}

async function start(database: Database, config: Config, log: Log): Promise<RunningServer> {
  const { processes, dbConnections } = config
  if (processes === 1) {
    const { startServer } = await import('./server.ts')
    return startServer(database, config)
  }
  const { startWorkers } = await import('./workers.ts')
  const share = database.embedded ? embeddedShare(processes) : dbConnections
  const { connection } = database
  return startWorkers(
    processes,
    { connection, config: { ...config, dbConnections: Math.min(dbConnections, share) } },
    log,
  )
}

async function announce(
  { url }: RunningServer,
  database: Database,
  config: Config,
  sample: Sample | undefined,
  json: boolean,
): Promise<void> {
  const known = sample ? { locationId: sample.locationId, key: sample.key } : {}
  if (json) return printJson({ url, pid: process.pid, ...known })
  if (url === null) return print(`Tillgate ${readVersion()} delivers webhooks of ${database.place}. Ctrl-C stops it.`)
  const lines = [
    `Tillgate ${readVersion()} is running.`,
    '',
    `  Base URL   ${config.publicUrl ?? url}`,
    `  Reference  ${url}/docs`,
    `  Data       ${database.place}`,
  ]
  if (sample) {
    lines.push(`  Sample     ${sample.name}, with the key ${sample.key}`, '', 'To read an order, paste:', '')
    lines.push(`  curl -H 'X-API-Key: ${sample.key}' '${url}/v1/orders/?size=1'`)
  } else if ((await listLocations(database.pool)).length === 0) {
    lines.push('', 'There are no locations yet: tillgate location create --help, or tillgate import --help')
  }
  print([...lines, '', 'Ctrl-C stops it.'].join('\n'))
}

async function serve(config: Config, flags: Flags, signal: AbortSignal): Promise<void> {
  const log = createLog(chooseLogLevel(config))
  // Loading the server takes as long as opening the database: both at once.
  const loading = config.processes === 1 ? import('./server.ts') : undefined
  const notices: string[] = []
  const database = await openDatabase(config, { signal, onNotice: (notice) => notices.push(notice) })
  try {
    await loading
    const lock = await takeLock(database)
    for (const notice of notices) note(notice)
    try {
      signal.throwIfAborted()
      let sample: Sample | undefined
      if (flags.sample) {
        const { prepareSample } = await import('./sample.ts')
        sample = await prepareSample(database.pool, config.dataDir)
      }
      const server = await start(database, config, log)
      const stopWatching = watchDatabase(database, lock, log)
      try {
        await announce(server, database, config, sample, flags.json === true)
        if (!signal.aborted) await once(signal, 'abort')
        log('info', `${(signal.reason as Interrupted).signal}: stopping`)
      } finally {
        await stopWatching()
        await server.close()
      }
    } finally {
      await lock?.release()
    }
  } finally {
    await database.close()
  }
}

async function run(flags: Flags & Record<string, unknown>): Promise<void> {
  if (cluster.isWorker) return (await import('./workers.ts')).runWorker()
  const config = readConfig(settingNames, flags, process.env)
  const interrupts = catchInterrupts()
  try {
    await serve(config, flags, interrupts.signal)
  } catch (error) {
    // Stopped while it was starting: that is a stop in order, too.
    if (!(error instanceof Interrupted)) throw error
  } finally {
    interrupts.release()
  }
}

export function define(command: Command): void {
  command
    .description(
      'Answer the API and deliver webhooks. Stops in order on SIGTERM and Ctrl-C; a second one ends it at once.',
    )
    .option('--sample', 'bring a sample restaurant into an empty installation, and print a key for it')
  addSettings(command, settingNames).action(run)
  finish(command, [
    'serve',
    'serve --sample',
    'serve --host 0.0.0.0 --public-url https://pos.example --trust-proxy --processes 4',
    'serve --role delivery --database-url postgres://tillgate@db.example/tillgate',
    'serve --port 0 --json',
  ])
}
