import type { Pool, Sql, Transaction } from '../../../core/store/db/database.ts'
import { later, longestLeaseMs } from '../../../core/store/db/lease-times.ts'
import { sourceColumns, toSource, type SourceRow } from './sources.ts'

/** Another run has the source, or it was paused or deleted: the data of this run is not stored. */
export class LeaseLost extends Error {}

/** The right of a run to a source: only the run with the lease stores data, until the lease ends. */
export type Lease = { locationId: string; id: string; token: string }

const isFree = (sql: Sql, now: Date) => sql`
  (lease_until is null or lease_until < ${now} or lease_until > ${later(now, longestLeaseMs)})`

/** Finds the sources that are due and not running, the longest due first. On Citus it queries every shard. */
export async function findDueSources(
  sql: Sql,
  now: Date,
  limit: number,
): Promise<{ locationId: string; id: string }[]> {
  return sql<{ locationId: string; id: string }[]>`
    select location_id as "locationId", id from sources
    where state = 'active' and due_at <= ${now} and ${isFree(sql, now)} order by due_at, id limit ${limit}`
}

export type Claim = Lease & { now: Date; leaseMs: number }

/** Claims a source for a run; undefined if another process was first, or it is no longer due. */
export async function claimSource(sql: Sql, claim: Claim): Promise<SourceRow | undefined> {
  const { locationId, id, token, now, leaseMs } = claim
  const [row] = await sql<(Omit<SourceRow, 'profile'> & { profile: string })[]>`
    update sources set lease_token = ${token}, lease_until = ${later(now, leaseMs)}, began_at = ${now}
    where location_id = ${locationId} and id = ${id} and state = 'active' and due_at <= ${now} and ${isFree(sql, now)}
    returning ${sourceColumns(sql)}`
  return row && toSource(row)
}

/** Extends the lease. Throws `LeaseLost`. */
export async function renewLease(sql: Sql, { locationId, id, token }: Lease, until: Date): Promise<void> {
  const rows = await sql`
    update sources set lease_until = ${until}
    where location_id = ${locationId} and id = ${id} and lease_token = ${token} returning 1`
  if (rows.length === 0) throw new LeaseLost('another run has claimed the source')
}

export type Stored = { cursor: string | null; accepted: number; until: Date }

/**
 * Moves the cursor after the records of the same transaction, and keeps the lease. A null cursor stays unchanged.
 * Throws `LeaseLost`, which rolls back the transaction.
 */
export async function moveCursor(
  tx: Transaction,
  { locationId, id, token }: Lease,
  { cursor, accepted, until }: Stored,
): Promise<void> {
  const rows = await tx`
    update sources set cursor = coalesce(${cursor}, cursor), accepted = accepted + ${accepted}, lease_until = ${until}
    where location_id = ${locationId} and id = ${id} and lease_token = ${token} returning 1`
  if (rows.length === 0) throw new LeaseLost('another run has claimed the source')
}

/** How a run ended: complete, interrupted by the end of its process, to be retried, or with a failure for a person. */
export type RunEnd =
  | { kind: 'done'; rereadAt: Date | null; comparedAt: Date | null; dueAt: Date }
  | { kind: 'cut' }
  | { kind: 'failed'; error: string; dueAt: Date }
  | { kind: 'stopped'; error: string }

/** Releases the source. The result of a run that lost its lease is ignored. */
export async function endRun(pool: Pool, { locationId, id, token }: Lease, end: RunEnd, now: Date): Promise<void> {
  if (end.kind === 'done') {
    await pool`
      update sources set lease_token = null, lease_until = null, due_at = ${end.dueAt}, succeeded_at = ${now}, failures = 0,
        failing_since = null, last_error = null, reread_at = coalesce(${end.rereadAt}, reread_at),
        compared_at = coalesce(${end.comparedAt}, compared_at)
      where location_id = ${locationId} and id = ${id} and lease_token = ${token}`
    return
  }
  if (end.kind === 'cut') {
    await pool`
      update sources set lease_token = null, lease_until = null
      where location_id = ${locationId} and id = ${id} and lease_token = ${token}`
    return
  }
  const isStopped = end.kind === 'stopped'
  await pool`
    update sources set lease_token = null, lease_until = null, due_at = ${end.kind === 'stopped' ? null : end.dueAt},
      state = ${isStopped ? 'stopped' : 'active'}, failures = failures + 1,
      failing_since = coalesce(failing_since, ${now}), last_error = ${end.error}
    where location_id = ${locationId} and id = ${id} and lease_token = ${token}`
}
