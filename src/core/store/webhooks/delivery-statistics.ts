import type { Sql } from '../db/database.ts'

export type DeliveryStep = {
  webhookId: string
  /** Beginning of the step. */
  at: Date
  successes: number
  failures: number
  /** Milliseconds; null if no attempt has a duration. */
  p50: number | null
  p95: number | null
}

type Span = { since: Date; until: Date; stepS: number }

/** Selects the attempts that the owner of each webhook may see. */
const seen = (sql: Sql, locationId: string, recipientId: string | null, { since, until }: Span) => sql`
  from webhook_attempts a join webhooks w
    on w.location_id = ${locationId} and w.id = a.webhook_id and a.at >= w.recipient_since
      ${recipientId === null ? sql`` : sql`and w.recipient_id = ${recipientId}`}
  where a.location_id = ${locationId} and a.at >= ${since} and a.at < ${until}`

const bin = (sql: Sql, { since, stepS }: Span) =>
  sql`date_bin(${stepS}::int * interval '1 second', a.at, ${since}::timestamptz)`

/** Lists attempts of all webhooks that a recipient, or the location, may see, by webhook and step; empty steps are left out. */
export async function listDeliverySteps(
  sql: Sql,
  locationId: string,
  recipientId: string | null,
  span: Span,
): Promise<DeliveryStep[]> {
  return sql<DeliveryStep[]>`
    select a.webhook_id as "webhookId", ${bin(sql, span)} as at, count(*) filter (where a.ok) as successes,
      count(*) filter (where not a.ok) as failures,
      percentile_cont(0.5) within group (order by a.duration_ms) as p50,
      percentile_cont(0.95) within group (order by a.duration_ms) as p95
    ${seen(sql, locationId, recipientId, span)} group by 1, 2 order by 1, 2`
}

/** Lists the failures among the attempts of `listDeliverySteps`, by error class. */
export async function listFailureSteps(
  sql: Sql,
  locationId: string,
  recipientId: string | null,
  span: Span,
): Promise<{ webhookId: string; at: Date; errorClass: string; n: number }[]> {
  return sql`
    select a.webhook_id as "webhookId", ${bin(sql, span)} as at, a.error_class as "errorClass", count(*) as n
    ${seen(sql, locationId, recipientId, span)} and a.error_class is not null group by 1, 2, 3`
}
