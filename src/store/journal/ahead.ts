import type { Sql } from '../db/database.ts'

/**
 * Finds the journal whose last entry is furthest ahead of the database's clock, by so many milliseconds, negative where none is.
 * Undefined without entries. On Citus it asks every shard: call it now and then.
 */
export async function findFurthestAhead(
  sql: Sql,
): Promise<{ locationId: string; at: Date; aheadMs: number } | undefined> {
  const [row] = await sql<{ locationId: string; at: Date }[]>`
    select location_id as "locationId", last_accepted_at as at from location_seq
    where last_accepted_at is not null order by last_accepted_at desc limit 1`
  if (!row) return undefined
  // By itself: Citus takes no clock beside rows of several nodes.
  const [{ now }] = await sql<[{ now: Date }]>`select clock_timestamp() as now`
  return { ...row, aheadMs: row.at.getTime() - now.getTime() }
}
