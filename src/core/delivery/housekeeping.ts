import type { Pool } from '../store/db/database.ts'
import { pruneOldNotices } from '../store/db/retention.ts'
import { deleteDueLocations } from '../store/repair/location-states.ts'
import { pruneDeliveries, pruneDeliveriesOf, listCrowdedWebhooks } from '../store/webhooks/webhook-attempts.ts'
import { clearPreviousSecrets } from '../contract/webhooks/rows.ts'
import { dataParts } from '../modules.ts'
import type { EngineEvents } from './engine-events.ts'
import { hourMs } from '../domain/days/time-units.ts'

declare module '../modules.ts' {
  interface ModuleData {
    /** Deletes old data of the module; notices are kept from `noticesFrom` on. */
    expire?(pool: Pool, times: { now: Date; noticesFrom: Date }): Promise<void>
  }
}

/** Maximum attempts kept in the delivery log of a webhook; up to 50 % more until the next cleanup. */
export const keptAttempts = 10_000

const everyMs = hourMs

type HousekeepingOptions = {
  pool: Pool
  events: EngineEvents
  clock: () => Date
  /** Age at which attempts leave the delivery log. */
  retentionMs: number
  /** Age at which rejected records and warnings are deleted. */
  noticeMs: number
}

/**
 * Deletes old data. Hourly: attempts, rejected records and warnings beyond their limits, locations due for deletion,
 * and expired secrets. Between these runs: old attempts of webhooks that made thousands, for example in a replay.
 */
export class Housekeeping {
  readonly #options: HousekeepingOptions
  /** The number of attempts written since the last check, by webhook. */
  readonly #written = new Map<string, { locationId: string; attempts: number }>()
  #doneMs = -Infinity

  constructor(options: HousekeepingOptions) {
    this.#options = options
    options.events.on('reported', ({ locationId, webhookId, attempts }) => {
      if (attempts === 0) return
      const before = this.#written.get(webhookId)?.attempts ?? 0
      this.#written.set(webhookId, { locationId, attempts: before + attempts })
    })
  }

  /** Does what is due, usually nothing; called by every sweep. Never rejects. */
  async run(): Promise<void> {
    try {
      const { pool, clock } = this.#options
      for (const [webhookId, { locationId, attempts }] of this.#written) {
        if (attempts < keptAttempts / 2) continue
        this.#written.delete(webhookId)
        await pruneDeliveriesOf(pool, { locationId, webhookId }, keptAttempts)
      }
      const now = clock()
      if (now.getTime() - this.#doneMs > everyMs) await this.#runHourly(now)
    } catch (error) {
      this.#options.events.emit('failed', { work: 'prune', error, locationId: null, webhookId: null })
    }
  }

  async #runHourly(now: Date): Promise<void> {
    const { pool, retentionMs, noticeMs } = this.#options
    this.#doneMs = now.getTime()
    this.#written.clear()
    await pruneDeliveries(pool, new Date(now.getTime() - retentionMs))
    for (const webhook of await listCrowdedWebhooks(pool, keptAttempts)) {
      await pruneDeliveriesOf(pool, webhook, keptAttempts)
    }
    const noticesFrom = new Date(now.getTime() - noticeMs)
    await pruneOldNotices(pool, noticesFrom)
    for (const part of dataParts()) await part.expire?.(pool, { now, noticesFrom })
    await deleteDueLocations(pool, now)
    await clearPreviousSecrets(pool, now)
  }
}
