import type { BookBatch } from '../schemas/books.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { insertRows } from '../../../core/store/db/rows.ts'

/** An issued batch without its entries. */
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

/** The columns of an issued entry that are stored beside the journal. */
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

/** Lists the entries in force from `since` to `until`, inclusive. */
export async function listIssued(
  sql: Sql,
  locationId: string,
  { since, until }: { since: string; until: string },
): Promise<IssuedRow[]> {
  return sql<IssuedRow[]>`
    select ${issuedColumns(sql)} from book_entries
    where location_id = ${locationId} and stands and day >= ${since} and day <= ${until} order by series, ordinal`
}

/** Lists the entries in force of these sources, whatever their day. */
export async function listIssuedOf(sql: Sql, locationId: string, sources: readonly string[]): Promise<IssuedRow[]> {
  if (sources.length === 0) return []
  return sql<IssuedRow[]>`
    select ${issuedColumns(sql)} from book_entries
    where location_id = ${locationId} and stands and source = any(${[...sources]}::text[]) order by series, ordinal`
}

/** Lists days without a Z that have issued entries, with the journal number at which the entries were computed. */
export async function listIssuedDays(sql: Sql, locationId: string): Promise<{ day: string; seq: number }[]> {
  return sql<{ day: string; seq: number }[]>`
    select e.day::text as day, min(b.computed_at_seq) as seq from book_entries e
    join book_batches b on b.location_id = e.location_id and b.number = e.batch
    where e.location_id = ${locationId} and e.stands and length(e.source) = 10 group by e.day order by e.day`
}

/** Returns the last number of each series. */
export async function listSeries(sql: Sql, locationId: string): Promise<Map<string, number>> {
  const rows = await sql<{ series: string; last: number }[]>`
    select series, max(ordinal)::int as last from book_entries where location_id = ${locationId} group by series`
  return new Map(rows.map(({ series, last }) => [series, last]))
}

export async function countResumed(sql: Sql, locationId: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from journal where location_id = ${locationId} and kind = 'resumed'`
  return row?.n ?? 0
}

/** Splits the number of an entry into its series and its position in the series. */
function partNumber(number: string): { series: string; ordinal: number } {
  const at = number.lastIndexOf('-')
  return { series: number.slice(0, at), ordinal: Number(number.slice(at + 1)) }
}

/**
 * Stores the rows of a batch. They are made from the document of its journal entry alone, so that a restore reproduces
 * them. The caller holds the head's lock.
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
  const rows = toIssued(batch).map((row) => ({
    location_id: locationId,
    series: row.series,
    ordinal: row.ordinal,
    batch: row.batch,
    source: row.source,
    side: row.side,
    day: row.day,
    hash: row.hash,
    accounts_version: row.accountsVersion,
    is_reversal: row.isReversal,
    stands: row.stands,
    is_accepted: row.isAccepted,
  }))
  await insertRows(sql, 'book_entries', rows)
}

/** Makes the rows that are stored for the entries of an issued batch. */
function toIssued({ number, entries }: BookBatch): IssuedRow[] {
  return entries.map((entry) => {
    const [source = '', side = 'all'] = entry.id.split('/')
    return {
      ...partNumber(entry.number as string),
      batch: number,
      source,
      side,
      day: entry.pieceDate,
      hash: entry.hash,
      accountsVersion: entry.accountsVersion,
      isReversal: entry.reverses !== null,
      stands: entry.reverses === null,
      isAccepted: entry.warnings.some(({ code }) => code === 'accepted'),
    }
  })
}

const keyOf = ({ series, ordinal }: Pick<IssuedRow, 'series' | 'ordinal'>) => `${series} ${ordinal}`

/** Describes the first row of a batch or of accounts that differs from its journal entry. */
async function findRowFault(sql: Sql, locationId: string): Promise<string | undefined> {
  const [wrong] = await sql<{ seq: number }[]>`
    select coalesce(j.seq, b.seq) as seq
    from (select seq, document::json as made from journal where location_id = ${locationId} and kind = 'batch') j
    full join (select * from book_batches where location_id = ${locationId}) b on b.seq = j.seq
    where (b.number, b.created_at, b.until, b.accounts_version, b.computed_at_seq, b.entries) is distinct from
      ((made ->> 'number')::int, (made ->> 'createdAt')::timestamptz, (made ->> 'until')::date,
        (made ->> 'accountsVersion')::int, (made ->> 'sequence')::bigint, json_array_length(made -> 'entries'))
    order by 1 limit 1`
  if (wrong) return `the batch at journal entry ${wrong.seq} is not stored as the entry has it`
  const [other] = await sql<{ seq: number }[]>`
    select coalesce(j.seq, a.seq) as seq
    from (select seq, document from journal where location_id = ${locationId} and kind = 'accounts') j
    full join (select * from book_accounts where location_id = ${locationId}) a on a.seq = j.seq
    where (a.version, a.document) is distinct from ((j.document::json ->> 'version')::int, j.document)
    order by 1 limit 1`
  return other && `the accounts at journal entry ${other.seq} are not stored as the entry has them`
}

/**
 * Describes the first batch, issued entry or accounts that do not follow from the journal, or that has a gap in the
 * numbers before it; undefined if all are right. Reads the whole journal of the location.
 */
export async function findBooksFault(sql: Sql, locationId: string): Promise<string | undefined> {
  const batches = await sql<{ document: string }[]>`
    select document from journal where location_id = ${locationId} and kind = 'batch' order by seq`
  const made = new Map<string, IssuedRow>()
  for (const { document } of batches) {
    const batch = JSON.parse(document) as BookBatch
    for (const { reverses } of batch.entries) {
      const row = reverses === null ? undefined : made.get(keyOf(partNumber(reverses)))
      if (row) row.stands = false
    }
    for (const row of toIssued(batch)) {
      if (row.ordinal > 1 && !made.has(keyOf({ ...row, ordinal: row.ordinal - 1 })))
        return `the booking entry before ${keyOf(row)} is missing`
      made.set(keyOf(row), row)
    }
  }
  const kept = await sql<IssuedRow[]>`
    select ${issuedColumns(sql)} from book_entries where location_id = ${locationId} order by series, ordinal`
  const wrong = kept.find(
    (row) => JSON.stringify(row) !== JSON.stringify({ ...row, ...made.get(keyOf(row)) }) || !made.delete(keyOf(row)),
  )
  if (wrong) return `the booking entry ${keyOf(wrong)} differs from its batch`
  const [left] = made.keys()
  if (left) return `the booking entry ${left} is in a batch but not stored`
  return findRowFault(sql, locationId)
}
