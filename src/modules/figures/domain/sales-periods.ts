import { addDays, weekOf } from '../../../core/domain/days/business-time.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import { addAmounts, emptyAmounts, isNothing } from '../../../core/contract/money/amounts.ts'
import type { Cell, CellKind, Period, StoredKind } from './sales.ts'

const firstOf: Record<Period, (day: string) => string> = {
  month: (day) => `${day.slice(0, -2)}01`,
  week: weekOf,
}

/** Returns the day after the period that begins on `first`. */
const nextAfter: Record<Period, (first: string) => string> = {
  month: (first) => firstOf.month(addDays(`${first.slice(0, -2)}28`, 4)),
  week: (first) => addDays(first, 7),
}

/** Adds up cells of days by month and by week; each sum has the name of its latest day with a name. */
export function toPeriods(cells: readonly Cell[]): Cell<StoredKind>[] {
  return [...addUp('month', cells), ...addUp('week', cells)]
}

function addUp(period: Period, cells: readonly Cell[]): Cell<StoredKind>[] {
  const sums = new Map<string, Cell<StoredKind>>()
  const firsts = new Map<string, string>()
  for (const cell of cells) {
    const { kind, day, key, label } = cell
    const first = firsts.get(day) ?? firstOf[period](day)
    firsts.set(day, first)
    const id = `${kind}\n${first}\n${key}`
    let sum = sums.get(id)
    if (!sum) {
      sum = { ...emptyAmounts(), kind: `${period} ${kind}`, day: first, key, label: '', namedOn: null }
      sums.set(id, sum)
    }
    addAmounts(sum, cell)
    if (label !== '' && day >= (sum.namedOn ?? '')) Object.assign(sum, { label, namedOn: day })
  }
  return [...sums.values()].filter((sum) => sum.label !== '' || !isNothing(sum))
}

/** Cells of one kind over successive days, inclusive. */
export type Stretch = DayRange & { kind: StoredKind }

/** Divides a range into whole periods of the given kinds, the longest first, and the remaining days. */
export function stretchesOf(kind: CellKind, { since, until }: DayRange, periods: readonly Period[]): Stretch[] {
  const [period, ...shorter] = periods
  if (!period) return [{ kind, since, until }]
  const begun = firstOf[period](since)
  const first = begun === since ? since : nextAfter[period](begun)
  const end = firstOf[period](addDays(until, 1))
  if (first >= end) return stretchesOf(kind, { since, until }, shorter)
  // The bounds are compared first, because a day before the first or after the last possible day cannot be computed.
  return [
    { kind: `${period} ${kind}`, since: first, until: addDays(end, -1) },
    ...(since < first ? stretchesOf(kind, { since, until: addDays(first, -1) }, shorter) : []),
    ...(end <= until ? stretchesOf(kind, { since: end, until }, shorter) : []),
  ]
}
