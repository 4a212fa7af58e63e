import { AppError } from '../../contract/errors/errors.ts'
import { BodyBudget, BudgetSpent, type Share } from '../../ingest/receive/body-budget.ts'
import { Gathered } from '../../ingest/receive/gathered.ts'
import { BodyCrumbled, type Arrivals } from './arrivals.ts'
import { BodyBroken } from './counted-request.ts'

/** Time limits for the sender of a body, in milliseconds. */
export type BodyTimes = {
  /** Between two pieces of a body, while a reader waits for the next one. */
  pieceMs: number
  /** For a complete body that is gathered before it is read. */
  wholeMs: number
}

/** A body may be silent for half a minute and take a minute in total; tests shorten these times. */
const defaultTimes: BodyTimes = { pieceMs: 30_000, wholeMs: 60_000 }

/** The sender of a body stopped sending. */
export class BodyLate extends Error {}

/** The limits for receiving bodies: time, and memory. */
export class RequestBodies {
  readonly budget: BodyBudget
  readonly #times: BodyTimes

  constructor(budget: BodyBudget = new BodyBudget(), times: BodyTimes = defaultTimes) {
    this.budget = budget
    this.#times = times
  }

  /**
   * Yields the pieces of a body as they arrive. The time limit runs only while a piece is awaited, so a slow reader does not
   * make the sender late. If reading ends early, the rest stays in the stream. Throws `BodyLate`, `BodyCrumbled`, and errors of
   * the stream. A consumer that gives up must stop the arrivals: a waiting generator cannot be ended from outside.
   */
  async *pieces(arrivals: Arrivals): AsyncGenerator<Buffer> {
    const { pieceMs } = this.#times
    try {
      for (;;) {
        const piece = await arrivals.next(pieceMs)
        if (piece === null) throw new BodyLate(`nothing arrived for ${pieceMs / 1000} s`)
        if (piece === undefined) return
        yield piece
      }
    } finally {
      arrivals.stop()
    }
  }

  /**
   * Reads a complete body. The caller drops it and closes the share when done; until then its memory is counted.
   * `tooLarge` is the detail of the error above `limit` bytes. Throws `AppError` for a body that is too large, too
   * slow, or exceeds the memory budget, and errors of the stream.
   */
  async gather(pieces: AsyncIterable<Buffer>, limit: number, share: Share, tooLarge: string): Promise<Gathered> {
    const gathered = new Gathered(limit)
    const endMs = performance.now() + this.#times.wholeMs
    try {
      for await (const piece of pieces) {
        share.hold(gathered.append(piece))
        if (gathered.isOver) throw new AppError('body_too_large', tooLarge)
        if (performance.now() > endMs) throw new BodyLate(`it was not complete after ${this.#times.wholeMs / 1000} s`)
      }
      return gathered
    } catch (error) {
      gathered.drop()
      if (error instanceof BudgetSpent) throw spentProblem(error.code, error.message)
      if (error instanceof BodyLate)
        throw new AppError('request_timeout', `the body was too slow: ${error.message}; send it again without pauses`)
      if (error instanceof BodyCrumbled) throw new AppError('body_invalid', error.message)
      if (error instanceof BodyBroken)
        throw new AppError('body_invalid', `the body was cut off: ${error.message}; send it again`)
      throw error
    }
  }
}

/** Makes the error for a sender whose body cannot be received now. */
export function spentProblem(code: BudgetSpent['code'], detail: string, members = {}): AppError {
  return new AppError(code, detail, { headers: { 'retry-after': '5' }, members })
}
