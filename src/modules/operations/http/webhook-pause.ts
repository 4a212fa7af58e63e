import { changesBetween } from '../../../core/domain/accounts/act-changes.ts'
import { disableWebhook } from '../../../core/contract/webhooks/rows.ts'
import { webhookStatus } from '../../../core/delivery/webhooks.ts'
import type { Guarding, Process } from '../../../core/http/context.ts'
import { getVisible } from '../../../core/http/guard/visible-webhook.ts'
import { IdParams, named, operation } from '../../../core/http/reference/route-schema.ts'
import type { App } from '../../../core/http/server-types.ts'

/** Adds the route that pauses a webhook. A webhook that is already disabled keeps its reason. */
export function webhookPauseRoutes(app: App, context: Guarding & Process): void {
  const { pool, clock, hints, access } = context
  app.post(
    '/v1/webhooks/:id/disable',
    {
      config: { scope: 'webhooks', acts: true },
      schema: operation({
        tags: ['Webhooks'],
        operationId: 'disableWebhook',
        summary: 'Pause a webhook',
        answer: 'The paused webhook.',
        description:
          'Nothing is sent until it is enabled again. Delivery then continues where it stopped; no event is lost.',
        params: IdParams,
        answers: { 200: named('WebhookStatus') },
        problems: ['scope_missing', 'webhook_not_found'],
      }),
    },
    async (request) => {
      const { locationId, id, state } = await getVisible(context, request.key, request.params.id)
      if (state === 'enabled') {
        await disableWebhook(pool, { locationId, id }, { reason: 'paused', at: clock() })
        hints.changed(id)
        await access.act(request.key, 'webhook.disabled', id, changesBetween({ state }, { state: 'disabled' }))
        hints.committed(locationId)
      }
      return webhookStatus(pool, await getVisible(context, request.key, id))
    },
  )
}
