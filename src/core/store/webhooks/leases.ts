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
  /** Maximum wait before a retry: a retry that is due later was written by a wrong clock. */
  longestRetryMs: number
}

/** Whether a webhook without a live lease has new entries or a due retry. `s` is the head of its journal. */
function isDue(sql: Sql, { now, breakerThreshold, longestRetryMs }: Due) {
  return sql`
    webhooks.state = 'enabled'
    and (webhooks.lease_until is null or webhooks.lease_until < ${now} or webhooks.lease_until > ${later(now, longestLeaseMs)})
    and ((webhooks.cursor < s.last_seq and (webhooks.failures < ${breakerThreshold} or webhooks.retry_at is null))
      or webhooks.retry_at <= ${now} or webhooks.retry_at > ${later(now, longestRetryMs)})`
}

/** A location with work, and the milliseconds until the work is due; 0 for now. */
export type DueLocation = { locationId: string; inMs: number }

/**
 * Finds the locations that have a webhook with work and no live lease, now or within `aheadMs`; one row for each
 * location and moment. Work that is due only later is a retry, or waits for the end of a lease. On Citus it queries
 * every shard, once per sweep (SQL rule 15).
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
  /** Ids of webhooks that are skipped. */
  except?: readonly string[]
}

/**
 * Claims the webhooks of one location that have work and no live lease, in one statement. The commit does not wait for
 * the disk: if a crash of the database undoes a lease, its holder can no longer record results under it.
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
  /** Since when the webhook belongs to the recipient of the session. */
  recipientSince: Date
  /** The token of the claim, or of the previous report. */
  token: string
  cursor: number
  failures: number
  failingSince: Date | null
  retryAt: Date | null
  /** The token under which the lease continues; null releases it. */
  lease: { token: string; until: Date } | null
  /** `isJournaled`: an earlier report disabled the webhook, so the journal already has the entry. */
  disabled: { reason: DisableReason; at: Date; isJournaled: boolean } | null
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
 * Resolves to whether the webhook still has the session's recipient: false if the webhook was deleted, or given to
 * another recipient, who must not read what was sent before. Locks the row until commit (SQL rule 17).
 */
async function isSameRecipient(tx: Transaction, locationId: string, { webhookId, recipientSince }: Progress) {
  const rows = await tx`
    update webhooks set cursor = cursor
    where location_id = ${locationId} and id = ${webhookId} and recipient_since = ${recipientSince} returning 1`
  return rows.length === 1
}

const disabledBy = ({ webhookId: id, disabled, failingSince }: Progress) =>
  disabled && !disabled.isJournaled ? [toDisabled({ id, reason: disabled.reason, at: disabled.at, failingSince })] : []

/**
 * Writes what sessions of one location did, in one transaction; resolves to whether each report's lease was still
 * valid. For a lost lease only the log is written, if the webhook has the same recipient: cursor and retries belong to
 * the new holder. The commit does not wait for the disk: after a crash of the database cursors are older and events are
 * sent again, never lost. Every report changes the token, so a session that survives such a crash cannot continue from
 * a lost report. If a report disables its webhook, the journal gets an entry, and the commit waits.
 */
export async function recordProgress(pool: Pool, locationId: string, reports: readonly Progress[]): Promise<boolean[]> {
  const [disabled] = reports.flatMap((report) =>
    report.disabled && !report.disabled.isJournaled ? report.disabled : [],
  )
  return transact(pool, async (tx) => {
    // A disabled webhook gets a journal entry: its commit waits for the disk. The head is locked before the webhooks.
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
 * Makes the next probe due now, for every webhook that only probes and whose endpoint is on this host (`you.example`, with its port if it
 * has one). Returns their locations. Queries every shard on Citus; called when a receiver has recovered.
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
