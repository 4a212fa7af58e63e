import { hash as digest, randomUUID } from 'node:crypto'
import { chainHash, genesis } from '../../domain/journal/chain.ts'
import type { ActEntry, ReadsEntry } from '../../schemas/access.ts'
import { transact, type Pool, type Sql, type Transaction } from '../db/database.ts'
import { insertRows } from '../db/rows.ts'

/** The content of an entry, before it has a number and a time. */
export type AccessRecord =
  | Pick<
      ReadsEntry,
      | 'kind'
      | 'keyId'
      | 'operation'
      | 'minute'
      | 'requests'
      | 'refused'
      | 'rateLimited'
      | 'failed'
      | 'documents'
      | 'from'
      | 'to'
      | 'written'
    >
  | Pick<ActEntry, 'kind' | 'act' | 'by' | 'account' | 'subject' | 'locationId' | 'from' | 'changes'>

export type AccessEntry = { seq: number; id: string; at: Date; kind: string; document: string; hash: string }

export type AccessHead = { seq: number; hash: string; at: Date; baseSeq: number; baseHash: string }

/** Maximum number of entries that one transaction removes; the next one continues. */
const prunedAtOnce = 1_000

/** Computes the hash of an entry, in the form of a journal entry's hash, under an epoch that no journal has. */
function accessHash(previous: string, locationId: string, entry: Omit<AccessEntry, 'hash'>): string {
  const { seq, id, at, kind, document } = entry
  const link = { locationId, epoch: 'access', seq, acceptedAt: at.toISOString(), kind, id, prevSeq: null, types: [] }
  return chainHash(previous, { ...link, commitment: digest('sha256', document) })
}

const headColumns = (sql: Sql) => sql`
  last_seq as seq, last_hash as hash, last_at as at, base_seq as "baseSeq", base_hash as "baseHash"`

export async function findAccessHead(sql: Sql, locationId: string): Promise<AccessHead | undefined> {
  const [row] = await sql<AccessHead[]>`
    select ${headColumns(sql)} from access_heads where location_id = ${locationId}`
  return row
}

/** Creates the head if it does not exist, and locks it until commit: writers of one location wait for each other. */
async function lockAccessHead(tx: Transaction, locationId: string, now: Date): Promise<AccessHead> {
  // An existing head is locked by an update that changes nothing (SQL rule 17).
  const [row] = await tx<AccessHead[]>`
    insert into access_heads (location_id, last_seq, last_hash, last_at, base_seq, base_hash)
    values (${locationId}, 0, ${genesis}, ${now}, 0, ${genesis})
    on conflict (location_id) do update set last_at = access_heads.last_at
    returning ${headColumns(tx)}`
  if (!row) throw new Error(`the log of ${locationId} has no head`)
  return row
}

/** Removes the oldest entries before a moment. The hash of the last removed one stays, so the rest can be checked. */
async function prune(tx: Transaction, locationId: string, before: Date): Promise<void> {
  const gone = await tx<{ seq: number; hash: string }[]>`
    delete from access_entries where location_id = ${locationId} and at < ${before} and seq = any(array(
      select seq from access_entries where location_id = ${locationId} order by seq limit ${prunedAtOnce}))
    returning seq, hash`
  const last = gone.toSorted((a, b) => a.seq - b.seq).at(-1)
  if (!last) return
  await tx`update access_heads set base_seq = ${last.seq}, base_hash = ${last.hash} where location_id = ${locationId}`
}

/** Appends entries of one location in a transaction, which locks the end of the log until its commit. */
async function appendIn(
  tx: Transaction,
  locationId: string,
  records: readonly AccessRecord[],
  now: Date,
): Promise<void> {
  const head = await lockAccessHead(tx, locationId, now)
  // The log's time never goes back, even if the clocks of the processes differ.
  const at = head.at > now ? head.at : now
  let { seq, hash } = head
  const rows = records.map((record) => {
    seq += 1
    const entry = { seq, id: randomUUID(), at, kind: record.kind, document: JSON.stringify(record) }
    hash = accessHash(hash, locationId, entry)
    const { id, kind, document } = entry
    return { location_id: locationId, seq, id, at: at.toISOString(), kind, document, hash }
  })
  await Promise.all([
    insertRows(tx, 'access_entries', rows),
    tx`
      update access_heads set last_seq = ${seq}, last_hash = ${hash}, last_at = ${at} where location_id = ${locationId}`,
  ])
}

/** Appends entries of one location, and removes those from before `keepFrom`, if given. */
export async function appendAccess(
  pool: Pool,
  locationId: string,
  records: readonly AccessRecord[],
  { now, keepFrom }: { now: Date; keepFrom?: Date },
): Promise<void> {
  await transact(pool, async (tx) => {
    await appendIn(tx, locationId, records, now)
    if (keepFrom) await prune(tx, locationId, keepFrom)
  })
}

type Act = Pick<ActEntry, 'changes' | 'act' | 'by' | 'account' | 'subject' | 'locationId' | 'from'>

function toRecord({ changes, ...act }: Act): AccessRecord {
  return { kind: 'act', ...act, ...(changes && changes.length > 0 ? { changes } : {}) }
}

/** Writes an act and its changes, if any, after it was carried out. */
export async function recordAct(pool: Pool, locationId: string, act: Act, now: Date): Promise<void> {
  await appendAccess(pool, locationId, [toRecord(act)], { now })
}

/** Writes an act as part of the transaction that carries it out. */
export async function recordActIn(tx: Transaction, locationId: string, act: Act, now: Date): Promise<void> {
  await appendIn(tx, locationId, [toRecord(act)], now)
}

/** Lists entries after a number, in order; `since` and `keyId` leave out older entries and entries of other keys. */
export async function listAccess(
  sql: Sql,
  locationId: string,
  { after, since, limit, keyId }: { after: number; since: Date | null; limit: number; keyId?: string | undefined },
): Promise<AccessEntry[]> {
  const from = since === null ? sql`` : sql`and at >= ${since}`
  const of =
    keyId === undefined
      ? sql``
      : sql`and (position(${`"keyId":"${keyId}"`} in document) > 0 or position(${`"by":"${keyId}"`} in document) > 0)`
  return sql<AccessEntry[]>`
    select seq, id, at, kind, document, hash from access_entries
    where location_id = ${locationId} and seq > ${after} ${from} ${of} order by seq limit ${limit}`
}

/** Maps ids of keys and console sessions to names; for a key without a name, to its first characters. Omits unknown ids. */
export async function listCallerNames(sql: Sql, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const [keys, sessions] = await Promise.all([
    sql<{ id: string; name: string; hint: string }[]>`
      select id, name, hint from api_keys where id = any(${[...ids]}::uuid[])`,
    sql<{ id: string; name: string }[]>`
      select id, name from console_sessions where name <> '' and id = any(${[...ids]}::uuid[])`,
  ])
  return new Map([
    ...sessions.map(({ id, name }): [string, string] => [id, name]),
    ...keys.map(({ id, name, hint }): [string, string] => [id, name === '' ? `${hint}…` : name]),
  ])
}

type ActsQuery = {
  locationId: string | null
  before: Pick<AccessEntry, 'at' | 'seq' | 'id'> | null
  since: Date | null
  limit: number
}

/**
 * Lists acts, newest first, older than `before`. If `locationId` is null, lists the acts of the installation and of all
 * locations. Acts of one moment and location are in the order of their numbers. Index: access_acts.
 */
export async function listActs(sql: Sql, { locationId, before, since, limit }: ActsQuery): Promise<AccessEntry[]> {
  return sql<AccessEntry[]>`
    select seq, id, at, kind, document, hash from access_entries
    where kind = 'act' ${locationId === null ? sql`` : sql`and location_id = ${locationId}`}
      ${before === null ? sql`` : sql`and (at, seq, id) < (${before.at}, ${before.seq}, ${before.id})`}
      ${since === null ? sql`` : sql`and at >= ${since}`}
    order by at desc, seq desc, id desc limit ${limit}`
}

/** Lists the reads of these keys recorded since a moment, oldest first: at most 100,000 entries. */
export async function listReadsOf(
  sql: Sql,
  locationId: string,
  keyIds: readonly string[],
  since: Date,
): Promise<string[]> {
  const rows = await sql<{ document: string }[]>`
    select document from access_entries
    where location_id = ${locationId} and kind = 'reads' and at >= ${since}
      and substring(document from '"keyId":"([0-9a-f-]{36})"') = any(${[...keyIds]}::text[])
    order by seq limit 100000`
  return rows.map(({ document }) => document)
}

/** Walks the log of a location. Resolves to the first invalid entry with the reason; undefined if all are valid. */
export async function findAccessFault(
  sql: Sql,
  locationId: string,
): Promise<{ sequence: number; reason: string } | undefined> {
  const head = await findAccessHead(sql, locationId)
  if (!head) {
    const [stray] = await listAccess(sql, locationId, { after: 0, since: null, limit: 1 })
    return stray && { sequence: stray.seq, reason: 'entries without a head' }
  }
  let [seq, hash] = [head.baseSeq, head.baseHash]
  for (;;) {
    const batch = await listAccess(sql, locationId, { after: seq, since: null, limit: 500 })
    for (const entry of batch) {
      if (entry.seq !== seq + 1) return { sequence: seq + 1, reason: 'the entry is missing' }
      if (accessHash(hash, locationId, entry) !== entry.hash) return { sequence: entry.seq, reason: 'its hash differs' }
      seq = entry.seq
      hash = entry.hash
    }
    if (batch.length < 500) break
  }
  return seq === head.seq && hash === head.hash ? undefined : { sequence: seq, reason: 'it is not the last entry' }
}
