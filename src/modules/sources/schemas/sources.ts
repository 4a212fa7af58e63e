import { Type, type Static } from 'typebox'
import { Choice, closed, Count, Datetime, Minor, Nullable, Uuid } from '../../../core/contract/scalars.ts'

/** The systems whose sales Tillgate reads continuously. */
export const liveSources = ['square', 'toast', 'sumup', 'loyverse', 'lightspeed-k'] as const

export type LiveSource = (typeof liveSources)[number]

/** A business day whose stored sales differ from the source's figures even after reading it again. */
export const SourceDifference = Type.Object(
  {
    id: Uuid({ description: 'Id of the day of the source; unchanged if it is reported again with other amounts.' }),
    sourceId: Uuid(),
    source: Choice(liveSources, { examples: ['square'] }),
    account: Type.String({ description: 'Id of the shop in the source.', examples: ['L123'] }),
    date: Type.String({ format: 'date', description: 'The business day.', examples: ['2026-03-14'] }),
    here: Minor({
      description: 'Payments of the stored orders, including tips; for SumUp, sales without tips.',
      examples: [120_050],
    }),
    there: Minor({ description: 'The amount of `here` according to the source.', examples: [122_050] }),
    difference: Minor({ description: '`here` minus `there`.', examples: [-2_000] }),
  },
  { ...closed, title: 'SourceDifference' },
)

export type SourceDifference = Static<typeof SourceDifference>

const states = ['active', 'failing', 'paused', 'stopped'] as const

const sourceFields = {
  id: Uuid(),
  locationId: Uuid(),
  source: Choice(liveSources, { examples: ['square'] }),
  account: Type.String({ description: 'Id of the shop in the source.', examples: ['L123'] }),
  state: Choice(states, {
    description:
      '`failing`: the last run failed and is retried. `stopped`: a problem must be resolved first, see `lastError`. ' +
      '`paused`: paused manually, or never started.',
    examples: ['active'],
  }),
  secret: Type.String({
    description: 'Reference to its secret, never the secret itself.',
    examples: ['env:SOURCE_SQUARE'],
  }),
  hasBell: Type.Boolean({ description: 'Whether the point-of-sale system can call `POST /v1/sources/{id}/bell`.' }),
  everySeconds: Count({ description: 'Interval between two runs.', examples: [300] }),
  createdAt: Datetime(),
  readsFrom: Datetime({ description: 'Documents last changed before this time are not read.' }),
  storedFrom: Nullable(Datetime(), {
    description: 'Changes before this time were stored without events; null if nothing is stored yet.',
  }),
  readUntil: Nullable(Datetime(), { description: 'Changes up to this time are stored; null before the first.' }),
  beganAt: Nullable(Datetime(), { description: 'Start of the last run.' }),
  succeededAt: Nullable(Datetime(), { description: 'End of the last successful run.' }),
  nextRunAt: Nullable(Datetime(), { description: 'Time of the next run; null if none is scheduled.' }),
  failures: Count({ description: 'Number of failed runs since the last successful one.', examples: [0] }),
  failingSince: Nullable(Datetime(), {
    description: 'Time of the first failure since the last successful run; null if there is none.',
  }),
  lastError: Nullable(Type.String(), {
    description: 'Error of the last failed run; null if none has failed since the last successful run.',
    examples: [null],
  }),
  accepted: Count({ description: 'Number of new or changed records.', examples: [1_204] }),
  comparedAt: Nullable(Datetime(), { description: 'When its days were last compared with the source.' }),
}

export const AdminSource = Type.Object(sourceFields, { ...closed, title: 'AdminSource' })

const SourceDay = Type.Object(
  {
    date: Type.String({ format: 'date', examples: ['2026-03-14'] }),
    here: Minor({
      description: 'Payments of the stored orders, including tips; for SumUp, sales without tips.',
      examples: [120_050],
    }),
    there: Minor({ description: 'The amount of `here` according to the source.', examples: [120_050] }),
    difference: Minor({ description: '`here` minus `there`.', examples: [0] }),
    comparedAt: Datetime(),
    rereadAt: Nullable(Datetime(), { description: 'When the day was read again because it differed.' }),
  },
  { ...closed, title: 'SourceDay' },
)

const SourceNotice = Type.Object(
  {
    key: Type.String({ description: 'Key of the document in its source.', examples: ['ord-17'] }),
    kind: Choice(['left', 'refused'] as const, {
      description: '`left`: not a sale. `refused`: could not be read, and is read again.',
      examples: ['refused'],
    }),
    reason: Type.String({ examples: ['said.total is 26.50, but the items add up to 27.50: a difference of -1.00'] }),
    at: Datetime(),
    tries: Count({ description: 'Number of further attempts to read it.', examples: [1] }),
    nextTryAt: Nullable(Datetime(), { description: 'Time of the next attempt to read it; null if there is none.' }),
    rejectedId: Nullable(Uuid(), { description: 'Id of the rejected record with the document, while it is stored.' }),
  },
  { ...closed, title: 'SourceNotice' },
)

export const AdminSourceDetail = Type.Object(
  {
    ...sourceFields,
    currency: Type.String({ examples: ['GBP'] }),
    days: Type.Array(SourceDay, { description: 'Compared business days of the last 14, newest first.' }),
    notices: Type.Array(SourceNotice, { description: 'Latest 200 documents.' }),
    reasons: Type.Array(
      Type.Object(
        { kind: Choice(['left', 'refused'] as const), reason: Type.String(), count: Count() },
        { ...closed, title: 'SourceReason' },
      ),
      { description: 'Number of skipped and refused documents by reason, at most 50.' },
    ),
  },
  { ...closed, title: 'AdminSourceDetail' },
)

export const AdminSourceList = Type.Object(
  { data: Type.Array(AdminSource) },
  { ...closed, title: 'AdminSourceList', description: 'Sources of a location, or of the installation, at most 1,000.' },
)

export const AdminSourceInput = Type.Object(
  {
    locationId: Uuid(),
    source: Choice(liveSources, { examples: ['square'] }),
    account: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Id of the shop in the source.',
      examples: ['L123'],
    }),
    secret: Type.String({
      maxLength: 500,
      description:
        'Reference to its secret, for the process that runs deliveries: `env:SOURCE_…`, or `file:` with a path in `TILLGATE_SOURCE_SECRETS_DIR`. Never the secret itself.',
      examples: ['env:SOURCE_SQUARE'],
    }),
    bellSecret: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'Reference to the key that signs notifications of the point-of-sale system, in the same form.',
        examples: ['env:SOURCE_SQUARE_BELL'],
      }),
    ),
    since: Type.Optional(
      Datetime({
        description: 'Documents last changed before this time are not read. By default 31 days ago.',
      }),
    ),
    everySeconds: Type.Optional(
      Count({
        minimum: 60,
        maximum: 86_400,
        description: 'Seconds between two runs; 300 by default.',
        examples: [300],
      }),
    ),
  },
  { ...closed, title: 'AdminSourceInput' },
)

export type AdminSourceInput = Static<typeof AdminSourceInput>

/** What a source would store for yesterday, beside the figures of the system itself. */
export const AdminSourceCheck = Type.Object(
  {
    date: Type.String({ format: 'date', description: 'Last ended business day.', examples: ['2026-03-14'] }),
    currency: Type.String({ examples: ['GBP'] }),
    documents: Count({ description: 'Number of documents changed since the start of the day.', examples: [140] }),
    orders: Count({ description: 'Number of counted orders of the day.', examples: [84] }),
    sales: Minor({ description: 'Sum of the counted orders of the day.', examples: [118_000] }),
    here: Minor({
      description: 'Payments of the counted orders of the day, including tips; for SumUp, sales without tips.',
      examples: [120_050],
    }),
    there: Minor({ description: 'The amount of `here` according to the source.', examples: [120_050] }),
    difference: Minor({ examples: [0] }),
    isCut: Type.Boolean({ description: 'Whether there are more documents than a check reads.' }),
    left: Type.Array(Type.Object({ key: Type.String(), reason: Type.String() }, { ...closed, title: 'SourceLeft' }), {
      description: 'At most 200 records.',
    }),
    refused: Type.Array(
      Type.Object(
        { key: Type.String(), reason: Type.String(), document: Type.String() },
        { ...closed, title: 'SourceRefused' },
      ),
      { description: 'At most 50, each with the beginning of its document.' },
    ),
    unmapped: Type.Array(Type.Object({ member: Type.String(), count: Count() }, { ...closed, title: 'SourceMember' }), {
      description: 'Document fields that are not used, at most 50.',
    }),
  },
  { ...closed, title: 'AdminSourceCheck' },
)

export const SourceBell = Type.Object(
  { rung: Type.Boolean({ description: 'Whether the source is read now.' }) },
  { ...closed, title: 'SourceBell' },
)

export type AdminSource = Static<typeof AdminSource>
export type AdminSourceDetail = Static<typeof AdminSourceDetail>
export type AdminSourceCheck = Static<typeof AdminSourceCheck>
