import { Type, type TSchema } from 'typebox'
import { modules, type EntryKind } from '../modules.ts'
import { catalogLists } from './catalog/schema.ts'
import { DisabledWebhook } from './webhooks/disabled.ts'
import { Location } from './location/schema.ts'
import { Order } from './orders/schema.ts'
import { PageOf, PageWithoutLinksOf } from './paging/schema.ts'
import { Report } from './reports/schema.ts'

/**
 * Describes every resource that a till pushes, by record type: its shape when pushed, stored and read, the events of
 * its changes with a summary each, and the envelope of its list if it has pages. `all-resources.ts` describes how each
 * is stored.
 */
export const resources = {
  order: {
    schema: Order,
    page: PageOf,
    events: {
      'order.created': 'The first version of an order arrived.',
      'order.updated': 'A newer version of an order arrived.',
      'order.paid': 'An order was closed, is not canceled, and its payments cover the total. Sent once per order.',
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
} as const

/** Journal entries that Tillgate itself writes, by kind; they cannot be pushed. Modules add more kinds. */
const ownEntries = {
  webhook: {
    schema: DisabledWebhook,
    key: 'id',
    events: { 'webhook.disabled': 'A webhook of the location was disabled.' },
  },
} as const

type Resources = typeof resources
type Findings = typeof ownEntries

/** Records that modules add, by type, with their shapes. */
// oxlint-disable-next-line typescript/no-empty-object-type -- modules add to it
export interface ModuleRecords {}

/** Events that modules add, by their names. */
// oxlint-disable-next-line typescript/no-empty-object-type -- modules add to it
export interface ModuleEvents {}

export type RecordType = keyof Resources | keyof ModuleRecords

/** Name of an event that a webhook can register for. */
export type EventType =
  | { [Type in keyof Resources]: keyof Resources[Type]['events'] }[keyof Resources]
  | { [Kind in keyof Findings]: keyof Findings[Kind]['events'] }[keyof Findings]
  | keyof ModuleEvents

type Page = typeof PageOf | typeof PageWithoutLinksOf

type Pushed = { type: RecordType; schema: TSchema; page?: Page; events: Record<string, string> }

const entries: Pushed[] = [
  ...Object.entries(resources).map(([type, resource]) => ({ type: type as RecordType, ...resource })),
  ...modules().flatMap(({ records = {} }) =>
    Object.entries(records).map(([type, { schema }]) => ({ type: type as RecordType, schema, events: {} })),
  ),
]

const kinds: [kind: string, Pick<EntryKind, 'schema' | 'key' | 'events'>][] = [
  ...modules().flatMap((module) => Object.entries(module.kinds ?? {})),
  ...Object.entries(ownEntries),
]

export const recordTypes: RecordType[] = entries.map(({ type }) => type)

export const recordSchemas = Object.fromEntries(entries.map(({ type, schema }) => [type, schema])) as {
  [Type in RecordType]: Type extends keyof Resources
    ? Resources[Type]['schema']
    : Type extends keyof ModuleRecords
      ? ModuleRecords[Type]
      : never
}

/** The listed resources and their pages, by their names in the OpenAPI document. */
export const listedShapes: Record<string, TSchema> = Object.fromEntries(
  entries.flatMap(({ schema, page }) => {
    const { title } = schema as unknown as { title: string }
    const pages = `${title}Page`
    return page ? [[title, schema] as const, [pages, page(Type.Unsafe({ $ref: `${title}#` }), pages)] as const] : []
  }),
)

/** All kinds of resources with events. `key` is the member of `data` with the id; null if a location has only one. */
const eventSources: { kind: string; key: string | null; schema: TSchema; events: Record<string, string> }[] = [
  ...entries.map(({ type, schema, events }) => ({
    kind: type,
    key: type.startsWith('catalog.') ? null : 'id',
    schema,
    events,
  })),
  ...kinds.map(([kind, about]) => ({ kind, ...about })),
]

export const eventSummaries = Object.assign({}, ...eventSources.map(({ events }) => events)) as Record<
  EventType,
  string
>

export const eventTypes = Object.keys(eventSummaries) as EventType[]

/** The schema of each event's `data`: the bytes that a GET of the resource returned at that moment (decision 0011). */
export const eventData = Object.fromEntries(
  eventSources.flatMap(({ schema, events }) => Object.keys(events).map((event) => [event, schema])),
) as Record<EventType, TSchema>

/** Maps each event to its kind of resource and the member of `data` that identifies it. */
export const eventResources = Object.fromEntries(
  eventSources.flatMap(({ kind, key, events }) => Object.keys(events).map((event) => [event, { kind, key }])),
) as Record<EventType, { kind: string; key: string | null }>
