import { hashKey, isWellFormedKey } from '../../domain/accounts/keys.ts'
import { AppError } from '../../contract/errors/errors.ts'
import { findApiKey, touchApiKeys, type ApiKey, type HeldKey } from '../../store/accounts/api-keys.ts'
import type { Pool } from '../../store/db/database.ts'
import { Lookups, type LookupOptions } from './lookups.ts'

/** RFC 9110 requires this header with every 401: it names the ways to send a key. */
const challenge = { 'www-authenticate': 'ApiKey realm="tillgate", header="X-API-Key", Bearer realm="tillgate"' }

/** Why a key is refused (decision 0002). */
type Refused = 'key_missing' | 'key_unknown' | 'key_expired' | 'key_revoked'

/** Creates the 401 with its challenge. All reasons have the same status; only the code differs. */
function refuse(code: Refused, detail?: string): AppError {
  return new AppError(code, detail, { headers: challenge })
}

const ends = ['key_unknown', 'key_expired', 'key_revoked', 'location_inactive'] as const

/** Makes the refusal of a key that ended during a request; undefined for any other code. */
export function endedKey(code: string | undefined, members: Record<string, unknown>): AppError | undefined {
  const end = ends.find((one) => one === code)
  if (end === undefined) return undefined
  return new AppError(end, undefined, { members, ...(end === 'location_inactive' ? {} : { headers: challenge }) })
}

/** Returns why a known key is refused now; undefined if it is valid. */
function refusalOf({ suspendedAt, revokedAt, expiresAt }: HeldKey, now: Date): AppError | undefined {
  if (suspendedAt) return new AppError('location_inactive')
  if (revokedAt) return refuse('key_revoked')
  return expiresAt && expiresAt <= now ? refuse('key_expired') : undefined
}

/** The recently used API keys, by hash. The keys themselves are never stored. */
export class KeyRing {
  readonly #pool: Pool
  readonly #clock: () => Date
  readonly #keys: Lookups<HeldKey>
  #used = new Map<string, Date>()

  constructor(pool: Pool, clock: () => Date, options: LookupOptions = {}) {
    this.#pool = pool
    this.#clock = clock
    this.#keys = new Lookups((hash) => findApiKey(pool, hash), options)
  }

  /** Counts since the process began: `hit` of look-ups answered by the cache, `miss` of look-ups in the database. */
  get lookups(): { hit: number; miss: number } {
    return this.#keys.counts
  }

  /**
   * Finds the key for the text, if it is valid now. `otherScheme` is the scheme found in `Authorization` instead. Throws an
   * `AppError` of status 401, or of 429 if more unknown keys are tried than the budget allows (docs/inside/11-access.md).
   */
  authenticate(text: string | undefined, otherScheme?: string): ApiKey | Promise<ApiKey> {
    if (text === undefined || text === '') {
      const detail = `send the key as X-API-Key or as Authorization: Bearer; the scheme ${otherScheme} is not supported`
      throw refuse('key_missing', otherScheme === undefined ? undefined : detail)
    }
    const hash = hashKey(text)
    const known = this.#keys.fresh(hash)
    if (known) {
      this.#keys.counts.hit += 1
      return this.#admit(known)
    }
    if (!isWellFormedKey(text)) {
      // Node joins a repeated header with commas, and a key has no comma.
      if (text.includes(',')) throw refuse('key_unknown', 'X-API-Key is repeated or has several keys: send one')
      throw refuse(
        'key_unknown',
        'the key does not have the form tg_live_… or tg_test_…, or its checksum does not match (a typing mistake?)',
      )
    }
    return this.#lookUp(hash)
  }

  /**
   * Checks a key again during a long request: a stream, a long poll, a push. Costs at most one look-up every three
   * seconds, however many requests check. Throws like `authenticate`.
   */
  confirm({ hash }: ApiKey): ApiKey | Promise<ApiKey> {
    const known = this.#keys.fresh(hash)
    return known ? this.#admit(known) : this.#lookUp(hash)
  }

  /** Saves when keys were last used; called periodically, and once at the end. */
  async flush(): Promise<void> {
    const used = this.#used
    this.#used = new Map()
    await touchApiKeys(this.#pool, used)
  }

  async #lookUp(hash: string): Promise<ApiKey> {
    const key = await this.#keys.lookUp(hash)
    if (!key) throw refuse('key_unknown')
    return this.#admit(key)
  }

  /** Returns the key if it is valid now, and records its use. Throws 403 for a deactivated location, otherwise 401 with the reason. */
  #admit(key: HeldKey): ApiKey {
    const now = this.#clock()
    const refusal = refusalOf(key, now)
    if (refusal) {
      refusal.ofKey = { id: key.id, locationId: key.locationId }
      throw refusal
    }
    this.#used.set(key.id, now)
    return key
  }
}
