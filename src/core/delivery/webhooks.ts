import { randomUUID } from 'node:crypto'
import { isBreakerOpen } from '../domain/journal/retry-schedule.ts'
import { AppError } from '../contract/errors/errors.ts'
import type { WebhookInput, WebhookStatus } from '../contract/webhooks/schema.ts'
import type { EventType } from '../schemas/events.ts'
import { transact, type Pool, type Transaction } from '../store/db/database.ts'
import { countEntries } from '../store/journal/resumption.ts'
import {
  countWebhooks,
  findWebhook,
  getWebhook,
  hideFormerAttempts,
  insertWebhook,
  isIdOfOtherLocation,
  listWebhooksOfPair,
  lockWebhooks,
  updateWebhook,
  type WebhookRow,
  deleteWebhook,
} from '../contract/webhooks/rows.ts'
import { countRetries } from '../store/webhooks/webhook-retries.ts'
import { generateSecret } from './secrets.ts'
import { dayMs } from '../domain/days/time-units.ts'

const idTaken = (id: string) =>
  `the id ${id} belongs to a webhook that is not visible to this key: use another id, or omit it`

/** Finds the webhook of an upsert (decision 0016): by id, or by location and recipient, then by endpoint. */
async function findTarget(
  tx: Transaction,
  input: WebhookInput,
  visibleTo: string | null,
): Promise<{ existing?: WebhookRow; id: string }> {
  const { locationId, recipientId, endpointUrl } = input
  if (input.id !== undefined) {
    const existing = await findWebhook(tx, locationId, input.id)
    const isHidden = existing && visibleTo !== null && existing.recipientId !== visibleTo
    if (isHidden || (!existing && (await isIdOfOtherLocation(tx, locationId, input.id)))) {
      throw new AppError('webhook_id_taken', idTaken(input.id))
    }
    return existing ? { existing, id: existing.id } : { id: input.id.toLowerCase() }
  }
  const pair = await listWebhooksOfPair(tx, locationId, recipientId)
  const same = pair.filter((webhook) => webhook.endpointUrl === endpointUrl)
  const [existing] = pair.length > 1 ? same : pair
  if (pair.length > 1 && same.length !== 1) {
    const ids = pair.map(({ id }) => id)
    throw new AppError(
      'webhook_ambiguous',
      `this location and recipient have several webhooks; send the id of one: ${ids.join(', ')}`,
    )
  }
  return existing ? { existing, id: existing.id } : { id: randomUUID() }
}

/** The caller's rights: the recipient whose webhooks it sees (null for all), and how many webhooks the location may have. */
export type Registrar = { visibleTo: string | null; webhooksPerLocation: number }

async function requireRoom(tx: Transaction, locationId: string, limit: number): Promise<void> {
  if (limit === 0 || (await countWebhooks(tx, locationId)) < limit) return
  throw new AppError('webhook_limit', `a location can have at most ${limit} webhooks: delete an unused one`)
}

/**
 * Returns the values of a webhook for a new recipient: a new secret, because the former recipient could sign requests
 * with the old one, and no access to earlier deliveries.
 */
function newRecipientValues(now: Date) {
  return { secret: generateSecret(), previousSecret: null, previousSecretUntil: null, recipientSince: now }
}

/**
 * Creates a webhook or updates the matching one. Concurrent calls for a location are serialized. The input is already
 * checked. `before` is null for a new webhook. Throws `webhook_ambiguous`, `webhook_id_taken` and `webhook_limit`.
 */
export async function upsertWebhook(
  pool: Pool,
  input: WebhookInput,
  { visibleTo, webhooksPerLocation }: Registrar,
  now: Date,
): Promise<{ webhook: WebhookRow; before: WebhookRow | null }> {
  const events = [...new Set(input.events)] as EventType[]
  const { locationId, endpointUrl } = input
  const named = input.name === undefined ? {} : { name: input.name.trim() || null }
  const recipientId = input.recipientId.toLowerCase()
  const upserted = await transact(pool, async (tx) => {
    await lockWebhooks(tx, locationId)
    const { existing, id } = await findTarget(tx, { ...input, recipientId }, visibleTo)
    if (existing) {
      const isMoved = existing.recipientId !== recipientId
      const change = { events, endpointUrl, recipientId, ...named, ...(isMoved ? newRecipientValues(now) : {}) }
      const webhook = await updateWebhook(tx, { locationId, id }, change, now)
      // After the update, because a session may record attempts until then.
      if (isMoved) await hideFormerAttempts(tx, locationId, id)
      return { webhook: isMoved ? await getWebhook(tx, locationId, id) : webhook, before: existing }
    }
    await requireRoom(tx, locationId, webhooksPerLocation)
    const secret = generateSecret()
    await insertWebhook(tx, { locationId, id, recipientId, events, endpointUrl, ...named, createdAt: now, secret })
    return { webhook: await getWebhook(tx, locationId, id), before: null }
  })
  if (upserted.before === null && input.id !== undefined) await refuseSharedId(pool, upserted.webhook)
  return upserted
}

/**
 * Withdraws a new webhook whose id another location took at the same moment. No lock spans locations (SQL rule 15), so
 * this runs after the commit: the later of two commits sees the webhook of the earlier one. Throws `webhook_id_taken`.
 */
async function refuseSharedId(pool: Pool, { locationId, id }: WebhookRow): Promise<void> {
  if (!(await isIdOfOtherLocation(pool, locationId, id))) return
  await deleteWebhook(pool, locationId, id)
  throw new AppError('webhook_id_taken', idTaken(id))
}

/** Milliseconds for which the old secret also signs after a rotation (decision 0018). */
const overlapMs = dayMs

/** Replaces the secret of a webhook. Resolves to undefined if the webhook does not exist. */
export async function rotateSecret(
  pool: Pool,
  locationId: string,
  id: string,
  now: Date,
): Promise<WebhookRow | undefined> {
  return transact(pool, async (tx) => {
    await lockWebhooks(tx, locationId)
    const webhook = await findWebhook(tx, locationId, id)
    if (!webhook) return undefined
    const previousSecretUntil = new Date(now.getTime() + overlapMs)
    const change = { secret: generateSecret(), previousSecret: webhook.secret, previousSecretUntil }
    return updateWebhook(tx, { locationId, id }, change, now)
  })
}

/** Returns the state of deliveries in the form of the API. */
export async function webhookStatus(pool: Pool, webhook: WebhookRow): Promise<WebhookStatus> {
  const { locationId, id, failures } = webhook
  const [behind, setAside] = await Promise.all([
    countEntries(pool, locationId, webhook.cursor),
    countRetries(pool, locationId, id),
  ])
  const enabled = isBreakerOpen(failures) ? 'failing' : 'enabled'
  return {
    state: webhook.state === 'disabled' ? 'disabled' : enabled,
    disabledReason: webhook.disabledReason,
    sequence: webhook.cursor,
    behind,
    setAside,
    failures,
    failingSince: webhook.failingSince?.toISOString() ?? null,
    nextAttemptAt: webhook.state === 'disabled' ? null : (webhook.retryAt?.toISOString() ?? null),
  }
}
