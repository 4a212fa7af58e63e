import { sampleEpoch, toMessage } from '../../domain/journal/messages.ts'
import { sampleData } from '../../domain/documents/samples.ts'
import type { TestResult } from './schema.ts'
import type { WebhookRow } from './rows.ts'
import { sendEvent, endpointOf } from '../../delivery/attempts.ts'
import type { Sender } from '../../delivery/sender/send.ts'

/**
 * Sends one fake payload per event of the webhook, signed like real ones, with the header `webhook-test: true`. Nothing
 * is retried, counted or journaled (decision 0017). Returns one entry per event, whatever the receiver does.
 */
export async function testWebhook(sender: Sender, webhook: WebhookRow, now: Date): Promise<TestResult> {
  const { locationId } = webhook
  const endpoint = endpointOf(webhook)
  const entries = webhook.events.map(async (type) => {
    const document = Buffer.from(JSON.stringify(sampleData(type, locationId)))
    const entry = { locationId, epoch: sampleEpoch, seq: 0, acceptedAt: now.toISOString(), document }
    const outcome = await sendEvent(sender, endpoint, {
      message: toMessage(entry, type),
      now,
      extra: { 'webhook-test': 'true' },
    })
    const { status, ok: success, message, responseHeaders: headers, responseBody: body, durationMs } = outcome
    return [type, { status, success, message, response: status === 0 ? {} : { headers, body, durationMs } }] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}
