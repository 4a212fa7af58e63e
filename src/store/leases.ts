import type { DisableReason } from '../domain/retry-schedule.ts'
import type { EventType } from '../schemas/events.ts'
import { transact, type Pool, type Sql, type Transaction } from './database.ts'
import { insertRows } from './rows.ts'
import { webhookColumns, type WebhookRow } from './webhooks.ts'

/**
 * Locations that have a webhook with something to do and no live lease. On Citus the one statement of the engine that
 * asks every shard: it runs once per sweep, never per event (SQL rule 15).
 */
export async function findDueLocations(sql: Sql, now: Date, breakerThreshold: number): Promise<string[]> {
  const rows = await sql<{ locationId: string }[]>`
    select distinct w.location_id as "locationId"
    from webhooks w join location_seq s on s.location_id = w.location_id
    where w.state = 'enabled' and (w.lease_until is null or w.lease_until < ${now})
      and ((w.cursor < s.last_seq and w.failures < ${breakerThreshold}) or w.retry_at <= ${now})`
  return rows.map((row) => row.locationId)
}

/**
 * Takes every such webhook of one location in one statement. The commit does not wait for the disk: a lease that a crash
 * of the database undoes is one that its holder no longer has.
 */
export async function claimWebhooks(
  pool: Pool,
  locationId: string,
  { token, until, now, breakerThreshold }: { token: string; until: Date; now: Date; breakerThreshold: number },
): Promise<WebhookRow[]> {
  return transact(pool, async (tx) => {
    const [, claimed] = await Promise.all([
      tx`set local synchronous_commit = off`,
      tx<WebhookRow[]>`
        update webhooks set lease_token = ${token}, lease_until = ${until}
        where location_id = ${locationId} and state = 'enabled' and (lease_until is null or lease_until < ${now})
          and ((failures < ${breakerThreshold}
              and cursor < (select last_seq from location_seq where location_id = ${locationId}))
            or retry_at <= ${now})
        returning ${webhookColumns(tx)}`,
    ])
    return claimed
  })
}

/** An event set aside. `nextAt` is null while it waits behind an earlier one of the same resource. */
export type Retry = {
  seq: number
  type: EventType
  kind: string
  resourceId: string
  attempts: number
  nextAt: Date | null
}

/** In journal order. */
export async function listRetries(sql: Sql, locationId: string, webhookId: string, limit: number): Promise<Retry[]> {
  return sql<Retry[]>`
    select seq, type, kind, resource_id as "resourceId", attempts, next_at as "nextAt"
    from webhook_retries where location_id = ${locationId} and webhook_id = ${webhookId} order by seq, type limit ${limit}`
}

/** One attempt for the delivery log; `document` is the serialised Delivery. */
export type Attempt = { id: string; at: Date; seq: number; type: EventType; ok: boolean; document: string }

/** What a session has done since its last report. */
export type Progress = {
  webhookId: string
  /** That of the claim, or of the report before. */
  token: string
  cursor: number
  failures: number
  failingSince: Date | null
  retryAt: Date | null
  /** The lease goes on under a token of its own; null gives it back. */
  lease: { token: string; until: Date } | null
  disabled: { reason: DisableReason; at: Date } | null
  attempts: readonly Attempt[]
  setAside: readonly Retry[]
  settled: readonly Pick<Retry, 'seq' | 'type'>[]
}

async function move(tx: Transaction, locationId: string, progress: Progress): Promise<boolean> {
  const { webhookId, token, cursor, failures, failingSince, retryAt, lease, disabled } = progress
  const rows = await tx`
    update webhooks set cursor = greatest(cursor, ${cursor}), failures = ${failures}, failing_since = ${failingSince},
      retry_at = ${retryAt}, lease_until = ${lease?.until ?? null}, lease_token = ${lease?.token ?? null},
      state = ${disabled ? 'disabled' : 'enabled'}, disabled_reason = ${disabled?.reason ?? null},
      disabled_at = ${disabled?.at ?? null}
    where location_id = ${locationId} and id = ${webhookId} and lease_token = ${token} returning 1`
  return rows.length === 1
}

async function writeAttempts(tx: Transaction, locationId: string, reports: readonly Progress[]): Promise<void> {
  const rows = reports.flatMap(({ webhookId, attempts }) =>
    attempts.map((a) => [locationId, webhookId, a.at, a.id, a.seq, a.type, a.ok, a.document]),
  )
  const columns = ['location_id', 'webhook_id', 'at', 'id', 'seq', 'type', 'ok', 'document']
  await insertRows(tx, 'webhook_attempts', columns, rows)
}

async function writeRetries(tx: Transaction, locationId: string, reports: readonly Progress[]): Promise<void> {
  const rows = reports.flatMap(({ webhookId, setAside }) =>
    setAside.map((r) => [locationId, webhookId, r.seq, r.type, r.kind, r.resourceId, r.attempts, r.nextAt]),
  )
  const columns = ['location_id', 'webhook_id', 'seq', 'type', 'kind', 'resource_id', 'attempts', 'next_at']
  const settled = reports.flatMap(({ webhookId, settled: done }) =>
    [...Map.groupBy(done, ({ type }) => type)].map(([type, of]) => ({
      webhookId,
      type,
      numbers: of.map(({ seq }) => seq),
    })),
  )
  await Promise.all(
    settled.map(
      ({ webhookId, type, numbers }) => tx`
        delete from webhook_retries
        where location_id = ${locationId} and webhook_id = ${webhookId} and type = ${type}
          and seq = any(${numbers.map(String)}::text[]::bigint[])`,
    ),
  )
  await insertRows(
    tx,
    'webhook_retries',
    columns,
    rows,
    'on conflict (location_id, webhook_id, seq, type) do update set attempts = excluded.attempts, next_at = excluded.next_at',
  )
}

/**
 * Writes what sessions of one location did, in one transaction; the answer says per report whether its lease still
 * held. Of a lost lease only the log is kept: the cursor and the retries are another's now. The commit does not wait
 * for the disk: a crash of the database sets cursors back and events are sent again, never lost. A session that lives
 * through that crash must not go on from a report that is gone, which is why every report changes the token.
 */
export async function recordProgress(pool: Pool, locationId: string, reports: readonly Progress[]): Promise<boolean[]> {
  return transact(pool, async (tx) => {
    await tx`set local synchronous_commit = off`
    const held = await Promise.all(reports.map((progress) => move(tx, locationId, progress)))
    const kept = reports.filter((_, i) => held[i])
    await Promise.all([writeAttempts(tx, locationId, reports), writeRetries(tx, locationId, kept)])
    return held
  })
}
