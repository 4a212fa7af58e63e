import { stride } from '../../domain/journal/chain.ts'
import type { Lost } from '../../domain/journal/marks.ts'
import type { Sql } from '../db/database.ts'

/** `sequence` is the entry with which the journal resumed after the loss. */
export type Loss = Lost & { locationId: string; sequence: number; foundAt: Date }

/** Records a loss. If it is larger than the recorded loss, it must be acknowledged again. */
export async function recordLoss(sql: Sql, { locationId, sequence, from, to, foundAt }: Loss): Promise<void> {
  await sql`
    insert into losses as l (location_id, sequence, from_seq, to_seq, found_at)
    values (${locationId}, ${sequence}, ${from}, ${to}, ${foundAt})
    on conflict (location_id, sequence) do update
      set to_seq = excluded.to_seq, found_at = excluded.found_at, acknowledged_at = null
      where excluded.to_seq > l.to_seq`
}

/** Lists the unacknowledged losses, oldest first. On Citus it queries every shard. */
export async function listLosses(sql: Sql): Promise<Loss[]> {
  return sql<Loss[]>`
    select location_id as "locationId", sequence, from_seq as "from", to_seq as "to", found_at as "foundAt"
    from losses where acknowledged_at is null order by found_at, location_id, sequence`
}

/** Acknowledges the losses of a location; resolves to those that were not acknowledged before. */
export async function acknowledgeLosses(sql: Sql, locationId: string, at: Date): Promise<Loss[]> {
  return sql<Loss[]>`
    update losses set acknowledged_at = ${at} where location_id = ${locationId} and acknowledged_at is null
    returning location_id as "locationId", sequence, from_seq as "from", to_seq as "to", found_at as "foundAt"`
}

export type LossSummary = { locations: number; entries: number }

/** Counts the entries of unacknowledged losses; of a range with a skip, only those after it. Citus: every shard. */
export async function summariseLosses(sql: Sql): Promise<LossSummary> {
  const [row] = await sql<[LossSummary]>`
    select count(distinct location_id)::int as locations, coalesce(sum(1 +
      case when to_seq - from_seq < ${stride} then to_seq - from_seq else to_seq % ${stride} end), 0)::float8 as entries
    from losses where acknowledged_at is null`
  return row
}
