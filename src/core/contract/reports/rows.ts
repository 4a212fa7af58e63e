import { hasId, rowsOfIds } from '../../store/db/by-id.ts'
import type { Sql } from '../../store/db/database.ts'
import { walkRows } from '../../store/db/walk.ts'
import { datedRows, type DatedRow } from '../paging/dated-rows.ts'
import { readNumbered, type NumberedDocument } from '../paging/numbered.ts'
import type { DatedList } from '../paging/pages.ts'
import type { Reader } from '../../store/db/reader/reader.ts'

/** `number` is the report number counted by the till. */
export type ReportRow = DatedRow & { number: number }

export const reportRows = datedRows<ReportRow>('reports', ['number'])

export const reportList: DatedList = { table: 'reports', kinds: ['report'], condition: '' }

const byId = `select seq || document from reports o where o.location_id = $1 and ${hasId('$2::uuid')}`

/** Finds the report as bytes; undefined if the location has no report with this id. */
export function findReportBytes(reader: Reader, locationId: string, id: string): Promise<NumberedDocument> {
  return readNumbered(reader, byId, locationId, id)
}

/** Returns the report numbers by lower-case id; reports that have not arrived are missing from the map. */
export async function listReportNumbers(
  sql: Sql,
  locationId: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<{ id: string; number: number }[]>`
    select id, number from ${rowsOfIds(sql, 'reports', locationId, ids)}`
  return new Map(rows.map(({ id, number }) => [id, number]))
}

/** Yields all Z reports of a location in batches, in the order of arrival of their last versions. Each batch reads every row. */
export function walkReports(sql: Sql, locationId: string): AsyncGenerator<{ id: string; document: string }[]> {
  return walkRows(
    0,
    (after, batch) => sql<{ id: string; seq: number; document: string }[]>`
      select id, seq, document from reports
      where location_id = ${locationId} and seq > ${after} order by seq limit ${batch}`,
    ({ seq }) => seq,
  )
}
