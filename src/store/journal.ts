import type { Link } from '../domain/chain.ts'
import type { Sql } from './database.ts'
import { insertRows } from './rows.ts'

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
  const columns = ['location_id', 'seq', 'accepted_at', 'kind', 'id', 'prev_seq', 'types', 'document', 'hash']
  const rows = entries.map((e) => [
    locationId,
    e.seq,
    e.acceptedAt,
    e.kind,
    e.id,
    e.prevSeq,
    e.types,
    e.document,
    e.hash,
  ])
  await Promise.all([
    insertRows(sql, 'journal', columns, rows),
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
