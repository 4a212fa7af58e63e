import type { Sql } from '../../../core/store/db/database.ts'
import { insertRows } from '../../../core/store/db/rows.ts'

/** A business day to check, and the journal sequence of its latest change. */
export type DueDay = { day: string; seq: number }

/** Schedules a check of these days. */
export async function putDueDays(sql: Sql, locationId: string, days: readonly DueDay[]): Promise<void> {
  const rows = days
    .toSorted((a, b) => (a.day < b.day ? -1 : 1))
    .map(({ day, seq }) => ({ location_id: locationId, day, seq, due_at: null }))
  await insertRows(
    sql,
    'due_days',
    rows,
    'on conflict (location_id, day) do update set seq = excluded.seq, due_at = excluded.due_at',
  )
}

/** Lists all scheduled days of a location, due now or later; for verify. */
export async function listAllDueDays(sql: Sql, locationId: string): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`select day::text as day from due_days where location_id = ${locationId}`
  return rows.map(({ day }) => day)
}

/** Lists at most `limit` days of a location that are due now, in order. */
export async function listDueDays(sql: Sql, locationId: string, now: Date, limit: number): Promise<DueDay[]> {
  return sql<DueDay[]>`
    select day::text as day, seq from due_days
    where location_id = ${locationId} and (due_at is null or due_at <= ${now}) order by day limit ${limit}`
}

/** Marks a day as checked: it is removed, or waits until `dueAt`, unless it has changed again in the meantime. */
export async function settleDueDay(
  sql: Sql,
  locationId: string,
  { day, seq }: DueDay,
  dueAt: Date | undefined,
): Promise<void> {
  await (dueAt
    ? sql`
        update due_days set due_at = ${dueAt}
        where location_id = ${locationId} and day = ${day} and seq = ${seq}`
    : sql`delete from due_days where location_id = ${locationId} and day = ${day} and seq = ${seq}`)
}

/** Lists the locations with a day due now. On Citus it queries every shard: for sweeps only. */
export async function listDueLocations(sql: Sql, now: Date): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select distinct location_id as id from due_days where due_at is null or due_at <= ${now}`
  return rows.map(({ id }) => id)
}
