import type { Link } from '../domain/chain.ts'
import type { Entry } from '../domain/messages.ts'
import type { EventType } from '../schemas/events.ts'
import type { Sql } from './database.ts'
import { insertRows, readTimestamp } from './rows.ts'

export type Head = { seq: number; hash: string }

export type JournalEntry = Link & { prevSeq: number | null; hash: string }

/**
 * Takes the location's row until commit: writers of one location follow each other, so the numbers have no gap and the
 * versions read afterwards in this transaction are the latest. Undefined when there is no such location.
 */
export async function lockHead(sql: Sql, locationId: string): Promise<Head | undefined> {
  const [row] = await sql<Head[]>`
    select last_seq as seq, last_hash as hash from location_seq where location_id = ${locationId} for update`
  return row
}

export async function findHead(sql: Sql, locationId: string): Promise<Head | undefined> {
  const [row] = await sql<Head[]>`
    select last_seq as seq, last_hash as hash from location_seq where location_id = ${locationId}`
  return row
}

/** Caller holds the head's lock. Entries follow `head` without a gap. */
export async function appendJournal(sql: Sql, locationId: string, entries: readonly JournalEntry[]): Promise<void> {
  const last = entries.at(-1)
  if (!last) return
  const rows = entries.map((entry) => ({
    location_id: locationId,
    seq: entry.seq,
    accepted_at: entry.acceptedAt,
    kind: entry.kind,
    id: entry.id,
    prev_seq: entry.prevSeq,
    types: entry.types,
    document: entry.document,
    hash: entry.hash,
  }))
  await Promise.all([
    insertRows(sql, 'journal', rows),
    sql`update location_seq set last_seq = ${last.seq}, last_hash = ${last.hash} where location_id = ${locationId}`,
  ])
}

type Row = Omit<JournalEntry, 'acceptedAt'> & { acceptedAt: Date }

/** Entries after a sequence, in order, at most `limit`. */
export async function listJournal(sql: Sql, locationId: string, after: number, limit: number): Promise<JournalEntry[]> {
  const rows = await sql<Row[]>`
    select location_id as "locationId", seq, accepted_at as "acceptedAt", kind, id, prev_seq as "prevSeq", types,
      document, hash
    from journal where location_id = ${locationId} and seq > ${after} order by seq limit ${limit}`
  return rows.map((row) => ({ ...row, acceptedAt: row.acceptedAt.toISOString() }))
}

const entryColumns = 'seq, accepted_at, kind, id, array_to_string(types, $2) as types, document'

function toEntry(locationId: string, row: readonly Buffer[]): Entry {
  const [seq, kind, id, types] = [row[0], row[2], row[3], row[4]].map(String) as [string, string, string, string]
  return {
    locationId,
    seq: Number(seq),
    acceptedAt: readTimestamp(row[1] as Buffer),
    kind,
    id,
    types: (types === '' ? [] : types.split(',')) as EventType[],
    document: row[5] as Buffer,
  }
}

/** Entries after a sequence with their documents as bytes: what is delivered and what the feed hands out. */
export async function readEntries(sql: Sql, locationId: string, after: number, limit: number): Promise<Entry[]> {
  const text = `select ${entryColumns} from journal where location_id = $1 and seq > $3 order by seq limit $4`
  const rows = await sql.unsafe(text, [locationId, ',', after, limit], { prepare: true }).raw()
  return rows.map((row) => toEntry(locationId, row as unknown as Buffer[]))
}

/** The versions of one order, oldest first, the latest `limit` of them: a walk along `prev_seq`, by primary keys. */
export async function readHistory(sql: Sql, locationId: string, id: string, limit: number): Promise<Entry[]> {
  const text = `
    with recursive versions as (
      select j.* from journal j
      where j.location_id = $1 and j.seq = (select seq from orders where location_id = $1 and id = $3)
      union all
      select j.* from versions v join journal j on j.location_id = $1 and j.seq = v.prev_seq
      where v.location_id = $1
    )
    select ${entryColumns} from (select * from versions limit $4) latest order by seq`
  const rows = await sql.unsafe(text, [locationId, ',', id, limit], { prepare: true }).raw()
  return rows.map((row) => toEntry(locationId, row as unknown as Buffer[]))
}

/** One entry; the caller knows that it is there. */
export async function getEntry(sql: Sql, locationId: string, seq: number): Promise<Entry> {
  const [entry] = await readEntries(sql, locationId, seq - 1, 1)
  if (entry?.seq !== seq) throw new Error(`journal of ${locationId} has no entry ${seq}`)
  return entry
}

/** First journal number accepted at or after a moment; one past the head when there is none. */
export async function findSequenceAt(sql: Sql, locationId: string, at: Date): Promise<number> {
  // The times of acceptance ascend with the numbers, so the place is found by halves along the primary key.
  const [head] = await sql<
    { seq: number }[]
  >`select last_seq as seq from location_seq where location_id = ${locationId}`
  let [low, high] = [1, (head?.seq ?? 0) + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [row] = await sql<{ acceptedAt: Date }[]>`
      select accepted_at as "acceptedAt" from journal where location_id = ${locationId} and seq = ${middle}`
    if (row && row.acceptedAt >= at) high = middle
    else low = middle + 1
  }
  return low
}
