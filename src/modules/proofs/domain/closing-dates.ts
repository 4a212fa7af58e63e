import { addDays } from '../../../core/domain/days/business-time.ts'
import { fiscalYearOf } from '../../books/domain/numbers.ts'

export function monthEnd(day: string): string {
  const [year = 0, month = 0] = day.split('-').map(Number)
  const next = month === 12 ? `${year + 1}-01-01` : `${year}-${String(month + 1).padStart(2, '0')}-01`
  return addDays(next.padStart(10, '0'), -1)
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
