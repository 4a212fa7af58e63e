import { LRUCache } from 'lru-cache'
import { AppError } from '../../contract/errors/errors.ts'

/** Milliseconds that a look-up is cached: a key ends within this time (docs/inside/11-access.md promises 5 s). */
const keptMs = 3_000

/** Maximum number of cached keys; the least recently used one is dropped first. */
const foundKept = 10_000

/** Maximum number of cached unknown hashes. Their cache is separate, so that strangers cannot displace a valid key. */
const missesKept = 1_000

/** Maximum number of concurrent database look-ups of new hashes. */
const strangersAtOnce = 500

/** Makes the refusal of an uncached hash while too many unknown hashes are looked up. */
function overBudget(what: string): AppError {
  const detail = `too many unknown ${what}s: try again in a second`
  return new AppError('rate_limited', detail, { headers: { 'retry-after': '1' } })
}

/** Tests and settings may change these; docs/contract/limits.md lists the defaults. */
export type LookupOptions = {
  /** Maximum number of look-ups a second that find nothing; 0 sets no limit. */
  unknownPerSecond?: number
  /** What is looked up, in a word; a key by default. */
  what?: string
  /** Milliseconds of a clock that never goes back, even if the machine's clock is set. */
  monotonic?: () => number
}

/** A value from the database, and the time until which it is valid, by the monotonic clock in milliseconds. */
type Known<T> = { value: T; freshUntil: number }

/** Caches for 3 s what the database knows about the hash of a secret: a key, or a session. */
export class Lookups<T extends object> {
  /** Counts since the process began: `hit` of look-ups answered by the cache, `miss` of look-ups in the database. */
  readonly counts = { hit: 0, miss: 0 }
  readonly #find: (hash: string) => Promise<T | undefined>
  readonly #monotonic: () => number
  readonly #unknownPerSecond: number
  readonly #what: string
  /** An entry also stays after its time: a hash that was once known is exempt from the budget for unknown hashes. */
  readonly #known = new LRUCache<string, Known<T>>({ max: foundKept })
  readonly #misses: LRUCache<string, true>
  /** Look-ups in progress: concurrent requests with the same hash share one. */
  readonly #pending = new Map<string, Promise<T | undefined>>()
  /** Number of look-ups in progress for hashes that are new to this process. */
  #strangers = 0
  #budget: { left: number; at: number }

  constructor(find: (hash: string) => Promise<T | undefined>, options: LookupOptions = {}) {
    const { unknownPerSecond = 0, what = 'key', monotonic = () => performance.now() } = options
    this.#what = what
    this.#find = find
    this.#monotonic = monotonic
    this.#unknownPerSecond = unknownPerSecond
    this.#budget = { left: unknownPerSecond, at: monotonic() }
    this.#misses = new LRUCache({ max: missesKept, ttl: keptMs, ttlResolution: 0, perf: { now: monotonic } })
  }

  /** Returns a value found less than 3 s ago. */
  fresh(hash: string): T | undefined {
    const known = this.#known.get(hash)
    return known && known.freshUntil > this.#monotonic() ? known.value : undefined
  }

  /** Makes the next look-up query the database. */
  forget(hash: string): void {
    this.#known.delete(hash)
  }

  /** Queries the database. Throws an `AppError` of status 429 if more unknown hashes are tried than the budget allows. */
  async lookUp(hash: string): Promise<T | undefined> {
    if (this.#misses.has(hash)) return undefined
    let pending = this.#pending.get(hash)
    if (!pending) {
      this.counts.miss += 1
      pending = this.#ask(hash).finally(() => this.#pending.delete(hash))
      this.#pending.set(hash, pending)
    }
    return pending
  }

  /** Queries the database for a hash that the caller created, without a budget: strangers cannot create hashes. */
  async admit(hash: string): Promise<T | undefined> {
    const began = this.#monotonic()
    const value = await this.#find(hash)
    if (value) this.#known.set(hash, { value, freshUntil: began + keptMs })
    return value
  }

  /** Queries the database for a key and caches the result, including a miss. Throws 429 if the budget is spent. */
  async #ask(hash: string): Promise<T | undefined> {
    const isStranger = !this.#known.has(hash)
    if (isStranger) this.#askBudget()
    const began = this.#monotonic()
    let value: T | undefined
    this.#strangers += isStranger ? 1 : 0
    try {
      value = await this.#find(hash)
    } finally {
      this.#strangers -= isStranger ? 1 : 0
    }
    if (value) {
      // Valid from the beginning of the look-up: a slow one may have read the value before it changed.
      this.#known.set(hash, { value, freshUntil: began + keptMs })
    } else {
      this.#budget.left -= 1
      this.#known.delete(hash)
      this.#misses.set(hash, true)
    }
    return value
  }

  /**
   * Throws while too many unknown keys are looked up. Only a look-up that finds nothing uses the budget, because
   * hundreds of valid keys may return at once after a restart.
   */
  #askBudget(): void {
    const perSecond = this.#unknownPerSecond
    if (perSecond === 0) return
    const now = this.#monotonic()
    const refilled = this.#budget.left + ((now - this.#budget.at) / 1000) * perSecond
    this.#budget = { left: Math.min(refilled, perSecond), at: now }
    if (refilled < 1 || this.#strangers >= strangersAtOnce) throw overBudget(this.#what)
  }
}
