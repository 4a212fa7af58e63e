import { LRUCache } from 'lru-cache'
import type { Hints } from '../../store/db/hints.ts'

/** How long a result is valid, in milliseconds: the interval at which a reader without a hint reads again (`waitForNews`). */
const countsMs = 1_000

/** Number of locations whose head is cached; beyond that, the least recently used one is read again. */
const remembered = 10_000

/**
 * Reads journal heads for event streams that wake up by time, because notifications can be lost. All streams of a
 * location share one read per second; otherwise a thousand idle streams would send a thousand queries per second.
 */
export class JournalLooks {
  readonly #look: (locationId: string) => Promise<number>
  readonly #looks: LRUCache<string, Promise<number>>

  /** `look` finds the last sequence of a location; `monotonic` is a clock in milliseconds that never goes back. */
  constructor(hints: Hints, look: (locationId: string) => Promise<number>, monotonic = () => performance.now()) {
    this.#look = look
    this.#looks = new LRUCache({ max: remembered, ttl: countsMs, ttlResolution: 0, perf: { now: monotonic } })
    hints.subscribe({ committed: (locationId) => void this.#looks.delete(locationId) })
  }

  /**
   * Resolves to whether the journal of the location continues after a sequence, by a read that is at most a second old
   * and not older than the last hint. Rejects with the error of the database.
   */
  async isBeyond(locationId: string, seq: number): Promise<boolean> {
    let looking = this.#looks.get(locationId)
    if (!looking) {
      looking = this.#look(locationId)
      this.#looks.set(locationId, looking)
      // The next call reads again.
      looking.catch(() => this.#looks.delete(locationId))
    }
    return (await looking) > seq
  }
}
