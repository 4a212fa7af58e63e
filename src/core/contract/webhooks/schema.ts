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
    recipientId: Uuid({ description: 'With `locationId`, selects the webhook to update if `id` is absent.' }),
    name: Type.Optional(WebhookName('Name of the webhook; absent if it has none.')),
  },
  { ...closed, title: 'Webhook' },
)

export const WebhookInput = Type.Object(
  {
    events: EventNames({ minItems: 1 }),
    endpointUrl: Type.String({
      format: 'uri',
      description: 'Absolute https URL without credentials, at most 2,048 characters.',
      examples: ['https://partner.example/hooks'],
    }),
    locationId: Uuid(),
    recipientId: Uuid(),
    id: Type.Optional(Uuid({ description: 'Id of the webhook to update, or to create if it does not exist.' })),
    name: Type.Optional(WebhookName('Name of the webhook; an empty name removes it, and an absent one keeps it.')),
  },
  { ...closed, title: 'WebhookInput', 'x-read-only': ['createdAt', 'updatedAt'] },
)

export const TestInput = Type.Object({ locationId: Type.Optional(Uuid()) }, { ...closed, title: 'WebhookTestInput' })

const TestEntry = Type.Object(
  {
    status: Type.Integer({ description: 'HTTP status of the delivery; 0 without a response.', examples: [200] }),
    success: Type.Boolean(),
    message: Type.String({ examples: ['The endpoint answered 200 OK.'] }),
    response: Type.Object(
      {
        headers: Type.Optional(Type.Record(Type.String(), Type.String())),
        body: Type.Optional(Type.String()),
        durationMs: Type.Optional(Type.Number()),
      },
      { ...closed, description: 'Empty without a response.' },
    ),
  },
  { ...closed, title: 'WebhookTestEntry' },
)

export const TestResult = Type.Record(Type.String(), TestEntry, {
  title: 'WebhookTestResult',
  description: 'One entry per event sent, by event name.',
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

export type DisabledReason = keyof typeof disabledReasons

/** The delivery state of a webhook, which is not part of the Webhook resource. */
export const WebhookStatus = Type.Object(
  {
    state: Choice(codesOf(webhookStates), {
      description: '`failing`: after 5 consecutive failures only probes are sent until one delivery succeeds.',
    }),
    disabledReason: NullableChoice(codesOf(disabledReasons), {
      description:
        '`gone` (410), `failing` (5 days of only failures), `operator`, `paused` (by its recipient), `key_revoked`, `location` (deactivated) or `restored` (backup).',
    }),
    sequence: Count({ description: 'Sequence up to which events were delivered or scheduled for a retry.' }),
    behind: Count({ description: 'Number of journal entries after `sequence`.' }),
    setAside: Count({ description: 'Number of events that wait for a retry.' }),
    failures: Count({ description: 'Number of consecutive failures.' }),
    failingSince: Nullable(Datetime(), { description: 'First failure since the last success; null if there is none.' }),
    nextAttemptAt: Nullable(Datetime(), { description: 'Time of the next retry or probe.' }),
  },
  { ...closed, title: 'WebhookStatus' },
)

export const ReplayInput = Type.Object(
  {
    sequence: Type.Optional(Type.Integer({ minimum: 1, description: 'Replay from this sequence.' })),
    since: Type.Optional(Type.String({ description: 'Replay changes accepted since this date or datetime.' })),
    untilSequence: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Replay up to and including this sequence.',
      }),
    ),
    until: Type.Optional(
      Type.String({ description: 'Replay changes accepted until this date or datetime, inclusive.' }),
    ),
    types: Type.Optional(
      Type.Array(Type.String({ enum: eventTypes }), {
        minItems: 1,
        maxItems: 20,
        description: 'Only these event types.',
      }),
    ),
    onlyFailed: Type.Optional(
      Type.Boolean({ description: 'Replay only events with failed but no successful attempts in the delivery log.' }),
    ),
    dryRun: Type.Optional(Type.Boolean({ description: 'Count the events without sending them.' })),
  },
  {
    ...closed,
    title: 'ReplayInput',
    description:
      'Exactly one of `sequence` and `since` is required. If an end, `types` or `onlyFailed` is given, at most 10,000 events are sent.',
  },
)

/** The delivery state after a replay was requested, and what is sent. */
export const ReplayAnswer = Type.Object(
  {
    ...WebhookStatus.properties,
    events: Type.Optional(
      Count({ description: 'Number of events to replay, for a dry run and for a replay of selected events.' }),
    ),
    eventsAreCounted: Type.Optional(Type.Boolean({ description: 'False if there are more events than `events`.' })),
  },
  { ...closed, title: 'ReplayAnswer' },
)

const PendingEvent = Type.Object(
  {
    messageId: Type.String({ description: 'The `webhook-id` header.' }),
    sequence: Type.Integer(),
    event: Type.String({ enum: eventTypes }),
    resource: Type.String({ description: 'Kind of the resource.', examples: ['order'] }),
    resourceId: Uuid(),
    attempts: Count({ description: 'Number of failed attempts.' }),
    nextAttemptAt: Nullable(Datetime(), {
      description: 'Null if the event is sent next, or waits for an earlier event of the same resource.',
    }),
  },
  { ...closed, title: 'PendingEvent' },
)

export const PendingPage = CursorPageOf(PendingEvent, 'PendingPage')

/** The answer to a resend: the event being sent. */
export const Resent = Type.Object(
  { messageId: Type.String(), sequence: Type.Integer(), event: Type.String({ enum: eventTypes }) },
  { ...closed, title: 'Resent' },
)

const StatisticsStep = Type.Object(
  {
    from: Datetime(),
    successes: Count(),
    failures: Count(),
    p50Ms: Nullable(Type.Number(), { description: 'Median duration of attempts.' }),
    p95Ms: Nullable(Type.Number(), { description: '95th percentile of the duration of attempts.' }),
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
          steps: Type.Array(StatisticsStep, { description: 'Steps without attempts are omitted.' }),
        },
        { ...closed, title: 'WebhookStatisticsOfOne' },
      ),
    ),
    meta: Type.Object({ since: Datetime(), until: Datetime(), step: Type.String() }, closed),
  },
  { ...closed, title: 'WebhookStatistics' },
)

const milliseconds = Nullable(Type.Number(), { description: 'Null if the phase was not reached, or not needed.' })

export const Delivery = Type.Object(
  {
    id: Uuid(),
    webhookId: Uuid(),
    messageId: Type.String({ description: 'The `webhook-id` header.' }),
    event: Type.String({ enum: eventTypes }),
    sequence: Type.Integer(),
    attempt: Type.Integer({ description: 'Attempt number, from 1.' }),
    sentAt: Datetime(),
    success: Type.Boolean(),
    status: Type.Integer({ description: '0 without a response.' }),
    errorClass: NullableChoice(codesOf(deliveryErrors), {
      description: 'dns, connect, tls, timeout, reset, http or blocked; null on success.',
    }),
    message: Type.String(),
    nextAttemptAt: Nullable(Datetime(), { description: 'Time of the next attempt; null if there is none.' }),
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
    address: Nullable(Type.String(), { description: 'URL that was called.' }),
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

/** One attempt with its request, rebuilt from the journal. */
export const DeliveryDetail = Type.Object(
  {
    ...Delivery.properties,
    request: Type.Object(
      {
        headers: Type.Record(Type.String(), Type.String()),
        body: Nullable(Type.String(), { description: 'Null if the journal no longer has the event.' }),
        isExact: Type.Boolean({
          description: 'False if the document was redacted since: the bytes sent were different.',
        }),
      },
      closed,
    ),
    attempts: Type.Array(AttemptOfEvent, { description: 'All logged attempts of this event, newest first.' }),
  },
  { ...closed, title: 'DeliveryDetail' },
)

export const DeliveryPage = Type.Object(
  {
    data: Type.Array(Delivery),
    meta: Type.Object(
      {
        next: NextCursor,
        keptDays: Count({ description: 'Days for which attempts are kept.', examples: [30] }),
        keptAttempts: Count({ description: 'Maximum number of attempts kept per webhook.', examples: [10_000] }),
      },
      closed,
    ),
  },
  { ...closed, title: 'DeliveryPage' },
)

const DeliveryFailure = Type.Object(
  {
    errorClass: Choice(codesOf(deliveryErrors)),
    status: Type.Integer({ description: '0 without a response.', examples: [503] }),
    count: Count({ description: 'Number of attempts that failed this way.' }),
    firstAt: Datetime(),
    lastAt: Datetime(),
    lastMessage: Type.String({ examples: ['The endpoint answered 503 Service Unavailable.'] }),
    lastDeliveryId: Uuid({ description: 'Id of the latest of these attempts.' }),
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
