import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { AppError, ProblemCode } from '../../contract/errors/errors.ts'
import type { ApiKey } from '../../store/accounts/api-keys.ts'

/** Not logged as errors: figures are being computed, or a required sequence is not reached. The caller retries. */
const justLater: ReadonlySet<ProblemCode> = new Set<ProblemCode>(['figures_building', 'sequence_not_reached'])

/** Maximum number of log lines for one problem code in a burst. */
const linesAtOnce = 100

/** Number of log lines per second for one code after a burst (docs/contract/limits.md). */
const linesPerSecond = 10

/** The remaining lines of one code, when that was counted, and how many were suppressed since. */
type Budget = { lines: number; atMs: number; suppressed: number }

/**
 * Writes one line for every refused request, within a budget per problem code: a flood of wrong keys neither fills the
 * disk nor hides other refusals. The next line of that code says how many were suppressed; the metrics count them all.
 */
export class RefusalLog {
  readonly #count: (code: ProblemCode) => void
  readonly #nowMs: () => number
  readonly #budgets = new Map<ProblemCode, Budget>()

  /** `count` is called for each refusal, logged or not; `nowMs` never goes back. */
  constructor(count: (code: ProblemCode) => void, nowMs: () => number = () => performance.now()) {
    this.#count = count
    this.#nowMs = nowMs
  }

  /** Logs a refused request and its key: the path, but never the query, a header or the text of the key. */
  refused(request: FastifyRequest, reply: FastifyReply, error: AppError): void {
    const key = (request.key as ApiKey | null) ?? error.ofKey
    const facts = {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url ?? null,
      path: request.url.split('?', 1)[0]?.slice(0, 200),
      // Null if no key is known: none was sent, or the key sent does not exist.
      keyId: key?.id ?? null,
      locationId: key?.locationId ?? null,
      address: request.ip,
      ms: Math.round(reply.elapsedTime * 10) / 10,
    }
    this.write(request.log, error, facts)
  }

  /** Logs the refusal of bytes that did not become a request. */
  write(log: FastifyBaseLogger, error: AppError, facts: object): void {
    this.#count(error.code)
    const suppressed = this.#take(error.code)
    if (suppressed === undefined) return
    const { status, code } = error
    const message = error.message.slice(0, 300)
    const line = { ...facts, status, code, ...(suppressed > 0 ? { suppressed } : {}) }
    if (status >= 500 && !justLater.has(error.code)) log.error({ ...line, err: error.cause ?? error }, message)
    else log.info(line, `refused: ${message}`)
  }

  /** Returns how many lines of this code were suppressed before this one; undefined if this one is suppressed too. */
  #take(code: ProblemCode): number | undefined {
    const nowMs = this.#nowMs()
    const { lines, atMs, suppressed } = this.#budgets.get(code) ?? { lines: linesAtOnce, atMs: nowMs, suppressed: 0 }
    const left = Math.min(lines + ((nowMs - atMs) / 1000) * linesPerSecond, linesAtOnce)
    const isWritten = left >= 1
    this.#budgets.set(code, {
      lines: isWritten ? left - 1 : left,
      atMs: nowMs,
      suppressed: isWritten ? 0 : suppressed + 1,
    })
    return isWritten ? suppressed : undefined
  }
}
