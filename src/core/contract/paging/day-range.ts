import { addDays, businessTime, type BusinessClock } from '../../domain/days/business-time.ts'
import type { DayRange } from '../../domain/days/ranges.ts'
import { validationFailed, type Fault } from '../errors/errors.ts'
import type { FaultCode } from '../errors/faults.ts'
import { dayMs } from '../../domain/days/time-units.ts'

export type DaysQuery = { since?: string | undefined; until?: string | undefined }

/** Returns the faults of a range of days: an end before the beginning, or more than `longest` days. */
export function rangeFaults({ since, until }: DaysQuery, longest: number): Fault[] {
  const fault = (field: string, code: FaultCode, detail: string): Fault[] => [
    { in: 'query', pointer: `/${field}`, code, detail: `${field}: ${detail}` },
  ]
  const [from, to] = [since ?? until, until ?? since]
  if (from === undefined || to === undefined) return []
  const days = (Date.parse(to) - Date.parse(from)) / dayMs + 1
  if (days < 1) return fault('since', 'since_after_until', 'must not be after until')
  return days > longest ? fault('until', 'range_too_long', `the range must not exceed ${longest} days`) : []
}

/** Maximum number of days of an answer with a row per day: a leap year. */
const longestDays = 366

/** Throws 400 if the range ends before it begins or has more than `longest` days. */
export function checkDays(query: DaysQuery, longest = longestDays): void {
  const faults = rangeFaults(query, longest)
  if (faults.length > 0) throw validationFailed(faults)
}

/**
 * Returns the requested days. By default, `until` is today at the location (or `since`, if later) and `since` is 30 days before.
 * Throws 400 if there are too many days.
 */
export function daysOf({ since, until }: DaysQuery, clock: BusinessClock, now: Date): DayRange {
  const today = businessTime(clock).dayOf(now.getTime())
  const last = until ?? (since !== undefined && since > today ? since : today)
  const range = { since: since ?? addDays(last, -30), until: last }
  checkDays(range)
  return range
}
