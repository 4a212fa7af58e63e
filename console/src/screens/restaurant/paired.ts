import type { Sales, SalesRow } from '@tillgate/client'
import { addDays, weekdayOf } from '../../format/format.ts'

/** A row of a sales table and its compared row. */
export type Pair = {
  period: string | null
  key: string | null
  name: string | null
  /** Null for a period without sales. */
  now: SalesRow | null
  /** Null without sales; `unknown` before the first day of the restaurant, or without a compared day. */
  earlier: SalesRow | null | 'unknown'
}

type Days = { since: string; until: string }

const dayMs = 86_400_000

const daysFrom = (since: string, until: string) => Math.round((Date.parse(until) - Date.parse(since)) / dayMs)

const mondayOf = (day: string) => addDays(day, 1 - weekdayOf(day))

const monthsOf = (month: string) => Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1

const monthAt = (count: number) =>
  `${String(Math.floor(count / 12)).padStart(4, '0')}-${String((count % 12) + 1).padStart(2, '0')}`

const minutesOf = (clock: string) => Number(clock.slice(0, 2)) * 60 + Number(clock.slice(3, 5) || 0)

const weeksOf = (day: string) => daysFrom('1970-01-05', mondayOf(day)) / 7

function steps(count: number, at: (n: number) => string): string[] {
  return Array.from({ length: Math.max(0, count) }, (_, n) => at(n))
}

/** Lists hours or half hours from the first to the last, in the order of a business day, over midnight. */
export function clockPeriods(periods: readonly string[], dayStartsAt: string, minutes: 30 | 60): string[] {
  const perDay = 1440 / minutes
  const first = Math.floor(minutesOf(dayStartsAt) / minutes)
  const places = periods.map((period) => (minutesOf(period) / minutes - first + perDay) % perDay)
  if (places.length === 0) return []
  const [from, to] = [Math.min(...places), Math.max(...places)]
  return steps(to - from + 1, (n) => {
    const at = ((first + from + n) % perDay) * minutes
    const hour = String(Math.floor(at / 60)).padStart(2, '0')
    return minutes === 60 ? hour : `${hour}:${String(at % 60).padStart(2, '0')}`
  })
}

/** Returns every period of a range in order, including those without sales, from the first day of the restaurant on. */
function periodsOf({ data, comparison, meta }: Sales): string[] | null {
  const { by, until, dayStartsAt, firstDay } = meta
  const since = firstDay !== null && firstDay > meta.since ? firstDay : meta.since
  const given = [...data, ...(comparison?.data ?? [])].flatMap(({ period }) => (period === null ? [] : [period]))
  if (by === 'day') return steps(daysFrom(since, until) + 1, (n) => addDays(since, n))
  if (by === 'week') {
    const first = mondayOf(since)
    return steps(Math.floor(daysFrom(first, until) / 7) + 1, (n) => addDays(first, 7 * n))
  }
  if (by === 'month') {
    const first = monthsOf(since)
    return steps(monthsOf(until) - first + 1, (n) => monthAt(first + n))
  }
  if (by === 'weekday') {
    const days = steps(Math.min(7, daysFrom(since, until) + 1), (n) => addDays(since, n))
    return days.map((day) => String(weekdayOf(day))).toSorted()
  }
  if (by === 'hour') return clockPeriods(given, dayStartsAt, 60)
  return by === 'halfHour' ? clockPeriods(given, dayStartsAt, 30) : null
}

/** Returns the number of weeks or months between most days of a range and their compared days. */
function unitsBack({ since, until }: Days, then: Days, countOf: (day: string) => number): number {
  const back = daysFrom(then.since, since)
  const counts = new Map<number, number>()
  for (let day = since; day <= until; day = addDays(day, 1)) {
    const units = countOf(day) - countOf(addDays(day, -back))
    counts.set(units, (counts.get(units) ?? 0) + 1)
  }
  return [...counts].reduce((most, one) => (one[1] > most[1] ? one : most), [0, 0])[0]
}

/**
 * Returns a function from a period to the compared period: the same hour or weekday, or the day with the same distance
 * from the start of the compared range; with `year` the day of the same date (none for 29 February). A week or month is
 * compared with the one that has most of its compared days: October with September, even if the 31 days before begin on
 * 31 August.
 */
function periodsBefore(
  { meta, comparison }: Sales,
  compare: string | undefined,
): (period: string) => string | undefined {
  if (comparison === undefined) return () => undefined
  const { since, until } = comparison
  if (meta.by === 'day' && compare === 'year') {
    return (period) => {
      const date = `${String(Number(period.slice(0, 4)) - 1).padStart(4, '0')}${period.slice(4)}`
      const isOne = !Number.isNaN(Date.parse(date)) && new Date(`${date}T12:00:00Z`).toISOString().slice(0, 10) === date
      return isOne ? date : undefined
    }
  }
  if (meta.by === 'day') return (period) => addDays(since, daysFrom(meta.since, period))
  if (meta.by === 'week') {
    const back = unitsBack(meta, comparison, weeksOf)
    return (period) => {
      const monday = addDays(period, -7 * back)
      return monday < mondayOf(since) || monday > until ? undefined : monday
    }
  }
  if (meta.by === 'month') {
    const back = unitsBack(meta, comparison, monthsOf)
    return (period) => {
      const month = monthAt(monthsOf(period) - back)
      return month < since.slice(0, 7) || month > until.slice(0, 7) ? undefined : month
    }
  }
  return (period) => period
}

/** Whether no compared day precedes the first day of the restaurant. Of four compared weeks, only the last is checked. */
export function isAllKnown({ meta: { firstDay }, comparison }: Sales, compare: string | undefined): boolean {
  if (comparison === undefined || firstDay === null) return false
  return (compare === 'fourWeeks' ? comparison.until : comparison.since) >= firstDay
}

/** Whether a period, or a part of it, is before the first day of the restaurant. */
function isBeforeFirst(sales: Sales, before: string, compare: string | undefined): boolean {
  const { by, firstDay } = sales.meta
  if (firstDay === null) return true
  if (by === 'day' || by === 'week') return before < firstDay
  return by === 'month' ? `${before}-01` < firstDay : !isAllKnown(sales, compare)
}

/** Returns the rows of a table and their compared rows, by key: a period without sales does not shift others. */
export function pairsOf(sales: Sales, compare: string | undefined): Pair[] {
  const { data, comparison } = sales
  const idOf = (period: string | null, key: string | null) => `${period}\n${key}`
  const before = new Map(comparison?.data.map((row) => [idOf(row.period, row.key), row]))
  const periodBefore = periodsBefore(sales, compare)
  const earlierOf = (period: string | null, key: string | null): Pair['earlier'] => {
    const other = period === null ? null : periodBefore(period)
    if (other === undefined || isBeforeFirst(sales, other ?? '', compare)) return 'unknown'
    return before.get(idOf(other, key)) ?? null
  }
  const periods = periodsOf(sales)
  if (periods === null) {
    const then = isAllKnown(sales, compare) ? (comparison?.data ?? []) : []
    const gone = then.filter(({ period, key }) => !data.some((row) => row.period === period && row.key === key))
    return [
      ...data.map((row) => ({ ...row, now: row, earlier: earlierOf(row.period, row.key) })),
      ...gone.map((row) => ({ ...row, now: null, earlier: row })),
    ].map(({ period, key, name, now, earlier }) => ({ period, key, name, now, earlier }))
  }
  const rows = new Map(data.map((row) => [row.period, row]))
  return periods.map((period) => ({
    period,
    key: null,
    name: null,
    now: rows.get(period) ?? null,
    earlier: earlierOf(period, null),
  }))
}
