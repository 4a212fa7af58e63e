import { addDays } from '../../../core/domain/days/business-time.ts'
import { fiscalYearOf } from '../../books/domain/numbers.ts'

export function monthEnd(day: string): string {
  const month = day.slice(0, 7)
  // The last valid day is the end of a month too.
  const next = addDays(`${month}-28`, 4)
  return next.startsWith(month) ? next : addDays(`${next.slice(0, 7)}-01`, -1)
}

/** Returns the last day of the fiscal year of a day; `startsOn` is its first day, `MM-DD`. */
export function yearEnd(day: string, startsOn: string): string {
  const year = String(fiscalYearOf(day, startsOn) + 1).padStart(4, '0')
  return addDays(`${year}-${startsOn}`, -1)
}

/** Returns the first day of the fiscal year that ends on a day. */
export function yearStart(last: string): string {
  const next = addDays(last, 1)
  return `${String(Number(next.slice(0, 4)) - 1).padStart(4, '0')}${next.slice(4)}`
}
