import { Type, type TSchema } from 'typebox'
import { eventData, eventSummaries, eventTypes, type EventType } from './resources.ts'
import { Choice, closed, Datetime, Uuid } from './scalars.ts'

export { eventSummaries, eventTypes, type EventType } from './resources.ts'

/** Schema of one event as it is delivered and as the feed hands it out; `data` may be a reference instead. */
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

/** The name of an event. */
const EventName = Choice(eventTypes, { title: 'EventType', examples: ['order.paid'] })

/** Any event, where listing twelve payloads would hide the frame. */
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

export const EventPage = Type.Object(
  {
    data: Type.Array(Event),
    meta: Type.Object(
      {
        next: Type.Integer({ description: 'Give it as `after` to go on.' }),
        head: Type.Integer({ description: 'Last sequence of the journal; equal to `next` when nothing is left.' }),
        epoch: Type.String({
          description: 'Names this journal: another one of the same location, after an import, has another epoch.',
          examples: ['5f0c21ab'],
        }),
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

/** One version in the life of an order, from the journal. */
export const HistoryEntry = Type.Object(
  {
    sequence: Type.Integer(),
    timestamp: Datetime({ description: 'When Tillgate accepted this version.' }),
    types: Type.Array(EventName),
    data: Type.Unknown({ description: 'The Order as it was.' }),
  },
  { ...closed, title: 'HistoryEntry' },
)
