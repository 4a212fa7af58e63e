import { Type } from 'typebox'
import { requestedPage, linkHeader, pageLinks, pageMeta } from '../paging/paging.ts'
import { changesBetween, loggedWebhook } from '../../domain/accounts/act-changes.ts'
import { testWebhook } from './test-send.ts'
import { upsertWebhook } from '../../delivery/webhooks.ts'
import { AppError, validationFailed } from '../errors/errors.ts'
import { WebhookPageQuery } from '../paging/schema.ts'
import { closed } from '../scalars.ts'
import { TestInput, WebhookInput, type Webhook } from './schema.ts'
import type { ApiKey } from '../../store/accounts/api-keys.ts'
import { deleteWebhook, listWebhooks, type WebhookRow } from './rows.ts'
import { baseUrl } from '../../http/base-url.ts'
import type { Guarding, Delivering, Process, Shown } from '../../http/context.ts'
import type { App } from '../../http/server-types.ts'
import { endpointRefusal } from './endpoint-url-parameter.ts'
import { IdParams, named, operation } from '../../http/reference/route-schema.ts'
import { getVisible } from '../../http/guard/visible-webhook.ts'

/** Makes the response body of a webhook, with its members in the documented order. */
export function toWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    events: row.events,
    endpointUrl: row.endpointUrl,
    locationId: row.locationId,
    recipientId: row.recipientId,
    ...(row.name === null ? {} : { name: row.name }),
  }
}

/** Throws 403 if a body names a location or recipient other than the key's (decision 0002). */
function requireOwn(key: ApiKey, locationId: string | undefined, recipientId?: string): void {
  if (locationId !== undefined && locationId.toLowerCase() !== key.locationId) {
    throw new AppError('location_forbidden', `locationId must be ${key.locationId}, the location of the key`)
  }
  if (recipientId !== undefined && key.recipientId !== null && recipientId.toLowerCase() !== key.recipientId) {
    throw new AppError('recipient_forbidden', `recipientId must be ${key.recipientId}, the recipient of the key`)
  }
}

const config = { scope: 'webhooks' } as const

const acting = { scope: 'webhooks', acts: true } as const

const tags: [string] = ['Webhooks']

function listWebhooksRoute(app: App, context: Process & Shown): void {
  const { pool } = context
  app.get(
    '/v1/webhooks/',
    {
      config,
      schema: operation({
        contract: true,
        operationId: 'listWebhooks',
        headers: ['Link'],
        answer: 'Page of the webhooks that are visible to the key.',
        summary: 'List webhooks by creation date',
        description: 'A key with a recipient lists only the webhooks of that recipient.',
        query: Type.Object(WebhookPageQuery, closed),
        answers: { 200: named('WebhookPage') },
        problems: ['scope_missing'],
      }),
    },
    async (request, reply) => {
      const { locationId, recipientId } = request.key
      const page = requestedPage(request.query)
      const offset = Math.min(page.index * page.size, Number.MAX_SAFE_INTEGER)
      const found = await listWebhooks(pool, locationId, recipientId, { limit: page.size, offset })
      const meta = pageMeta(page, found.totalCount)
      const links = pageLinks(baseUrl(context, request) + request.url, meta)
      return reply.header('link', linkHeader(links)).send({ data: found.webhooks.map(toWebhook), meta, links })
    },
  )
}

function upsertWebhookRoute(app: App, context: Guarding & Delivering & Process & Shown): void {
  const { pool, endpointPolicy, clock, hints } = context
  app.post(
    '/v1/webhooks/',
    {
      config: acting,
      schema: operation({
        contract: true,
        operationId: 'upsertWebhook',
        answer: { 200: 'The updated webhook.', 201: 'The created webhook.' },
        summary: 'Create or update a webhook',
        description:
          'Without `id`, location and recipient decide: if they have no webhook, one is created; if they have one, it is updated; if they have several, the ' +
          'one with the same endpoint is updated. A new webhook receives events from now on.',
        body: WebhookInput,
        answers: { 200: named('Webhook'), 201: named('Webhook') },
        problems: [
          'scope_missing',
          'location_forbidden',
          'recipient_forbidden',
          'webhook_ambiguous',
          'webhook_id_taken',
          'webhook_limit',
          'body_invalid',
          'body_too_large',
          'media_type_unsupported',
        ],
      }),
    },
    async (request, reply) => {
      const { key, body } = request
      requireOwn(key, body.locationId, body.recipientId)
      const refusal = endpointRefusal(body.endpointUrl, endpointPolicy)
      if (refusal) {
        const { code, detail } = refusal
        throw validationFailed([{ in: 'body', pointer: '/endpointUrl', code, detail: `endpointUrl: ${detail}` }])
      }
      const { webhooksPerLocation } = context.limits
      const registrar = { visibleTo: key.recipientId, webhooksPerLocation }
      const input = { ...body, locationId: key.locationId }
      const { webhook, before } = await upsertWebhook(pool, input, registrar, clock())
      hints.changed(webhook.id)
      const changes = changesBetween(before && loggedWebhook(before), loggedWebhook(webhook))
      await context.access.act(key, before ? 'webhook.changed' : 'webhook.created', webhook.id, changes)
      return reply.code(before ? 200 : 201).send(toWebhook(webhook))
    },
  )
}

/** The specification defines the id of a tested webhook as a string; if it is not a UUID, no webhook has it. */
const TestParams = Type.Object({ id: Type.String({ examples: ['7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'] }) }, closed)

function testWebhookRoute(app: App, context: Delivering & Process): void {
  const { sender, clock } = context
  app.post(
    '/v1/webhooks/test/:id',
    {
      config,
      schema: operation({
        contract: true,
        operationId: 'testWebhook',
        answer: 'Response of the endpoint to each event.',
        summary: 'Send a test payload for each event',
        description:
          'The payloads contain fake data, are signed, follow the schema of their event and carry the header `webhook-test: true`. Always ' +
          'returns 200 with an entry per event; if the endpoint cannot be reached, its `status` is 0. One test per webhook runs at a ' +
          'time, at most ten per minute.',
        params: TestParams,
        body: TestInput,
        answers: { 200: named('WebhookTestResult') },
        problems: [
          'scope_missing',
          'location_forbidden',
          'webhook_not_found',
          'body_invalid',
          'media_type_unsupported',
        ],
      }),
    },
    async (request) => {
      requireOwn(request.key, request.body?.locationId)
      const webhook = await getVisible(context, request.key, request.params.id)
      context.testRate?.take(webhook.id, clock().getTime())
      const leave = context.tests.enter(webhook.id)
      try {
        return await testWebhook(sender, webhook, clock())
      } finally {
        leave()
      }
    },
  )
}

function getWebhookRoute(app: App, context: Pick<Process, 'pool'>): void {
  app.get(
    '/v1/webhooks/:id',
    {
      config,
      schema: operation({
        tags,
        operationId: 'getWebhook',
        answer: 'The webhook, without its secret.',
        summary: 'Read one webhook',
        description: 'The secret is not included: read it with `GET /v1/webhooks/{id}/secret`.',
        params: IdParams,
        answers: { 200: named('Webhook') },
        problems: ['scope_missing', 'webhook_not_found'],
      }),
    },
    async (request) => toWebhook(await getVisible(context, request.key, request.params.id)),
  )
}

function deleteWebhookRoute(app: App, context: Guarding & Process): void {
  const { pool, hints } = context
  app.delete(
    '/v1/webhooks/:id',
    {
      config: acting,
      schema: operation({
        tags,
        operationId: 'deleteWebhook',
        answer: 'Deleted; nothing more is sent.',
        summary: 'Delete a webhook',
        description: 'Deliveries in progress finish; pending events are not sent. The id can be used again.',
        params: IdParams,
        answers: { 204: Type.Null({ description: 'Deleted; nothing more is sent.' }) },
        problems: ['scope_missing', 'webhook_not_found'],
      }),
    },
    async (request, reply) => {
      const webhook = await getVisible(context, request.key, request.params.id)
      await deleteWebhook(pool, webhook.locationId, webhook.id)
      hints.changed(webhook.id)
      await context.access.act(request.key, 'webhook.deleted', webhook.id, changesBetween(loggedWebhook(webhook), null))
      return reply.code(204).send()
    },
  )
}

/**
 * Adds the operations on webhooks: list, upsert, read, delete and test (specification 9.9 to 9.12, decisions 0016 and
 * 0017). A key bound to a recipient sees and changes only that recipient's webhooks; other webhooks return 404.
 */
export function webhookRoutes(app: App, context: Guarding & Delivering & Process & Shown): void {
  listWebhooksRoute(app, context)
  upsertWebhookRoute(app, context)
  testWebhookRoute(app, context)
  getWebhookRoute(app, context)
  deleteWebhookRoute(app, context)
}
