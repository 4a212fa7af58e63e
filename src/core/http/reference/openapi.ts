import swagger from '@fastify/swagger'
import { Type, type TSchema } from 'typebox'
import { AccessPage, AdminActPage } from '../../schemas/access.ts'
import { CatalogVersionPage } from '../../contract/catalog/schema.ts'
import { Problem } from '../../contract/errors/schema.ts'
import {
  Event,
  EventPage,
  eventResources,
  eventSummaries,
  EventTypeDescription,
  eventTypes,
  HistoryEntry,
  ReportHistoryEntry,
  JournalEntry,
  JournalHead,
  type EventType,
} from '../../schemas/events.ts'
import { KeyErrorList, KeyUsage, OwnKey } from '../../schemas/keys.ts'
import { Health } from '../../contract/health/schema.ts'
import { IngestAnswer, IngestRecord } from '../../schemas/ingest.ts'
import { PageOf } from '../../contract/paging/schema.ts'
import { LocationSettings } from '../../contract/location/schema.ts'
import { eventData, listedShapes } from '../../contract/resources.ts'
import {
  Delivery,
  DeliveryDetail,
  DeliveryFailureList,
  DeliveryPage,
  PendingPage,
  ReplayAnswer,
  Resent,
  TestResult,
  Webhook,
  WebhookSecret,
  WebhookStatistics,
  WebhookStatus,
} from '../../contract/webhooks/schema.ts'
import { serverParts } from '../../modules.ts'
import type { App } from '../server-types.ts'
import { finishDocument } from './openapi-document.ts'
import { contractTag, named } from './route-schema.ts'

declare module '../../modules.ts' {
  interface ModuleServer {
    /** Text below the introduction of the OpenAPI document. */
    about?: string
    /** Shapes of the OpenAPI document, by name. */
    schemas?: Record<string, TSchema>
  }
}

/** The resources in events, by title. Resources that are only pushed have just the shape of their record. */
const resourceComponents = Object.fromEntries(
  Object.values(eventData).map((schema: TSchema) => {
    const { items } = schema as { items?: TSchema }
    const component = items ?? schema
    return [(component as unknown as { title: string }).title, component]
  }),
)

/** Becomes `components.schemas` of the document, by name. */
const components = (): Record<string, TSchema> => ({
  // Before the events, whose parts would otherwise take the titles of these schemas.
  ...Object.assign({}, ...serverParts().map((part) => part.schemas)),
  ...resourceComponents,
  ...listedShapes,
  LocationSettings,
  Health,
  Webhook,
  WebhookPage: PageOf(named('Webhook'), 'WebhookPage'),
  WebhookTestResult: TestResult,
  WebhookSecret,
  WebhookStatus,
  Delivery,
  DeliveryPage,
  DeliveryDetail,
  DeliveryFailureList,
  PendingPage,
  ReplayAnswer,
  Resent,
  WebhookStatistics,
  Event,
  EventPage,
  EventTypeDescription,
  CatalogVersionPage,
  HistoryEntry,
  ReportHistoryEntry,
  JournalEntry,
  JournalHead,
  IngestRecord,
  IngestAnswer,
  AccessPage,
  AdminActPage,
  OwnKey,
  KeyUsage,
  KeyErrorList,
  Problem,
})

/** Writes the introduction of the document: what a reader must know before the first operation. */
const about = () => `Orders, reports, catalog and location of a point-of-sale installation, read over HTTP.

Send the API key as \`X-API-Key\` or as \`Authorization: Bearer\`. Times are UTC. Order amounts are decimal major units,
tax included. All other amounts are integers in minor units: hundredths of the currency, or thousandths if it has three
decimals. Errors are problem documents (RFC 9457) with a closed list of codes, each with a page under \`/docs/errors/\`. Sets such as \`channel\` are open: expect new values. \`/v1\` only grows.${serverParts()
  .map(({ about: more }) => (more ? `\n\n${more}` : ''))
  .join('')}`

/** The groups of operations, in the order of the reference. */
const tags = [
  [
    contractTag,
    'The operations of the specification. Every installation has them, and no field of their responses is ever renamed or removed.',
  ],
  ['Orders', 'History, proof and search of orders.'],
  ['Catalog', 'Changes of the catalog.'],
  ['Location', 'Settings, devices and access log of the location of the key.'],
  ['Reports', 'History, reconciliation and proof of Z reports.'],
  ['Figures', 'Sales figures, and whether they are complete.'],
  ['Books', 'Booking entries of closed business days.'],
  ['Webhooks', 'Registration and delivery of webhooks.'],
  ['Events', 'The event feed and the journal.'],
  ['Health', 'State of the service.'],
  ['Ingest', 'Pushes from tills.'],
  ['Keys', 'Information about the key itself.'],
  ['Admin', 'Administration of the installation, for keys and sessions with scope `admin`.'],
  ['Console', 'Sign-in links and sessions of the console.'],
].map(([name, description]) => ({ name: name as string, description: description as string }))

/** Headers of every delivery, described for each webhook of the document (docs/contract/webhooks.md). */
const signatureHeaders = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => ({
  name,
  in: 'header' as const,
  required: true,
  description: 'Standard Webhooks 1.0; [how to verify it](../docs/webhooks#verify-the-signature).',
  schema: { type: 'string' as const },
}))

/** Describes what the receiver of an event has to serve. */
function webhookOperation(type: EventType) {
  return {
    post: {
      tags: ['Webhooks'],
      operationId: type.replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary: type,
      description: eventSummaries[type],
      security: [],
      // For clients that store one document per resource.
      'x-resource': eventResources[type],
      parameters: signatureHeaders,
      // `finishDocument` puts the schema of the event here.
      requestBody: { required: true, content: {} },
      responses: { '2XX': { description: 'Received. Any other status, including redirects, is retried.' } },
    },
  }
}

/** Refers to one line of a push; the component is a union over all types of record. */
const record = Type.Unsafe({ $ref: '#/components/schemas/IngestRecord' })

/** The server reads the body of ingest as a stream, so its route has no schema. */
const ingestBody = {
  required: true,
  content: {
    'application/x-ndjson': {
      schema: { type: 'string', description: 'One IngestRecord per line.' },
      examples: { line: { value: '{"type":"catalog.taxes","data":[]}\n' } },
    },
    'application/json': { schema: { oneOf: [record, Type.Array(record)] } },
  },
}

/** Collects the routes added after it into the OpenAPI document. */
export async function describeOperations(app: App, version: string): Promise<void> {
  for (const [$id, schema] of Object.entries(components())) app.addSchema({ ...schema, $id })
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Tillgate',
        version,
        description: about(),
        contact: { name: 'Operator of this server' },
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
    // Adds the scope that an operation needs, as its route states it and the server checks it.
    transform: ({ schema, url, route }) => {
      const { scope } = route.config ?? {}
      return { schema: scope === undefined ? schema : { ...schema, 'x-scope': scope }, url }
    },
    transformObject: (document) => {
      if (!('openapiObject' in document)) return document.swaggerObject
      const { paths } = document.openapiObject
      Object.assign(paths?.['/v1/ingest/']?.post ?? {}, { requestBody: ingestBody })
      return finishDocument(document.openapiObject)
    },
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, i) => (typeof $id === 'string' ? $id : `def-${i}`),
    },
  })
}
