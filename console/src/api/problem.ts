import { TillgateError, type FieldError, type Problem as ProblemDocument } from '@tillgate/client'

const usualPauseMs = 3000

/** A request that was refused, or that got no answer: then `status` is 0 and `code` is `network_error`. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly requestId: string | null
  readonly errors: readonly FieldError[]
  /** What the server adds for this code, such as the `days` of `books_incomplete`. */
  readonly members: Readonly<Record<string, unknown>>
  /** Seconds that the server asks to wait; null if it does not. */
  readonly retryAfterS: number | null

  constructor(
    document: Partial<Omit<ProblemDocument, 'code'>> & { code: string },
    status: number,
    retryAfterS: number | null,
  ) {
    super(document.detail ?? document.code)
    this.status = status
    this.code = document.code
    this.title = document.title ?? document.code
    this.detail = document.detail ?? ''
    this.requestId = document.requestId ?? null
    this.errors = document.errors ?? []
    this.members = { ...document }
    this.retryAfterS = retryAfterS
  }

  get isOffline(): boolean {
    return this.status === 0
  }

  /** Milliseconds until a read is retried, if waiting may help; null if it would be refused again. */
  get againMs(): number | null {
    if (this.isOffline) return usualPauseMs
    if (![429, 502, 503, 504].includes(this.status)) return null
    return this.retryAfterS === null ? usualPauseMs : Math.max(1, this.retryAfterS) * 1000
  }
}

/** Converts an error of the client to a `Problem`; an abort stays unchanged. */
export function toProblem(error: unknown): unknown {
  if (!(error instanceof TillgateError)) return error
  const { problem, code, message, status, retryAfterMs } = error
  return new Problem(problem ?? { code, detail: message }, status, retryAfterMs === null ? null : retryAfterMs / 1000)
}
