import type { Closing, ClosingPeriod } from '../schemas/closings.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { listBookDocuments } from '../../books/store/documents.ts'

/** A closing: its place in the journal, and the entries that it covers. */
export type ClosingRow = {
  period: ClosingPeriod
  number: number
  seq: number
  date: string
  fromSeq: number
  toSeq: number
}

const columns = (sql: Sql) => sql`
  period, number, seq, date::text as date, from_seq as "fromSeq", to_seq as "toSeq"`

export async function findLastClosing(
  sql: Sql,
  locationId: string,
  period: ClosingPeriod,
): Promise<ClosingRow | undefined> {
  const [row] = await sql<ClosingRow[]>`
    select ${columns(sql)} from closings
    where location_id = ${locationId} and period = ${period} order by number desc limit 1`
  return row
}

export async function findClosing(
  sql: Sql,
  locationId: string,
  { period, number }: { period: ClosingPeriod; number: number },
): Promise<ClosingRow | undefined> {
  const [row] = await sql<ClosingRow[]>`
    select ${columns(sql)} from closings
    where location_id = ${locationId} and period = ${period} and number = ${number}`
  return row
}

/**
 * Lists a page of closings of a period, the newest first; with `date`, only the closing that closed this business day.
 */
export async function listClosings(
  sql: Sql,
  locationId: string,
  { period, offset, limit, date }: { period: ClosingPeriod; offset: number; limit: number; date?: string | undefined },
): Promise<{ rows: ClosingRow[]; total: number }> {
  if (date !== undefined) {
    const found = await sql<ClosingRow[]>`
      select ${columns(sql)} from closings
      where location_id = ${locationId} and period = ${period} and date >= ${date} order by number limit 1`
    return { rows: offset === 0 ? found : [], total: found.length }
  }
  const [rows, last] = await Promise.all([
    sql<ClosingRow[]>`
      select ${columns(sql)} from closings
      where location_id = ${locationId} and period = ${period} order by number desc limit ${limit} offset ${offset}`,
    findLastClosing(sql, locationId, period),
  ])
  return { rows, total: last?.number ?? 0 }
}

/** Lists the closings of days that begin after a journal sequence, in order. */
export async function listDayClosings(sql: Sql, locationId: string, after: number): Promise<ClosingRow[]> {
  return sql<ClosingRow[]>`
    select ${columns(sql)} from closings
    where location_id = ${locationId} and period = 'day' and from_seq > ${after} order by number`
}

/** Reads the documents of these closings. Throws if the journal lacks one. */
export async function readClosings(sql: Sql, locationId: string, rows: readonly ClosingRow[]): Promise<Closing[]> {
  const documents = await listBookDocuments(
    sql,
    locationId,
    'closing',
    rows.map(({ seq }) => seq),
  )
  return rows.map(({ seq }) => {
    const document = documents.get(seq)
    if (document === undefined) throw new Error(`the journal of ${locationId} has no closing at ${seq}`)
    return JSON.parse(document) as Closing
  })
}

/** Writes a closing from its journal entry. The caller holds the head's lock. */
export async function putClosing(sql: Sql, locationId: string, seq: number, document: string): Promise<void> {
  const { period, number, date, fromSequence, toSequence } = JSON.parse(document) as Closing
  await sql`
    insert into closings (location_id, period, number, seq, date, from_seq, to_seq)
    values (${locationId}, ${period}, ${number}, ${seq}, ${date}, ${fromSequence}, ${toSequence})`
}

/** Lists the locations that have closings. On Citus it queries every shard: for sweeps only. */
export async function listClosingLocations(sql: Sql): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select location_id as id from closings where period = 'day' and number = 1`
  return rows.map(({ id }) => id)
}

/** Returns whether a location has closings, and no checkpoint after the last one. */
export async function isLastClosingUnsigned(sql: Sql, locationId: string): Promise<boolean> {
  const [row] = await sql<{ unsigned: boolean }[]>`
    select coalesce((select max(seq) from closings where location_id = ${locationId}), 0)
      > coalesce((select max(seq) from checkpoints where location_id = ${locationId}), 0) as unsigned`
  return row?.unsigned ?? false
}

export type ClosingsSummary = {
  /** Number of locations that close their days. */
  closing: number
  /** Number of these that have checkpoints. */
  signing: number
  /** Number of these whose last closing has no checkpoint after it. */
  unsigned: number
  /** The oldest time of a location's last closing; null without closings. */
  oldest: Date | null
}

/** Sums up the closings of all locations. On Citus it queries every shard: call it rarely. */
export async function summariseClosings(sql: Sql): Promise<ClosingsSummary> {
  const [row] = await sql<[ClosingsSummary]>`
    select count(*)::int as closing, count(s.seq)::int as signing,
      count(*) filter (where s.seq < c.seq)::int as unsigned, min(j.accepted_at) as oldest
    from (select location_id, max(seq) as seq from closings where period = 'day' group by location_id) c
      join journal j on j.location_id = c.location_id and j.seq = c.seq
      left join (select location_id, max(seq) as seq from checkpoints group by location_id) s on s.location_id = c.location_id`
  return row
}

/** Counts the entries of a journal after one number and up to another. */
export async function countBetween(sql: Sql, locationId: string, after: number, upTo: number): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*)::int as n from journal where location_id = ${locationId} and seq > ${after} and seq <= ${upTo}`
  return row?.n ?? 0
}

/** Lists the versions of Z reports after one number and up to another, in order. */
export async function listReportVersions(
  sql: Sql,
  locationId: string,
  after: number,
  upTo: number,
): Promise<{ id: string; document: string }[]> {
  return sql<{ id: string; document: string }[]>`
    select id, document from journal
    where location_id = ${locationId} and kind = 'report' and seq > ${after} and seq <= ${upTo} order by seq`
}

/**
 * Lists all closings in the order of the journal, for verify; `missing` is the number of an entry without its closing.
 */
export async function listAllClosings(
  sql: Sql,
  locationId: string,
): Promise<{ rows: ClosingRow[]; missing: number | undefined }> {
  const rows = await sql<ClosingRow[]>`
    select ${columns(sql)} from closings where location_id = ${locationId} order by seq`
  const entries = await sql<{ seq: number }[]>`
    select seq from journal where location_id = ${locationId} and kind = 'closing' order by seq`
  const kept = new Set(rows.map(({ seq }) => seq))
  return { rows, missing: entries.find(({ seq }) => !kept.has(seq))?.seq }
}
