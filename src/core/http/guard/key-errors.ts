import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import { strikeOut } from '../../domain/redaction/secrets.ts'
import type { AppError, ProblemCode } from '../../contract/errors/errors.ts'
import type { ApiKey } from '../../store/accounts/api-keys.ts'

/** How often a key was refused at one operation, by the code of the refusal. */
export type KeyError = {
  code: ProblemCode
  operation: string
  count: number
  firstAt: Date
  lastAt: Date
  lastRequestId: string
  lastDetail: string
}

/** Maximum number of keys that are remembered. */
const keysKept = 1_000
/** Maximum number of refusals remembered per key; the oldest is dropped first. */
const errorsKept = 100

/** Counts the refusals of each key since the process began, so that its owner need not look in the operator's log. */
export class KeyErrors {
  readonly #clock: () => Date
  readonly #ofKey = new LRUCache<string, LRUCache<string, KeyError>>({ max: keysKept })

  constructor(clock: () => Date) {
    this.#clock = clock
  }

  /** Counts a refused request; one without a known key is not counted. */
  count(request: FastifyRequest, { code, message }: AppError): void {
    // Null before the look-up; never set for a request whose URL cannot be read.
    const key = request.key as ApiKey | null | undefined
    if (!key) return
    const operation = `${request.method} ${request.routeOptions.url ?? 'none'}`
    let errors = this.#ofKey.get(key.id)
    if (!errors) this.#ofKey.set(key.id, (errors = new LRUCache({ max: errorsKept })))
    const place = `${code} ${operation}`
    const now = this.#clock()
    const { count, firstAt } = errors.get(place) ?? { count: 0, firstAt: now }
    const last = { lastAt: now, lastRequestId: request.id, lastDetail: strikeOut(message).slice(0, 500) }
    errors.set(place, { code, operation, count: count + 1, firstAt, ...last })
  }

  /** Returns the refusals of these keys whose last one was at or after a moment, the most frequent first. */
  list(keyIds: readonly string[], since: Date): KeyError[] {
    const found = keyIds.flatMap((id) => [...(this.#ofKey.get(id)?.values() ?? [])])
    return found.filter(({ lastAt }) => lastAt >= since).toSorted((a, b) => b.count - a.count)
  }
}
