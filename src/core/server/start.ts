import { buildApp } from '../app.ts'
import type { Config, ModuleConfig } from '../config.ts'
import { DeliveryEngine } from '../delivery/engine.ts'
import { retrySchedule } from '../domain/journal/retry-schedule.ts'
import { recordAct } from '../store/accounts/access.ts'
import { Availability } from '../store/db/availability.ts'
import type { Pool } from '../store/db/database.ts'
import { loadServer, serverParts } from '../modules.ts'
import type { Context } from '../http/context.ts'
import { contextSettings, moduleSettings, openContext } from './compose.ts'
import { openReplica } from './replica.ts'
import { keepAcknowledged, type Kept } from './acknowledged.ts'
import { watchData } from './data-files.ts'
import { watchDisk, type DiskRule } from './disk.ts'
import { logDeliveries } from './delivery-log.ts'
import { listenFault } from './listening.ts'
import type { Log } from './log.ts'
import { watchHealth, type Health } from './health.ts'
import { takeSnapshot, type Snapshot } from './metrics/aggregate.ts'
import { measureDelivery } from './metrics/delivery.ts'
import { measureNode } from './metrics/node.ts'
import { watchDescriptors } from './descriptors.ts'
import { measureCertificate, reloadTls, readTls } from './tls.ts'
import { readVersion } from './version.ts'
import { tryWithin } from './try-within.ts'
import { minuteMs, dayMs } from '../domain/days/time-units.ts'

declare module '../modules.ts' {
  interface ModuleServer {
    /** What runs in the role of deliveries, from `start` to `stop`. */
    service?(context: Context, log: Log): { start(): void; stop(): Promise<void> }
  }
}

const deliverySettings = ['webhookRetries', 'webhookLease'] as const

const ownSettings = [
  ...contextSettings,
  'host',
  'port',
  'trustProxy',
  'tlsCert',
  'tlsKey',
  'databaseReadUrl',
  'databasePooler',
  'role',
  ...deliverySettings,
] as const

export const serverSettings = () => [...ownSettings, ...moduleSettings()]

export type ServerConfig = Pick<Config, (typeof ownSettings)[number]> & Partial<ModuleConfig>

export type RunningServer = {
  /** URL of the server; null if it only delivers webhooks. */
  url: string | null
  /** Makes `/readyz` report that the server is not ready; everything else continues. */
  drain(): void
  /** Reads the certificate again, for later connections. If it cannot be used, logs this and keeps the former one. */
  reload(): void
  health(): Promise<Health>
  /** Collects the metrics of each of its processes. */
  metrics(): Promise<Snapshot[]>
  /** Stops in order: requests are finished (within 10 s), deliveries recorded. Leaves the database open. */
  close(): Promise<void>
}

/** Milliseconds between two saves of the last use of keys and of the access log. */
const flushEveryMs = minuteMs

const stopWithinMs = 10_000

/** Milliseconds that each step of closing waits: the work is quick, unless the database is unavailable. */
const closeWithinMs = 2_000

/**
 * `fd` is a listening socket that replaces host and port; `disk` is the disk of the cluster, which pushes fill; `kept`
 * is where acknowledged heads of journals are stored.
 */
export type Handed = { fd?: number | undefined; disk?: DiskRule | undefined; kept?: Kept | null }

function openEngine(context: Context, config: ServerConfig, log: Log): DeliveryEngine {
  const { pool, hints, sender } = context
  const engine = new DeliveryEngine({
    pool,
    hints,
    sender,
    schedule: retrySchedule(config.webhookRetries),
    leaseMs: config.webhookLease * 1_000,
    inFlight: config.webhookInFlight,
    retentionMs: config.deliveryRetention * dayMs,
    noticeMs: config.noticeDays * dayMs,
  })
  logDeliveries(engine.events, log, context.availability)
  measureDelivery(context.registry, engine.events, context.metrics.unavailable)
  recordDisabled(engine, pool, log)
  return engine
}

/** Saves regularly when keys were last used, and who read what. */
function flushRegularly({ keys, sessions, access }: Context, log: Log) {
  const unflushed = (err: unknown) =>
    log.warn({ err }, 'the last use of keys and the access log could not be written yet')
  const flush = (isLast = false) => Promise.all([keys.flush(), sessions?.flush(), access.flush(isLast)])
  const timer = setInterval(() => void flush().catch(unflushed), flushEveryMs).unref()
  return { flush, stop: () => clearInterval(timer) }
}

/** Writes disabled webhooks to the access log. */
function recordDisabled(engine: DeliveryEngine, pool: Pool, log: Log): void {
  engine.events.on('disabled', ({ locationId, webhookId: subject, at }) => {
    const act = { act: 'webhook.disabled', by: 'delivery', subject } as const
    recordAct(pool, locationId, act, at).catch((err: unknown) => {
      log.warn({ err, locationId, webhookId: subject }, 'the access log could not record that a webhook was disabled')
    })
  })
}

/** Serves the API and delivers webhooks, according to the role, on an open database. */
export async function startServer(
  pool: Pool,
  config: ServerConfig,
  log: Log,
  { fd, disk, kept = null }: Handed = {},
): Promise<RunningServer> {
  await loadServer()
  const { role } = config
  const tls = role === 'delivery' ? null : readTls(config)
  const opened = config.databaseReadUrl === null ? undefined : openReplica(config.databaseReadUrl, pool, config, log)
  const availability = new Availability(pool, (level, message, err) => log[level](err ? { err } : {}, message))
  const room = disk && (await watchDisk(disk, log))
  const ofDisk = room && disk && { diskIsLow: room.isLow, readDisk: room.read, dataIsGone: watchData(disk.path, log) }
  const parts = { availability, replica: opened?.replica ?? null, ...ofDisk }
  const { context, drain, endStreams, close: closeContext } = openContext(pool, config, parts, log)
  const { hints, registry } = context
  const acknowledged = await keepAcknowledged(pool, kept, context.seenHeads, log)
  measureNode(registry)
  const endWatch = watchDescriptors(log)
  const serves = measureCertificate(registry)
  if (tls) serves(tls)
  const app = await buildApp(context, { version: readVersion(), log, trustProxy: config.trustProxy, tls: tls?.options })
  const engine = openEngine(context, config, log)
  const delivers = role !== 'api'
  const services = serverParts().flatMap((part) => part.service?.(context, log) ?? [])
  const health = watchHealth(pool, delivers ? engine.events : null, context)
  const flushing = flushRegularly(context, log)

  const close = async () => {
    endStreams()
    flushing.stop()
    endWatch()
    room?.close()
    // A connection becomes idle when its last request ends, and its client may keep it open for a long time.
    const idling = setInterval(() => app.server.closeIdleConnections(), 50)
    await tryWithin(
      stopWithinMs,
      Promise.all([app.close(), engine.stop(), ...services.map((service) => service.stop())]),
    )
    clearInterval(idling)
    // A request that exceeds its time would keep the process running.
    app.server.closeAllConnections()
    await tryWithin(closeWithinMs, Promise.all([flushing.flush(true), acknowledged.close()]))
    await tryWithin(closeWithinMs, Promise.all([closeContext(), opened?.close()]))
  }
  try {
    await hints.listen()
    const url =
      role === 'delivery'
        ? null
        : await app.listen({ host: config.host, port: config.port, ...(fd !== undefined && { fd }) })
    if (delivers) {
      engine.start()
      for (const service of services) service.start()
    }
    const metrics = async () => [await takeSnapshot(registry)]
    return { url, drain, reload: () => reloadTls(app.server, config, log, serves), health, metrics, close }
  } catch (error) {
    await close()
    throw listenFault(error, config)
  }
}
