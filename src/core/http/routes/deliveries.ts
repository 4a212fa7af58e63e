import { changesBetween } from '../../domain/accounts/act-changes.ts'
import { Type } from 'typebox'
import { sampleData } from '../../domain/documents/samples.ts'
import { sampleEpoch, toMessage } from '../../domain/journal/messages.ts'
import { keptAttempts } from '../../delivery/housekeeping.ts'
import { rotateSecret, webhookStatus } from '../../delivery/webhooks.ts'
import { AppError } from '../../contract/errors/errors.ts'
import { eventSummaries, eventTypes, publishedEventSchema, type EventType } from '../../schemas/events.ts'
import { DatedPageQuery, PageQuery } from '../../contract/paging/schema.ts'
import { Choice, closed } from '../../contract/scalars.ts'
import type { Delivery, DeliveryFailureList, DisabledReason } from '../../contract/webhooks/schema.ts'
import { countFailures, listDeliveries } from '../../store/webhooks/webhook-attempts.ts'
import { enableWebhook } from '../../contract/webhooks/rows.ts'
import type { Guarding, Process, Shown } from '../context.ts'
import type { App, Caller } from '../server-types.ts'
import { openBody, sendBody } from '../answers/replies.ts'
import { readDates } from '../../contract/paging/query-dates.ts'
import { getVisible } from '../guard/visible-webhook.ts'
import { IdParams, listOf, named, operation } from '../reference/route-schema.ts'
import { readTimeCursor, timeCursor } from '../parameters/time-cursor.ts'

/** Selects a part of the delivery log. */
const logPart = {
  since: DatedPageQuery.since,
  until: DatedPageQuery.until,
  event: Type.Optional(Choice(eventTypes, { description: 'Only attempts for this event.' })),
}

/** The filters of the delivery log, combined with “and”. */
const DeliveryQuery = Type.Object(
  {
    size: PageQuery.size,
    ...logPart,
    outcome: Type.Optional(Choice(['success', 'failure'], { description: 'Only attempts with this outcome.' })),
    cursor: Type.Optional(Type.String({ description: '`meta.next` of the previous page.', maxLength: 200 })),
  },
  closed,
)

type LogPart = { since?: string; until?: string; event?: EventType }

/** Attempts for a former recipient, and those of a deleted webhook with the same id, are excluded. */
function partOf({ event, ...dates }: LogPart, { recipientSince }: { recipientSince: Date }) {
  const { range } = readDates(dates)
  return {
    event: event ?? null,
    from: new Date(Math.max(range.first, recipientSince.getTime())),
    to: new Date(range.last),
  }
}

/** Reasons for which only an operator may enable a webhook again: other people may rely on its being disabled. */
const stopsOfOperators: ReadonlySet<DisabledReason> = new Set<DisabledReason>(['operator', 'key_revoked', 'restored'])

/** Throws `webhook_stopped` if only an operator may enable the webhook and the caller is not one. */
function requireOwnStop({ scopes }: Caller, reason: DisabledReason | null): void {
  if (reason === null || !stopsOfOperators.has(reason) || scopes.includes('admin')) return
  throw new AppError('webhook_stopped', `the webhook has disabledReason ${reason}: ask the operator to enable it`)
}

const config = { scope: 'webhooks' } as const

const acting = { scope: 'webhooks', acts: true } as const

const tags: [string] = ['Webhooks']

const params = IdParams

const found = ['scope_missing', 'webhook_not_found'] as const

type Texts = { summary: string; answer: string; description: string; problems?: ['webhook_stopped'] }

const of = (operationId: string, schema: string, { problems = [] as never, ...texts }: Texts) =>
  operation({
    tags,
    operationId,
    ...texts,
    params,
    answers: { 200: named(schema) },
    problems: [...found, ...problems],
  })

function listEventTypesRoute(app: App): void {
  app.get(
    '/v1/webhooks/event-types/',
    {
      config,
      schema: operation({
        tags,
        operationId: 'listEventTypes',
        answer: 'All event types, each with its JSON Schema and a sample.',
        summary: 'List event types with schema and sample',
        description:
          'Event types that a webhook can register for, with the schema of each body. The list grows: ignore unknown names.',
        answers: { 200: listOf('EventTypeDescription') },
        problems: ['scope_missing'],
      }),
    },
    async (request) => {
      const { locationId } = request.key
      return eventTypes.map((name) => {
        const document = Buffer.from(JSON.stringify(sampleData(name, locationId)))
        const entry = { locationId, epoch: sampleEpoch, seq: 1, acceptedAt: '2026-03-14T12:50:01.000Z', document }
        const sample: unknown = JSON.parse(toMessage(entry, name).body.toString())
        return { name, description: eventSummaries[name], schema: publishedEventSchema(name), sample }
      })
    },
  )
}

function getWebhookSecretRoute(app: App, context: Guarding & Process): void {
  app.get(
    '/v1/webhooks/:id/secret',
    {
      config: acting,
      schema: of('getWebhookSecret', 'WebhookSecret', {
        summary: 'Read the signing secret',
        answer: 'The secret that signs deliveries.',
        description: 'Only this operation and the rotation return the secret. Store it like a password.',
      }),
    },
    async (request, reply) => {
      const { id, secret } = await getVisible(context, request.key, request.params.id)
      await context.access.act(request.key, 'webhook.secret_read', id)
      return reply.header('cache-control', 'no-store').send({ secret })
    },
  )
}

function rotateWebhookSecretRoute(app: App, context: Guarding & Process): void {
  const { pool, clock, hints } = context
  app.post(
    '/v1/webhooks/:id/secret/rotate',
    {
      config: acting,
      schema: of('rotateWebhookSecret', 'WebhookSecret', {
        summary: 'Rotate the signing secret',
        answer: 'The new secret. The old one also signs for 24 hours, or until the next rotation.',
        description: 'For 24 hours, or until the next rotation, deliveries carry both signatures.',
      }),
    },
    async (request, reply) => {
      const { locationId, id } = await getVisible(context, request.key, request.params.id)
      const webhook = await rotateSecret(pool, locationId, id, clock())
      if (!webhook) throw new AppError('webhook_not_found')
      hints.changed(id)
      await context.access.act(request.key, 'webhook.secret_rotated', id)
      return reply.header('cache-control', 'no-store').send({ secret: webhook.secret })
    },
  )
}

function getWebhookStatusRoute(app: App, context: Pick<Process, 'pool'>): void {
  const { pool } = context
  app.get(
    '/v1/webhooks/:id/status',
    {
      config,
      schema: of('getWebhookStatus', 'WebhookStatus', {
        summary: 'Read the delivery status',
        answer: 'Delivery status of the webhook.',
        description: 'Returns the state of the webhook, how far it is behind, and the time of the next attempt.',
      }),
    },
    async (request) => webhookStatus(pool, await getVisible(context, request.key, request.params.id)),
  )
}

function enableWebhookRoute(app: App, context: Guarding & Process): void {
  const { pool, clock, hints } = context
  app.post(
    '/v1/webhooks/:id/enable',
    {
      config: acting,
      schema: of('enableWebhook', 'WebhookStatus', {
        summary: 'Resume a disabled or failing webhook',
        answer: 'The webhook delivers again.',
        description:
          'Delivery continues where it stopped; no event is lost. A webhook disabled by an operator or a restore can only be enabled by an operator.',
        problems: ['webhook_stopped'],
      }),
    },
    async (request) => {
      const { locationId, id, state, disabledReason } = await getVisible(context, request.key, request.params.id)
      requireOwnStop(request.key, disabledReason)
      await enableWebhook(pool, locationId, id, clock())
      hints.changed(id)
      await context.access.act(request.key, 'webhook.enabled', id, changesBetween({ state }, { state: 'enabled' }))
      hints.committed(locationId)
      return webhookStatus(pool, await getVisible(context, request.key, id))
    },
  )
}

function listDeliveriesRoute(app: App, context: Guarding & Process & Shown): void {
  const { pool } = context
  app.get(
    '/v1/webhooks/:id/deliveries',
    {
      config,
      schema: operation({
        tags,
        operationId: 'listDeliveries',
        answer: 'Page of attempts, newest first.',
        summary: 'Read the delivery log',
        description:
          'Lists all attempts, newest first. By default they are kept for 30 days, and at most the last 10,000 of each webhook.',
        params,
        query: DeliveryQuery,
        answers: { 200: named('DeliveryPage') },
        problems: [...found],
      }),
    },
    async (request, reply) => {
      const { query } = request
      const webhook = await getVisible(context, request.key, request.params.id)
      const { locationId, id } = webhook
      const size = query.size ?? 10
      const filter = {
        ...partOf(query, webhook),
        success: query.outcome === undefined ? null : query.outcome === 'success',
        after: readTimeCursor(query.cursor),
        limit: size + 1,
      }
      const listed = await listDeliveries(pool, locationId, id, filter)
      const rows = listed.slice(0, size)
      const last = rows.at(-1)
      const next = last && listed.length > size ? timeCursor(last.at, last.id) : null
      const body = openBody(context, request, reply)
      for (const { document } of rows) body.addParts([document])
      return sendBody(reply, body, { meta: { next, keptDays: context.limits.deliveryDays, keptAttempts } })
    },
  )
}

function listDeliveryFailuresRoute(app: App, context: Pick<Process, 'pool'>): void {
  const { pool } = context
  app.get(
    '/v1/webhooks/:id/failures',
    {
      config,
      schema: operation({
        tags,
        operationId: 'listDeliveryFailures',
        answer: 'Causes of failures, most frequent first.',
        summary: 'Count failures by cause',
        description: 'Groups the failed attempts of the delivery log by error class and status.',
        params,
        query: Type.Object(logPart, closed),
        answers: { 200: named('DeliveryFailureList') },
        problems: [...found],
      }),
    },
    async (request): Promise<DeliveryFailureList> => {
      const webhook = await getVisible(context, request.key, request.params.id)
      const failures = await countFailures(pool, webhook, partOf(request.query, webhook))
      const data = failures.map(({ errorClass, status, count, firstAt, lastAt, document }) => {
        const { id: lastDeliveryId, message: lastMessage } = JSON.parse(document) as Delivery
        return {
          errorClass: errorClass as DeliveryFailureList['data'][number]['errorClass'],
          status,
          count,
          firstAt: firstAt.toISOString(),
          lastAt: lastAt.toISOString(),
          lastMessage,
          lastDeliveryId,
        }
      })
      return { data }
    },
  )
}

/** Adds operations beyond those of the specification: secret, state and delivery log of a webhook (decision 0018). */
export function deliveryRoutes(app: App, context: Guarding & Process & Shown): void {
  listEventTypesRoute(app)
  getWebhookSecretRoute(app, context)
  rotateWebhookSecretRoute(app, context)
  getWebhookStatusRoute(app, context)
  enableWebhookRoute(app, context)
  listDeliveriesRoute(app, context)
  listDeliveryFailuresRoute(app, context)
}
