import { Type, type TSchema } from 'typebox'
import { eventData, eventSummaries, eventTypes, type EventType } from '../contract/resources.ts'
import { Choice, closed, Datetime, Nullable, Uuid } from '../contract/scalars.ts'

export { eventResources, eventSummaries, eventTypes, type EventType } from '../contract/resources.ts'

/** Makes the schema of one event, as delivered and as in the feed; `data` may be a reference. */
export function eventSchema(type: EventType, data: TSchema = eventData[type]): TSchema {
  return Type.Object(
    {
      id: Type.String({
        description: 'The `webhook-id`: the same in retries, replays and the feed.',
        examples: ['evt_7f3c1f0e5d0b4c559a560d2a0a3c9b11_5f0c21ab_42_order-paid'],
      }),
      type: Type.Literal(type),
      timestamp: Datetime({ description: 'Time at which Tillgate accepted the change.' }),
      locationId: Uuid(),
      sequence: Type.Integer({ description: 'Sequence of the change in the journal of the location.', examples: [42] }),
      data,
    },
    { ...closed, title: type, description: eventSummaries[type] },
  )
}

const published = new Map<EventType, TSchema>()

/** Returns the schema of one event without Tillgate's keywords (`x-…`), which a strict validator refuses. */
export function publishedEventSchema(type: EventType): TSchema {
  const known = published.get(type)
  if (known) return known
  const text = JSON.stringify(eventSchema(type), (key, value: unknown) => (key.startsWith('x-') ? undefined : value))
  const schema = JSON.parse(text) as TSchema
  published.set(type, schema)
  return schema
}

const EventName = Choice(eventTypes, { title: 'EventType', examples: ['order.paid'] })

/** Any event. `data` is not described, because a list of every payload would hide the frame. */
export const Event = Type.Object(
  {
    id: Type.String(),
    type: EventName,
    timestamp: Datetime(),
    locationId: Uuid(),
    sequence: Type.Integer(),
    data: Type.Unknown({ description: 'The resource, as in the schema of the event type.' }),
  },
  { ...closed, title: 'Event' },
)

const Epoch = Type.String({
  description:
    'Part of every event id. A journal starts with an epoch, and starts a new one each time it continues after the database was restored to an earlier ' +
    'state. A new journal of the same location, after an import, has different epochs.',
  examples: ['5f0c21ab'],
})

export const EventPage = Type.Object(
  {
    data: Type.Array(Event),
    meta: Type.Object(
      {
        next: Type.Integer({ description: 'Pass it as `after` to continue.' }),
        head: Type.Integer({ description: 'Last sequence of the journal; equal to `next` at the end.' }),
        epoch: Epoch,
      },
      closed,
    ),
  },
  { ...closed, title: 'EventPage' },
)

export const EventTypeDescription = Type.Object(
  {
    name: EventName,
    description: Type.String(),
    schema: Type.Unknown({ description: 'JSON Schema (2020-12) of the delivered body.' }),
    sample: Type.Unknown({ description: 'Example body with fake data.' }),
  },
  { ...closed, title: 'EventTypeDescription' },
)

const hashText = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{64}$', description, examples: ['0'.repeat(64)] })

export const JournalHead = Type.Object(
  {
    sequence: Type.Integer({ description: 'Sequence of the last entry; 0 before the first.', examples: [48211] }),
    hash: hashText(
      'Hash of the last entry; 64 zeros before the first. If you store it elsewhere, changes of earlier entries can be detected.',
    ),
    epoch: Epoch,
    acceptedAt: Nullable(Datetime(), { description: 'When the last entry was accepted; null before the first.' }),
  },
  { ...closed, title: 'JournalHead' },
)

const link = (description: string) => Nullable(Type.String({ format: 'uri' }), { description })

/** One entry of the journal, of any kind. */
export const JournalEntry = Type.Object(
  {
    sequence: Type.Integer({ examples: [42] }),
    epoch: Epoch,
    firstEpoch: Type.String({
      description:
        'First epoch of the journal, which `hash` covers; equal to `epoch` unless an earlier state was restored.',
      examples: ['5f0c21ab'],
    }),
    timestamp: Datetime({ description: 'Time at which Tillgate accepted the change.' }),
    locationId: Uuid(),
    kind: Type.String({
      description:
        'Open set: order, report, location, catalog.products, catalog.modifiers, catalog.payments, catalog.taxes; day, accounts, ' +
        'batch, closing, checkpoint, webhook and source for entries written by Tillgate; resumed, redaction, aside and returned for entries about the journal itself.',
      examples: ['order'],
    }),
    resourceId: Uuid({
      description:
        'Id of the order, report, day, batch, closing, checkpoint, webhook or source; otherwise the id of the location.',
    }),
    types: Type.Array(EventName, { description: 'Events of the change; none for a training order.' }),
    events: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'The `webhook-id` of the event.' }),
          type: EventName,
        },
        closed,
      ),
      { description: 'Events of the change with their ids.' },
    ),
    previousSequence: Nullable(Type.Integer(), {
      description: 'Sequence of the previous entry of the same resource; null for the first.',
      examples: [null],
    }),
    commitment: hashText('SHA-256 of the salt and the document as accepted; unchanged by redactions.'),
    previousHash: hashText('Hash of the previous entry of the journal; 64 zeros for the first.'),
    hash: hashText('SHA-256 over `previousHash` and this entry, as described in the journal guide.'),
    links: Type.Object(
      {
        self: Type.String({ format: 'uri', description: 'URL of this entry.' }),
        previous: link('URL of the previous entry of the same resource, or null.'),
        next: link('URL of the next entry of the journal, or null at the head.'),
        resource: link('URL of the current resource, or null if the entry has none.'),
        history: link('URL of all versions of the order, or null.'),
      },
      closed,
    ),
    data: Type.Unknown({ description: 'The document after the change.' }),
  },
  { ...closed, title: 'JournalEntry' },
)

/** One version of an order, from the journal. */
export const HistoryEntry = Type.Object(
  {
    sequence: Type.Integer(),
    timestamp: Datetime({ description: 'Time at which Tillgate accepted this version.' }),
    types: Type.Array(EventName),
    data: Type.Unknown({ description: 'This version of the order.' }),
  },
  { ...closed, title: 'HistoryEntry' },
)

/** One version of a Z report, from the journal. */
export const ReportHistoryEntry = Type.Object(
  { ...HistoryEntry.properties, data: Type.Unknown({ description: 'This version of the report.' }) },
  { ...closed, title: 'ReportHistoryEntry' },
)
