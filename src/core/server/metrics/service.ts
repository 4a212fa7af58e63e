import { Counter, Gauge, Registry } from 'prom-client'
import { breakerThreshold } from '../../domain/journal/retry-schedule.ts'
import type { Pool } from '../../store/db/database.ts'
import {
  countConnections,
  measureClockOffset,
  summariseWebhooks,
  type WebhookSummary,
} from '../../store/db/observation.ts'
import { summariseLosses, type LossSummary } from '../../store/journal/losses.ts'
import { summariseUpkeep, type UpkeepSummary } from '../../store/db/upkeep.ts'
import type { DiskRule } from '../disk.ts'
import type { Log } from '../log.ts'
import { serverParts } from '../../modules.ts'
import { keepFacts } from './facts.ts'
import { measureDisk, measureUpkeep } from './upkeep.ts'

declare module '../../modules.ts' {
  interface ModuleServer {
    /** Registers metrics of the installation. `onError` receives errors of reading. */
    measure?(registry: Registry, about: { pool: Pool; clock: () => Date; onError: (error: unknown) => undefined }): void
  }
}

/** Minimum time between two reads of the database for metrics, for any number of scrapers. */
const refreshMs = 10_000

/** Milliseconds for which the last values are reported while the database does not answer. */
const staleMs = 60_000

const clockEveryMs = 60_000

const clockWarnMs = 2_000

type Facts = {
  webhooks: WebhookSummary
  upkeep: UpkeepSummary
  losses: LossSummary
  connections: { state: string; n: number }[]
}

export type ServiceMetrics = {
  registry: Registry
  /** Called when the embedded database had ended and was started again. */
  embeddedRestarted(): void
  close(): void
}

type About = {
  version: string
  role: string
  disk?: DiskRule | undefined
  /** When the PostgreSQL that came with the program was released; left out if another one is used. */
  postgresReleasedAt?: Date | undefined
}

type Find = () => Promise<Facts | undefined>

function factsOf(pool: Pool, log: Log, clock: () => Date): Find {
  const read = async (): Promise<Facts> => {
    const [webhooks, connections, upkeep, losses] = await Promise.all([
      summariseWebhooks(pool, clock(), breakerThreshold),
      countConnections(pool),
      summariseUpkeep(pool),
      summariseLosses(pool),
    ])
    return { webhooks, connections, upkeep, losses }
  }
  const onError = (err: unknown) => log.debug({ err }, 'the metrics of the database could not be read')
  return keepFacts(read, onError, { refreshMs, staleMs })
}

function measureDeliveries(registers: Registry[], find: Find, clock: () => Date): void {
  void new Gauge({
    name: 'tillgate_webhooks',
    help: 'Webhooks by state: healthy, probing after consecutive failures, disabled.',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset()
      const { webhooks } = (await find()) ?? {}
      if (!webhooks) return
      for (const state of ['healthy', 'probing', 'disabled'] as const) this.set({ state }, webhooks[state])
    },
  })
  void new Gauge({
    name: 'tillgate_delivery_oldest_due_seconds',
    help: 'Age of the oldest pending delivery of a healthy webhook or due retry; 0 if there is none.',
    labelNames: [],
    registers,
    async collect() {
      const found = await find()
      if (!found) return this.remove()
      const { dueSince } = found.webhooks
      this.set(dueSince === null ? 0 : Math.max(clock().getTime() - dueSince.getTime(), 0) / 1000)
    },
  })
  void new Gauge({
    name: 'tillgate_lost_entries',
    help: 'Minimum number of acknowledged entries lost when the database was restored to an earlier state, until the loss is acknowledged.',
    labelNames: [],
    registers,
    async collect() {
      const found = await find()
      if (found) this.set(found.losses.entries)
      else this.remove()
    },
  })
  void new Gauge({
    name: 'tillgate_db_connections',
    help: 'Database connections of all Tillgate servers that share the database.',
    labelNames: ['state'],
    registers,
    async collect() {
      this.reset()
      for (const { state, n } of (await find())?.connections ?? []) this.set({ state: state.replaceAll(' ', '_') }, n)
    },
  })
}

/** Compares the clocks of this machine and of the database from now on, until the returned function is called. */
function compareClocks(pool: Pool, registers: Registry[], log: Log, clock: () => Date): () => void {
  const offset = new Gauge({
    name: 'tillgate_clock_offset_seconds',
    help: 'Seconds by which the clock of this machine is ahead of the database.',
    registers,
  })
  const compare = async () => {
    const offsetMs = await measureClockOffset(pool, clock)
    offset.set(offsetMs / 1000)
    if (Math.abs(offsetMs) > clockWarnMs) {
      log.warn({ offsetMs }, 'the clocks of this machine and the database differ: synchronize both with NTP')
    }
  }
  const unknown = (err: unknown) => log.debug({ err }, 'the clock of the database could not be read')
  void compare().catch(unknown)
  const timer = setInterval(() => void compare().catch(unknown), clockEveryMs).unref()
  return () => clearInterval(timer)
}

/**
 * Measures what belongs to a `serve` as a whole, not to one of its processes; the first process does this. Unknown
 * values are left out rather than guessed: missing data is an alert, too.
 */
export function measureService(
  pool: Pool,
  { version, role, disk, postgresReleasedAt }: About,
  log: Log,
  clock = () => new Date(),
): ServiceMetrics {
  const registry = new Registry()
  const registers = [registry]
  const find = factsOf(pool, log, clock)
  new Gauge({
    name: 'tillgate_build_info',
    help: 'Always 1; the labels describe the running version.',
    labelNames: ['version', 'node', 'role'],
    registers,
  }).set({ version, node: process.versions.node, role }, 1)
  new Gauge({
    name: 'tillgate_start_timestamp_seconds',
    help: 'Start time of this process, in Unix seconds.',
    registers,
  }).set(Math.round(clock().getTime() / 1000))
  if (postgresReleasedAt) {
    new Gauge({
      name: 'tillgate_bundled_postgres_released_timestamp_seconds',
      help: 'Release date of the bundled PostgreSQL, in Unix seconds; absent if another one is used.',
      registers,
    }).set(postgresReleasedAt.getTime() / 1000)
  }
  measureDeliveries(registers, find, clock)
  measureUpkeep(registry, find)
  measureDisk(registry, disk)
  for (const part of serverParts()) {
    part.measure?.(registry, {
      pool,
      clock,
      onError: (err) => {
        log.debug({ err }, 'the metrics of a module could not be read')
        return undefined
      },
    })
  }
  const endCompare = compareClocks(pool, registers, log, clock)
  const restarts = new Counter({
    name: 'tillgate_embedded_restarts_total',
    help: 'Restarts of the embedded database.',
    registers,
  })
  return { registry, embeddedRestarted: () => restarts.inc(), close: endCompare }
}
