import type { Generation } from './projections.ts'
import { deviceMeasures, type DeviceAmounts, type DeviceDay } from '../domain/device-days.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { insertRows } from '../../../core/store/db/rows.ts'

const columnOf = (measure: string) => measure.replace('Rest', '_rest')

const assignments = deviceMeasures
  .map(columnOf)
  .map((name) => `${name} = c.${name} + excluded.${name}`)
  .join(', ')

/** Adds to the device days of a generation. The caller moves the projection's cursor in the same transaction. */
export async function addDeviceDays(
  sql: Sql,
  { locationId, generation }: Generation,
  days: readonly DeviceDay[],
): Promise<void> {
  const keyOf = ({ day, deviceId }: DeviceDay) => `${day} ${deviceId}`
  const rows = days
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map(({ day, deviceId, lastAt, ...amounts }) => ({
      location_id: locationId,
      generation,
      day,
      device_id: deviceId,
      ...Object.fromEntries(deviceMeasures.map((measure) => [columnOf(measure), amounts[measure]])),
      last_at: lastAt,
    }))
  await insertRows(
    sql,
    'device_days as c',
    rows,
    `on conflict (location_id, generation, day, device_id) do update
      set ${assignments}, last_at = greatest(c.last_at, excluded.last_at)`,
  )
}

/** Lists the activity of each device from one business day to another, inclusive, unordered. */
export async function listDeviceDays(
  sql: Sql,
  { locationId, generation }: Generation,
  { since, until }: { since: string; until: string },
): Promise<DeviceDay[]> {
  const rows = await sql<(DeviceAmounts & { deviceId: string; day: string; lastAt: Date })[]>`
    select device_id as "deviceId", day::text as day, last_at as "lastAt", closed, open, counted, unreported, sales, tax,
      sales_rest as "salesRest", tax_rest as "taxRest"
    from device_days
    where location_id = ${locationId} and generation = ${generation} and day >= ${since} and day <= ${until}`
  return rows.map((row) => ({ ...row, lastAt: row.lastAt.toISOString() }))
}

/** A business day and how many counted orders it has. */
export type CountedDay = Pick<DeviceDay, 'day' | 'counted'>

/** Lists how many counted orders each business day has, from one day to another, inclusive, unordered. */
export async function listCountedDays(
  sql: Sql,
  { locationId, generation }: Generation,
  { since, until }: { since: string; until: string },
): Promise<CountedDay[]> {
  return sql<CountedDay[]>`
    select day::text as day, sum(counted)::int as counted from device_days
    where location_id = ${locationId} and generation = ${generation} and day >= ${since} and day <= ${until} group by 1`
}

/** Finds the first business day with data; undefined without any. */
export async function findFirstDay(sql: Sql, locationId: string, generation: number): Promise<string | undefined> {
  const [row] = await sql<{ day: string }[]>`
    select day::text as day from device_days
    where location_id = ${locationId} and generation = ${generation} order by day limit 1`
  return row?.day
}

/** Deletes the rows of every other generation of the projection of days. */
export async function deleteOtherDays(sql: Sql, locationId: string, generation: number): Promise<void> {
  await Promise.all([
    sql`delete from report_checks where location_id = ${locationId} and generation <> ${generation}`,
    sql`delete from book_sums where location_id = ${locationId} and generation <> ${generation}`,
    sql`delete from book_days where location_id = ${locationId} and generation <> ${generation}`,
    sql`delete from report_waits where location_id = ${locationId} and generation <> ${generation}`,
    sql`delete from device_days where location_id = ${locationId} and generation <> ${generation}`,
  ])
}
