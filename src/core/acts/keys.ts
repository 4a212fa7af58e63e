import { AppError } from '../contract/errors/errors.ts'
import { findLocation } from '../contract/location/rows.ts'
import { disableWebhook, listEnabledWebhooks, type WebhookRow } from '../contract/webhooks/rows.ts'
import { changesBetween } from '../domain/accounts/act-changes.ts'
import { keyState } from '../domain/accounts/keys.ts'
import {
  createApiKey,
  findApiKeyById,
  limitApiKey,
  revokeApiKey,
  type ApiKey,
  type Grant,
} from '../store/accounts/api-keys.ts'
import type { Acting } from './acting.ts'

type Mode = 'live' | 'test'

/** Returns the key with the id. Throws `key_not_found`. */
export async function getKey({ pool }: Pick<Acting, 'pool'>, id: string): Promise<ApiKey> {
  const key = await findApiKeyById(pool, id)
  if (!key) throw new AppError('key_not_found', `key ${id} does not exist: check the id`)
  return key
}

/** Creates a key of an active location, or of the installation for scope `admin`. Throws `location_not_found` and `location_inactive`. */
export async function createKey({ pool, now, note }: Acting, mode: Mode, grant: Grant) {
  const { locationId, name, scopes, recipientId, expiresAt } = grant
  if (!scopes.includes('admin')) {
    const location = await findLocation(pool, locationId)
    if (!location) throw new AppError('location_not_found', `location ${locationId} does not exist: check the id`)
    if (location.deactivatedAt) throw new AppError('location_inactive')
  }
  const made = await createApiKey(pool, mode, grant, now)
  const changes = changesBetween(null, { name, scopes, recipientId, expiresAt })
  await note(locationId, { act: 'key.created', subject: made.id, changes })
  return made
}

/**
 * Creates a key with the same rights; the old key stays valid for at most `overlapMs`. Throws `key_not_found`, and
 * `key_ended` for a key that was revoked or has expired.
 */
export async function rotateKey(acting: Acting, id: string, overlapMs: number) {
  const { pool, now, note } = acting
  const former = await getKey(acting, id)
  const state = keyState(former, now)
  if (state !== 'active') throw new AppError('key_ended', `the key ${id} is ${state}: create a new one`)
  const mode: Mode = former.hint.startsWith('tg_test') ? 'test' : 'live'
  const made = await createApiKey(pool, mode, former, now)
  const formerUntil = new Date(Math.min(now.getTime() + overlapMs, former.expiresAt?.getTime() ?? Infinity))
  await limitApiKey(pool, id, formerUntil)
  const changes = changesBetween({ expiresAt: former.expiresAt }, { expiresAt: formerUntil, successor: made.id })
  await note(former.locationId, { act: 'key.rotated', subject: id, changes })
  return { ...made, formerUntil }
}

export type RevokedKey = { key: ApiKey; webhooks: WebhookRow[]; isNew: boolean }

/**
 * Revokes a key; revoking it again changes nothing. Returns the enabled webhooks that the key could change; they stay
 * enabled (docs/inside/11-access.md) unless `withWebhooks` disables them. Throws `key_not_found`.
 */
export async function revokeKey(acting: Acting, id: string, { withWebhooks = false } = {}): Promise<RevokedKey> {
  const { pool, now, note } = acting
  const before = await getKey(acting, id)
  const key = (await revokeApiKey(pool, id, now)) ?? before
  const isNew = before.revokedAt === null
  if (isNew) {
    const changes = changesBetween({ state: keyState(before, now) }, { state: keyState(key, now) })
    await note(key.locationId, { act: 'key.revoked', subject: id, changes })
  }
  const isWriter = key.scopes.includes('webhooks')
  const webhooks = isWriter ? await listEnabledWebhooks(pool, key.locationId, key.recipientId) : []
  for (const webhook of withWebhooks ? webhooks : []) {
    await disableWebhook(pool, webhook, { reason: 'key_revoked', at: now })
    const changes = changesBetween({ state: webhook.state }, { state: 'disabled' })
    await note(webhook.locationId, { act: 'webhook.disabled', subject: webhook.id, changes })
  }
  return { key, webhooks, isNew }
}
