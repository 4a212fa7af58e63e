import { changesBetween } from '../../domain/accounts/act-changes.ts'
import { Type } from 'typebox'
import { epochAt } from '../../domain/journal/lineage.ts'
import { messageId, toMessage } from '../../domain/journal/messages.ts'
import { AppError } from '../../contract/errors/errors.ts'
import { closed, Uuid } from '../../contract/scalars.ts'
import type { Delivery, DeliveryDetail } from '../../contract/webhooks/schema.ts'
import { whenThere } from '../../store/journal/asides.ts'
import { readEntries } from '../../store/journal/journal.ts'
import { findRedacted } from '../../store/repair/redactions.ts'
import { findDelivery, listAttemptsOf } from '../../store/webhooks/webhook-attempts.ts'
import { resendEvents } from '../../store/webhooks/webhook-resends.ts'
import { listRetries } from '../../store/webhooks/webhook-retries.ts'
import type { WebhookRow } from '../../contract/webhooks/rows.ts'
import type { Guarding, Delivering, Process } from '../context.ts'
import type { App } from '../server-types.ts'
import { getHeadWithLineage } from '../parameters/feed-cursor.ts'
import { IdParams, named, operation } from '../reference/route-schema.ts'
import { getVisible } from '../guard/visible-webhook.ts'

/** The path of one attempt: its webhook, and its own id. */
const DeliveryParams = Type.Object({ id: Uuid(), deliveryId: Uuid() }, closed)

const PendingQuery = Type.Object(
  {
    size: Type.Optional(
      Type.Integer({ default: 50, minimum: 1, maximum: 100, 'x-capped': true, description: 'Page size, at most 100.' }),
    ),
    cursor: Type.Optional(
      Type.String({
        pattern: '^[0-9]{1,15}$',
        'x-must': '`meta.next` of the previous page',
        description: '`meta.next` of the previous page.',
      }),
    ),
  },
  closed,
)

const config = { scope: 'webhooks' } as const

const tags: [string] = ['Webhooks']

const getDelivery = async ({ pool }: Pick<Process, 'pool'>, webhook: WebhookRow, id: string) => {
  const found = await findDelivery(pool, webhook, id.toLowerCase(), webhook.recipientSince)
  if (!found) throw new AppError('delivery_not_found')
  return { ...found, delivery: JSON.parse(found.document) as Delivery }
}

/** Returns the entry of the attempt; undefined if the journal was replaced later, or the document is archived. */
const findEntry = async (
  { pool }: Pick<Process, 'pool'>,
  { locationId }: WebhookRow,
  { sequence, messageId: id, event }: Delivery,
) => {
  const [entry] = (await whenThere(readEntries(pool, locationId, sequence - 1, 1))) ?? []
  return entry?.seq === sequence && toMessage(entry, event as never).id === id ? entry : undefined
}

function getDeliveryRoute(app: App, context: Pick<Process, 'pool'>): void {
  const { pool } = context
  app.get(
    '/v1/webhooks/:id/deliveries/:deliveryId',
    {
      config,
      schema: operation({
        tags,
        operationId: 'getDelivery',
        answer: 'The attempt, with the bytes sent and all attempts of its event.',
        summary: 'Read one attempt with its request',
        description: 'The body is rebuilt from the journal, byte for byte.',
        params: DeliveryParams,
        answers: { 200: named('DeliveryDetail') },
        problems: ['scope_missing', 'webhook_not_found', 'delivery_not_found'],
      }),
    },
    async (request): Promise<DeliveryDetail> => {
      const webhook = await getVisible(context, request.key, request.params.id)
      const { seq, type, delivery } = await getDelivery(context, webhook, request.params.deliveryId)
      const [entry, documents, redacted] = await Promise.all([
        findEntry(context, webhook, delivery),
        listAttemptsOf(pool, webhook, { seq, type }, webhook.recipientSince),
        findRedacted(pool, webhook.locationId),
      ])
      const attempts = documents.map((document) => {
        const { id, sentAt, attempt, success, status, durationMs } = JSON.parse(document) as Delivery
        return { id, sentAt, attempt, success, status, durationMs }
      })
      if (entry) request.handedOut = { documents: 1, from: seq, to: seq }
      const body = entry ? toMessage(entry, type).body.toString() : null
      return { ...delivery, request: { ...delivery.request, body, isExact: !redacted.has(seq) }, attempts }
    },
  )
}

function resendDeliveryRoute(app: App, context: Guarding & Delivering & Process): void {
  const { pool, clock, hints } = context
  app.post(
    '/v1/webhooks/:id/deliveries/:deliveryId/resend',
    {
      config: { ...config, acts: true },
      schema: operation({
        tags,
        operationId: 'resendDelivery',
        answer: 'The event is being sent; the attempt appears in the log when it has ended.',
        summary: 'Resend the event of an attempt',
        description:
          'Sends the event immediately, regardless of earlier results. Later events of the same resource wait for it. The `webhook-id` stays the same.',
        params: DeliveryParams,
        answers: { 202: named('Resent') },
        problems: ['scope_missing', 'webhook_not_found', 'delivery_not_found', 'webhook_disabled'],
      }),
    },
    async (request, reply) => {
      const webhook = await getVisible(context, request.key, request.params.id)
      const { seq, type, delivery } = await getDelivery(context, webhook, request.params.deliveryId)
      if (webhook.state === 'disabled') throw new AppError('webhook_disabled')
      context.resendRate?.take(webhook.id, clock().getTime())
      const entry = await findEntry(context, webhook, delivery)
      if (!entry) throw new AppError('delivery_not_found', 'the event is gone from the journal: it cannot be resent')
      const { kind, id: resourceId } = entry
      await resendEvents(pool, webhook, [{ seq, type, kind, resourceId, attempts: delivery.attempt }], clock())
      hints.changed(webhook.id)
      await context.access.act(
        request.key,
        'webhook.replayed',
        webhook.id,
        changesBetween(null, { sequence: seq, type }),
      )
      hints.committed(webhook.locationId)
      return reply.code(202).send({ messageId: delivery.messageId, sequence: seq, event: type })
    },
  )
}

function listPendingEventsRoute(app: App, context: Pick<Process, 'pool'>): void {
  const { pool } = context
  app.get(
    '/v1/webhooks/:id/pending',
    {
      config,
      schema: operation({
        tags,
        operationId: 'listPendingEvents',
        answer: 'Page of waiting events.',
        summary: 'List the events that wait for a retry',
        description:
          'In journal order, with later events of the same resource, which wait too. Other events are not included.',
        params: IdParams,
        query: PendingQuery,
        answers: { 200: named('PendingPage') },
        problems: ['scope_missing', 'webhook_not_found'],
      }),
    },
    async (request) => {
      const webhook = await getVisible(context, request.key, request.params.id)
      const { size = 50, cursor = '0' } = request.query
      const stretch = { after: Number(cursor), upTo: Number.MAX_SAFE_INTEGER }
      const [{ lineage }, listed] = await Promise.all([
        getHeadWithLineage(context, webhook.locationId),
        // A few rows more than the page, so that the page has all events of its last entry.
        listRetries(pool, webhook, stretch, size + eventsOfEntry),
      ])
      const last = listed[size - 1]?.seq
      const rows = last === undefined ? listed : listed.filter(({ seq }) => seq <= last)
      const data = rows.map(({ seq, type, kind, resourceId, attempts, nextAt }) => ({
        messageId: messageId({ locationId: webhook.locationId, epoch: epochAt(lineage, seq), seq }, type),
        sequence: seq,
        event: type,
        resource: kind,
        resourceId,
        attempts,
        nextAttemptAt: nextAt?.toISOString() ?? null,
      }))
      return { data, meta: { next: listed.length > rows.length ? String(rows.at(-1)?.seq) : null } }
    },
  )
}

/** Adds the operations on one attempt of a webhook: its request, and sending it again (docs/inside/05-delivery.md). */
export function deliveryDetailRoutes(app: App, context: Guarding & Delivering & Process): void {
  getDeliveryRoute(app, context)
  resendDeliveryRoute(app, context)
  listPendingEventsRoute(app, context)
}

/** Maximum number of events of one journal entry, with some margin. */
const eventsOfEntry = 20
