import { randomBytes } from 'node:crypto'
import {
  chainChanges,
  genesis,
  type Change,
  type ChainedEntry,
  type Head,
  type NewEntry,
} from '../../domain/journal/chain.ts'
import type { Entry } from '../../domain/journal/messages.ts'
import { hasId } from '../db/by-id.ts'
import { cells, column, documentColumn, namesColumn, namesOf, runOver, unnest, type Column } from '../db/columns.ts'
import type { Sql } from '../db/database.ts'
import { readTimestamp } from '../db/rows.ts'
import { walkRows } from '../db/walk.ts'
import { DocumentsArchived, listAsides } from './asides.ts'

/** The head as PostgreSQL returns it. */
export type HeadRow = Omit<Head, 'acceptedAt'> & { acceptedAt: Date | null }

export const toHead = (row: HeadRow | undefined): Head | undefined =>
  row && { ...row, acceptedAt: row.acceptedAt?.toISOString() ?? null }

const headColumns = (sql: Sql) => sql`epoch, last_seq as seq, last_hash as hash, last_accepted_at as "acceptedAt"`

export async function findHead(sql: Sql, locationId: string): Promise<Head | undefined> {
  const [row] = await sql<HeadRow[]>`
    select ${headColumns(sql)} from location_seq where location_id = ${locationId}`
  return toHead(row)
}

/** Returns the head of a location that must exist, because a key belongs to it. Throws otherwise. */
export async function getHead(sql: Sql, locationId: string): Promise<Head> {
  const head = await findHead(sql, locationId)
  if (!head) throw new Error(`location ${locationId} has no journal`)
  return head
}

/** Blocks writers of a location until the end of the transaction, by an update (SQL rule 17). */
export async function holdHead(sql: Sql, locationId: string): Promise<void> {
  await sql`update location_seq set last_seq = last_seq where location_id = ${locationId}`
}

/** Makes the columns that differ among entries of one kind and one moment. */
export function versionColumns(entries: readonly NewEntry[]): Column[] {
  const of = <Key extends keyof NewEntry>(key: Key) => entries.map((entry) => entry[key])
  return [
    column('seq', 'bigint', of('seq')),
    column('id', 'uuid', of('id')),
    column('prev_seq', 'bigint', of('prevSeq')),
    namesColumn('types', of('types')),
    documentColumn('document', of('document')),
    column('salt', 'text', of('salt')),
    column('commitment', 'text', of('commitment')),
    column('hash', 'text', of('hash')),
  ]
}

/** Makes the columns of entries. An empty text, which is not a document, stands for an archived document. */
function entryColumns(entries: readonly (NewEntry | ChainedEntry)[]): Column[] {
  const filled = entries.map((entry) => ({ ...entry, document: entry.document ?? '' }))
  return [
    column(
      'accepted_at',
      'timestamptz',
      filled.map(({ acceptedAt }) => acceptedAt),
    ),
    column(
      'kind',
      'text',
      filled.map(({ kind }) => kind),
    ),
    ...versionColumns(filled).map((one) =>
      one.name === 'document' ? { ...one, read: "nullif(t.document, '')" } : one,
    ),
  ]
}

/**
 * Writes entries unchanged, and does not move the head: the caller, who holds its lock, calls `moveHead`. Orders are
 * written afterwards (`upsertOrders`): they take their documents from here.
 */
export async function insertEntries(
  sql: Sql,
  locationId: string,
  entries: readonly (NewEntry | ChainedEntry)[],
): Promise<void> {
  if (entries.length === 0) return
  const columns = entryColumns(entries)
  const text = `insert into journal (location_id, ${namesOf(columns)})
    select $1::uuid, ${cells(columns)} from ${unnest(columns)}`
  await runOver(sql, text, locationId, columns)
}

/** The entry to which `moveHead` moves the head; the caller holds its lock. */
type Last = Pick<NewEntry, 'seq' | 'hash' | 'acceptedAt'>

export async function moveHead(sql: Sql, locationId: string, last: Last): Promise<void> {
  await sql`
    update location_seq
    set last_seq = ${last.seq}, last_hash = ${last.hash}, last_accepted_at = ${last.acceptedAt}
    where location_id = ${locationId}`
}

/** Writes entries unchanged and moves the head to the last. The caller holds the head's lock; the entries follow it. */
export async function appendJournal(
  sql: Sql,
  locationId: string,
  entries: readonly (NewEntry | ChainedEntry)[],
): Promise<void> {
  const last = entries.at(-1)
  if (last) await Promise.all([insertEntries(sql, locationId, entries), moveHead(sql, locationId, last)])
}

/** Salts generated in advance: each generation costs 4 µs, however short. */
const unusedSalts: string[] = []

/** Returns 16 random bytes in hex for each of `n` entries. */
export function newSalts(n: number): string[] {
  while (unusedSalts.length < n) {
    const hex = randomBytes(4096).toString('hex')
    for (let at = 0; at < hex.length; at += 32) unusedSalts.push(hex.slice(at, at + 32))
  }
  return unusedSalts.splice(unusedSalts.length - n)
}

/** Makes entries of changes after a head: numbered, salted and chained. */
export function toEntries(
  { locationId, head }: { locationId: string; head: Head },
  changes: readonly Change[],
  acceptedAt: string,
): NewEntry[] {
  const salts = newSalts(changes.length)
  const salted = changes.map((change, i) => ({ change, salt: salts[i] as string }))
  return chainChanges(locationId, head, salted, acceptedAt)
}

/** Numbers, salts, chains and writes changes after the head, which the caller has locked. Resolves to the new head. */
export async function appendChanges(
  sql: Sql,
  place: { locationId: string; head: Head },
  changes: readonly Change[],
  acceptedAt: string,
): Promise<Head> {
  const entries = toEntries(place, changes, acceptedAt)
  await appendJournal(sql, place.locationId, entries)
  const { seq, hash } = entries.at(-1) ?? place.head
  return { ...place.head, seq, hash, acceptedAt }
}

/**
 * The document of an entry `j` of the location `$1`, as SQL. An archived document that is the latest version of an
 * order is still in the order's own row.
 */
const documentText = `coalesce(j.document, (
  select o.document from orders o where o.location_id = $1::uuid and o.id = j.id and o.seq = j.seq))`

/** Returns a column of the head, as SQL that PostgreSQL evaluates once for a statement. */
const ofHead = (column: string) => `(select ${column} from location_seq where location_id = $1)`

/** The epoch in which the journal began: the hashes of all its entries cover it. */
const firstEpochText = ofHead('epoch')

/** The epoch of an entry `j`, which its event ids carry. Only the head is read for entries of the current epoch. */
const epochText = `case
    when ${ofHead('current_from')} is null then ${firstEpochText}
    when j.seq >= ${ofHead('current_from')} then ${ofHead('current_epoch')}
    else coalesce((
      select substring(r.document from '^{"after":[0-9]+,"epoch":"([0-9a-f]{8})"') from journal r
      where r.location_id = $1 and r.kind = 'resumed' and r.seq <= j.seq and r.document ~ '^{"after":[0-9]+,"epoch"'
      order by r.seq desc limit 1), ${firstEpochText})
  end`

const chained = `j.location_id as "locationId", ${firstEpochText} as epoch, j.seq, j.accepted_at as "acceptedAt", j.kind, j.id,
  j.prev_seq as "prevSeq", j.types, ${documentText} as document, j.salt, j.commitment, j.hash`

type Row = Omit<ChainedEntry, 'acceptedAt'> & { acceptedAt: Date }

const toChained = (rows: readonly Row[]): ChainedEntry[] =>
  rows.map((row) => ({ ...row, acceptedAt: row.acceptedAt.toISOString() }))

/** Lists the entries after a sequence, in order, at most `limit`. */
export async function listJournal(sql: Sql, locationId: string, after: number, limit: number): Promise<ChainedEntry[]> {
  const text = `select ${chained} from journal j where j.location_id = $1 and j.seq > $2 order by j.seq limit $3`
  return toChained(await sql.unsafe<Row[]>(text, [locationId, after, limit], { prepare: true }))
}

/** Yields the entries after a sequence up to another, in order, in batches. */
export function walkJournal(
  sql: Sql,
  locationId: string,
  { after, upTo = Infinity }: { after: number; upTo?: number },
): AsyncGenerator<ChainedEntry[]> {
  const read = async (from: number, batch: number) =>
    (await listJournal(sql, locationId, from, batch)).filter(({ seq }) => seq <= upTo)
  return walkRows(after, read, ({ seq }) => seq)
}

/**
 * Reads entries after a sequence: at most `entries`, and no more once the documents have reached `bytes`. The last entry
 * may exceed `bytes`, so at least one is read.
 */
export async function readChain(
  sql: Sql,
  locationId: string,
  after: number,
  { entries, bytes }: PageLimit,
): Promise<ChainedEntry[]> {
  const text = `select ${chained} from (
      select page.*, coalesce(sum(octet_length(document)) over (order by seq rows between unbounded preceding and 1 preceding), 0) as before
      from (select * from journal where location_id = $1 and seq > $2 order by seq limit $3) page
    ) j where j.before < $4 order by j.seq`
  return toChained(await sql.unsafe<Row[]>(text, [locationId, after, entries, bytes], { prepare: true }))
}

const selected = `j.seq, j.accepted_at::text as "acceptedAt", j.kind, j.id, j.types, ${documentText} as document, ${epochText} as epoch`

type SelectedRow = Omit<Entry, 'locationId' | 'document'> & { document: string | null }

/** Makes entries from rows. Throws `DocumentsArchived` if a document is archived. */
async function entriesOf(sql: Sql, locationId: string, rows: readonly SelectedRow[]): Promise<Entry[]> {
  const missing = rows.find(({ document }) => document === null)
  if (missing) {
    const asides = await listAsides(sql, locationId)
    throw new DocumentsArchived(
      locationId,
      asides.filter(({ to }) => to >= missing.seq),
    )
  }
  return rows.map((row) => toEntry(locationId, row))
}

function toEntry(locationId: string, row: SelectedRow): Entry {
  const { epoch, seq, acceptedAt, kind, id, types, document } = row
  return {
    locationId,
    epoch,
    seq,
    acceptedAt: readTimestamp(acceptedAt),
    kind,
    id,
    types,
    document: Buffer.from(document ?? ''),
  }
}

/** Reads the entries after a sequence with their documents as bytes, for deliveries and the feed. */
export async function readEntries(sql: Sql, locationId: string, after: number, limit: number): Promise<Entry[]> {
  const text = `select ${selected} from journal j where j.location_id = $1 and j.seq > $2 order by j.seq limit $3`
  const rows = await sql.unsafe<SelectedRow[]>(text, [locationId, after, limit], { prepare: true })
  return entriesOf(sql, locationId, rows)
}

/** Limits of one read. At least one entry is read, of any size. */
export type PageLimit = { entries: number; bytes: number }

/**
 * Reads the entries after a sequence, until either limit is reached. The size of an entry counts once per event.
 * `isFull` means that there may be more. PostgreSQL knows the lengths without reading the documents.
 */
export async function readPage(
  sql: Sql,
  locationId: string,
  after: number,
  limit: PageLimit,
): Promise<{ entries: Entry[]; isFull: boolean }> {
  const text = `
    select ${selected} from (
      select page.*, sum(size) over (order by seq) as upto from (
        select j.*, octet_length(${documentText}) * greatest(cardinality(j.types), 1) as size
        from journal j where j.location_id = $1 and j.seq > $2 order by j.seq limit $3
      ) page
    ) j
    where coalesce(j.upto - j.size, 0) < $4 order by j.seq`
  const parameters = [locationId, after, limit.entries, limit.bytes]
  const rows = await sql.unsafe<SelectedRow[]>(text, parameters, { prepare: true })
  const entries = await entriesOf(sql, locationId, rows)
  const bytes = entries.reduce((sum, { document, types }) => sum + document.length * Math.max(types.length, 1), 0)
  return { entries, isFull: entries.length === limit.entries || bytes >= limit.bytes }
}

/**
 * Reads the versions of one order or report, oldest first, up to the latest or until either limit is reached. Walks
 * along `prev_seq` by primary keys. Without the `limit` a statement planned in a new database would read the whole
 * journal for each step.
 */
export async function readHistory(
  sql: Sql,
  locationId: string,
  { of = 'orders', id }: { of?: 'orders' | 'reports'; id: string },
  limit: PageLimit,
): Promise<Entry[]> {
  const text = `
    with recursive versions as (
      select j.*, 0::bigint as before from journal j
      where j.location_id = $1 and j.seq = (select seq from ${of} o where o.location_id = $1 and ${hasId('$2')})
      union all
      select j.*, v.before + coalesce(octet_length(v.document), 0) from versions v
      cross join lateral (select * from journal where location_id = $1 and seq = v.prev_seq limit 1) j
      where v.location_id = $1 and v.before + coalesce(octet_length(v.document), 0) < $4
    )
    select ${selected} from (select * from versions limit $3) j order by j.seq`
  const rows = await sql.unsafe<SelectedRow[]>(text, [locationId, id, limit.entries, limit.bytes], { prepare: true })
  return entriesOf(sql, locationId, rows)
}

/** One entry with its place in the chain; `previousHash` is 64 zeros and `nextSeq` null at the ends of the journal. */
export type LinkedEntry = Entry & {
  /** The epoch in which the journal began, which the hash covers. */
  firstEpoch: string
  /** The previous version of the same resource. */
  prevSeq: number | null
  /** The next entry of the journal, of any resource. */
  nextSeq: number | null
  salt: string
  commitment: string
  hash: string
  previousHash: string
}

/** Finds the entry with a number and its place in the chain, by primary keys; undefined if there is none. */
export async function findLinkedEntry(sql: Sql, locationId: string, seq: number): Promise<LinkedEntry | undefined> {
  const text = `select ${selected}, ${firstEpochText} as "firstEpoch", j.prev_seq as "prevSeq", j.salt, j.commitment, j.hash,
      (select hash from journal where location_id = $1 and seq < $2 order by seq desc limit 1) as "previousHash",
      (select seq from journal where location_id = $1 and seq > $2 order by seq limit 1) as "nextSeq"
    from journal j where j.location_id = $1 and j.seq = $2`
  const [row] = await sql.unsafe<LinkedRow[]>(text, [locationId, seq], { prepare: true })
  if (!row) return undefined
  const [entry] = await entriesOf(sql, locationId, [row])
  const { firstEpoch, prevSeq, nextSeq, salt, commitment, hash, previousHash } = row
  return {
    ...(entry as Entry),
    firstEpoch,
    prevSeq,
    nextSeq,
    salt,
    commitment,
    hash,
    previousHash: previousHash ?? genesis,
  }
}

type LinkedRow = SelectedRow & Omit<LinkedEntry, keyof Entry | 'previousHash'> & { previousHash: string | null }

/** Finds one entry. Undefined if the journal skipped this number when an earlier state was restored. */
export async function findEntry(sql: Sql, locationId: string, seq: number): Promise<Entry | undefined> {
  const [entry] = await readEntries(sql, locationId, seq - 1, 1)
  return entry?.seq === seq ? entry : undefined
}

/**
 * Finds the first journal number accepted at or after a moment; one past the head if there is none. Times never
 * decrease along the numbers, so this is a binary search; in a gap left by a `resumed` entry, the next entry is used.
 */
export async function findSequenceAt(sql: Sql, locationId: string, at: Date): Promise<number> {
  const head = await findHead(sql, locationId)
  let [low, high] = [1, (head?.seq ?? 0) + 1]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const [row] = await sql<{ seq: number; acceptedAt: Date }[]>`
      select seq, accepted_at as "acceptedAt" from journal
      where location_id = ${locationId} and seq >= ${middle} order by seq limit 1`
    if (!row || row.acceptedAt >= at) high = middle
    else low = row.seq + 1
  }
  return low
}

/** Lists the numbers of the redactions of a journal, in order. Index: journal_marks. */
export async function listRedactionSeqs(sql: Sql, locationId: string): Promise<number[]> {
  const rows = await sql<{ seq: number }[]>`
    select seq from journal where location_id = ${locationId} and kind = 'redaction' order by seq`
  return rows.map(({ seq }) => seq)
}

/** Finds the number of the latest version of an order or report. */
export async function findSequenceOf(
  sql: Sql,
  locationId: string,
  { of, id }: { of: 'orders' | 'reports'; id: string },
): Promise<number | undefined> {
  const [row] = await sql<{ seq: number }[]>`
    select seq from ${sql(of)} where location_id = ${locationId} and id = ${id}`
  return row?.seq
}
