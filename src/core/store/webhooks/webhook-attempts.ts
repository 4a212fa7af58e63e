import type { EventType } from '../../schemas/events.ts'
import { cells, column, documentColumn, namesOf, runOver, unnest } from '../db/columns.ts'
import type { Sql } from '../db/database.ts'

/** One attempt for the delivery log; `document` is the serialized Delivery. */
export type Attempt = {
  id: string
  at: Date
  seq: number
  type: EventType
  ok: boolean
  durationMs: number
  /** Null on success. */
  errorClass: string | null
  document: string
}

/** Adds attempts of several webhooks of a location. */
export async function insertAttempts(
  sql: Sql,
  locationId: string,
  reports: readonly { webhookId: string; attempts: readonly Attempt[] }[],
): Promise<void> {
  const rows = reports.flatMap(({ webhookId, attempts }) => attempts.map((attempt) => ({ webhookId, ...attempt })))
  if (rows.length === 0) return
  const of = <Key extends keyof (typeof rows)[number]>(key: Key) => rows.map((row) => row[key])
  const columns = [
    column('webhook_id', 'uuid', of('webhookId')),
    column(
      'at',
      'timestamptz',
      rows.map(({ at }) => at.toISOString()),
    ),
    column('id', 'uuid', of('id')),
    column('seq', 'bigint', of('seq')),
    column('type', 'text', of('type')),
    column('ok', 'boolean', of('ok')),
    column('duration_ms', 'double precision', of('durationMs')),
    column('error_class', 'text', of('errorClass')),
    documentColumn('document', of('document')),
  ]
  const text = `insert into webhook_attempts (location_id, ${namesOf(columns)})
    select $1::uuid, ${cells(columns)} from ${unnest(columns)}`
  await runOver(sql, text, locationId, columns)
}

export type DeliveryFilter = {
  event: string | null
  success: boolean | null
  from: Date
  to: Date
  /** Continues after this attempt. */
  after: { at: Date; id: string } | null
  limit: number
}

/** Lists attempts of one webhook, newest first, as serialized Deliveries. */
export async function listDeliveries(
  sql: Sql,
  locationId: string,
  webhookId: string,
  { event, success, from, to, after, limit }: DeliveryFilter,
): Promise<{ at: Date; id: string; document: string }[]> {
  return sql`
    select at, id, document from webhook_attempts
    where location_id = ${locationId} and webhook_id = ${webhookId} and at >= ${from} and at <= ${to}
      ${event === null ? sql`` : sql`and type = ${event}`} ${success === null ? sql`` : sql`and ok = ${success}`}
      ${after === null ? sql`` : sql`and (at, id) < (${after.at}, ${after.id})`}
    order by at desc, id desc limit ${limit}`
}

export type DeliveryFailures = {
  errorClass: string
  status: number
  count: number
  firstAt: Date
  lastAt: Date
  /** The newest of these attempts, as a serialized Delivery. */
  document: string
}

/** Maximum number of distinct failures: classes and statuses are few, but a receiver chooses its statuses. */
const failureKinds = 100

/**
 * Counts failures of one webhook by class and status, the most frequent first. The status is the first one in the
 * document, whose beginning contains no text of other parties (decision 0020).
 */
export async function countFailures(
  sql: Sql,
  { locationId, id: webhookId }: { locationId: string; id: string },
  { event, from, to }: Pick<DeliveryFilter, 'event' | 'from' | 'to'>,
): Promise<DeliveryFailures[]> {
  return sql`
    select f.*, a.document from (
      select error_class as "errorClass", substring(left(document, 600) from '"status":([0-9]+)')::int as status,
        count(*) as count, min(at) as "firstAt", max(at) as "lastAt", (array_agg(id order by at desc, id desc))[1] as id
      from webhook_attempts
      where location_id = ${locationId} and webhook_id = ${webhookId} and at >= ${from} and at <= ${to} and error_class is not null
        ${event === null ? sql`` : sql`and type = ${event}`}
      group by 1, 2 order by count desc, "lastAt" desc limit ${failureKinds}) f
    join webhook_attempts a
      on a.location_id = ${locationId} and a.webhook_id = ${webhookId} and a.at = f."lastAt" and a.id = f.id
    order by f.count desc, f."lastAt" desc`
}

/** Finds one attempt of a webhook, made since a moment, as a serialized Delivery. Index: the primary key. */
export async function findDelivery(
  sql: Sql,
  { locationId, id: webhookId }: { locationId: string; id: string },
  id: string,
  since: Date,
): Promise<{ seq: number; type: EventType; document: string } | undefined> {
  const [row] = await sql<{ seq: number; type: EventType; document: string }[]>`
    select seq, type, document from webhook_attempts
    where location_id = ${locationId} and webhook_id = ${webhookId} and at >= ${since} and id = ${id}`
  return row
}

/** Lists the attempts of one event made since a moment, newest first, at most 100. */
export async function listAttemptsOf(
  sql: Sql,
  { locationId, id: webhookId }: { locationId: string; id: string },
  { seq, type }: { seq: number; type: string },
  since: Date,
): Promise<string[]> {
  const rows = await sql<{ document: string }[]>`
    select document from webhook_attempts
    where location_id = ${locationId} and webhook_id = ${webhookId} and at >= ${since} and seq = ${seq} and type = ${type}
    order by at desc, id desc limit 100`
  return rows.map(({ document }) => document)
}

/** Deletes attempts older than the retention, for all locations at once; runs periodically. */
export async function pruneDeliveries(sql: Sql, before: Date): Promise<void> {
  await sql`delete from webhook_attempts where at < ${before}`
}

/** Lists webhooks with more than `kept` attempts. Reads up to `kept` index entries of each; on Citus every shard. */
export async function listCrowdedWebhooks(
  sql: Sql,
  kept: number,
): Promise<{ locationId: string; webhookId: string }[]> {
  return sql`
    select w.location_id as "locationId", w.id as "webhookId"
    from webhooks w cross join lateral (
      select 1 from webhook_attempts a
      where a.location_id = w.location_id and a.webhook_id = w.id order by a.at desc, a.id desc offset ${kept} limit 1) more`
}

/** Deletes all attempts of a webhook but the last `kept`. Index: the primary key, backwards. */
export async function pruneDeliveriesOf(
  sql: Sql,
  { locationId, webhookId }: { locationId: string; webhookId: string },
  kept: number,
): Promise<void> {
  const [last] = await sql<{ at: string; id: string }[]>`
    select at::text as at, id from webhook_attempts where location_id = ${locationId} and webhook_id = ${webhookId}
    order by at desc, id desc offset ${kept} limit 1`
  if (!last) return
  await sql`
    delete from webhook_attempts
    where location_id = ${locationId} and webhook_id = ${webhookId}
      and (at, id) <= (${last.at}::text::timestamptz, ${last.id}::text::uuid)`
}
