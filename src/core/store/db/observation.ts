import type { Sql } from './database.ts'

export type WebhookSummary = {
  healthy: number
  probing: number
  disabled: number
  /** Since when the oldest due work is due; null if none is. */
  dueSince: Date | null
}

/**
 * Counts webhooks by state and finds the oldest due work: retries, and for each healthy webhook the first entry after
 * its cursor, by acceptance time. On Citus it queries every shard: call it periodically, never per request.
 */
export async function summariseWebhooks(sql: Sql, now: Date, breakerThreshold: number): Promise<WebhookSummary> {
  const [row] = await sql<[WebhookSummary]>`
    select count(*) filter (where w.state = 'enabled' and w.failures < ${breakerThreshold})::int as healthy,
      count(*) filter (where w.state = 'enabled' and w.failures >= ${breakerThreshold})::int as probing,
      count(*) filter (where w.state = 'disabled')::int as disabled,
      least(min(j.accepted_at), min(w.retry_at) filter (where w.state = 'enabled' and w.retry_at <= ${now})) as "dueSince"
    from webhooks w left join journal j on j.location_id = w.location_id and j.seq = w.cursor + 1
      and w.state = 'enabled' and w.failures < ${breakerThreshold}`
  return row
}

/** Counts the connections of Tillgate to this database by state, from all servers that share it. */
export async function countConnections(sql: Sql): Promise<{ state: string; n: number }[]> {
  return sql<{ state: string; n: number }[]>`
    select coalesce(state, 'unknown') as state, count(*)::int as n from pg_stat_activity
    where datname = current_database() and application_name = 'tillgate' group by 1`
}

/**
 * Measures how far the clock of this machine is ahead of the database's, in milliseconds. The answer may be from any
 * moment of the round trip: returns the certain part, and 0 if the database's time lies within the round trip.
 */
export async function measureClockOffset(sql: Sql, clock: () => Date): Promise<number> {
  const askedMs = clock().getTime()
  const [row] = await sql<[{ now: Date }]>`select clock_timestamp() as now`
  const [answeredMs, databaseMs] = [clock().getTime(), row.now.getTime()]
  if (databaseMs < askedMs) return askedMs - databaseMs
  return databaseMs > answeredMs ? answeredMs - databaseMs : 0
}
