import type { DisableReason } from '../domain/retry-schedule.ts'
import { transact, type Pool, type Sql, type Transaction } from './database.ts'
import { insertAttempts, type Attempt } from './webhook-attempts.ts'
import { deleteRetries, upsertRetries, type Retry } from './webhook-retries.ts'
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
      and ((w.cursor < s.last_seq and (w.failures < ${breakerThreshold} or w.retry_at is null)) or w.retry_at <= ${now})`
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
          and (((failures < ${breakerThreshold} or retry_at is null)
              and cursor < (select last_seq from location_seq where location_id = ${locationId}))
            or retry_at <= ${now})
        returning ${webhookColumns(tx)}`,
    ])
    return claimed
  })
}

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
    await Promise.all([
      insertAttempts(tx, locationId, reports),
      ...kept.map(({ webhookId, settled }) => deleteRetries(tx, locationId, webhookId, settled)),
      upsertRetries(tx, locationId, kept),
    ])
    return held
  })
}
