import { addAmounts, emptyAmounts, type Amounts } from '../../../core/contract/money/amounts.ts'
import { othersKey, type Cell } from './sales.ts'
import type { TimeGrain } from './sales-table.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'

/** Maximum rows of a table, about 50 MB. Each period may have 100 names even if the table then has more rows. */
const rowsAtMost = 200_000

/** A table has at most this many names. */
const namesAlways = 5_000

const daysOf = ({ since, until }: DayRange): number => (Date.parse(until) - Date.parse(since)) / dayMs + 1

const periodsOf: Record<TimeGrain, (range: DayRange) => number> = {
  day: daysOf,
  week: (range) => daysOf(range) / 7 + 2,
  month: (range) => daysOf(range) / 28 + 2,
  weekday: () => 7,
  hour: () => 24,
  halfHour: () => 48,
}

/** Returns how many names have rows of their own: those that sold most. All others share one row per period. */
export function namesAtMost(grain: TimeGrain | null, range: DayRange): number {
  const periods = grain === null ? 1 : periodsOf[grain](range)
  return Math.min(namesAlways, Math.max(Math.floor(rowsAtMost / periods), 100))
}

/**
 * Returns the weight that decides which of too many names are kept: sales and discounts under the name, in
 * ten-thousandths.
 */
const weightOf = ({ sales, discounts }: Amounts): number => Math.abs(sales) + Math.abs(discounts)

/**
 * Gives all names except the `atMost` best-selling names the key `othersKey`; `atMost` cells or fewer stay unchanged.
 */
export function foldOthers(cells: readonly Cell[], atMost: number): readonly Cell[] {
  if (cells.length <= atMost) return cells
  const sums = new Map<string, Amounts>()
  for (const cell of cells) {
    let sum = sums.get(cell.key)
    if (!sum) sums.set(cell.key, (sum = emptyAmounts()))
    addAmounts(sum, cell)
  }
  sums.delete(othersKey)
  if (sums.size <= atMost) return cells
  const byWeight = [...sums].toSorted(([a, x], [b, y]) => weightOf(y) - weightOf(x) || (a < b ? -1 : 1))
  const kept = new Set(byWeight.slice(0, atMost).map(([key]) => key))
  return cells.map((cell) => (kept.has(cell.key) ? cell : { ...cell, key: othersKey, label: '' }))
}
