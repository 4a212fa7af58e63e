import type { BookBatchInput } from '../schemas/books.ts'
import { listIssuedDays } from '../store/batches.ts'
import { listAttached, listDueBookDays, listTouchedBookDays } from '../store/sums.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { findSourceDay } from './book-sources.ts'
import { bookDaysOf, listCounted, type LiveDays } from '../../figures/projections/days.ts'

/** Days that may be due, with the number of their counted orders without a Z. */
type Due = { days: Set<string>; unbooked: Map<string, number> }

/**
 * Finds the days up to `until` that may be due: days with a Z, days without a Z, and days that changed after they were
 * issued.
 */
export async function dueDays(sql: Sql, locationId: string, live: LiveDays, until: string): Promise<Due> {
  const place = { locationId, generation: live.generation.generation }
  const range = { since: '0001-01-01', until }
  const due = new Set(await listDueBookDays(sql, place, range))
  for (const { check } of live.pending.checked) if (check.businessDay <= until) due.add(check.businessDay)
  const left = new Map<string, number>()
  const add = (day: string, n: number) => left.set(day, (left.get(day) ?? 0) + n)
  for (const { day, counted } of await listCounted(sql, locationId, live, range)) add(day, counted)
  const rechecked = new Set(live.pending.checked.map(({ check }) => check.reportId))
  for (const { day, orders } of await listAttached(sql, place, until)) add(day, 0 - orders)
  const issued = new Map((await listIssuedDays(sql, locationId)).map(({ day, seq }) => [day, seq]))
  const oldest = Math.min(...issued.values())
  const touched = new Set(issued.size === 0 ? [] : await listTouchedBookDays(sql, place, { ...range, after: oldest }))
  const changedDays = new Set(bookDaysOf(live.pending))
  for (const [day, n] of left) if (n > 0 && (!issued.has(day) || touched.has(day) || changedDays.has(day))) due.add(day)
  for (const day of issued.keys()) if (touched.has(day) || changedDays.has(day)) due.add(day)
  // The stored counts of rechecked reports are those of earlier versions, so every changed day may be due.
  if (rechecked.size > 0) for (const day of changedDays) if (day <= until) due.add(day)
  return { days: due, unbooked: left }
}

/**
 * Divides the due days into stretches, in order. Orders of days without a Z must be read, so a stretch has at most
 * `ordersAtOnce` of them, unless a single day has more.
 */
export function stretchesOf({ days, unbooked }: Due, startsOn: string | null, ordersAtOnce: number): string[][] {
  const stretches: string[][] = [[]]
  let orders = 0
  for (const day of [...days].filter((one) => startsOn === null || one >= startsOn).toSorted()) {
    const n = Math.max(0, unbooked.get(day) ?? 0)
    orders += n
    if (orders > ordersAtOnce && stretches.at(-1)?.length !== 0) {
      stretches.push([])
      orders = n
    }
    stretches.at(-1)?.push(day)
  }
  return stretches
}

/** Finds the days of the sources in the input; an unknown source has none. */
export async function namedDays(
  sql: Sql,
  locationId: string,
  live: LiveDays,
  { accept = [], reissue = [], until }: BookBatchInput,
): Promise<string[]> {
  const ids = [...accept.map(({ reportId }) => reportId), ...reissue].map((id) => id.toLowerCase())
  const days = await Promise.all(ids.map((id) => findSourceDay(sql, locationId, live, id)))
  return days.filter((day) => day !== undefined && day <= until) as string[]
}
