import { minuteMs } from '../time-units.ts'
import type { Warnings } from './known.ts'

/** By how much a till's clock may be ahead without a warning. */
const clockMs = 10 * minuteMs

/** No till that pushes JSON sold anything before: clocks without a battery begin in 1970, 1980 or 2000. */
const longPast = '2001-01-01T00:00:00.000Z'

/** The times that lie ahead, or before there were such tills. Absent times are passed over. */
export function warnOfTimes(
  found: Warnings,
  record: Readonly<Record<string, unknown>>,
  names: readonly string[],
  nowMs: number,
): void {
  for (const name of names) {
    const text = record[name]
    // Times in this form are in order as text is; years before 0 and after 9999 do not pass the schema.
    if (typeof text !== 'string') continue
    if (text < longPast) {
      const detail = `${name} is in ${text.slice(0, 4)}: the clock is not set, or seconds were taken for milliseconds`
      found.add(`/${name}`, 'time_long_past', detail)
      continue
    }
    const aheadMs = Date.parse(text) - nowMs
    if (aheadMs <= clockMs) continue
    const minutes = Math.round(aheadMs / minuteMs)
    found.add(`/${name}`, 'time_ahead', `${name} is ${minutes} minutes ahead of now: it must be UTC, not local time`)
  }
}

/** An end before its beginning. */
export function warnOfReversal(
  found: Warnings,
  pointer: string,
  [end, endAt]: readonly [string, string],
  [start, startAt]: readonly [string, string],
): void {
  if (endAt < startAt) found.add(pointer, 'times_reversed', `${end} ${endAt} is before ${start} ${startAt}`)
}
