import { genesis } from '../../domain/journal/chain.ts'
import { newEpoch } from '../../domain/journal/lineage.ts'
import type { LocationSettings } from './schema.ts'
import type { Location } from './schema.ts'
import type { Sql } from '../../store/db/database.ts'
import { readNumbered, type NumberedDocument } from '../paging/numbered.ts'
import type { Reader } from '../../store/db/reader/reader.ts'

export type LocationRow = {
  id: string
  /** The Location with its devices, as in the journal. */
  document: string
  /** The document without `deviceList`, returned unless a read asks for the devices. */
  withoutDevices: string
  timeZone: string
  currency: string
  /** `HH:MM`, local. */
  dayStartsAt: string
  /** `MM-DD`. */
  fiscalYearStarts: string
  /** Categories that the location sets for kinds of service; other kinds have default categories. */
  eReportingCategories: LocationSettings['eReportingCategories']
  /** Devices out of service, by id or name, with the business day of retirement. Business days do not wait for them. */
  retiredDevices: LocationSettings['retiredDevices']
  /** Kinds of payments, by the names that the tills use. */
  paymentKinds: LocationSettings['paymentKinds']
  /** Whether the numbers of a till's Z reports follow one another. */
  reportNumbers: LocationSettings['reportNumbers']
  seq: number
  /** Null while the location is active. */
  deactivatedAt: Date | null
  /** When the location and all its data are deleted; null if no deletion is scheduled. */
  deleteAt: Date | null
}

type Texts = 'eReportingCategories' | 'retiredDevices' | 'paymentKinds'

type Stored = Omit<LocationRow, Texts> & Record<Texts, string>

const toRow = (row: Stored): LocationRow => ({
  ...row,
  eReportingCategories: JSON.parse(row.eReportingCategories) as LocationRow['eReportingCategories'],
  retiredDevices: JSON.parse(row.retiredDevices) as LocationRow['retiredDevices'],
  paymentKinds: JSON.parse(row.paymentKinds) as LocationRow['paymentKinds'],
})

const columns = (sql: Sql) => sql`
  id, document, without_devices as "withoutDevices", time_zone as "timeZone", currency,
  day_starts_at as "dayStartsAt", fiscal_year_starts as "fiscalYearStarts", e_reporting_categories as "eReportingCategories",
  retired_devices as "retiredDevices", payment_kinds as "paymentKinds", report_numbers as "reportNumbers", seq, deactivated_at as "deactivatedAt", delete_at as "deleteAt"`

export function leaveOutDevices(document: string): string {
  const { deviceList: _, ...rest } = JSON.parse(document) as Location
  return JSON.stringify(rest)
}

/** Selects one of the two forms of a location's document. */
const byForm = `select seq || case $2::text when 'with devices' then document else without_devices end
  from locations where id = $1`

/** Finds the document as bytes, with or without devices. */
export async function findLocationBytes(reader: Reader, id: string, withDevices: boolean): Promise<NumberedDocument> {
  return readNumbered(reader, byForm, id, withDevices ? 'with devices' : 'without devices')
}

export async function findLocation(sql: Sql, id: string): Promise<LocationRow | undefined> {
  const [row] = await sql<Stored[]>`select ${columns(sql)} from locations where id = ${id}`
  return row && toRow(row)
}

/** Lists all locations of the installation. On Citus this reads every shard, so only the command line uses it. */
export async function listLocations(sql: Sql): Promise<LocationRow[]> {
  return (await sql<Stored[]>`select ${columns(sql)} from locations order by created_at, id`).map(toRow)
}

/**
 * Lists up to `limit` locations by id, after the id `after` (null for the first page). Null `ids` means all locations.
 * On Citus each shard reads `limit` rows.
 */
export async function listSomeLocations(
  sql: Sql,
  { ids, after, limit }: { ids: readonly string[] | null; after: string | null; limit: number },
): Promise<LocationRow[]> {
  const rows = await sql<Stored[]>`
    select ${columns(sql)} from locations
    where true ${ids === null ? sql`` : sql`and id = any(${[...ids]}::text[]::uuid[])`} ${after === null ? sql`` : sql`and id > ${after}`}
    order by id limit ${limit}`
  return rows.map(toRow)
}

export type LocationName = Pick<LocationRow, 'id' | 'withoutDevices' | 'timeZone' | 'currency' | 'deactivatedAt'>

/** Lists names of locations, by id, with the parameters of `listSomeLocations`. */
export async function listLocationNames(
  sql: Sql,
  { ids, after, limit }: { ids: readonly string[] | null; after: string | null; limit: number },
): Promise<LocationName[]> {
  return sql<LocationName[]>`
    select id, without_devices as "withoutDevices", time_zone as "timeZone", currency, deactivated_at as "deactivatedAt"
    from locations
    where true ${ids === null ? sql`` : sql`and id = any(${[...ids]}::text[]::uuid[])`} ${after === null ? sql`` : sql`and id > ${after}`}
    order by id limit ${limit}`
}

/** Creates a location's row and empty journal; returns false if the row exists. A restore passes the `epoch`. */
export async function insertLocation(
  sql: Sql,
  row: Omit<LocationRow, 'deactivatedAt' | 'deleteAt'>,
  at: Date,
  epoch = newEpoch(),
): Promise<boolean> {
  const created = await sql`
    insert into locations (id, document, without_devices, time_zone, currency, day_starts_at, fiscal_year_starts,
      e_reporting_categories, retired_devices, payment_kinds, report_numbers, seq, created_at)
    values (${row.id}, ${row.document}, ${row.withoutDevices}, ${row.timeZone}, ${row.currency}, ${row.dayStartsAt},
      ${row.fiscalYearStarts}, ${JSON.stringify(row.eReportingCategories)}, ${JSON.stringify(row.retiredDevices)},
      ${JSON.stringify(row.paymentKinds)}, ${row.reportNumbers}, ${row.seq}, ${at})
    on conflict (id) do nothing returning 1`
  await sql`
    insert into location_seq (location_id, epoch, last_seq, last_hash) values (${row.id}, ${epoch}, 0, ${genesis})
    on conflict (location_id) do nothing`
  return created.length === 1
}

export async function updateLocation(
  sql: Sql,
  row: Pick<LocationRow, 'id' | 'document' | 'withoutDevices' | 'seq'>,
): Promise<void> {
  await sql`
    update locations set document = ${row.document}, without_devices = ${row.withoutDevices}, seq = ${row.seq}
    where id = ${row.id}`
}

export async function updateLocationSettings(sql: Sql, id: string, settings: LocationSettings): Promise<void> {
  await sql`
    update locations set time_zone = ${settings.timeZone}, currency = ${settings.currency},
      day_starts_at = ${settings.dayStartsAt}, fiscal_year_starts = ${settings.fiscalYearStarts},
      e_reporting_categories = ${JSON.stringify(settings.eReportingCategories)},
      retired_devices = ${JSON.stringify(settings.retiredDevices)},
      payment_kinds = ${JSON.stringify(settings.paymentKinds)}, report_numbers = ${settings.reportNumbers}
    where id = ${id}`
}
