import { LRUCache } from 'lru-cache'
import { hourMs } from '../../domain/days/time-units.ts'
import type { OrderFacts } from '../../contract/orders/resource.ts'
import type { RecordOutcome } from '../write/decide.ts'
import type { Incoming } from '../records.ts'

/** Number of hours that are counted, including the current one. */
const hoursKept = 24

/** Maximum number of devices that are counted: the latest to push to this process. */
const devicesKept = 10_000

type Hour = { hour: number; pushed: number; stale: number }

/**
 * How many versions of orders each till has pushed to this process in the last 24 hours, and how many of them were
 * older than the stored ones. Counted in memory since the process began: a push costs one map look-up per order.
 */
export class PushCounts {
  readonly #clock: () => Date
  readonly #hours = new LRUCache<string, Hour[]>({ max: devicesKept })

  constructor(clock: () => Date) {
    this.#clock = clock
  }

  /** Counts the versions of orders among `records`, and the stale ones; `outcomes` has the outcome of each record. */
  count(locationId: string, records: readonly Incoming[], outcomes: readonly RecordOutcome[]): void {
    const hour = Math.floor(this.#clock().getTime() / hourMs)
    for (const [n, { type, facts }] of records.entries()) {
      if (type !== 'order') continue
      const { deviceId } = (facts as OrderFacts).properties
      const of = this.#of(`${locationId} ${deviceId.toLowerCase()}`, hour)
      of.pushed += 1
      if (outcomes[n]?.status === 'stale') of.stale += 1
    }
  }

  /** Returns the stale fraction of a till's versions, from 0 to 1; null if it pushed none to this process. */
  staleShare(locationId: string, deviceId: string): number | null {
    const first = Math.floor(this.#clock().getTime() / hourMs) - hoursKept
    const hours = (this.#hours.get(`${locationId} ${deviceId.toLowerCase()}`) ?? []).filter(({ hour }) => hour > first)
    const pushed = hours.reduce((sum, one) => sum + one.pushed, 0)
    return pushed === 0 ? null : hours.reduce((sum, one) => sum + one.stale, 0) / pushed
  }

  #of(key: string, hour: number): Hour {
    let hours = this.#hours.get(key)
    if (!hours) this.#hours.set(key, (hours = []))
    let last = hours.at(-1)
    if (last?.hour !== hour) {
      hours.push((last = { hour, pushed: 0, stale: 0 }))
      if (hours.length > hoursKept) hours.shift()
    }
    return last
  }
}
