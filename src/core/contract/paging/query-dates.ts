import { allTime, readRange, type Range, type RangeFault } from '../../domain/days/day-ranges.ts'
import { validationFailed } from '../errors/errors.ts'
import type { Position } from './pages.ts'
import { readTimeCursor } from '../../http/parameters/time-cursor.ts'

/** A fraction of a second with more than nine digits. */
const tooFine = /[.,]\d{10}/

/** Returns a fault with a more specific sentence if a fraction is too long, or if only one end is given. */
function inWords(fault: RangeFault, since: string | undefined, until: string | undefined): RangeFault {
  if (fault.code === 'invalid_datetime') {
    const isTooFine = tooFine.test((fault.name === 'since' ? since : until) ?? '')
    return isTooFine ? { ...fault, detail: `${fault.name} must have at most nine decimals of a second` } : fault
  }
  if (since !== undefined && until !== undefined) return fault
  const [name, bound] = until === undefined ? (['since', allTime.last] as const) : (['until', allTime.first] as const)
  const detail = `${name} must be ${new Date(bound).toISOString()} at the ${name === 'since' ? 'latest' : 'earliest'}`
  return { name, code: 'invalid_datetime', detail }
}

/** Reads `since` and `until` as `readRange` does, with more specific faults. */
export function readTimes(since: string | undefined, until: string | undefined): Range | RangeFault[] {
  const range = readRange(since, until)
  return Array.isArray(range) ? range.map((fault) => inWords(fault, since, until)) : range
}

/** Reads the range, the order and the position in a list. Throws 400 naming what is wrong with `since`, `until` and `after`. */
export function readDates(query: { since?: string; until?: string; sort?: string; after?: string }): {
  range: Range
  descending: boolean
  after: Position | null
} {
  const range = readTimes(query.since, query.until)
  if (Array.isArray(range)) {
    throw validationFailed(range.map(({ name, code, detail }) => ({ in: 'query', pointer: `/${name}`, code, detail })))
  }
  const after = readTimeCursor(query.after, { name: 'after', from: 'the value from a `next` link of this list' })
  return { range, descending: query.sort === '-createdAt', after }
}
