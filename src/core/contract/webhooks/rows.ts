import type { DisabledWebhook } from './disabled.ts'
import type { DisabledReason } from './schema.ts'
import type { EventType } from '../../schemas/events.ts'
import { transact, type Pool, type Sql } from '../../store/db/database.ts'
import { appendDisabled, toDisabled } from '../../store/webhooks/disabled-webhooks.ts'
import { assertNotArchived } from '../../store/journal/asides.ts'
import { holdHead } from '../../store/journal/journal.ts'
import { takeHead } from '../../store/journal/resumption.ts'
import { deleteRetriesFrom, hastenRetries } from '../../store/webhooks/webhook-retries.ts'

export type WebhookRow = {
  locationId: string
  id: string
  recipientId: string
  /** When the webhook was assigned to its recipient. */
  recipientSince: Date
  events: EventType[]
  endpointUrl: string
  name: string | null
  createdAt: Date
  updatedAt: Date
  secret: string
  previousSecret: string | null
  previousSecretUntil: Date | null
  cursor: number
  state: 'enabled' | 'disabled'
  disabledReason: DisabledReason | null
  failures: number
  failingSince: Date | null
  retryAt: Date | null
  /** The sequence at which a replay ends; null if there was none. */
  replayedTo: number | null
}

export const webhookColumns = (sql: Sql) => sql`
  webhooks.location_id as "locationId", id, recipient_id as "recipientId", recipient_since as "recipientSince", events,
  endpoint_url as "endpointUrl", name,
  created_at as "createdAt", updated_at as "updatedAt", secret, previous_secret as "previousSecret",
  previous_secret_until as "previousSecretUntil", cursor, state, disabled_reason as "disabledReason", failures,
  failing_since as "failingSince", retry_at as "retryAt",
  replayed_to as "replayedTo"`

const ofRecipient = (sql: Sql, recipientId: string | null) =>
  recipientId === null ? sql`` : sql`and recipient_id = ${recipientId}`

/** Finds a webhook that the recipient may see; a null `recipientId` sees all webhooks of the location. */
export async function findWebhook(
  sql: Sql,
  locationId: string,
  id: string,
  recipientId: string | null = null,
): Promise<WebhookRow | undefined> {
  const [row] = await sql<WebhookRow[]>`
    select ${webhookColumns(sql)} from webhooks
    where location_id = ${locationId} and id = ${id} ${ofRecipient(sql, recipientId)}`
  return row
}

/** Returns a webhook that must exist: its absence is a bug, not a wrong request. */
export async function getWebhook(sql: Sql, locationId: string, id: string): Promise<WebhookRow> {
  const webhook = await findWebhook(sql, locationId, id)
  if (!webhook) throw new Error(`location ${locationId} has no webhook ${id}`)
  return webhook
}

/** Lists webhooks by creation date, ties by id. */
export async function listWebhooks(
  sql: Sql,
  locationId: string,
  recipientId: string | null,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ webhooks: WebhookRow[]; totalCount: number }> {
  const [counted, webhooks] = await Promise.all([
    sql<{ n: number }[]>`
      select count(*) as n from webhooks where location_id = ${locationId} ${ofRecipient(sql, recipientId)}`,
    sql<WebhookRow[]>`
      select ${webhookColumns(sql)} from webhooks
      where location_id = ${locationId} ${ofRecipient(sql, recipientId)}
      order by created_at, id limit ${limit} offset ${offset}`,
  ])
  return { webhooks, totalCount: counted[0]?.n ?? 0 }
}

/** Counts the webhooks of the location, enabled or not. */
export async function countWebhooks(sql: Sql, locationId: string): Promise<number> {
  const [row] = await sql<{ n: number }[]>`select count(*) as n from webhooks where location_id = ${locationId}`
  return row?.n ?? 0
}

/** Lists all webhooks of a location and recipient, oldest first. */
export async function listWebhooksOfPair(sql: Sql, locationId: string, recipientId: string): Promise<WebhookRow[]> {
  return sql<WebhookRow[]>`
    select ${webhookColumns(sql)} from webhooks
    where location_id = ${locationId} and recipient_id = ${recipientId} order by created_at, id`
}

/** Lists the enabled webhooks of the location, or of one of its recipients, oldest first. */
export async function listEnabledWebhooks(
  sql: Sql,
  locationId: string,
  recipientId: string | null,
): Promise<WebhookRow[]> {
  return sql<WebhookRow[]>`
    select ${webhookColumns(sql)} from webhooks
    where location_id = ${locationId} and state = 'enabled' ${ofRecipient(sql, recipientId)} order by created_at, id`
}

/** Finds a webhook by its id alone, for the command line: on Citus this queries every shard. Index: webhooks_id. */
export async function findWebhookAnywhere(sql: Sql, id: string): Promise<WebhookRow | undefined> {
  const [row] = await sql<WebhookRow[]>`select ${webhookColumns(sql)} from webhooks where id = ${id}`
  return row
}

/** Lists all webhooks, of one location or of the installation; for the command line. */
export async function listAllWebhooks(sql: Sql, locationId?: string): Promise<WebhookRow[]> {
  const where = locationId === undefined ? sql`` : sql`where location_id = ${locationId}`
  return sql<WebhookRow[]>`select ${webhookColumns(sql)} from webhooks ${where} order by created_at, id`
}

/** Resolves to whether another location has a webhook with this id. On Citus: every shard. Index: webhooks_id. */
export async function isIdOfOtherLocation(sql: Sql, locationId: string, id: string): Promise<boolean> {
  const rows = await sql`select 1 from webhooks where id = ${id} and location_id <> ${locationId} limit 1`
  return rows.length > 0
}

/** Serializes changes of a location's webhooks until commit, without blocking its journal. Locks with an update (SQL rule 17). */
export async function lockWebhooks(sql: Sql, locationId: string): Promise<void> {
  await sql`update locations set currency = currency where id = ${locationId}`
}

/** Inserts a webhook with its cursor at the head of the journal, so it receives only later events. */
export async function insertWebhook(
  sql: Sql,
  webhook: Pick<WebhookRow, 'locationId' | 'id' | 'recipientId' | 'events' | 'endpointUrl' | 'createdAt' | 'secret'> &
    Partial<Pick<WebhookRow, 'name'>>,
): Promise<void> {
  const { locationId, id, recipientId, events, endpointUrl, name = null, createdAt, secret } = webhook
  await sql`
    insert into webhooks (location_id, id, recipient_id, recipient_since, events, endpoint_url, name, created_at, updated_at, secret, cursor, state, failures)
    select ${locationId}, ${id}, ${recipientId}, ${createdAt}, ${events}, ${endpointUrl}, ${name}, ${createdAt}, ${createdAt}, ${secret}, last_seq, 'enabled', 0
    from location_seq where location_id = ${locationId}`
}

type Change = Partial<
  Pick<
    WebhookRow,
    | 'events'
    | 'endpointUrl'
    | 'name'
    | 'recipientId'
    | 'recipientSince'
    | 'secret'
    | 'previousSecret'
    | 'previousSecretUntil'
  >
>

/** Updates a webhook and ends its lease: the holder stops at its next commit, and the new values apply from then on. */
export async function updateWebhook(
  sql: Sql,
  { locationId, id }: Pick<WebhookRow, 'locationId' | 'id'>,
  change: Change,
  at: Date,
): Promise<WebhookRow> {
  const row = await getWebhook(sql, locationId, id)
  const next = { ...row, ...change }
  const [updated] = await sql<WebhookRow[]>`
    update webhooks set events = ${next.events}, endpoint_url = ${next.endpointUrl}, name = ${next.name}, recipient_id = ${next.recipientId},
      recipient_since = ${next.recipientSince},
      secret = ${next.secret}, previous_secret = ${next.previousSecret},
      previous_secret_until = ${next.previousSecretUntil}, updated_at = ${at}, lease_token = null, lease_until = null
    where location_id = ${locationId} and id = ${id} returning ${webhookColumns(sql)}`
  return updated ?? row
}

/**
 * Moves `recipientSince` past the attempts made for the former recipient, so that the new one does not see them: a
 * process sets it by its own clock, and attempts have the time of the database.
 */
export async function hideFormerAttempts(sql: Sql, locationId: string, id: string): Promise<void> {
  await sql`
    update webhooks set recipient_since = greatest(recipient_since, coalesce((
      select max(at) + interval '1 millisecond' from webhook_attempts
      where location_id = ${locationId} and webhook_id = ${id}), recipient_since))
    where location_id = ${locationId} and id = ${id}`
}

/**
 * Deletes a webhook with its retries and delivery log: a new webhook with the same id must not show what the former
 * recipient received. Later results of a running session are discarded (`recordProgress`).
 */
export async function deleteWebhook(pool: Pool, locationId: string, id: string): Promise<boolean> {
  return transact(pool, async (tx) => {
    await lockWebhooks(tx, locationId)
    const rows = await tx`delete from webhooks where location_id = ${locationId} and id = ${id} returning 1`
    await tx`delete from webhook_attempts where location_id = ${locationId} and webhook_id = ${id}`
    return rows.length > 0
  })
}

/** Enables the webhook and resets its failures: delivery continues at the cursor, stored retries are due at once. */
export async function enableWebhook(pool: Pool, locationId: string, id: string, at: Date): Promise<void> {
  await transact(pool, async (tx) => {
    // First: this ends the lease, so the last report of a running session is refused.
    await tx`
      update webhooks set state = 'enabled', disabled_reason = null, disabled_at = null, failures = 0,
        failing_since = null, retry_at = ${at}, lease_token = null, lease_until = null
      where location_id = ${locationId} and id = ${id}`
    await hastenRetries(tx, locationId, id, at)
  })
}

/**
 * Disables the webhook; the cursor stays. If it is already disabled, its reason and time stay. Ends the lease, so a
 * running session records nothing more. A journal entry informs the other webhooks.
 */
export async function disableWebhook(
  pool: Pool,
  { locationId, id }: Pick<WebhookRow, 'locationId' | 'id'>,
  { reason, at }: { reason: DisabledWebhook['reason']; at: Date },
): Promise<void> {
  await transact(pool, async (tx) => {
    const head = await takeHead(tx, locationId, { now: at })
    const rows = await tx<{ failingSince: Date | null }[]>`
      update webhooks set state = 'disabled', disabled_reason = ${reason}, disabled_at = ${at}, lease_token = null,
        lease_until = null
      where location_id = ${locationId} and id = ${id} and state = 'enabled' returning failing_since as "failingSince"`
    const webhooks = rows.map(({ failingSince }) => toDisabled({ id, reason, at, failingSince }))
    if (head) await appendDisabled(tx, locationId, head, { webhooks, now: at })
  })
}

/**
 * Sets the cursor to the entry before `seq`. Stored retries of later entries are deleted, because the journal sends
 * these entries again. Changes nothing and resolves to false while an earlier replay is still being sent.
 */
export async function rewindWebhook(pool: Pool, locationId: string, id: string, seq: number): Promise<boolean> {
  return transact(pool, async (tx) => {
    // Locks the journal head, so entries that are being archived are refused too.
    await holdHead(tx, locationId)
    await assertNotArchived(tx, locationId, seq)
    const rewound = await tx`
      update webhooks set replayed_to = case when cursor > ${seq - 1} then cursor else replayed_to end,
        cursor = least(cursor, ${seq - 1}), failures = 0, failing_since = null, lease_token = null, lease_until = null
      where location_id = ${locationId} and id = ${id} and (replayed_to is null or cursor >= replayed_to) returning 1`
    if (rewound.length === 0) return false
    await deleteRetriesFrom(tx, locationId, id, seq)
    return true
  })
}

/** Deletes previous secrets that are no longer valid. Queries every shard on Citus; runs hourly. */
export async function clearPreviousSecrets(sql: Sql, now: Date): Promise<void> {
  await sql`
    update webhooks set previous_secret = null, previous_secret_until = null where previous_secret_until <= ${now}`
}

/**
 * Disables every enabled webhook of a restored location, since the original may still deliver. Resolves to their
 * number. `enableWebhook` continues at the cursor.
 */
export async function pauseWebhooks(sql: Sql, locationId: string, at: Date): Promise<number> {
  const paused = await sql`
    update webhooks set state = 'disabled', disabled_reason = 'restored', disabled_at = ${at}
    where location_id = ${locationId} and state = 'enabled' returning 1`
  return paused.length
}
