import type { Sql } from './database.ts'
import { readNumbered, type Numbered, type NumberedDocument } from './numbered.ts'
import { readPage, type DatedList, type Documents, type PageOf, type Reads } from './pages.ts'
import type { Reader } from './reader/reader.ts'
import { upsertRows } from './rows.ts'

/** `number` is the report number that a till counts. */
export type ReportRow = {
  id: string
  createdAt: string
  updatedAt: string
  number: number
  seq: number
  document: string
}

const list: DatedList = { table: 'reports', kinds: ['report'], condition: '' }

export async function findReportBytes(reader: Reader, locationId: string, id: string): Promise<NumberedDocument> {
  return readNumbered(reader, 'select document from reports where location_id = $1 and id = $2', [locationId, id])
}

/** Collects one page of reports. It, the count of all that match and the number are of one state. */
export async function collectReports(
  reads: Reads,
  locationId: string,
  page: PageOf,
  documents: Documents,
): Promise<Numbered & { totalCount: number }> {
  return readPage(reads, locationId, { list, page }, documents)
}

type Stored = Omit<ReportRow, 'createdAt' | 'updatedAt'> & Record<'createdAt' | 'updatedAt', Date>

/** Stored versions of these reports, by lower-case id. The caller holds the head's lock, so they are the latest. */
export async function findReports(
  sql: Sql,
  locationId: string,
  ids: readonly string[],
): Promise<Map<string, ReportRow>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<Stored[]>`
    select id, created_at as "createdAt", updated_at as "updatedAt", number, seq, document
    from reports where location_id = ${locationId} and id = any(${[...ids]}::uuid[])`
  return new Map(
    rows.map((row) => {
      return [row.id, { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() }]
    }),
  )
}

/** Numbers of these reports, by lower-case id, for those that have arrived. */
export async function listReportNumbers(
  sql: Sql,
  locationId: string,
  ids: readonly string[],
): Promise<Map<string, number>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<{ id: string; number: number }[]>`
    select id, number from reports where location_id = ${locationId} and id = any(${[...ids]}::uuid[])`
  return new Map(rows.map(({ id, number }) => [id, number]))
}

/** No id twice. The caller decided that these versions win. */
export async function upsertReports(sql: Sql, locationId: string, reports: readonly ReportRow[]): Promise<void> {
  const rows = reports.map((report) => ({
    location_id: locationId,
    id: report.id,
    created_at: report.createdAt,
    updated_at: report.updatedAt,
    number: report.number,
    seq: report.seq,
    document: report.document,
  }))
  await upsertRows(sql, 'reports', 'location_id, id', rows)
}
