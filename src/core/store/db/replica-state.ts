import type { Sql } from './database.ts'

/** `startedAt` tells one running server from another. */
export type ServerRole = { isReplica: boolean; startedAt: Date }

export async function readServerRole(sql: Sql): Promise<ServerRole> {
  const [row] = await sql<[ServerRole]>`
    select pg_is_in_recovery() as "isReplica", pg_postmaster_start_time() as "startedAt"`
  return row
}

export type StoredHead = { locationId: string; epoch: string; seq: number; hash: string }

/** Lists the heads of the journals that were written last, at most `limit`. */
export async function listLatestHeads(sql: Sql, limit: number): Promise<StoredHead[]> {
  return sql<StoredHead[]>`
    select location_id as "locationId", epoch, last_seq as seq, last_hash as hash from location_seq
    where last_seq > 0 order by last_accepted_at desc nulls last, location_id limit ${limit}`
}

/**
 * Resolves to whether an entry with this number and hash is in the journal of that epoch; undefined where the location
 * is not there.
 */
export async function hasHead(sql: Sql, { locationId, epoch, seq, hash }: StoredHead): Promise<boolean | undefined> {
  const [row] = await sql<{ has: boolean }[]>`
    select s.epoch = ${epoch} and coalesce(j.hash = ${hash}, false) as has
    from location_seq s left join journal j on j.location_id = s.location_id and j.seq = ${seq}
    where s.location_id = ${locationId}`
  return row?.has
}

/** How far the write-ahead log of a primary is on its disk, as an address in it. */
export async function readWrittenUpTo(sql: Sql): Promise<string> {
  const [row] = await sql<[{ lsn: string }]>`select pg_current_wal_flush_lsn()::text as lsn`
  return row.lsn
}

/** `bytes` of the write-ahead log are missing up to that address; `at` is the commit that was taken over last. */
export type Replay = { bytes: number; at: Date | null; isPaused: boolean; isStreaming: boolean }

export async function readReplay(sql: Sql, writtenUpTo: string): Promise<Replay> {
  const [row] = await sql<[Replay]>`
    select greatest(pg_wal_lsn_diff(${writtenUpTo}::text::pg_lsn, pg_last_wal_replay_lsn()), 0)::bigint as bytes,
      pg_last_xact_replay_timestamp() as at, pg_is_wal_replay_paused() as "isPaused",
      exists (select 1 from pg_stat_wal_receiver) as "isStreaming"`
  return row
}
