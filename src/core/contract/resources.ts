import { Type, type TSchema } from 'typebox'
import { BookAccountsVersion } from '../../modules/books/schemas/books-accounts.ts'
import { BookBatch } from '../../modules/books/schemas/books.ts'
import { Checkpoint } from '../../modules/proofs/schemas/checkpoints.ts'
import { Closing } from '../../modules/proofs/schemas/closings.ts'
import { BusinessDay } from '../../modules/figures/schemas/business-days.ts'
import { catalogLists } from './catalog/schema.ts'
import { DisabledWebhook } from './webhooks/disabled.ts'
import { DeviceStatus } from '../../modules/figures/schemas/device-status.ts'
import { Location } from './location/schema.ts'
import { Order } from './orders/schema.ts'
import { PageOf, PageWithoutLinksOf } from './paging/schema.ts'
import { Report } from './reports/schema.ts'
import { SourceDifference } from '../../modules/sources/schemas/sources.ts'

/**
 * Describes every resource that a till pushes, by the type of its record: the shape in which it is pushed, stored and
 * read, the events that its changes mean, each with a summary, and the envelope of its list where that has pages.
 * `src/store/resources/` says how each is stored.
 */
export const resources = {
  order: {
    schema: Order,
    page: PageOf,
    events: {
      'order.created': 'The first version of an order arrived.',
      'order.updated': 'A newer version of an order arrived.',
      'order.paid': 'An order is closed, not canceled, and its payments cover the total; once in its life.',
      'order.canceled': 'An order was canceled.',
      'order.transferred': 'An order was transferred.',
    },
  },
  report: {
    schema: Report,
    page: PageWithoutLinksOf,
    events: {
      'report.created': 'The first version of a Z report arrived.',
      'report.updated': 'A newer version of a Z report arrived.',
    },
  },
  'catalog.products': {
    schema: catalogLists.products,
    events: { 'catalog.products.updated': 'The list of products changed.' },
  },
  'catalog.modifiers': {
    schema: catalogLists.modifiers,
    events: { 'catalog.modifiers.updated': 'The list of modifier groups changed.' },
  },
  'catalog.payments': {
    schema: catalogLists.payments,
    events: { 'catalog.payments.updated': 'The list of payment methods changed.' },
  },
  'catalog.taxes': {
    schema: catalogLists.taxes,
    events: { 'catalog.taxes.updated': 'The list of taxes changed.' },
  },
  location: {
    schema: Location,
    events: { 'location.updated': 'The location or its devices changed.' },
  },
  'device.status': { schema: DeviceStatus, events: {} },
} as const

/** Describes the entries that Tillgate itself writes to the journal, by their kind; they cannot be pushed. */
const findings = {
  day: {
    schema: BusinessDay,
    events: {
      'day.completed': 'A business day is over, every device has closed it, and nothing is missing.',
      'day.revised': 'A business day changed after it was complete.',
    },
  },
  accounts: {
    schema: BookAccountsVersion,
    events: { 'accounts.updated': 'The accounts on which the location books changed.' },
  },
  batch: {
    schema: BookBatch,
    events: { 'batch.created': 'A batch of booking entries was issued.' },
  },
  closing: {
    schema: Closing,
    events: { 'closing.created': 'A business day, month or fiscal year was closed.' },
  },
  checkpoint: {
    schema: Checkpoint,
    events: { 'checkpoint.created': 'A head of the tree over the journal was signed.' },
  },
  webhook: {
    schema: DisabledWebhook,
    events: { 'webhook.disabled': 'A webhook of the location is called no more.' },
  },
  source: {
    schema: SourceDifference,
    events: {
      'source.differs': 'A business day of a source is not what the source says, also after it was read again.',
    },
  },
} as const

type Resources = typeof resources
type Findings = typeof findings

/** Names what a record is about. */
export type RecordType = keyof Resources

/** Names an event a webhook can register for. */
export type EventType =
  | { [Type in RecordType]: keyof Resources[Type]['events'] }[RecordType]
  | { [Kind in keyof Findings]: keyof Findings[Kind]['events'] }[keyof Findings]

type Page = typeof PageOf | typeof PageWithoutLinksOf

const entries: { type: RecordType; schema: TSchema; page?: Page; events: Record<string, string> }[] = Object.entries(
  resources,
).map(([type, resource]) => ({ type: type as RecordType, ...resource }))

export const recordTypes: RecordType[] = entries.map(({ type }) => type)

/** The read shape of each record. */
export const recordSchemas = Object.fromEntries(entries.map(({ type, schema }) => [type, schema])) as {
  [Type in RecordType]: Resources[Type]['schema']
}

/** What is listed page by page, and its pages, under their names in the OpenAPI document. */
export const listedShapes: Record<string, TSchema> = Object.fromEntries(
  entries.flatMap(({ schema, page }) => {
    const { title } = schema as unknown as { title: string }
    const pages = `${title}Page`
    return page ? [[title, schema] as const, [pages, page(Type.Unsafe({ $ref: `${title}#` }), pages)] as const] : []
  }),
)

/** Lists everything that events are about. `key` names the member of `data` that tells one from another; null: there is one only. */
const told: { kind: string; key: string | null; schema: TSchema; events: Record<string, string> }[] = [
  ...entries.map(({ type, schema, events }) => ({
    kind: type,
    key: type.startsWith('catalog.') ? null : 'id',
    schema,
    events,
  })),
  { kind: 'day', key: 'date', ...findings.day },
  { kind: 'accounts', key: null, ...findings.accounts },
  { kind: 'batch', key: 'number', ...findings.batch },
  { kind: 'closing', key: 'id', ...findings.closing },
  { kind: 'checkpoint', key: 'size', ...findings.checkpoint },
  { kind: 'webhook', key: 'id', ...findings.webhook },
  { kind: 'source', key: 'id', ...findings.source },
]

export const eventSummaries = Object.assign({}, ...told.map(({ events }) => events)) as Record<EventType, string>

export const eventTypes = Object.keys(eventSummaries) as EventType[]

/**
 * What `data` of each event is: byte for byte what a GET of the resource answered at that moment (decision 0011).
 */
export const eventData = Object.fromEntries(
  told.flatMap(({ schema, events }) => Object.keys(events).map((event) => [event, schema])),
) as Record<EventType, TSchema>

/** Says which resource each event is about: its kind, and the member of `data` that tells one of the kind from another. */
export const eventResources = Object.fromEntries(
  told.flatMap(({ kind, key, events }) => Object.keys(events).map((event) => [event, { kind, key }])),
) as Record<EventType, { kind: string; key: string | null }>
