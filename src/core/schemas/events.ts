import { Type, type TSchema } from 'typebox'
import { eventData, eventSummaries, eventTypes, type EventType } from '../contract/resources.ts'
import { Choice, closed, Datetime, Nullable, Uuid } from '../contract/scalars.ts'

export { eventResources, eventSummaries, eventTypes, type EventType } from '../contract/resources.ts'

/** Makes the schema of one event as it is delivered and as the feed hands it out; `data` may be a reference instead. */
export function eventSchema(type: EventType, data: TSchema = eventData[type]): TSchema {
  return Type.Object(
    {
      id: Type.String({
        description: 'The `webhook-id`: the same over retries, replays and the feed.',
        examples: ['evt_7f3c1f0e5d0b4c559a560d2a0a3c9b11_5f0c21ab_42_order-paid'],
      }),
      type: Type.Literal(type),
      timestamp: Datetime({ description: 'When Tillgate accepted the change.' }),
      locationId: Uuid(),
      sequence: Type.Integer({ description: 'Number of the change in the location’s journal.', examples: [42] }),
      data,
    },
    { ...closed, title: type, description: eventSummaries[type] },
  )
}

const published = new Map<EventType, TSchema>()

/** The schema of one event without keywords of our own (`x-…`), which a strict validator refuses. */
export function publishedEventSchema(type: EventType): TSchema {
  const known = published.get(type)
  if (known) return known
  const text = JSON.stringify(eventSchema(type), (key, value: unknown) => (key.startsWith('x-') ? undefined : value))
  const schema = JSON.parse(text) as TSchema
  published.set(type, schema)
  return schema
}

const EventName = Choice(eventTypes, { title: 'EventType', examples: ['order.paid'] })

/** Describes any event, where listing every payload would hide the frame. */
export const Event = Type.Object(
  {
    id: Type.String(),
    type: EventName,
    timestamp: Datetime(),
    locationId: Uuid(),
    sequence: Type.Integer(),
    data: Type.Unknown({ description: 'The resource; see the schema of the event type.' }),
  },
  { ...closed, title: 'Event' },
)

const Epoch = Type.String({
  description:
    'Part of every event id. A journal begins with one, and begins another each time it continues after the database went back to an older ' +
    'state; another journal of the same location, after an import, has others.',
  examples: ['5f0c21ab'],
})

export const EventPage = Type.Object(
  {
    data: Type.Array(Event),
    meta: Type.Object(
      {
        next: Type.Integer({ description: 'Give it as `after` to go on.' }),
        head: Type.Integer({ description: 'Last sequence of the journal; equal to `next` when nothing is left.' }),
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
    sample: Type.Unknown({ description: 'A body of that schema, with fake data.' }),
  },
  { ...closed, title: 'EventTypeDescription' },
)

const hashText = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{64}$', description, examples: ['0'.repeat(64)] })

export const JournalHead = Type.Object(
  {
    sequence: Type.Integer({ description: 'Number of the last entry; 0 before the first.', examples: [48211] }),
    hash: hashText(
      'Hash of the last entry; 64 zeros before the first. Note it elsewhere, and nobody can rewrite what is before it unseen.',
    ),
    epoch: Epoch,
    acceptedAt: Nullable(Datetime(), { description: 'When the last entry was accepted; null before the first.' }),
  },
  { ...closed, title: 'JournalHead' },
)

const link = (description: string) => Nullable(Type.String({ format: 'uri' }), { description })

/** Describes one entry of the journal, of any kind. */
export const JournalEntry = Type.Object(
  {
    sequence: Type.Integer({ examples: [42] }),
    epoch: Epoch,
    firstEpoch: Type.String({
      description:
        'The epoch in which the journal began, which `hash` covers: `epoch` itself while the journal never went back.',
      examples: ['5f0c21ab'],
    }),
    timestamp: Datetime({ description: 'When Tillgate accepted the change.' }),
    locationId: Uuid(),
    kind: Type.String({
      description:
        'Open set: order, report, location, catalog.products, catalog.modifiers, catalog.payments, catalog.taxes; day, accounts, ' +
        'batch, closing, checkpoint, webhook and source for what Tillgate itself tells; resumed and redaction for entries about the journal itself.',
      examples: ['order'],
    }),
    resourceId: Uuid({
      description:
        'Id of the order or report; for a day, batch, closing, checkpoint, webhook or source an id of its own; for everything else that of the location.',
    }),
    types: Type.Array(EventName, { description: 'Events that the change means; a training order means none.' }),
    events: Type.Array(
      Type.Object(
        {
          id: Type.String({ description: 'The `webhook-id` of its deliveries.' }),
          type: EventName,
        },
        closed,
      ),
      { description: 'The same with their ids.' },
    ),
    previousSequence: Nullable(Type.Integer(), {
      description: 'The entry before of the same resource; null for its first.',
      examples: [null],
    }),
    commitment: hashText(
      'SHA-256 of the salt and the document as it was accepted; it stays when a redaction blanks some of it.',
    ),
    previousHash: hashText('Hash of the entry before, of whatever resource; 64 zeros for the first.'),
    hash: hashText('SHA-256 over `previousHash` and this entry, as the guide of the journal has it.'),
    links: Type.Object(
      {
        self: Type.String({ format: 'uri', description: 'Address of this entry.' }),
        previous: link('The entry before of the same resource, or null.'),
        next: link('The next entry of the journal, or null at its head.'),
        resource: link('The resource as it stands now, or null where the entry is about none.'),
        history: link('Every version of the order, or null.'),
      },
      closed,
    ),
    data: Type.Unknown({ description: 'The document as it was after the change.' }),
  },
  { ...closed, title: 'JournalEntry' },
)

/** Describes one version in the life of an order, from the journal. */
export const HistoryEntry = Type.Object(
  {
    sequence: Type.Integer(),
    timestamp: Datetime({ description: 'When Tillgate accepted this version.' }),
    types: Type.Array(EventName),
    data: Type.Unknown({ description: 'The Order as it was.' }),
  },
  { ...closed, title: 'HistoryEntry' },
)

/** Describes one version of a Z report, from the journal. */
export const ReportHistoryEntry = Type.Object(
  { ...HistoryEntry.properties, data: Type.Unknown({ description: 'The Report as it was.' }) },
  { ...closed, title: 'ReportHistoryEntry' },
)
