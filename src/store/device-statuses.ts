import { addDays, businessTime } from '../domain/business-time.ts'
import type { DevicePromise } from '../domain/tills.ts'
import type { Sql } from './database.ts'
import { putDueDays } from './due-days.ts'
import { findLocation } from './locations.ts'
import { upsertRows } from './rows.ts'

export type DeviceStatusRow = {
  id: string
  seq: number
  document: string
  at: string
  completeUntil: string
  lastNumber: number | null
  /** Where the count that agreed last stands. */
  baseUntil: string
  baseNumber: number | null
  /** Orders that it counted since then and that are not here; of a stored row only. */
  missing: number
  /** Of the status before: what it was complete until. */
  before: string | null
}

type Stored = Omit<DeviceStatusRow, 'at' | 'completeUntil' | 'baseUntil' | 'before'> &
  Record<'at' | 'completeUntil' | 'baseUntil', Date>

/** Orders are looked for among those that were opened so long before, at most: a tab that stays open for longer is not found. */
const openFor = '7 days'

async function list(sql: Sql, locationId: string): Promise<DeviceStatusRow[]> {
  const rows = await sql<Stored[]>`
    select s.device_id as id, s.seq, s.document, s.at, s.complete_until as "completeUntil", s.last_number as "lastNumber",
      s.base_until as "baseUntil", s.base_number as "baseNumber",
      coalesce(greatest(s.last_number - s.base_number - (
        select count(*) from orders o
        where o.location_id = ${locationId} and o.device_id = s.device_id and o.closed
          and o.created_at > s.base_until - ${openFor}::interval and o.created_at <= s.complete_until
          and o.closed_at > s.base_until and o.closed_at <= s.complete_until
      ), 0), 0)::bigint as missing
    from device_statuses s where s.location_id = ${locationId}`
  return rows.map((row) => ({
    ...row,
    at: row.at.toISOString(),
    completeUntil: row.completeUntil.toISOString(),
    baseUntil: row.baseUntil.toISOString(),
    before: null,
  }))
}

/** What each till of a location said of itself last, by its id in lower case, with what of it is missing. */
export async function findDeviceStatuses(sql: Sql, locationId: string): Promise<Map<string, DeviceStatusRow>> {
  return new Map((await list(sql, locationId)).map((row) => [row.id, row]))
}

/** The same as promises of the tills. */
export async function listDevicePromises(sql: Sql, locationId: string): Promise<DevicePromise[]> {
  const rows = await list(sql, locationId)
  return rows.map(({ id, at, completeUntil, missing }) => ({ deviceId: id, at, completeUntil, missing }))
}

/** Business days that ended between two statuses, the last of many: somebody is to look at them. */
async function endedDays(sql: Sql, locationId: string, rows: readonly DeviceStatusRow[]): Promise<string[]> {
  const location = await findLocation(sql, locationId)
  if (!location) return []
  const { dayOf } = businessTime(location)
  return rows.flatMap(({ completeUntil, before }) => {
    const day = dayOf(Date.parse(completeUntil))
    return before !== null && dayOf(Date.parse(before)) === day ? [] : [addDays(day, -1)]
  })
}

/** Puts statuses in place of those before. The caller holds the head's lock and decided that they are newer. */
export async function upsertDeviceStatuses(
  sql: Sql,
  locationId: string,
  statuses: readonly DeviceStatusRow[],
): Promise<void> {
  if (statuses.length === 0) return
  const rows = statuses.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  await upsertRows(
    sql,
    'device_statuses',
    'location_id, device_id',
    rows.map((row) => ({
      location_id: locationId,
      device_id: row.id,
      at: row.at,
      complete_until: row.completeUntil,
      last_number: row.lastNumber,
      base_until: row.baseUntil,
      base_number: row.baseNumber,
      seq: row.seq,
      document: row.document,
    })),
  )
  const days = new Set(await endedDays(sql, locationId, rows))
  await putDueDays(
    sql,
    locationId,
    [...days].map((day) => ({ day, seq: 0 })),
  )
}
