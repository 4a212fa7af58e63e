import type { Sql } from './database.ts'

export type DeliveryFilter = {
  event: string | null
  success: boolean | null
  from: Date
  to: Date
  /** Reads on after this attempt. */
  after: { at: Date; id: string } | null
}

/** Attempts of one webhook, newest first, as serialised Deliveries. */
export async function listDeliveries(
  sql: Sql,
  locationId: string,
  webhookId: string,
  { event, success, from, to, after }: DeliveryFilter,
  limit: number,
): Promise<{ at: Date; id: string; document: string }[]> {
  return sql`
    select at, id, document from webhook_attempts
    where location_id = ${locationId} and webhook_id = ${webhookId} and at >= ${from} and at <= ${to}
      ${event === null ? sql`` : sql`and type = ${event}`} ${success === null ? sql`` : sql`and ok = ${success}`}
      ${after === null ? sql`` : sql`and (at, id) < (${after.at}, ${after.id})`}
    order by at desc, id desc limit ${limit}`
}

/** Deletes what is older than the retention; for all locations at once, now and then. */
export async function pruneDeliveries(sql: Sql, before: Date): Promise<void> {
  await sql`delete from webhook_attempts where at < ${before}`
}
