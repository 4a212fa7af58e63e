import { addDays, businessTime } from '../../../core/domain/days/business-time.ts'
import type { DevicePromise } from '../domain/tills.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { putDueDays } from './due-days.ts'
import { findLocation } from '../../../core/contract/location/rows.ts'
import { upsertRows } from '../../../core/store/db/rows.ts'

export type DeviceStatusRow = {
  id: string
  seq: number
  document: string
  at: string
  completeUntil: string
  lastNumber: number | null
  /** `completeUntil` of the last status whose count agreed with the arrived orders. Orders are counted from it on. */
  baseUntil: string
  baseNumber: number | null
  /**
   * How many of the orders that the till has counted since `baseUntil` are missing. Not stored but counted when a
   * status is read; until then −1.
   */
  missing: number
  /** `completeUntil` of the status before this one, in ISO 8601; null for the first status of a device. */
  before: string | null
}

type Stored = Omit<DeviceStatusRow, 'at' | 'completeUntil' | 'baseUntil' | 'before' | 'missing'> &
  Record<'at' | 'completeUntil' | 'baseUntil', Date>

/** Counts the arrived orders of a device that were closed after `baseUntil`, up to `completeUntil`. Index: orders_closed. */
async function countClosed(sql: Sql, locationId: string, { id, baseUntil, completeUntil }: Stored): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::bigint as n from orders
    where location_id = ${locationId} and device_id = ${id} and closed
      and closed_at > ${baseUntil} and closed_at <= ${completeUntil}`
  return row?.n ?? 0
}

/**
 * Counts the missing orders of a till, with a query only if its numbers show that something was sold. The query is a
 * separate statement, because Citus cannot plan a join of both tables for any value.
 */
async function countMissing(sql: Sql, locationId: string, row: Stored): Promise<number> {
  const { lastNumber, baseNumber } = row
  if (lastNumber === null || baseNumber === null || lastNumber <= baseNumber) return 0
  return Math.max(lastNumber - baseNumber - (await countClosed(sql, locationId, row)), 0)
}

async function list(sql: Sql, locationId: string): Promise<DeviceStatusRow[]> {
  const rows = await sql<Stored[]>`
    select device_id as id, seq, document, at, complete_until as "completeUntil", last_number as "lastNumber",
      base_until as "baseUntil", base_number as "baseNumber"
    from device_statuses where location_id = ${locationId}`
  const missing = await Promise.all(rows.map((row) => countMissing(sql, locationId, row)))
  return rows.map((row, i) => ({
    ...row,
    at: row.at.toISOString(),
    completeUntil: row.completeUntil.toISOString(),
    baseUntil: row.baseUntil.toISOString(),
    missing: missing[i] as number,
    before: null,
  }))
}

/** Finds the last status of each till of a location, by its id in lower case, with the number of missing orders. */
export async function findDeviceStatuses(sql: Sql, locationId: string): Promise<Map<string, DeviceStatusRow>> {
  return new Map((await list(sql, locationId)).map((row) => [row.id, row]))
}

/** Lists the statuses of devices as promises of the tills. */
export async function listDevicePromises(sql: Sql, locationId: string): Promise<DevicePromise[]> {
  const rows = await list(sql, locationId)
  return rows.map(({ id, at, completeUntil, missing }) => ({ deviceId: id, at, completeUntil, missing }))
}

/**
 * Returns the days to check again: for each device whose new status is on a different day from its previous one, the
 * day before the new status.
 */
async function endedDays(sql: Sql, locationId: string, rows: readonly DeviceStatusRow[]): Promise<string[]> {
  const location = await findLocation(sql, locationId)
  if (!location) return []
  const { dayOf } = businessTime(location)
  return rows.flatMap(({ completeUntil, before }) => {
    const day = dayOf(Date.parse(completeUntil))
    return before !== null && dayOf(Date.parse(before)) === day ? [] : [addDays(day, -1)]
  })
}

/** Replaces statuses. The caller holds the head's lock and has checked that they are newer. */
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
