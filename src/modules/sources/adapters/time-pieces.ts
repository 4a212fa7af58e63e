import { dayMs } from '../../../core/domain/days/time-units.ts'

/** `untilMs` is the end of the piece, in milliseconds since 1970. */
export type TimePiece<T> = { documents: T[]; untilMs: number }

/** The initial and maximum length of a piece, in milliseconds. */
const longestMs = 7 * dayMs

/**
 * Reads an interval in pieces that each fit in one page. Pages shift while documents change, and a document that moves
 * from the second page to the first would be missed; a single page shows one moment. `readOne` resolves to undefined
 * if one page is not enough; `readAll` reads all pages of a millisecond. The bound between two pieces belongs to both.
 */
export async function* timePieces<T>(
  { fromMs, untilMs }: { fromMs: number; untilMs: number },
  {
    readOne,
    readAll,
  }: {
    readOne: (fromMs: number, untilMs: number) => Promise<T[] | undefined>
    readAll: (fromMs: number, untilMs: number) => Promise<T[]>
  },
): AsyncGenerator<TimePiece<T>> {
  let at = fromMs
  let step = longestMs
  while (at < untilMs) {
    const end = Math.min(at + step, untilMs)
    const read = (await readOne(at, end)) ?? (end - at > 1 ? undefined : await readAll(at, end))
    if (read === undefined) {
      step = Math.max(1, Math.floor((end - at) / 2))
      continue
    }
    yield { documents: read, untilMs: end }
    at = end
    step = Math.min(step * 2, longestMs)
  }
}
