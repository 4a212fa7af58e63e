import { AppError } from '../../contract/errors/errors.ts'
import { BudgetSpent, type BudgetLimits } from '../../ingest/receive/body-budget.ts'
import type { Guarding } from '../context.ts'
import type { App } from '../server-types.ts'
import { atEnd } from './request-end.ts'

const mib = 1024 * 1024

/** Maximum bytes of answers built but not yet sent. The key's limit fits a page of a hundred orders of 640 KiB. */
export const answerLimits: BudgetLimits = { process: 128 * mib, key: 64 * mib }

/** Minimum size of an answer that is counted; the number of requests in progress bounds smaller ones. */
const countedFrom = 64 * 1024

const problemOf = {
  too_much_at_once: [
    'too_many_under_way',
    'unread responses to this key use too much memory: read the open responses first, or request a smaller size',
  ],
  overloaded: ['overloaded', 'unread responses use too much memory: try again'],
} as const

/** Calls `hold`, which reserves memory for a response; throws 429 or 503 if there is none. */
export function refusedAnswer<T>(hold: () => T): T {
  try {
    return hold()
  } catch (error) {
    if (!(error instanceof BudgetSpent)) throw error
    const [problem, detail] = problemOf[error.code]
    throw new AppError(problem, detail, { headers: { 'retry-after': '5' } })
  }
}

/**
 * Limits the bytes of all answers to requests with a key that clients have not received yet, since clients decide how
 * long that takes. An answer without room is dropped before anything of it is sent, and 429 or 503 takes its place
 * (docs/inside/12-limits.md). Blocks of a page were counted while it was built (`PageBody`).
 */
export function limitAnswers(app: App, { answers }: Pick<Guarding, 'answers'>): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const bytes = Buffer.isBuffer(payload) || typeof payload === 'string' ? payload.length : 0
    // Requests without a key get answers that share one copy.
    if (bytes < countedFrom || request.key === null || reply.raw.destroyed) return done()
    const share = answers.open(request.key.id)
    try {
      refusedAnswer(() => share.hold(bytes))
    } catch (error) {
      return done(error as Error)
    }
    atEnd(request, reply, () => share.close())
    done()
  })
}
