import type { Problem } from './api.ts'

/** A code of the closed table that the server documents under `/docs/errors/`. */
export type ProblemCode = Problem['code']

/**
 * The code of a failure that the client finds itself: no response, a foreign response, or a feed that goes backwards.
 */
export type ClientCode = 'network_error' | 'deadline_exceeded' | 'unexpected_answer' | 'feed_gap'

type Details = { status?: number; problem?: Problem; retryAfterMs?: number | undefined; cause?: unknown }

/**
 * Every failure of the client. `status` is 0 without an HTTP answer. `code` is a code of the server or a `ClientCode`.
 * `errors` lists the faults of a request, each with a JSON Pointer.
 */
export class TillgateError extends Error {
  override readonly name = 'TillgateError'
  readonly code: ProblemCode | ClientCode
  readonly status: number
  /** The `x-request-id`, for questions to the operator; null without an answer. */
  readonly requestId: string | null
  readonly errors: NonNullable<Problem['errors']>
  /** The problem document, with members such as `head` of `sequence_ahead`; null if there is none. */
  readonly problem: Problem | null
  /** Milliseconds from `Retry-After`; null without it. */
  readonly retryAfterMs: number | null

  constructor(code: ProblemCode | ClientCode, message: string, details: Details = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.code = code
    this.status = details.status ?? 0
    this.problem = details.problem ?? null
    this.requestId = details.problem?.requestId ?? null
    this.errors = details.problem?.errors ?? []
    this.retryAfterMs = details.retryAfterMs ?? null
  }
}

/** Reads the problem document of an error response. */
export async function toError(response: Response): Promise<TillgateError> {
  const { status } = response
  const retryAfterMs = readRetryAfter(response.headers.get('retry-after'))
  const text = await response.text().catch(() => '')
  try {
    const problem = JSON.parse(text) as Problem
    if (typeof problem.code === 'string') {
      return new TillgateError(problem.code, problem.detail ?? problem.title, { status, problem, retryAfterMs })
    }
  } catch {
    // Not a document of Tillgate: a proxy or a different server answered.
  }
  return new TillgateError('unexpected_answer', `the server answered ${status}`, { status, retryAfterMs })
}

/** Reads seconds or an HTTP date as milliseconds from now; undefined if absent or invalid. */
function readRetryAfter(text: string | null): number | undefined {
  if (text === null) return undefined
  if (/^\d+$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now())
}
