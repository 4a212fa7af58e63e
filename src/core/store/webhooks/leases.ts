import type { DisableReason } from '../../domain/journal/retry-schedule.ts'
import { transact, type Pool, type Sql, type Transaction } from '../db/database.ts'
import { appendDisabled, toDisabled } from './disabled-webhooks.ts'
import { takeHead } from '../journal/resumption.ts'
import { insertAttempts, type Attempt } from './webhook-attempts.ts'
import { deleteRetries, upsertRetries, type Retry } from './webhook-retries.ts'
import { webhookColumns, type WebhookRow } from '../../contract/webhooks/rows.ts'
import { later, longestLeaseMs } from '../db/lease-times.ts'
import { traced } from '../../tracing.ts'

export type Due = {
  /** By the database's clock, like all times of leases and retries. */
  now: Date
  breakerThreshold: number
  /** The longest wait before a retry: one that is due later was written by a clock that was wrong. */
  longestRetryMs: number
}

/** Whether a webhook, with the head of its journal in `s`, has no live lease, and news it may read or a retry due. */
function isDue(sql: Sql, { now, breakerThreshold, longestRetryMs }: Due) {
  return sql`
    webhooks.state = 'enabled'
    and (webhooks.lease_until is null or webhooks.lease_until < ${now} or webhooks.lease_until > ${later(now, longestLeaseMs)})
    and ((webhooks.cursor < s.last_seq and (webhooks.failures < ${breakerThreshold} or webhooks.retry_at is null))
      or webhooks.retry_at <= ${now} or webhooks.retry_at > ${later(now, longestRetryMs)})`
}

/** A location with something to do, and in how long; 0 for now. */
export type DueLocation = { locationId: string; inMs: number }

/**
 * Finds the locations that have a webhook with something to do and no live lease, now or within `aheadMs`, once for each moment: what is
 * only due then is a retry, or the end of a lease. On Citus it is the one statement of the engine that asks every shard (SQL
 * rule 15).
 */
export async function findDueLocations(sql: Sql, due: Due, aheadMs = 0): Promise<DueLocation[]> {
  const { now, breakerThreshold, longestRetryMs } = due
  const rows = await sql<{ locationId: string; at: Date }[]>`
    select webhooks.location_id as "locationId", greatest(${now},
        case when webhooks.lease_until <= ${later(now, longestLeaseMs)} then webhooks.lease_until end,
        case when (webhooks.cursor < s.last_seq and (webhooks.failures < ${breakerThreshold} or webhooks.retry_at is null))
          or webhooks.retry_at > ${later(now, longestRetryMs)} then ${now} else webhooks.retry_at end) as at
    from webhooks join location_seq s on s.location_id = webhooks.location_id
    where ${isDue(sql, { ...due, now: later(now, aheadMs) })}
    group by 1, 2`
  return rows.map(({ locationId, at }) => ({ locationId, inMs: at.getTime() - now.getTime() }))
}

export type Claim = Due & {
  token: string
  leaseMs: number
  /** Ids of webhooks that are left alone. */
  except?: readonly string[]
}

/**
 * Takes every such webhook of one location in one statement. The commit does not wait for the disk: a lease that a crash
 * of the database undoes is one that its holder no longer has.
 */
export function claimWebhooks(pool: Pool, locationId: string, claim: Claim): Promise<WebhookRow[]> {
  return traced('claim', () => claimDue(pool, locationId, claim), {
    attributes: () => ({ 'tillgate.location': locationId }),
  })
}

async function claimDue(pool: Pool, locationId: string, claim: Claim): Promise<WebhookRow[]> {
  const { token, leaseMs, now, except = [] } = claim
  return transact(pool, async (tx) => {
    const [, claimed] = await Promise.all([
      tx`set local synchronous_commit = off`,
      tx<WebhookRow[]>`
        update webhooks set lease_token = ${token}, lease_until = ${later(now, leaseMs)}
        from location_seq s
        where webhooks.location_id = ${locationId} and s.location_id = ${locationId} and ${isDue(tx, claim)}
          ${except.length === 0 ? tx`` : tx`and webhooks.id <> all(${[...except]}::text[]::uuid[])`}
        returning ${webhookColumns(tx)}`,
    ])
    return claimed
  })
}

/** What a session has done since its last report. */
export type Progress = {
  webhookId: string
  /** Since when it is the recipient's for whom the session sends. */
  recipientSince: Date
  /** That of the claim, or of the report before. */
  token: string
  cursor: number
  failures: number
  failingSince: Date | null
  retryAt: Date | null
  /** The token under which the lease continues; null returns it. */
  lease: { token: string; until: Date } | null
  /** `isTold` when a report before this one disabled the webhook: the journal says so already. */
  disabled: { reason: DisableReason; at: Date; isTold: boolean } | null
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
 * Resolves to whether the webhook is still the one that the session sends for. It is not when it was deleted, or
 * belongs to another recipient, who must not read what was sent before. The statement holds the row as it is until
 * commit (SQL rule 17).
 */
async function isSameRecipient(tx: Transaction, locationId: string, { webhookId, recipientSince }: Progress) {
  const rows = await tx`
    update webhooks set cursor = cursor
    where location_id = ${locationId} and id = ${webhookId} and recipient_since = ${recipientSince} returning 1`
  return rows.length === 1
}

const disabledBy = ({ webhookId: id, disabled, failingSince }: Progress) =>
  disabled && !disabled.isTold ? [toDisabled({ id, reason: disabled.reason, at: disabled.at, failingSince })] : []

/**
 * Writes what sessions of one location did, in one transaction; the answer says per report whether its lease still
 * held. Of a lost lease only the log is kept, as long as the webhook has the same recipient: the cursor and the retries
 * are another's now. The commit does not wait for the disk: a crash of the database sets cursors back and events are sent again, never lost. A session that lives
 * through that crash must not go on from a report that is gone, which is why every report changes the token. A report that
 * disables its webhook also appends to the journal, and its commit waits.
 */
export async function recordProgress(pool: Pool, locationId: string, reports: readonly Progress[]): Promise<boolean[]> {
  const [disabled] = reports.flatMap((report) => (report.disabled && !report.disabled.isTold ? report.disabled : []))
  return transact(pool, async (tx) => {
    // What is told in the journal has a number, and waits for the disk as a push does. The head comes before the webhooks.
    const head = disabled && (await takeHead(tx, locationId, { now: disabled.at }))
    if (!head) await tx`set local synchronous_commit = off`
    const held = await Promise.all(reports.map((progress) => move(tx, locationId, progress)))
    const kept = reports.filter((_, i) => held[i])
    const logged = [...kept]
    for (const report of reports.filter(({ attempts }, i) => !held[i] && attempts.length > 0)) {
      if (await isSameRecipient(tx, locationId, report)) logged.push(report)
    }
    if (head) await appendDisabled(tx, locationId, head, { webhooks: kept.flatMap(disabledBy), now: disabled.at })
    await Promise.all([
      insertAttempts(tx, locationId, logged),
      ...kept.map(({ webhookId, settled }) => deleteRetries(tx, locationId, webhookId, settled)),
      upsertRetries(tx, locationId, kept),
    ])
    return held
  })
}

/**
 * Makes the next probe due of every webhook that only probes an endpoint of this host (`you.example`, with its port if
 * it has one). Returns their locations. Asks every shard on Citus; it is called when a receiver is well again.
 */
export async function hastenProbes(pool: Pool, host: string, { now, breakerThreshold }: Due): Promise<string[]> {
  const waiting = await pool<{ locationId: string; ids: string[] }[]>`
    select location_id as "locationId", array_agg(id) as ids from webhooks
    where state = 'enabled' and failures >= ${breakerThreshold} and retry_at > ${now}
      and lower(substring(endpoint_url from '^https?://([^/?#]+)')) = ${host}
    group by location_id`
  for (const { locationId, ids } of waiting) {
    await pool`
      update webhooks set retry_at = ${now}
      where location_id = ${locationId} and id = any(${ids}::text[]::uuid[]) and lease_token is null
        and failures >= ${breakerThreshold}`
  }
  return waiting.map(({ locationId }) => locationId)
}
