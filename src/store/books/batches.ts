import type { BookBatch } from '../../schemas/books.ts'
import type { Sql } from '../db/database.ts'
import { insertRows } from '../db/rows.ts'

/** What is known of an issued batch without its entries. */
export type BatchRow = {
  number: number
  seq: number
  createdAt: Date
  until: string
  accountsVersion: number
  sequence: number
  entries: number
}

const columns = (sql: Sql) => sql`
  number, seq, created_at as "createdAt", until::text as until, accounts_version as "accountsVersion",
  computed_at_seq as sequence, entries`

export async function findLastBatch(sql: Sql, locationId: string): Promise<BatchRow | undefined> {
  const [row] = await sql<BatchRow[]>`
    select ${columns(sql)} from book_batches where location_id = ${locationId} order by number desc limit 1`
  return row
}

export async function findBatch(sql: Sql, locationId: string, number: number): Promise<BatchRow | undefined> {
  const [row] = await sql<BatchRow[]>`
    select ${columns(sql)} from book_batches where location_id = ${locationId} and number = ${number}`
  return row
}

/** Lists a page of batches, the newest first. */
export async function listBatches(
  sql: Sql,
  locationId: string,
  { offset, limit }: { offset: number; limit: number },
): Promise<{ rows: BatchRow[]; total: number }> {
  const [rows, [count]] = await Promise.all([
    sql<BatchRow[]>`
      select ${columns(sql)} from book_batches where location_id = ${locationId}
      order by number desc limit ${limit} offset ${offset}`,
    sql<{ n: number }[]>`select count(*)::int as n from book_batches where location_id = ${locationId}`,
  ])
  return { rows, total: count?.n ?? 0 }
}

/** Returns the documents of batches by their numbers in the journal. */
export async function listBatchDocuments(
  sql: Sql,
  locationId: string,
  seqs: readonly number[],
): Promise<Map<number, string>> {
  if (seqs.length === 0) return new Map()
  const rows = await sql<{ seq: number; document: string }[]>`
    select seq, document from journal
    where location_id = ${locationId} and kind = 'batch' and seq = any(${[...seqs]}::bigint[])`
  return new Map(rows.map(({ seq, document }) => [seq, document]))
}

/** An issued entry as far as it is kept beside the journal. */
export type IssuedRow = {
  series: string
  ordinal: number
  batch: number
  source: string
  side: string
  day: string
  hash: string
  accountsVersion: number
  isReversal: boolean
  stands: boolean
  isAccepted: boolean
}

const issuedColumns = (sql: Sql) => sql`
  series, ordinal, batch, source, side, day::text as day, hash, accounts_version as "accountsVersion",
  is_reversal as "isReversal", stands, is_accepted as "isAccepted"`

/** Entries that stand of these business days, both included. */
export async function listIssued(
  sql: Sql,
  locationId: string,
  { since, until }: { since: string; until: string },
): Promise<IssuedRow[]> {
  return sql<IssuedRow[]>`
    select ${issuedColumns(sql)} from book_entries
    where location_id = ${locationId} and stands and day >= ${since} and day <= ${until} order by series, ordinal`
}

/** Entries that stand of these sources, on whatever day. */
export async function listIssuedOf(sql: Sql, locationId: string, sources: readonly string[]): Promise<IssuedRow[]> {
  if (sources.length === 0) return []
  return sql<IssuedRow[]>`
    select ${issuedColumns(sql)} from book_entries
    where location_id = ${locationId} and stands and source = any(${[...sources]}::text[]) order by series, ordinal`
}

/** Days without a Z of which something was issued, with the number of the journal at which that was computed. */
export async function listIssuedDays(sql: Sql, locationId: string): Promise<{ day: string; seq: number }[]> {
  return sql<{ day: string; seq: number }[]>`
    select e.day::text as day, min(b.computed_at_seq) as seq from book_entries e
    join book_batches b on b.location_id = e.location_id and b.number = e.batch
    where e.location_id = ${locationId} and e.stands and length(e.source) = 10 group by e.day order by e.day`
}

/** The last number of each series. */
export async function listSeries(sql: Sql, locationId: string): Promise<Map<string, number>> {
  const rows = await sql<{ series: string; last: number }[]>`
    select series, max(ordinal)::int as last from book_entries where location_id = ${locationId} group by series`
  return new Map(rows.map(({ series, last }) => [series, last]))
}

/** How often the journal was resumed. */
export async function countResumed(sql: Sql, locationId: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from journal where location_id = ${locationId} and kind = 'resumed'`
  return row?.n ?? 0
}

/** Parts a number into its series and its place there. */
function partNumber(number: string): { series: string; ordinal: number } {
  const at = number.lastIndexOf('-')
  return { series: number.slice(0, at), ordinal: Number(number.slice(at + 1)) }
}

/**
 * Writes what follows from the entry of the journal of a batch, from its document alone: so a backup gives it back. The caller
 * holds the head's lock.
 */
export async function putBatch(sql: Sql, locationId: string, seq: number, document: string): Promise<void> {
  const batch = JSON.parse(document) as BookBatch
  await sql`
    insert into book_batches (location_id, number, seq, created_at, until, accounts_version, computed_at_seq, entries)
    values (${locationId}, ${batch.number}, ${seq}, ${batch.createdAt}, ${batch.until}, ${batch.accountsVersion},
      ${batch.sequence}, ${batch.entries.length})`
  const reversed = batch.entries.flatMap(({ reverses }) => (reverses === null ? [] : [partNumber(reverses)]))
  for (const [series, of] of Map.groupBy(reversed, (one) => one.series)) {
    await sql`
      update book_entries set stands = false
      where location_id = ${locationId} and series = ${series} and ordinal = any(${of.map(({ ordinal }) => ordinal)}::int[])`
  }
  const rows = batch.entries.map((entry) => {
    const { series, ordinal } = partNumber(entry.number as string)
    const [source = '', side = 'all'] = entry.id.split('/')
    return {
      location_id: locationId,
      series,
      ordinal,
      batch: batch.number,
      source,
      side,
      day: entry.pieceDate,
      hash: entry.hash,
      accounts_version: entry.accountsVersion,
      is_reversal: entry.reverses !== null,
      stands: entry.reverses === null,
      is_accepted: entry.warnings.some(({ code }) => code === 'accepted'),
    }
  })
  await insertRows(sql, 'book_entries', rows)
}
