import { hashKey, isWellFormedKey, sameHash } from '../domain/keys.ts'
import { AppError } from '../errors.ts'
import { findApiKey, revokeApiKey, touchApiKeys, type ApiKey } from '../store/api-keys.ts'
import type { Pool } from '../store/database.ts'

/** A revocation elsewhere takes effect after this at the latest; the promise is 5 s (decision 0002). */
const keptMs = 3_000

const keysKept = 10_000

type Kept = { key: ApiKey | undefined; until: number }

const challenge = { 'www-authenticate': 'ApiKey realm="tillgate", header="X-API-Key", Bearer realm="tillgate"' }

function refuse(code: 'key_missing' | 'key_unknown' | 'key_expired' | 'key_revoked', detail?: string): AppError {
  return new AppError(code, detail, { headers: challenge })
}

/** The API keys seen lately, by hash; the keys themselves are never kept. */
export class KeyRing {
  readonly #pool: Pool
  readonly #clock: () => Date
  readonly #kept = new Map<string, Kept>()
  #used = new Map<string, Date>()
  #revocations = 0

  constructor(pool: Pool, clock: () => Date) {
    this.#pool = pool
    this.#clock = clock
  }

  /** The key that the text is, when it may be used now. Throws an `AppError` of status 401. */
  authenticate(text: string | undefined): ApiKey | Promise<ApiKey> {
    if (text === undefined || text === '') throw refuse('key_missing')
    const hash = hashKey(text)
    const now = this.#clock()
    const kept = this.#kept.get(hash)
    if (kept && kept.until > now.getTime()) return this.#admit(kept.key, now)
    if (!isWellFormedKey(text)) {
      throw refuse('key_unknown', 'the key is not of the form tg_live_… or was mistyped (its checksum does not match)')
    }
    return this.#fetch(hash).then((key) => this.#admit(key, now))
  }

  /** Revokes in the database and here at once. Undefined when there is no such key. */
  async revoke(id: string): Promise<ApiKey | undefined> {
    const key = await revokeApiKey(this.#pool, id, this.#clock())
    // Of a look-up under way it is not known whether it saw the key before or after: it is not kept.
    this.#revocations += 1
    if (key) this.#kept.delete(key.hash)
    return key
  }

  /** Writes when keys were last used; called now and then, and once at the end. */
  async flush(): Promise<void> {
    const used = this.#used
    this.#used = new Map()
    await touchApiKeys(this.#pool, used)
  }

  async #fetch(hash: string): Promise<ApiKey | undefined> {
    const before = this.#revocations
    const found = await findApiKey(this.#pool, hash)
    const key = found && sameHash(found.hash, hash) ? found : undefined
    if (this.#kept.size >= keysKept) this.#kept.clear()
    if (before === this.#revocations) this.#kept.set(hash, { key, until: this.#clock().getTime() + keptMs })
    return key
  }

  #admit(key: ApiKey | undefined, now: Date): ApiKey {
    if (!key) throw refuse('key_unknown')
    if (key.revokedAt) throw refuse('key_revoked')
    if (key.expiresAt && key.expiresAt <= now) throw refuse('key_expired')
    this.#used.set(key.id, now)
    return key
  }
}
