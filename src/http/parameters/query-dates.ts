import { readRange, type Range } from '../../domain/days/day-ranges.ts'
import { validationFailed } from '../../errors.ts'

/** Reads the range and the order of a list. Throws 400 naming what is wrong with `since` and `until`. */
export function readDates(query: { since?: string; until?: string; sort?: string }): {
  range: Range
  descending: boolean
} {
  const range = readRange(query.since, query.until)
  if (Array.isArray(range)) {
    throw validationFailed(range.map(({ name, code, detail }) => ({ in: 'query', pointer: `/${name}`, code, detail })))
  }
  return { range, descending: query.sort === '-createdAt' }
}
