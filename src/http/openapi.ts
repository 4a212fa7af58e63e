import swagger from '@fastify/swagger'
import { Type, type TSchema } from 'typebox'
import { CatalogModifierGroup, CatalogPayment, CatalogProduct, CatalogTax } from '../schemas/catalog.ts'
import { Problem } from '../schemas/errors.ts'
import {
  Event,
  EventPage,
  eventSchema,
  eventSummaries,
  EventTypeDescription,
  eventTypes,
  HistoryEntry,
  type EventType,
} from '../schemas/events.ts'
import { Health } from '../schemas/health.ts'
import { IngestAnswer, IngestRecord } from '../schemas/ingest.ts'
import { Location } from '../schemas/locations.ts'
import { Order } from '../schemas/orders.ts'
import { PageOf, PageWithoutLinksOf } from '../schemas/pages.ts'
import { Reconciliation } from '../schemas/reconciliation.ts'
import { Report } from '../schemas/reports.ts'
import { Delivery, DeliveryPage, TestResult, Webhook, WebhookSecret, WebhookStatus } from '../schemas/webhooks.ts'
import type { App } from './context.ts'
import { named } from './route-schema.ts'

/** `components.schemas` of the document, by name. */
const resources: Record<string, TSchema> = {
  Order,
  OrderPage: PageOf(named('Order'), 'OrderPage'),
  CatalogProduct,
  CatalogModifierGroup,
  CatalogPayment,
  CatalogTax,
  Location,
  Report,
  ReportPage: PageWithoutLinksOf(named('Report'), 'ReportPage'),
  Reconciliation,
  Health,
  Webhook,
  WebhookPage: PageOf(named('Webhook'), 'WebhookPage'),
  WebhookTestResult: TestResult,
  WebhookSecret,
  WebhookStatus,
  Delivery,
  DeliveryPage,
  Event,
  EventPage,
  EventTypeDescription,
  HistoryEntry,
  IngestRecord,
  IngestAnswer,
  Problem,
}

const about = `Orders, reports, catalog and location of a point-of-sale installation, read over HTTP.

Send the API key as \`X-API-Key\` or as \`Authorization: Bearer\`. Times are UTC. Order amounts are decimal major units,
tax included; catalog and report amounts are integers of cents. Errors are problem documents (RFC 9457) with a closed list
of codes, each with a page under \`/docs/errors/\`. Sets such as \`channel\` are open: expect new values. \`/v1\` only grows.`

const tags = [
  ['Orders', 'What was sold.'],
  ['Catalog', 'What can be sold, as configured on the POS.'],
  ['Location', 'The restaurant the key belongs to.'],
  ['Reports', 'Z reports: what a till closed.'],
  ['Webhooks', 'Who is called when something happens.'],
  ['Events', 'What happened, in order.'],
  ['Health', 'State of the service.'],
  ['Ingest', 'How tills push.'],
].map(([name, description]) => ({ name: name as string, description: description as string }))

const signatureHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
  name,
  in: 'header' as const,
  required: true,
  description: 'Standard Webhooks 1.0.',
  schema: { type: 'string' as const },
}))

const eventResources: [prefix: string, name: string, isList: boolean][] = [
  ['order.', 'Order', false],
  ['report.', 'Report', false],
  ['location.', 'Location', false],
  ['catalog.products.', 'CatalogProduct', true],
  ['catalog.modifiers.', 'CatalogModifierGroup', true],
  ['catalog.payments.', 'CatalogPayment', true],
  ['catalog.taxes.', 'CatalogTax', true],
]

const reference = (name: string) => Type.Unsafe({ $ref: `#/components/schemas/${name}` })

/** The `data` of an event by the name of its resource, so that the document has each resource once. */
function dataReference(type: EventType): TSchema {
  const [, name, isList] = eventResources.find(([prefix]) => type.startsWith(prefix)) ?? ['', 'Order', false]
  return isList ? Type.Array(reference(name)) : reference(name)
}

/** What the receiver of an event has to serve. */
function webhookOperation(type: EventType) {
  return {
    post: {
      tags: ['Webhooks'],
      operationId: type.replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary: eventSummaries[type],
      parameters: signatureHeaders,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: eventSchema(type, dataReference(type)) } },
      },
      responses: { '2XX': { description: 'Received. Anything else, and redirects too, is tried again.' } },
    },
  }
}

const record = reference('IngestRecord')

/** The body of ingest is a stream to the server, so its route has no schema that could tell this. */
const ingestBody = {
  required: true,
  content: {
    'application/x-ndjson': {
      schema: { type: 'string', description: 'One IngestRecord a line.' },
      examples: { line: { value: '{"type":"catalog.taxes","data":[]}\n' } },
    },
    'application/json': { schema: { oneOf: [record, Type.Array(record)] } },
  },
}

/** Collects the routes made after it into the OpenAPI document. */
export async function describeOperations(app: App, version: string): Promise<void> {
  for (const [$id, schema] of Object.entries(resources)) app.addSchema({ ...schema, $id })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tillgate',
        version,
        description: about,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      tags,
      webhooks: Object.fromEntries(eventTypes.map((type) => [type, webhookOperation(type)])),
      components: {
        securitySchemes: {
          apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', description: 'Key of one location.' },
          bearer: { type: 'http', scheme: 'bearer', description: 'The same key as a bearer token.' },
        },
      },
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const { paths } = document.openapiObject
      Object.assign(paths?.['/v1/ingest/']?.post ?? {}, { requestBody: ingestBody })
      return document.openapiObject
    },
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, i) => (typeof $id === 'string' ? $id : `def-${i}`),
    },
  })
}
