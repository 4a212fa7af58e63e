import { eventTypes, type EventType } from '../../schemas/events.ts'
import type { Sql } from '../db/database.ts'
import { insertRows } from '../db/rows.ts'

/** An event stored for a retry. `nextAt` is null while it waits for an earlier event of the same resource. */
export type Retry = {
  seq: number
  type: EventType
  kind: string
  resourceId: string
  attempts: number
  nextAt: Date | null
}

/**
 * Lists the retries with numbers above `after` and up to `upTo`, at most `limit`: by number, and events of one number
 * in the order of the feed. Index: the primary key.
 */
export async function listRetries(
  sql: Sql,
  { locationId, id }: { locationId: string; id: string },
  { after, upTo }: { after: number; upTo: number },
  limit: number,
): Promise<Retry[]> {
  return sql<Retry[]>`
    select seq, type, kind, resource_id as "resourceId", attempts, next_at as "nextAt"
    from webhook_retries
    where location_id = ${locationId} and webhook_id = ${id} and seq > ${after} and seq <= ${upTo}
    order by seq, array_position(${eventTypes}::text[], type) limit ${limit}`
}

export async function countRetries(sql: Sql, locationId: string, webhookId: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`
    select count(*) as n from webhook_retries where location_id = ${locationId} and webhook_id = ${webhookId}`
  return row?.n ?? 0
}

/** Stores retries of several webhooks. Updates the due time of those that already exist. */
export async function upsertRetries(
  sql: Sql,
  locationId: string,
  reports: readonly { webhookId: string; setAside: readonly Retry[] }[],
): Promise<void> {
  const rows = reports.flatMap(({ webhookId, setAside }) =>
    setAside.map((retry) => ({
      location_id: locationId,
      webhook_id: webhookId,
      seq: retry.seq,
      type: retry.type,
      kind: retry.kind,
      resource_id: retry.resourceId,
      attempts: retry.attempts,
      next_at: retry.nextAt,
    })),
  )
  await insertRows(
    sql,
    'webhook_retries',
    rows,
    'on conflict (location_id, webhook_id, seq, type) do update set attempts = excluded.attempts, next_at = excluded.next_at',
  )
}

/** Deletes the retries of events that need no further attempt. */
export async function deleteRetries(
  sql: Sql,
  locationId: string,
  webhookId: string,
  settled: readonly Pick<Retry, 'seq' | 'type'>[],
): Promise<void> {
  const byType = [...Map.groupBy(settled, ({ type }) => type)]
  await Promise.all(
    byType.map(
      ([type, of]) => sql`
        delete from webhook_retries
        where location_id = ${locationId} and webhook_id = ${webhookId} and type = ${type}
          and seq = any(${of.map(({ seq }) => String(seq))}::text[]::bigint[])`,
    ),
  )
}

/** Deletes every retry from `seq` on: the journal delivers these events again. */
export async function deleteRetriesFrom(sql: Sql, locationId: string, webhookId: string, seq: number): Promise<void> {
  await sql`
    delete from webhook_retries where location_id = ${locationId} and webhook_id = ${webhookId} and seq >= ${seq}`
}

/** Makes stored retries due; events that wait for another event continue to wait. */
export async function hastenRetries(sql: Sql, locationId: string, webhookId: string, at: Date): Promise<void> {
  await sql`
    update webhook_retries set next_at = ${at}
    where location_id = ${locationId} and webhook_id = ${webhookId} and next_at is not null`
}
