import swagger from '@fastify/swagger'
import scalar from '@scalar/fastify-api-reference'
import type { TSchema } from 'typebox'
import { AppError, problems, type ProblemCode } from '../errors.ts'
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

/** `components.schemas` of the document, by name. */
const resources: Record<string, TSchema> = {
  Order,
  OrderPage: PageOf(Order, 'OrderPage'),
  CatalogProduct,
  CatalogModifierGroup,
  CatalogPayment,
  CatalogTax,
  Location,
  Report,
  ReportPage: PageWithoutLinksOf(Report, 'ReportPage'),
  Reconciliation,
  Health,
  Webhook,
  WebhookPage: PageOf(Webhook, 'WebhookPage'),
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

/** What the receiver of an event has to serve. */
function webhookOperation(type: EventType) {
  return {
    post: {
      tags: ['Webhooks'],
      operationId: type.replaceAll(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()),
      summary: eventSummaries[type],
      parameters: signatureHeaders,
      requestBody: { required: true, content: { 'application/json': { schema: eventSchema(type) } } },
      responses: { '2XX': { description: 'Received. Anything else, and redirects too, is tried again.' } },
    },
  }
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
    refResolver: {
      buildLocalReference: ({ $id }, _base, _fragment, i) => (typeof $id === 'string' ? $id : `def-${i}`),
    },
  })
}

const isCode = (code: string): code is ProblemCode => Object.hasOwn(problems, code)

const page = (title: string, body: string) => `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${title} · Tillgate</title>
<style>body{font:16px/1.6 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color:#1c1c1e}
code{background:#f2f2f4;border-radius:4px;padding:.1em .3em}td,th{text-align:left;padding:.3rem 1rem .3rem 0;vertical-align:top}
@media(prefers-color-scheme:dark){body{background:#161618;color:#eee}code{background:#2a2a2e}a{color:#8ab4ff}}</style>
</head><body>${body}</body></html>`

function errorList(): string {
  const row = (code: ProblemCode) =>
    `<tr><td>${problems[code][0]}</td><td><a href="/docs/errors/${code}"><code>${code}</code></a></td><td>${problems[code][1]}</td></tr>`
  const rows = (Object.keys(problems) as ProblemCode[]).map(row).join('\n')
  return page(
    'Errors',
    `<h1>Errors</h1><p>Every error is a problem document (RFC 9457) with one of these codes.</p>
    <table><tr><th>Status</th><th>Code</th><th>Meaning</th></tr>${rows}</table><p><a href="/docs">API reference</a></p>`,
  )
}

function errorPage(code: ProblemCode): string {
  const [status, title, help] = problems[code]
  const text = help.replaceAll(/`([^`]+)`/g, '<code>$1</code>')
  return page(
    title,
    `<p><a href="/docs/errors">Errors</a></p><h1>${title}</h1>
    <p>Status ${status}, code <code>${code}</code></p><p>${text}</p>`,
  )
}

/** `/openapi.json`, the interactive reference at `/docs` and a page per error code. Nothing is loaded from outside. */
export async function documentationRoutes(app: App): Promise<void> {
  let document: Buffer | undefined
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(app.swagger()))
    return reply.header('content-type', 'application/json; charset=utf-8').send(document)
  })
  const html = 'text/html; charset=utf-8'
  app.get('/docs/errors', { schema: { hide: true } }, (_request, reply) =>
    reply.header('content-type', html).send(errorList()),
  )
  app.get<{ Params: { code: string } }>('/docs/errors/:code', { schema: { hide: true } }, (request, reply) => {
    const { code } = request.params
    if (!isCode(code)) throw new AppError('route_not_found', `there is no error code ${code}`)
    return reply.header('content-type', html).send(errorPage(code))
  })
  await app.register(scalar, {
    routePrefix: '/docs',
    configuration: {
      url: '/openapi.json',
      withDefaultFonts: false,
      hideClientButton: true,
      telemetry: false,
      // These lead to services outside.
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
      authentication: { preferredSecurityScheme: 'apiKey' },
      defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
      pageTitle: 'Tillgate API',
    },
  })
}
