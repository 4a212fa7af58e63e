import { Type } from 'typebox'
import { breakerThreshold } from '../../../../core/domain/journal/retry-schedule.ts'
import type { AdminWebhook } from '../../schemas/admin.ts'
import { Choice, closed } from '../../../../core/contract/scalars.ts'
import { listWebhooksOf } from '../../store/admin.ts'
import type { Process } from '../../../../core/http/context.ts'
import type { App } from '../../../../core/http/server-types.ts'
import { named, operation } from '../../../../core/http/reference/route-schema.ts'
import { toWebhook } from '../../../../core/contract/webhooks/routes.ts'
import { locationParameter, pageQuery, walkLocations } from '../../../../core/http/parameters/location-pages.ts'

const WebhookQuery = Type.Object(
  {
    ...pageQuery,
    location: locationParameter,
    state: Type.Optional(Choice(['enabled', 'failing', 'disabled'], { description: 'Only webhooks in this state.' })),
  },
  closed,
)

/** A row as the store lists it, before it is shaped for the answer. */
type Listed = Awaited<ReturnType<typeof listWebhooksOf>>[number]

export function toAdminWebhook(row: Listed): AdminWebhook {
  const enabled = row.failures >= breakerThreshold ? 'failing' : 'enabled'
  const isDisabled = row.state === 'disabled'
  return {
    ...toWebhook(row),
    state: isDisabled ? 'disabled' : enabled,
    disabledReason: row.disabledReason,
    sequence: row.cursor,
    behind: row.behind,
    setAside: row.setAside,
    failures: row.failures,
    failingSince: row.failingSince?.toISOString() ?? null,
    nextAttemptAt: isDisabled ? null : (row.retryAt?.toISOString() ?? null),
  }
}

export function adminWebhookRoutes(app: App, { pool }: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/admin/webhooks/',
    {
      config: { scope: 'admin' },
      schema: operation({
        tags: ['Admin'],
        operationId: 'adminListWebhooks',
        answer: 'Webhooks of a page of locations.',
        summary: 'List the webhooks of all locations',
        description: 'Returns the webhooks of a page of locations with their state.',
        query: WebhookQuery,
        answers: { 200: named('AdminWebhookPage') },
        problems: ['scope_missing'],
      }),
    },
    async (request) => {
      const { state } = request.query
      // A page of locations may have no webhook in the state: the next page of locations is then read, so that only the
      // last page can be empty.
      let data: AdminWebhook[] = []
      const meta = await walkLocations(pool, request.query, async (ids) => {
        const all = (await listWebhooksOf(pool, ids)).map(toAdminWebhook)
        data = state === undefined ? all : all.filter((webhook) => webhook.state === state)
        return data.length === 0
      })
      return { data, meta }
    },
  )
}
