import type { Sql } from '../../../core/store/db/database.ts'

/**
 * Finds the journal whose last entry is furthest ahead of the clock of the database. `aheadMs` is negative if no
 * journal is ahead. Returns undefined if there are no entries. On Citus the query reads every shard, so call it rarely.
 */
export async function findFurthestAhead(
  sql: Sql,
): Promise<{ locationId: string; at: Date; aheadMs: number } | undefined> {
  const [row] = await sql<{ locationId: string; at: Date; now: Date }[]>`
    select location_id as "locationId", last_accepted_at as at, clock_timestamp() as now from location_seq
    where last_accepted_at is not null order by last_accepted_at desc limit 1`
  return row && { locationId: row.locationId, at: row.at, aheadMs: row.at.getTime() - row.now.getTime() }
}
