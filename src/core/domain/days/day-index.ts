import { startOfDay, type Range } from './day-ranges.ts'
import { dayMs } from './time-units.ts'

/** A running sum over the days that have resources, which finds the beginning of any page with one look-up. */
export type DayIndex = {
  /** Start of each day with resources, ascending, in ms. */
  days: number[]
  /** `before[i]` is the number of resources before day i; the last element is the total. */
  before: number[]
}

export function dayIndex(counts: Iterable<readonly [day: string, n: number]>): DayIndex {
  const sorted = [...counts].filter(([, n]) => n > 0).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const before = [0]
  for (const [, n] of sorted) before.push((before.at(-1) as number) + n)
  return { days: sorted.map(([day]) => startOfDay(day)), before }
}

/** Returns the first index in an ascending array with a value greater than `wanted` (`above`), or at least `wanted`. */
function search(values: readonly number[], wanted: number, above: boolean): number {
  let [low, high] = [0, values.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    const value = values[middle] as number
    if (above ? value > wanted : value >= wanted) high = middle
    else low = middle + 1
  }
  return low
}

/** Returns the parts of a range that are not complete days: at most one at each end. The database counts them. */
export function partialDays({ first, last }: Range): Range[] {
  const dayOfFirst = Math.floor(first / dayMs) * dayMs
  const dayOfLast = Math.floor(last / dayMs) * dayMs
  const cutFirst = first !== dayOfFirst
  const cutLast = last !== dayOfLast + dayMs - 1
  if (dayOfFirst === dayOfLast) return cutFirst || cutLast ? [{ first, last }] : []
  return [
    ...(cutFirst ? [{ first, last: dayOfFirst + dayMs - 1 }] : []),
    ...(cutLast ? [{ first: dayOfLast, last }] : []),
  ]
}

export type PagePosition = { total: number; range: Range; skip: number }

/**
 * Returns where the resource at `offset` is: read `range` and skip its first `skip` rows (less than one day's rows).
 * `partial` has the counts of `partialDays(range)` in the same order. If descending, `offset` counts from the end and
 * the range is read backwards.
 */
export function locate(
  index: DayIndex,
  range: Range,
  partial: readonly number[],
  { offset, descending }: { offset: number; descending: boolean },
): PagePosition {
  const parts = partialDays(range)
  const head = parts[0]?.first === range.first ? parts[0] : undefined
  const tail = parts.find((part) => part !== head)
  const fullDays = { first: head ? head.last + 1 : range.first, last: tail ? tail.first - 1 : range.last }
  const from = search(index.days, fullDays.first, false)
  const to = Math.max(search(index.days, fullDays.last, true), from)
  const at = (i: number) => index.before[i] as number
  const sum = at(to) - at(from)
  const headCount = head ? (partial[0] as number) : 0
  const tailCount = tail ? (partial.at(-1) as number) : 0
  const total = headCount + sum + tailCount
  const nearCount = descending ? tailCount : headCount
  if (offset < nearCount || offset >= nearCount + sum) {
    if (offset < nearCount) return { total, range, skip: offset }
    const skip = offset - nearCount - sum
    const far = descending
      ? { first: range.first, last: fullDays.first - 1 }
      : { first: fullDays.last + 1, last: range.last }
    return { total, range: far, skip }
  }
  const inside = offset - nearCount
  if (descending) {
    // The day whose running sum, from the end, first exceeds the number to skip.
    const i = search(index.before, at(to) - inside, false) - 1
    const last = Math.min((index.days[i] as number) + dayMs - 1, fullDays.last)
    return { total, range: { first: range.first, last }, skip: inside - (at(to) - at(i + 1)) }
  }
  const i = search(index.before, at(from) + inside, true) - 1
  return { total, range: { first: index.days[i] as number, last: range.last }, skip: inside - (at(i) - at(from)) }
}
