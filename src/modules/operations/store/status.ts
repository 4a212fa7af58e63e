import type { Sql } from '../../../core/store/db/database.ts'
import { passedOver } from '../../../core/store/journal/resumption.ts'

export type StatusSummary = {
  bytes: number
  locations: number
  inactive: number
  keys: number
  entries: number
  /** Number of entries not yet sent by the enabled webhook that is furthest behind. */
  behind: number
  /** Number of records refused since `since`. */
  rejected: number
}

/** Reads the data of `tillgate status`, except for webhooks and upkeep. On Citus the queries read every shard. */
export async function summariseStatus(sql: Sql, now: Date, since: Date): Promise<StatusSummary> {
  const [row] = await sql<[StatusSummary]>`
    select pg_database_size(current_database())::float8 as bytes,
      (select count(*)::int from locations) as locations,
      (select count(*)::int from locations where deactivated_at is not null) as inactive,
      (select count(*)::int from api_keys where revoked_at is null and (expires_at is null or expires_at > ${now})) as keys,
      (select coalesce(sum(of_location.entries), 0)::float8 from (
        select s.last_seq - ${passedOver(sql, sql`s.location_id`, sql`0`)} as entries from location_seq s
      ) of_location) as entries,
      (select coalesce(max(of_webhook.behind), 0)::float8 from (
        select s.last_seq - w.cursor - ${passedOver(sql, sql`w.location_id`, sql`w.cursor`)} as behind
        from webhooks w join location_seq s on s.location_id = w.location_id where w.state = 'enabled'
      ) of_webhook where of_webhook.behind > 0) as behind,
      (select count(*)::int from rejected_records where received_at >= ${since}) as rejected`
  return row
}
