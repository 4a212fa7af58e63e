import type { Generation } from './projections.ts'
import type { ReportSums } from '../projections/report-sums.ts'
import type { ReportCheck } from '../domain/report-checks.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { insertRows, upsertRows } from '../../../core/store/db/rows.ts'

/**
 * A report's check, the orders that affect the report although they do not carry its id, and the sums for its booking
 * entries.
 */
export type CheckedReport = { check: ReportCheck; waits: readonly string[]; sums: ReportSums | undefined }

/** Replaces checks. The caller moves the projection's cursor in the same transaction. */
export async function putReportChecks(
  sql: Sql,
  { locationId, generation }: Generation,
  checked: readonly CheckedReport[],
): Promise<void> {
  if (checked.length === 0) return
  const place = { location_id: locationId, generation }
  const sorted = checked.toSorted((a, b) => (a.check.reportId < b.check.reportId ? -1 : 1))
  const rows = sorted.map(({ check }) => ({
    ...place,
    report_id: check.reportId,
    day: check.businessDay,
    till: check.till,
    document: JSON.stringify(check),
  }))
  await upsertRows(sql, 'report_checks', 'location_id, generation, report_id', rows)
  await sql`
    delete from report_waits where location_id = ${locationId} and generation = ${generation}
      and report_id = any(${sorted.map(({ check }) => check.reportId)}::uuid[])`
  const waits = sorted.flatMap(({ check, waits }) =>
    waits.map((id) => ({ ...place, order_id: id, report_id: check.reportId })),
  )
  await insertRows(sql, 'report_waits', waits)
}

export async function hasReportChecks(sql: Sql, { locationId, generation }: Generation): Promise<boolean> {
  const rows = await sql`
    select 1 from report_checks where location_id = ${locationId} and generation = ${generation} limit 1`
  return rows.length > 0
}

/** Lists the ids of the reports that wait for one of these orders. */
export async function listWaitingReports(
  sql: Sql,
  { locationId, generation }: Generation,
  orderIds: readonly string[],
): Promise<string[]> {
  if (orderIds.length === 0) return []
  const rows = await sql<{ id: string }[]>`
    select distinct report_id as id from report_waits
    where location_id = ${locationId} and generation = ${generation} and order_id = any(${[...orderIds]}::uuid[])`
  return rows.map(({ id }) => id)
}

/**
 * Returns the orders that each report of a generation waits for, by report. Reports and orders are sorted by id. Reads
 * all of them, so it is only for verify.
 */
export async function listWaits(sql: Sql, { locationId, generation }: Generation): Promise<Map<string, string[]>> {
  const rows = await sql<{ reportId: string; orderId: string }[]>`
    select report_id as "reportId", order_id as "orderId" from report_waits
    where location_id = ${locationId} and generation = ${generation} order by report_id, order_id`
  const byReport = Map.groupBy(rows, ({ reportId }) => reportId)
  return new Map([...byReport].map(([reportId, waits]) => [reportId, waits.map(({ orderId }) => orderId)]))
}

/**
 * Finds a report whose check is stored under a report, business day or till other than the one it names, for `verify`;
 * undefined if there is none.
 */
export async function findMisplacedCheck(
  sql: Sql,
  { locationId, generation }: Generation,
): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    select report_id as id from report_checks
    where location_id = ${locationId} and generation = ${generation}
      and (report_id::text, day::text, till) is distinct from
        (lower(document::json ->> 'reportId'), document::json ->> 'businessDay', document::json ->> 'till')
    order by report_id limit 1`
  return row?.id
}

/**
 * Lists, for each given till, the check of its first report of a business day after `day`, without the reports in
 * `except`; unordered.
 */
export async function listNextChecks(
  sql: Sql,
  { locationId, generation }: Generation,
  { tills, day, except }: { tills: readonly string[]; day: string; except: readonly string[] },
): Promise<ReportCheck[]> {
  const rows = await sql<{ document: string }[]>`
    select next.document from unnest(${[...tills]}::text[]) as t(till), lateral (
      select document from report_checks
      where location_id = ${locationId} and generation = ${generation} and till = t.till and day > ${day}
        and report_id <> all(${[...except]}::uuid[])
      order by day, report_id limit 1) next`
  return rows.map(({ document }) => JSON.parse(document) as ReportCheck)
}

/**
 * For each report whose till made its previous report more than `days` days earlier, lists the day of that previous
 * report.
 */
export async function listDaysBefore(
  sql: Sql,
  { locationId, generation }: Generation,
  { reportIds, days }: { reportIds: readonly string[]; days: number },
): Promise<string[]> {
  if (reportIds.length === 0) return []
  const rows = await sql<{ day: string }[]>`
    select distinct before.day::text as day from report_checks c, lateral (
      select day from report_checks
      where location_id = ${locationId} and generation = ${generation} and till = c.till and day < c.day
      order by day desc limit 1) before
    where c.location_id = ${locationId} and c.generation = ${generation} and c.report_id = any(${[...reportIds]}::uuid[])
      and before.day < c.day - ${days}::int`
  return rows.map(({ day }) => day)
}

/** Lists the checks of the reports from one business day to another, inclusive, unordered. */
export async function listReportChecks(
  sql: Sql,
  { locationId, generation }: Generation,
  { since, until }: { since: string; until: string },
): Promise<ReportCheck[]> {
  const rows = await sql<{ document: string }[]>`
    select document from report_checks
    where location_id = ${locationId} and generation = ${generation} and day >= ${since} and day <= ${until}`
  return rows.map(({ document }) => JSON.parse(document) as ReportCheck)
}
