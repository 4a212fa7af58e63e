import type { Command } from 'commander'
import type { Tillgate } from '#client'
import { readConfig, settingHelp, settingNames, type Config } from '../../src/core/config.ts'
import { upsertWebhook } from '../../src/core/delivery/webhooks.ts'
import { hashKey } from '../../src/core/domain/accounts/keys.ts'
import type { Scope } from '../../src/core/schemas/scopes.ts'
import type { EventType } from '../../src/core/schemas/events.ts'
import type { RestaurantKind } from '../restaurant.ts'
import { sessionTimes } from '../../src/modules/console/schemas/console.ts'
import { listApiKeys } from '../../src/core/store/accounts/api-keys.ts'
import type { Pool } from '../../src/core/store/db/database.ts'
import { listDayCounts } from '../../src/core/contract/paging/day-counts.ts'
import { findHead } from '../../src/core/store/journal/journal.ts'
import { findLocation } from '../../src/core/contract/location/rows.ts'
import { enableWebhook, getWebhook } from '../../src/core/contract/webhooks/rows.ts'
import { openDatabase } from '../../src/core/server/database.ts'
import { createLink } from '../../src/modules/console/cli/console/link.ts'
import { showNotices } from '../../src/core/cli/database.ts'
import { announce, createTicker, todayOf } from './demo/output.ts'
import { startReceiver } from './demo/receiver.ts'
import { catchUp, sell } from './demo/sales.ts'
import { findState, keepState, newState, restaurantOf, type DemoState } from './demo/state.ts'
import { CliError } from '../../src/core/server/errors.ts'
import { catchInterrupts } from '../../src/core/cli/terminal/interrupts.ts'
import { createApiKey } from '../../src/core/store/accounts/api-keys.ts'
import { createLog, type Log } from '../../src/core/server/log.ts'
import { finish, readNumber, readInteger } from '../../src/core/cli/terminal/options.ts'
import { note, print } from '../../src/core/cli/terminal/output.ts'
import { showProgress } from '../../src/core/cli/terminal/progress.ts'
import { takeLock, watchDatabase } from '../../src/core/server/watch.ts'
import { tryToListen } from '../../src/core/server/listening.ts'
import { createSimulatedLocation } from './simulate/setup.ts'
import { kindHelp, readKind } from './simulate/options.ts'
import { createTillClient } from './simulate/till-client.ts'

type DemoFlags = {
  dataDir: string
  databaseUrl?: string
  host?: string
  port?: string
  days: string
  restaurant: string
  speed: string
  json?: true
}

const defaultDataDir = './tillgate-demo'

/** The events for which a partner would register, without the further versions of an open order. */
const events: EventType[] = [
  'order.created',
  'order.paid',
  'order.canceled',
  'order.transferred',
  'report.created',
  'report.updated',
]

/**
 * Reads where to store the data, from the command line only: a demo must not write its sales to an installation that an
 * environment variable names.
 */
function readDemoConfig({ dataDir, databaseUrl, host, port }: DemoFlags): Config {
  const { TILLGATE_HOST, TILLGATE_PORT, TILLGATE_LOG_LEVEL } = process.env
  const flags = { dataDir, databaseUrl, host, port, allowHttp: true, allowAddress: ['127.0.0.0/8'] }
  return readConfig(settingNames, flags, { TILLGATE_HOST, TILLGATE_PORT, TILLGATE_LOG_LEVEL })
}

async function hasKey(pool: Pool, locationId: string, key: string): Promise<boolean> {
  const keys = await listApiKeys(pool, locationId)
  return keys.some(({ hash, revokedAt }) => hash === hashKey(key) && revokedAt === null)
}

/** Finds the state of the last run, or makes a new restaurant with its location and keys. */
async function prepare(
  pool: Pool,
  dataDir: string,
  made: { days: number; kind: RestaurantKind },
): Promise<{ state: DemoState; isNew: boolean }> {
  const found = await findState(dataDir)
  const isKnown = found !== undefined && (await findLocation(pool, found.locationId)) !== undefined
  const now = new Date()
  const state = isKnown ? found : newState(made.days, made.kind, now)
  const { locationId } = state
  await createSimulatedLocation(pool, restaurantOf(state), now)
  const keyFor = async (known: string, name: string, scopes: Scope[]) => {
    if (await hasKey(pool, locationId, known)) return known
    return (await createApiKey(pool, 'test', { locationId, recipientId: null, scopes, expiresAt: null, name }, now)).key
  }
  state.key = await keyFor(state.key, 'demo', ['read', 'webhooks'])
  state.tillKey = await keyFor(state.tillKey, 'demo till', ['ingest'])
  await keepState(dataDir, state)
  return { state, isNew: state.storedUntil === state.from }
}

/** Registers the receiver at its current address; deliveries that failed while it was not running are due at once. */
async function registerWebhook(pool: Pool, state: DemoState, endpointUrl: string): Promise<string> {
  const { locationId, recipientId, webhookId: id } = state
  const now = new Date()
  await upsertWebhook(
    pool,
    { id, events, endpointUrl, locationId, recipientId },
    { visibleTo: null, webhooksPerLocation: 0 },
    now,
  )
  await enableWebhook(pool, locationId, id, now)
  return (await getWebhook(pool, locationId, id)).secret
}

/** Starts the server on the requested port, or on a free one if the usual port is in use. */
async function startDemoServer(pool: Pool, config: Config, log: Log, isPortChosen: boolean) {
  const { startServer } = await import('../../src/core/server/start.ts')
  try {
    return await startServer(pool, config, log)
  } catch (error) {
    if (isPortChosen || !(error instanceof CliError) || error.code !== 'port_in_use') throw error
    note(`Port ${config.port} is in use: using a free one`)
    return startServer(pool, { ...config, port: 0 }, log)
  }
}

async function countDocuments(pool: Pool, locationId: string): Promise<{ orders: number; reports: number }> {
  const counts = { orders: 0, reports: 0 }
  for (const { kind, n } of await listDayCounts(pool, locationId)) counts[kind === 'report' ? 'reports' : 'orders'] += n
  return counts
}

type Opened = { state: DemoState; keep: () => Promise<void>; perMinute: number; signal: AbortSignal }

/** Stores the sales since the last run, or since the restaurant opened, and shows the progress. */
async function bringUpToDate(pool: Pool, opened: Opened) {
  const began = performance.now()
  const progress = showProgress(1)
  let records = 0
  const onProgress = (doneMs: number, totalMs: number, written: number) => {
    records = written
    progress.update(Math.min(doneMs / totalMs, 1), written)
  }
  try {
    const from = await catchUp(pool, { ...opened, now: new Date(), onProgress })
    return { from, records, seconds: (performance.now() - began) / 1000 }
  } finally {
    progress.stop()
  }
}

async function findNewestReport(tillgate: Tillgate, signal: AbortSignal): Promise<string | null> {
  for await (const { id } of tillgate.reports({ sort: '-createdAt', size: 1, signal })) return id
  return null
}

async function demo(flags: DemoFlags, signal: AbortSignal): Promise<void> {
  const config = readDemoConfig(flags)
  const days = readInteger('--days', flags.days, 1, 3650)
  const perMinute = readNumber('--speed', flags.speed, 0.1, 60)
  const kind = readKind(flags.restaurant)
  const json = flags.json === true
  const isPortChosen = flags.port !== undefined || process.env['TILLGATE_PORT'] !== undefined
  // Checked first, because generating months of sales is useless if the server cannot listen.
  if (isPortChosen) await tryToListen(config)
  // Everything that was opened is closed in reverse order, even after an error.
  await using open = new AsyncDisposableStack()
  const database = await openDatabase(config, { signal })
  showNotices(database)
  open.defer(() => database.close())
  const { pool } = database
  const lock = await takeLock(database)
  open.defer(() => lock?.release())

  const { state, isNew } = await prepare(pool, config.dataDir, { days, kind })
  const { locationId, webhookId, key, tillKey } = state
  const keep = () => keepState(config.dataDir, state)
  const since = isNew ? null : state.storedUntil
  if (isNew) note(`Making ${days} days of a restaurant …`)
  const { from, ...made } = await bringUpToDate(pool, { state, keep, perMinute, signal })

  const ticker = createTicker(json)
  open.defer(() => ticker.close())
  let secret = ''
  const { delivered: onDelivered, refused: onRefused } = ticker
  const receiver = await startReceiver({ secret: () => secret, onDelivered, onRefused })
  open.defer(() => receiver.close())
  secret = await registerWebhook(pool, state, receiver.url)
  ticker.catchUpTo((await findHead(pool, locationId))?.seq ?? 0)

  const log = createLog(config.logLevel ?? 'warn')
  const server = await startDemoServer(pool, config, log, isPortChosen)
  open.defer(() => server.close())
  // Also after an early end: pending deliveries wait for their responses, and the server for the deliveries.
  open.defer(() => ticker.open())
  open.defer(watchDatabase(database, lock, log))
  const url = server.url as string
  const client = createTillClient(url, { connections: 2, patienceMs: Infinity })
  open.defer(() => client.close())

  const reportId = await client.ask(key, (tillgate) => findNewestReport(tillgate, signal))
  const { name, city } = restaurantOf(state).location
  const place = { name, city, url, place: database.place, pid: process.pid, locationId, webhookId, key, tillKey }
  const stock = { ...(await countDocuments(pool, locationId)), ...made, since, days, perMinute }
  const link = await createLink(pool, url, {
    kind: 'operator',
    role: 'operator',
    name: 'demo',
    // All rights; the link opens the console at the restaurant.
    scopes: ['read', 'webhooks', 'admin'],
    locationIds: [locationId],
    ...sessionTimes.operator,
  })
  const today = await client.ask(key, (tillgate) => tillgate.sales({ signal }))
  announce({ consoleUrl: link.url, ...place, ...stock, reportId, today: todayOf(today) }, json)
  ticker.open()
  try {
    await sell({ state, keep, signal, client, from })
  } finally {
    await keep()
  }
}

async function run(flags: DemoFlags): Promise<void> {
  const interrupts = catchInterrupts()
  const { signal } = interrupts
  try {
    await demo(flags, signal)
  } catch (error) {
    // Ctrl-C is the normal end of the demo; errors after a signal are a consequence of the signal.
    if (!signal.aborted) throw error
    if (!flags.json) print(`\nStopped. Start it again to continue with the same restaurant.`)
  } finally {
    interrupts.release()
  }
}

export function define(command: Command): void {
  command
    .description(
      'Start a complete demo with a simulated restaurant: a separate database, some weeks of orders and Z ' +
        'reports, keys, the API, and a webhook with a receiver that prints each delivery. The restaurant keeps ' +
        'selling until Ctrl-C; the next run continues with the same restaurant.',
    )
    .option('--data-dir <path>', 'directory of the demo, with its database', defaultDataDir)
    .option('--database-url <url>', 'PostgreSQL to use instead of the embedded one')
    .option('--host <address>', settingHelp('host'))
    .option('--port <n>', settingHelp('port'))
    .option('--days <n>', 'days of history to create the first time', '90')
    .option('--restaurant <kind>', kindHelp, 'ordinary')
    .option('--speed <n>', 'orders per minute, at most 60', '3')
    .action(run)
  finish(command, ['demo', 'demo --speed 60', 'demo --data-dir ./bistro --days 30 --port 4800'])
}
