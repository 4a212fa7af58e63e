import { addDays } from './business-time.ts'
import type { DayRange } from './sales-table.ts'
import { addAmounts, emptyAmounts, isNothing } from './amounts.ts'
import type { Cell, CellKind, StoredKind } from './sales.ts'

/** Cells of days added up by month; each is called what its latest day calls it. */
export function toMonths(cells: Iterable<Cell>): Cell<`month ${CellKind}`>[] {
  const months = new Map<string, Cell<`month ${CellKind}`>>()
  for (const cell of cells) {
    const { kind, day, key, label } = cell
    const first = `${day.slice(0, -2)}01`
    const id = `${kind}\n${first}\n${key}`
    let month = months.get(id)
    if (!month) {
      month = { ...emptyAmounts(), kind: `month ${kind}`, day: first, key, label: '', namedOn: null }
      months.set(id, month)
    }
    addAmounts(month, cell)
    if (label !== '' && day >= (month.namedOn ?? '')) Object.assign(month, { label, namedOn: day })
  }
  return [...months.values()].filter((month) => month.label !== '' || !isNothing(month))
}

/** A run of cells of one kind in the order of their days, both ends included. */
export type Stretch = DayRange & { kind: StoredKind }

const firstOfNext = (day: string): string => `${addDays(`${day.slice(0, -2)}28`, 4).slice(0, -2)}01`

/** The cells that a range is added up from: whole months as they are, and the days before and after them. */
export function stretchesOf(kind: CellKind, { since, until }: DayRange): Stretch[] {
  const first = since.endsWith('-01') ? since : firstOfNext(since)
  const end = firstOfNext(until) === addDays(until, 1) ? addDays(until, 1) : `${until.slice(0, -2)}01`
  if (first >= end) return [{ kind, since, until }]
  const days: Stretch[] = [
    { kind, since, until: addDays(first, -1) },
    { kind, since: end, until },
  ]
  return [
    { kind: `month ${kind}`, since: first, until: addDays(end, -1) },
    ...days.filter((stretch) => stretch.since <= stretch.until),
  ]
}
