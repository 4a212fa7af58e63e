import { AppError } from '../../contract/errors/errors.ts'
import { isUuid } from '../../contract/scalars.ts'
import type { ApiKey } from '../../store/accounts/api-keys.ts'
import { findWebhook, type WebhookRow } from '../../contract/webhooks/rows.ts'
import type { Process } from '../context.ts'

/** Returns the webhook if the key may see it. Throws 404 otherwise (decision 0016). */
export async function getVisible(context: Pick<Process, 'pool'>, key: ApiKey, id: string): Promise<WebhookRow> {
  const webhook = isUuid(id) ? await findWebhook(context.pool, key.locationId, id, key.recipientId) : undefined
  if (!webhook) throw new AppError('webhook_not_found', `this key has no webhook ${id}: see GET /v1/webhooks/`)
  return webhook
}
