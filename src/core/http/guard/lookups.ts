import { LRUCache } from 'lru-cache'
import { AppError } from '../../contract/errors/errors.ts'

/** The end of a key takes effect within this time; we promise 5 s (docs/inside/11-access.md). */
const keptMs = 3_000

/** So many keys are cached; the one that was not used for the longest time makes room. */
const foundKept = 10_000

/**
 * So many hashes of unknown keys are cached. Their cache is separate, so that strangers cannot push a valid key out.
 */
const missesKept = 1_000

/** So many look-ups of hashes not seen before may wait for the database at once. */
const strangersAtOnce = 500

/** Makes the refusal of what is not cached, while too many unknown ones are looked up. */
function overBudget(what: string): AppError {
  const detail = `too many unknown ${what}s: try again in a second`
  return new AppError('rate_limited', detail, { headers: { 'retry-after': '1' } })
}

/** Tests and settings may change these; the defaults are those of docs/contract/limits.md. */
export type LookupOptions = {
  /** Look-ups a second, at most, that may find nothing; 0 sets no limit. */
  unknownPerSecond?: number
  /** What is looked up, in a word: a key unless it says so. */
  what?: string
  /** Milliseconds of a clock that never goes back, even if the machine's clock is set. */
  monotonic?: () => number
}

/** A value from the database, and until when it counts, by the monotonic clock in milliseconds. */
type Known<T> = { value: T; freshUntil: number }

/** For 3 s what the database knows of the hash of a secret: a key, or a session. */
export class Lookups<T extends object> {
  /**
   * Counts since the start of the process: `hit` are look-ups that the cache answered, `miss` those that queried the
   * database.
   */
  readonly counts = { hit: 0, miss: 0 }
  readonly #find: (hash: string) => Promise<T | undefined>
  readonly #monotonic: () => number
  readonly #unknownPerSecond: number
  readonly #what: string
  /** One stays here after its time too: that it was known once lets it past the budget for unknown ones. */
  readonly #known = new LRUCache<string, Known<T>>({ max: foundKept })
  readonly #misses: LRUCache<string, true>
  /** The running look-ups: concurrent requests with the same hash share one. */
  readonly #pending = new Map<string, Promise<T | undefined>>()
  /** Counts the look-ups under way of hashes that this process has not seen. */
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

  /** Returns what was found less than 3 s ago. */
  fresh(hash: string): T | undefined {
    const known = this.#known.get(hash)
    return known && known.freshUntil > this.#monotonic() ? known.value : undefined
  }

  /** Makes the next look-up ask the database. */
  forget(hash: string): void {
    this.#known.delete(hash)
  }

  /** Asks the database. Throws an `AppError` of status 429 when more unknown hashes are tried than the budget allows. */
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

  /** Asks the database for what the caller has made itself, within no budget: strangers make nothing. */
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
      // From the look-up's beginning: a slow one may have read the value before its end.
      this.#known.set(hash, { value, freshUntil: began + keptMs })
    } else {
      this.#budget.left -= 1
      this.#known.delete(hash)
      this.#misses.set(hash, true)
    }
    return value
  }

  /**
   * Throws while too many unknown keys are looked up. Only a look-up that finds nothing uses up the budget, because
   * hundreds of good keys may come back at once after a restart.
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
