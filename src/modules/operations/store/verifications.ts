import type { verificationStates } from '../../../core/outcomes.ts'
import { transact, type Pool, type Sql } from '../../../core/store/db/database.ts'

export type VerificationState = keyof typeof verificationStates

/** A walk along the journal of a location, and its progress. */
export type VerificationRow = {
  locationId: string
  id: string
  epoch: string
  /** First entry to verify. */
  from: number
  /** The head when it began. */
  to: number
  toHash: string
  /** The last valid entry, with its hash. */
  done: number
  doneHash: string
  state: VerificationState
  brokenAt: number | null
  reason: string | null
  startedAt: Date
  seenAt: Date
  endedAt: Date | null
}

/** The members of a verification that may change. */
export type VerificationProgress = Pick<
  VerificationRow,
  'done' | 'doneHash' | 'state' | 'brokenAt' | 'reason' | 'seenAt' | 'endedAt'
>

/** Number of verifications that are kept per location. */
export const verificationsKept = 100

const columns = (sql: Sql) => sql`
  location_id as "locationId", id, epoch, from_seq as "from", to_seq as "to", to_hash as "toHash", done_seq as done,
  done_hash as "doneHash", state, broken_at as "brokenAt", reason, started_at as "startedAt", seen_at as "seenAt",
  ended_at as "endedAt"`

/** Lists the verifications of a location, newest first. */
export async function listVerifications(sql: Sql, locationId: string, limit: number): Promise<VerificationRow[]> {
  return sql<VerificationRow[]>`
    select ${columns(sql)} from verifications where location_id = ${locationId}
    order by started_at desc, id desc limit ${limit}`
}

export async function findVerification(sql: Sql, locationId: string, id: string): Promise<VerificationRow | undefined> {
  const [row] = await sql<VerificationRow[]>`
    select ${columns(sql)} from verifications where location_id = ${locationId} and id = ${id}`
  return row
}

type Lost = { lostBefore: Date; lostReason: string }

/**
 * Stores a new verification, unless one of the location is running; a running one without progress since `lostBefore`
 * is marked as failed, with `lostReason`. Resolves to the running verification. Deletes the oldest verifications.
 */
export async function beginVerification(pool: Pool, row: VerificationRow, lost: Lost): Promise<VerificationRow> {
  for (;;) {
    const running = await keepOrFind(pool, row, lost)
    // A running verification prevented the new one, but ended before it was read: try again.
    if (running) return running
  }
}

async function keepOrFind(
  pool: Pool,
  row: VerificationRow,
  { lostBefore, lostReason }: Lost,
): Promise<VerificationRow | undefined> {
  const { locationId } = row
  return transact(pool, async (tx) => {
    await tx`
      update verifications set state = 'failed', reason = ${lostReason}, ended_at = seen_at
      where location_id = ${locationId} and state = 'running' and seen_at < ${lostBefore}`
    const [made] = await tx`
      insert into verifications (location_id, id, epoch, from_seq, to_seq, to_hash, done_seq, done_hash, state, broken_at,
        reason, started_at, seen_at, ended_at)
      values (${locationId}, ${row.id}, ${row.epoch}, ${row.from}, ${row.to}, ${row.toHash}, ${row.done}, ${row.doneHash},
        ${row.state}, ${row.brokenAt}, ${row.reason}, ${row.startedAt}, ${row.seenAt}, ${row.endedAt})
      on conflict (location_id) where state = 'running' do nothing returning id`
    if (made) {
      await tx`
        delete from verifications where location_id = ${locationId} and id in (
          select id from verifications where location_id = ${locationId}
          order by started_at desc, id desc offset ${verificationsKept})`
      return row
    }
    const [running] = await tx<VerificationRow[]>`
      select ${columns(tx)} from verifications where location_id = ${locationId} and state = 'running'`
    return running
  })
}

/**
 * Writes the progress of a verification. False if it no longer runs: another process considered it lost, or its
 * location was deleted.
 */
export async function updateVerification(
  sql: Sql,
  { locationId, id }: Pick<VerificationRow, 'locationId' | 'id'>,
  progress: VerificationProgress,
): Promise<boolean> {
  const { done, doneHash, state, brokenAt, reason, seenAt, endedAt } = progress
  const updated = await sql`
    update verifications set done_seq = ${done}, done_hash = ${doneHash}, state = ${state}, broken_at = ${brokenAt},
      reason = ${reason}, seen_at = ${seenAt}, ended_at = ${endedAt}
    where location_id = ${locationId} and id = ${id} and state = 'running' returning 1`
  return updated.length > 0
}
