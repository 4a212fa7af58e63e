import { readRange, type Range } from '../../domain/days/day-ranges.ts'
import { validationFailed } from '../../errors.ts'
import type { Position } from '../../store/documents/pages.ts'
import { readTimeCursor } from './time-cursor.ts'

/** Reads the range, the order and the place in a list. Throws 400 naming what is wrong with `since`, `until` and `after`. */
export function readDates(query: { since?: string; until?: string; sort?: string; after?: string }): {
  range: Range
  descending: boolean
  after: Position | null
} {
  const range = readRange(query.since, query.until)
  if (Array.isArray(range)) {
    throw validationFailed(range.map(({ name, code, detail }) => ({ in: 'query', pointer: `/${name}`, code, detail })))
  }
  const after = readTimeCursor(query.after, { name: 'after', from: 'that of a link `next` of this list' })
  return { range, descending: query.sort === '-createdAt', after }
}
