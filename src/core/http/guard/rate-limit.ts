import { LRUCache } from 'lru-cache'
import { AppError } from '../../contract/errors/errors.ts'

/** The tokens left to a key, and when they were counted, in milliseconds. */
type Bucket = { tokens: number; at: number }

/** Maximum number of buckets. A dropped bucket starts full again: at worst a key gets one more burst. */
const bucketsKept = 10_000

/** Gives each key a token bucket: `burst` requests at once, refilled at `perSecond` (decision 0013). */
export class RateLimiter {
  readonly #perSecond: number
  readonly #burst: number
  /** Created with the first request, because the cache reserves its memory at once. */
  #buckets: LRUCache<string, Bucket> | undefined
  readonly #rule: string
  readonly policy: string

  /** `rule` states the limit in refusals. */
  constructor(perSecond: number, burst: number, rule = `this key can send ${perSecond} requests per second`) {
    this.#rule = rule
    this.#perSecond = perSecond
    this.#burst = burst
    this.policy = `"default";q=${burst};w=${Math.max(Math.ceil(burst / perSecond), 1)}`
  }

  /** Takes a token. Returns the value of the `RateLimit` header; throws 429 with `Retry-After` if no token is left. */
  take(keyId: string, nowMs: number): string {
    const bucket = this.#bucket(keyId, nowMs)
    const passed = Math.max(nowMs - bucket.at, 0)
    bucket.tokens = Math.min(bucket.tokens + (passed / 1000) * this.#perSecond, this.#burst)
    bucket.at = nowMs
    if (bucket.tokens < 1) {
      const seconds = Math.max(Math.ceil((1 - bucket.tokens) / this.#perSecond), 1)
      throw new AppError('rate_limited', `${this.#rule}: wait ${seconds} s`, {
        headers: {
          'retry-after': String(seconds),
          ratelimit: `"default";r=0;t=${seconds}`,
          'ratelimit-policy': this.policy,
        },
      })
    }
    bucket.tokens -= 1
    return `"default";r=${Math.floor(bucket.tokens)};t=${Math.ceil((this.#burst - bucket.tokens) / this.#perSecond)}`
  }

  /** Returns the key's bucket; full for an unknown key. */
  #bucket(keyId: string, nowMs: number): Bucket {
    const buckets = (this.#buckets ??= new LRUCache({ max: bucketsKept }))
    let bucket = buckets.get(keyId)
    if (!bucket) buckets.set(keyId, (bucket = { tokens: this.#burst, at: nowMs }))
    return bucket
  }
}
