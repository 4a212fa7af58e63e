import type { Sql } from './database.ts'

/** `startedAt` identifies a running server. */
type ServerRole = { isReplica: boolean; startedAt: Date }

export async function readServerRole(sql: Sql): Promise<ServerRole> {
  const [row] = await sql<[ServerRole]>`
    select pg_is_in_recovery() as "isReplica", pg_postmaster_start_time() as "startedAt"`
  return row
}

type StoredHead = { locationId: string; epoch: string; seq: number; hash: string }

/** Lists the heads of the most recently written journals, at most `limit`. */
async function listLatestHeads(sql: Sql, limit: number): Promise<StoredHead[]> {
  return sql<StoredHead[]>`
    select location_id as "locationId", epoch, last_seq as seq, last_hash as hash from location_seq
    where last_seq > 0 order by last_accepted_at desc nulls last, location_id limit ${limit}`
}

/** Resolves to whether this epoch of the journal has the entry; undefined if the location is missing. */
async function hasHead(sql: Sql, { locationId, epoch, seq, hash }: StoredHead): Promise<boolean | undefined> {
  const [row] = await sql<{ has: boolean }[]>`
    select s.epoch = ${epoch} and coalesce(j.hash = ${hash}, false) as has
    from location_seq s left join journal j on j.location_id = s.location_id and j.seq = ${seq}
    where s.location_id = ${locationId}`
  return row?.has
}

/** Number of journals that are compared. */
const comparedHeads = 20

/**
 * Finds an entry of the copy that the database does not have; compares the last journals. A replica has none, even if
 * it is far behind. A copy that has such an entry belongs to another database, or to a state that a restore of the
 * database discarded.
 */
export async function findForeignEntry(
  primary: Sql,
  copy: Sql,
): Promise<{ locationId: string; seq: number } | undefined> {
  // The copy is read first, because it is behind: the database has everything that the copy has.
  const heads = await listLatestHeads(copy, comparedHeads)
  const known = await Promise.all(heads.map(async (head) => ({ head, has: await hasHead(primary, head) })))
  const isUnknown = known.every(({ has }) => has === undefined)
  return (known.find(({ has }) => has === false) ?? (isUnknown ? known[0] : undefined))?.head
}

/** Whether `copy` is a replica, is the primary itself, or accepts writes of its own. */
export async function compareRoles(primary: Sql, copy: Sql): Promise<'copies' | 'is the same' | 'writes'> {
  const [of, at] = await Promise.all([readServerRole(primary), readServerRole(copy)])
  if (at.isReplica) return 'copies'
  return at.startedAt.getTime() === of.startedAt.getTime() ? 'is the same' : 'writes'
}

/** Resolves to the address in a primary's write-ahead log up to which it is on disk. */
export async function readWrittenUpTo(sql: Sql): Promise<string> {
  const [row] = await sql<[{ lsn: string }]>`select pg_current_wal_flush_lsn()::text as lsn`
  return row.lsn
}

/** `bytes` of the write-ahead log are missing up to the given address; `at` is the last replayed commit. */
export type Replay = { bytes: number; at: Date | null; isPaused: boolean; isStreaming: boolean }

export async function readReplay(sql: Sql, writtenUpTo: string): Promise<Replay> {
  const [row] = await sql<[Replay]>`
    select greatest(pg_wal_lsn_diff(${writtenUpTo}::text::pg_lsn, pg_last_wal_replay_lsn()), 0)::bigint as bytes,
      pg_last_xact_replay_timestamp() as at, pg_is_wal_replay_paused() as "isPaused",
      exists (select 1 from pg_stat_wal_receiver) as "isStreaming"`
  return row
}
