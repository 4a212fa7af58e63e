import { LRUCache } from 'lru-cache'
import { hashKey, isWellFormedKey } from '../domain/keys.ts'
import { AppError } from '../errors.ts'
import { findApiKey, touchApiKeys, type ApiKey } from '../store/api-keys.ts'
import type { Pool } from '../store/database.ts'

/** A revocation takes effect after this at the latest; what is promised is 5 s (decision 0036). */
const keptMs = 3_000

const keysKept = 10_000

/** Well-formed keys that are no keys. They have a cache of their own, so that strangers never push a good key out. */
const missesKept = 1_000

/** Look-ups of keys not seen before that may wait for the database at once. */
const strangersAtOnce = 500

const challenge = { 'www-authenticate': 'ApiKey realm="tillgate", header="X-API-Key", Bearer realm="tillgate"' }

type Refused = 'key_missing' | 'key_unknown' | 'key_expired' | 'key_revoked'

function refuse(code: Refused, detail?: string): AppError {
  return new AppError(code, detail, { headers: challenge })
}

function overBudget(): AppError {
  const detail = 'too many unknown keys are tried here: a key that this server has not seen yet waits a second'
  return new AppError('rate_limited', detail, { headers: { 'retry-after': '1' } })
}

export type KeyRingOptions = {
  /** Look-ups a second, at most, that may find no key; 0 sets no limit. */
  unknownPerSecond?: number
  /** Milliseconds that never go back, whatever is done to the machine's clock. */
  monotonic?: () => number
}

type Known = { key: ApiKey; freshUntil: number }

/** Holds the API keys seen lately, by their hash. The keys themselves are never kept. */
export class KeyRing {
  /** Since the start: keys found in memory, and those that the database was asked for. */
  readonly lookups = { hit: 0, miss: 0 }
  readonly #pool: Pool
  readonly #clock: () => Date
  readonly #monotonic: () => number
  readonly #unknownPerSecond: number
  /** A key stays here after its time too: that it was a key once lets it past the budget for unknown ones. */
  readonly #known = new LRUCache<string, Known>({ max: keysKept })
  readonly #misses: LRUCache<string, true>
  /** Look-ups under way: all who ask for one key share one. */
  readonly #pending = new Map<string, Promise<ApiKey | undefined>>()
  #used = new Map<string, Date>()
  /** Look-ups under way of keys that this process has not seen. */
  #strangers = 0
  #budget: { left: number; at: number }

  constructor(pool: Pool, clock: () => Date, options: KeyRingOptions = {}) {
    const { unknownPerSecond = 0, monotonic = () => performance.now() } = options
    this.#pool = pool
    this.#clock = clock
    this.#monotonic = monotonic
    this.#unknownPerSecond = unknownPerSecond
    this.#budget = { left: unknownPerSecond, at: monotonic() }
    this.#misses = new LRUCache({ max: missesKept, ttl: keptMs, ttlResolution: 0, perf: { now: monotonic } })
  }

  /**
   * Finds the key that the text is, when it may be used now. `otherScheme` is what stood in `Authorization` instead. Throws an `AppError` of status 401, or of 429 when more
   * unknown keys are tried than the budget allows (decision 0036).
   */
  authenticate(text: string | undefined, otherScheme?: string): ApiKey | Promise<ApiKey> {
    if (text === undefined || text === '') {
      const detail = `send the key as X-API-Key or as Authorization: Bearer; the scheme ${otherScheme} is not taken`
      throw refuse('key_missing', otherScheme === undefined ? undefined : detail)
    }
    const hash = hashKey(text)
    const known = this.#fresh(hash)
    if (known) {
      this.lookups.hit += 1
      return this.#admit(known)
    }
    if (!isWellFormedKey(text)) {
      throw refuse(
        'key_unknown',
        'the key is not of the form tg_live_… or tg_test_…, or was mistyped (its checksum does not match)',
      )
    }
    return this.#lookUp(hash)
  }

  /**
   * Looks again at a key whose request goes on: a stream, a long poll, a push. Costs a look-up every three seconds at
   * most, however many ask. Throws as `authenticate` does.
   */
  confirm({ hash }: ApiKey): ApiKey | Promise<ApiKey> {
    const known = this.#fresh(hash)
    return known ? this.#admit(known) : this.#lookUp(hash)
  }

  /** Writes when keys were last used; called now and then, and once at the end. */
  async flush(): Promise<void> {
    const used = this.#used
    this.#used = new Map()
    await touchApiKeys(this.#pool, used)
  }

  #fresh(hash: string): ApiKey | undefined {
    const known = this.#known.get(hash)
    return known && known.freshUntil > this.#monotonic() ? known.key : undefined
  }

  async #lookUp(hash: string): Promise<ApiKey> {
    if (this.#misses.has(hash)) throw refuse('key_unknown')
    let pending = this.#pending.get(hash)
    if (!pending) {
      this.lookups.miss += 1
      pending = this.#find(hash).finally(() => this.#pending.delete(hash))
      this.#pending.set(hash, pending)
    }
    const key = await pending
    if (!key) throw refuse('key_unknown')
    return this.#admit(key)
  }

  async #find(hash: string): Promise<ApiKey | undefined> {
    const isStranger = !this.#known.has(hash)
    if (isStranger) this.#askBudget()
    const began = this.#monotonic()
    let key: ApiKey | undefined
    this.#strangers += isStranger ? 1 : 0
    try {
      key = await findApiKey(this.#pool, hash)
    } finally {
      this.#strangers -= isStranger ? 1 : 0
    }
    if (key) {
      // From the look-up's beginning: a slow one may have read the key before its revocation.
      this.#known.set(hash, { key, freshUntil: began + keptMs })
    } else {
      this.#budget.left -= 1
      this.#known.delete(hash)
      this.#misses.set(hash, true)
    }
    return key
  }

  /** Only what turns out to be no key costs: hundreds of good keys may come back at once after a restart. */
  #askBudget(): void {
    const perSecond = this.#unknownPerSecond
    if (perSecond === 0) return
    const now = this.#monotonic()
    const refilled = this.#budget.left + ((now - this.#budget.at) / 1000) * perSecond
    this.#budget = { left: Math.min(refilled, perSecond), at: now }
    if (refilled < 1 || this.#strangers >= strangersAtOnce) throw overBudget()
  }

  #admit(key: ApiKey): ApiKey {
    const now = this.#clock()
    if (key.suspendedAt) throw new AppError('location_inactive')
    if (key.revokedAt) throw refuse('key_revoked')
    if (key.expiresAt && key.expiresAt <= now) throw refuse('key_expired')
    this.#used.set(key.id, now)
    return key
  }
}
