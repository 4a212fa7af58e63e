import { Type, type Static } from 'typebox'
import { codesOf, deliveryErrors, disabledReasons, webhookStates } from '../../outcomes.ts'
import { eventTypes } from '../../schemas/events.ts'
import { CursorPageOf, NextCursor } from '../paging/schema.ts'
import { Choice, closed, Count, Datetime, Nullable, NullableChoice, Uuid } from '../scalars.ts'

const EventNames = (note: Record<string, unknown> = {}) =>
  Type.Array(Type.String({ enum: eventTypes }), { examples: [['order.paid']], ...note })

const WebhookName = (description: string) => Type.String({ maxLength: 100, description, examples: ['Accounting'] })

export const Webhook = Type.Object(
  {
    id: Uuid(),
    createdAt: Datetime(),
    updatedAt: Datetime(),
    events: EventNames({ description: 'Event names, without duplicates.' }),
    endpointUrl: Type.String({ format: 'uri', examples: ['https://partner.example/hooks'] }),
    locationId: Uuid(),
    recipientId: Uuid({ description: 'Who is called; with `locationId` the pair that an upsert without `id` finds.' }),
    name: Type.Optional(WebhookName('What people call it; not there where nobody named it.')),
  },
  { ...closed, title: 'Webhook' },
)

/** The body of the upsert. */
export const WebhookInput = Type.Object(
  {
    events: EventNames({ minItems: 1 }),
    endpointUrl: Type.String({
      format: 'uri',
      description: 'Absolute https URL without credentials, 2,048 characters at most.',
      examples: ['https://partner.example/hooks'],
    }),
    locationId: Uuid(),
    recipientId: Uuid(),
    id: Type.Optional(Uuid({ description: 'Update this webhook, or create it with this id.' })),
    name: Type.Optional(WebhookName('What people call it; an empty one takes it away, and none leaves it as it is.')),
  },
  { ...closed, title: 'WebhookInput', 'x-read-only': ['createdAt', 'updatedAt'] },
)

export const TestInput = Type.Object({ locationId: Type.Optional(Uuid()) }, { ...closed, title: 'WebhookTestInput' })

const TestEntry = Type.Object(
  {
    status: Type.Integer({ description: 'Status of the delivery; 0 when no answer came.', examples: [200] }),
    success: Type.Boolean(),
    message: Type.String({ examples: ['The endpoint answered 200 OK.'] }),
    response: Type.Object(
      {
        headers: Type.Optional(Type.Record(Type.String(), Type.String())),
        body: Type.Optional(Type.String()),
        durationMs: Type.Optional(Type.Number()),
      },
      { ...closed, description: 'Empty when no answer came.' },
    ),
  },
  { ...closed, title: 'WebhookTestEntry' },
)

export const TestResult = Type.Record(Type.String(), TestEntry, {
  title: 'WebhookTestResult',
  description: 'One entry per event that was sent, by event name.',
})

export const WebhookSecret = Type.Object(
  {
    secret: Type.String({
      description: 'Standard Webhooks secret.',
      examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
    }),
  },
  { ...closed, title: 'WebhookSecret' },
)

/** Why a webhook is disabled. */
export type DisabledReason = keyof typeof disabledReasons

/** How a webhook stands; the Webhook resource itself stays as documented. */
export const WebhookStatus = Type.Object(
  {
    state: Choice(codesOf(webhookStates), {
      description: '`failing`: after 5 failures in a row it is only probed until one delivery succeeds.',
    }),
    disabledReason: NullableChoice(codesOf(disabledReasons), {
      description:
        '`gone` (410), `failing` (5 days of only failures), `operator`, `paused` (by its recipient), `key_revoked`, `location` (deactivated) or `restored` (backup).',
    }),
    sequence: Count({ description: 'Journal number up to which events are delivered or set aside for retry.' }),
    behind: Count({ description: 'Journal entries after that.' }),
    setAside: Count({ description: 'Events waiting for a retry.' }),
    failures: Count({ description: 'Failures in a row.' }),
    failingSince: Nullable(Datetime()),
    nextAttemptAt: Nullable(Datetime(), { description: 'When the next retry or probe is due.' }),
  },
  { ...closed, title: 'WebhookStatus' },
)

export const ReplayInput = Type.Object(
  {
    sequence: Type.Optional(Type.Integer({ minimum: 1, description: 'Send again from this journal number on.' })),
    since: Type.Optional(Type.String({ description: 'Send again what was accepted from this date or datetime on.' })),
    untilSequence: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Up to this journal number, included.',
      }),
    ),
    until: Type.Optional(Type.String({ description: 'Up to what was accepted at this date or datetime, included.' })),
    types: Type.Optional(
      Type.Array(Type.String({ enum: eventTypes }), { minItems: 1, maxItems: 20, description: 'Only these events.' }),
    ),
    onlyFailed: Type.Optional(
      Type.Boolean({ description: 'Only events that the delivery log knows failures of, and no success.' }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: 'Say how many events it would be, and send nothing.' })),
  },
  {
    ...closed,
    title: 'ReplayInput',
    description:
      'Exactly one of `sequence` and `since`. With an end, `types` or `onlyFailed` it is of 10,000 events at most.',
  },
)

/** How a webhook stands after a replay was asked for, and what is sent. */
export const ReplayAnswer = Type.Object(
  {
    ...WebhookStatus.properties,
    events: Type.Optional(
      Count({ description: 'Events that are sent again, or would be: of a dry run, and where events were chosen.' }),
    ),
    eventsAreCounted: Type.Optional(Type.Boolean({ description: 'False where there are more than `events` says.' })),
  },
  { ...closed, title: 'ReplayAnswer' },
)

const PendingEvent = Type.Object(
  {
    messageId: Type.String({ description: 'The `webhook-id` that is sent.' }),
    sequence: Type.Integer(),
    event: Type.String({ enum: eventTypes }),
    resource: Type.String({ description: 'Kind of what the event is about.', examples: ['order'] }),
    resourceId: Uuid(),
    attempts: Count({ description: 'Attempts that failed.' }),
    nextAttemptAt: Nullable(Datetime(), {
      description: 'Null: it is next at once, or waits behind an earlier event of the same resource.',
    }),
  },
  { ...closed, title: 'PendingEvent' },
)

export const PendingPage = CursorPageOf(PendingEvent, 'PendingPage')

/** The answer to a resend: the event that is on its way. */
export const Resent = Type.Object(
  { messageId: Type.String(), sequence: Type.Integer(), event: Type.String({ enum: eventTypes }) },
  { ...closed, title: 'Resent' },
)

const StatisticsStep = Type.Object(
  {
    from: Datetime(),
    successes: Count(),
    failures: Count(),
    p50Ms: Nullable(Type.Number(), { description: 'Half of the attempts took no longer.' }),
    p95Ms: Nullable(Type.Number(), { description: '95 of 100 attempts took no longer.' }),
    failuresByClass: Type.Record(Type.String(), Type.Integer()),
  },
  { ...closed, title: 'WebhookStatisticsStep' },
)

export const WebhookStatistics = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          webhookId: Uuid(),
          steps: Type.Array(StatisticsStep, { description: 'Without those in which nothing was sent.' }),
        },
        { ...closed, title: 'WebhookStatisticsOfOne' },
      ),
    ),
    meta: Type.Object({ since: Datetime(), until: Datetime(), step: Type.String() }, closed),
  },
  { ...closed, title: 'WebhookStatistics' },
)

const milliseconds = Nullable(Type.Number())

export const Delivery = Type.Object(
  {
    id: Uuid(),
    webhookId: Uuid(),
    messageId: Type.String({ description: 'The `webhook-id` that was sent.' }),
    event: Type.String({ enum: eventTypes }),
    sequence: Type.Integer(),
    attempt: Type.Integer({ description: 'Number of the attempt, from 1.' }),
    sentAt: Datetime(),
    success: Type.Boolean(),
    status: Type.Integer({ description: '0 when no answer came.' }),
    errorClass: NullableChoice(codesOf(deliveryErrors), {
      description: 'dns, connect, tls, timeout, reset, http or blocked; null on success.',
    }),
    message: Type.String(),
    nextAttemptAt: Nullable(Datetime(), { description: 'When this event is tried again; null when it is not.' }),
    durationMs: Type.Number(),
    phases: Type.Object(
      {
        dnsMs: milliseconds,
        connectMs: milliseconds,
        tlsMs: milliseconds,
        headersMs: milliseconds,
        bodyMs: milliseconds,
      },
      closed,
    ),
    address: Nullable(Type.String(), { description: 'Address that was called.' }),
    request: Type.Object({ headers: Type.Record(Type.String(), Type.String()) }, closed),
    response: Type.Object({ headers: Type.Record(Type.String(), Type.String()), body: Type.String() }, closed),
  },
  { ...closed, title: 'Delivery' },
)

const AttemptOfEvent = Type.Object(
  {
    id: Uuid(),
    sentAt: Datetime(),
    attempt: Type.Integer(),
    success: Type.Boolean(),
    status: Type.Integer(),
    durationMs: Type.Number(),
  },
  { ...closed, title: 'AttemptOfEvent' },
)

/** One attempt with what was sent, made again from the journal. */
export const DeliveryDetail = Type.Object(
  {
    ...Delivery.properties,
    request: Type.Object(
      {
        headers: Type.Record(Type.String(), Type.String()),
        body: Nullable(Type.String(), { description: 'Null where the journal does not have the event any more.' }),
        isExact: Type.Boolean({ description: 'False where the document was redacted since: other bytes were sent.' }),
      },
      closed,
    ),
    attempts: Type.Array(AttemptOfEvent, { description: 'All of this event that are in the log, newest first.' }),
  },
  { ...closed, title: 'DeliveryDetail' },
)

export const DeliveryPage = Type.Object(
  {
    data: Type.Array(Delivery),
    meta: Type.Object(
      {
        next: NextCursor,
        keptDays: Count({ description: 'Days that an attempt stays in the log.', examples: [30] }),
        keptAttempts: Count({
          description: 'Newest attempts of a webhook that stay in the log, however many there were.',
          examples: [10_000],
        }),
      },
      closed,
    ),
  },
  { ...closed, title: 'DeliveryPage' },
)

const DeliveryFailure = Type.Object(
  {
    errorClass: Choice(codesOf(deliveryErrors)),
    status: Type.Integer({ description: '0 when no answer came.', examples: [503] }),
    count: Count({ description: 'Attempts that failed so.' }),
    firstAt: Datetime(),
    lastAt: Datetime(),
    lastMessage: Type.String({ examples: ['The endpoint answered 503 Service Unavailable.'] }),
    lastDeliveryId: Uuid({ description: 'The last of them in the delivery log.' }),
  },
  { ...closed, title: 'DeliveryFailure' },
)

export const DeliveryFailureList = Type.Object(
  { data: Type.Array(DeliveryFailure) },
  { ...closed, title: 'DeliveryFailureList' },
)

export type Webhook = Static<typeof Webhook>
export type WebhookInput = Static<typeof WebhookInput>
export type TestResult = Record<string, Static<typeof TestEntry>>
export type WebhookStatus = Static<typeof WebhookStatus>
export type Delivery = Static<typeof Delivery>
export type DeliveryDetail = Static<typeof DeliveryDetail>
export type ReplayInput = Static<typeof ReplayInput>
export type WebhookStatistics = Static<typeof WebhookStatistics>

export type DeliveryFailureList = Static<typeof DeliveryFailureList>
