import { Type, type Static } from 'typebox'
import { Choice, closed, Count, Datetime, Minor, Nullable, Uuid } from '../../../core/contract/scalars.ts'

/** The systems whose sales Tillgate reads as they come. */
export const liveSources = ['square', 'toast', 'sumup', 'loyverse', 'lightspeed-k'] as const

export type LiveSource = (typeof liveSources)[number]

/** A business day on which what is stored of a source is not what the source says, also after it was read again. */
export const SourceDifference = Type.Object(
  {
    id: Uuid({ description: 'Id of the day of the source: the same when it is told again with other amounts.' }),
    sourceId: Uuid(),
    source: Choice(liveSources, { examples: ['square'] }),
    account: Type.String({ description: 'The shop in the source.', examples: ['L123'] }),
    date: Type.String({ format: 'date', description: 'The business day.', examples: ['2026-03-14'] }),
    here: Minor({
      description: 'What was paid by the orders that are stored, tips in it; of SumUp what was sold, without tips.',
      examples: [120_050],
    }),
    there: Minor({ description: 'The same as the source states it.', examples: [122_050] }),
    difference: Minor({ description: '`here` less `there`.', examples: [-2_000] }),
  },
  { ...closed, title: 'SourceDifference' },
)

export type SourceDifference = Static<typeof SourceDifference>

const states = ['active', 'failing', 'paused', 'stopped'] as const

const sourceFields = {
  id: Uuid(),
  locationId: Uuid(),
  source: Choice(liveSources, { examples: ['square'] }),
  account: Type.String({ description: 'The shop in the source.', examples: ['L123'] }),
  state: Choice(states, {
    description:
      '`failing`: the last run failed and is tried again. `stopped`: somebody must mend something first, as `lastError` says. ' +
      '`paused`: by hand, or never begun.',
    examples: ['active'],
  }),
  secret: Type.String({ description: 'Where its secret is; never the secret.', examples: ['env:SOURCE_SQUARE'] }),
  hasBell: Type.Boolean({ description: 'The system may ring `POST /v1/sources/{id}/bell`.' }),
  everySeconds: Count({ description: 'Between two runs.', examples: [300] }),
  createdAt: Datetime(),
  readsFrom: Datetime({ description: 'Moment from which it is read: a document whose last change is earlier is not.' }),
  storedFrom: Nullable(Datetime(), {
    description: 'What changed before it was stored without events; null: nothing is stored yet.',
  }),
  readUntil: Nullable(Datetime(), { description: 'Changes up to here are stored; null before the first.' }),
  beganAt: Nullable(Datetime(), { description: 'When the last run began.' }),
  succeededAt: Nullable(Datetime(), { description: 'When a run last ended well.' }),
  nextRunAt: Nullable(Datetime()),
  failures: Count({ description: 'Runs that failed since the last that ended well.', examples: [0] }),
  failingSince: Nullable(Datetime()),
  lastError: Nullable(Type.String(), { examples: [null] }),
  accepted: Count({ description: 'Records that were new, or another version.', examples: [1_204] }),
  comparedAt: Nullable(Datetime(), { description: 'When its days were last compared with what the source says.' }),
}

export const AdminSource = Type.Object(sourceFields, { ...closed, title: 'AdminSource' })

const SourceDay = Type.Object(
  {
    date: Type.String({ format: 'date', examples: ['2026-03-14'] }),
    here: Minor({
      description: 'What was paid by the orders that are stored, tips in it; of SumUp what was sold, without tips.',
      examples: [120_050],
    }),
    there: Minor({ description: 'The same as the source states it.', examples: [120_050] }),
    difference: Minor({ description: '`here` less `there`.', examples: [0] }),
    comparedAt: Datetime(),
    rereadAt: Nullable(Datetime(), { description: 'When it was read again because it differed.' }),
  },
  { ...closed, title: 'SourceDay' },
)

const SourceNotice = Type.Object(
  {
    key: Type.String({ description: 'Key of the document in its source.', examples: ['ord-17'] }),
    kind: Choice(['left', 'refused'] as const, {
      description: '`left`: it is no sale. `refused`: it could not be read, and is read again.',
      examples: ['refused'],
    }),
    reason: Type.String({ examples: ['said.total is 26.50, the items make 27.50: a difference of -1.00'] }),
    at: Datetime(),
    tries: Count({ description: 'How often it was read again.', examples: [1] }),
    nextTryAt: Nullable(Datetime()),
    rejectedId: Nullable(Uuid(), { description: 'The rejected record that has the document, while that is kept.' }),
  },
  { ...closed, title: 'SourceNotice' },
)

export const AdminSourceDetail = Type.Object(
  {
    ...sourceFields,
    currency: Type.String({ examples: ['GBP'] }),
    days: Type.Array(SourceDay, { description: 'Compared business days of the last 14, the newest first.' }),
    notices: Type.Array(SourceNotice, { description: 'The newest 200.' }),
    reasons: Type.Array(
      Type.Object(
        { kind: Choice(['left', 'refused'] as const), reason: Type.String(), count: Count() },
        { ...closed, title: 'SourceReason' },
      ),
      { description: 'How many documents became nothing, by reason, 50 at most.' },
    ),
  },
  { ...closed, title: 'AdminSourceDetail' },
)

export const AdminSourceList = Type.Object(
  { data: Type.Array(AdminSource) },
  { ...closed, title: 'AdminSourceList', description: 'Sources of a location, or of the installation, 1,000 at most.' },
)

export const AdminSourceInput = Type.Object(
  {
    locationId: Uuid(),
    source: Choice(liveSources, { examples: ['square'] }),
    account: Type.String({ minLength: 1, maxLength: 500, description: 'The shop in the source.', examples: ['L123'] }),
    secret: Type.String({
      maxLength: 500,
      description:
        'Where its secret is where deliveries run: `env:SOURCE_…`, or `file:` with a path in `TILLGATE_SOURCE_SECRETS_DIR`. Never the secret itself.',
      examples: ['env:SOURCE_SQUARE'],
    }),
    bellSecret: Type.Optional(
      Type.String({
        maxLength: 500,
        description: 'In the same form, where the key is with which the system signs what it rings the bell with.',
        examples: ['env:SOURCE_SQUARE_BELL'],
      }),
    ),
    since: Type.Optional(
      Datetime({
        description:
          'Moment from which it is read: a document whose last change is earlier is not. Left out, 31 days ago.',
      }),
    ),
    everySeconds: Type.Optional(
      Count({ minimum: 60, maximum: 86_400, description: 'Left out, 300.', examples: [300] }),
    ),
  },
  { ...closed, title: 'AdminSourceInput' },
)

export type AdminSourceInput = Static<typeof AdminSourceInput>

/** What a source would store of yesterday, beside what it says itself. */
export const AdminSourceCheck = Type.Object(
  {
    date: Type.String({ format: 'date', description: 'The last business day that is over.', examples: ['2026-03-14'] }),
    currency: Type.String({ examples: ['GBP'] }),
    documents: Count({ description: 'Documents that changed since that day began.', examples: [140] }),
    orders: Count({ description: 'Counted orders of the day.', examples: [84] }),
    sales: Minor({ description: 'Sales of these orders.', examples: [118_000] }),
    here: Minor({
      description: 'What was paid for these orders, tips in it; of SumUp what was sold, without tips.',
      examples: [120_050],
    }),
    there: Minor({ description: 'The same as the source states it.', examples: [120_050] }),
    difference: Minor({ examples: [0] }),
    isCut: Type.Boolean({ description: 'There are more documents than a check reads.' }),
    left: Type.Array(Type.Object({ key: Type.String(), reason: Type.String() }, { ...closed, title: 'SourceLeft' }), {
      description: '200 at most.',
    }),
    refused: Type.Array(
      Type.Object(
        { key: Type.String(), reason: Type.String(), document: Type.String() },
        { ...closed, title: 'SourceRefused' },
      ),
      { description: '50 at most, each with the beginning of its document.' },
    ),
    unmapped: Type.Array(Type.Object({ member: Type.String(), count: Count() }, { ...closed, title: 'SourceMember' }), {
      description: 'Members of the documents that no record has, 50 at most.',
    }),
  },
  { ...closed, title: 'AdminSourceCheck' },
)

export const SourceBell = Type.Object(
  { rung: Type.Boolean({ description: 'The source is read now, if it is active.' }) },
  { ...closed, title: 'SourceBell' },
)

export type AdminSource = Static<typeof AdminSource>
export type AdminSourceDetail = Static<typeof AdminSourceDetail>
export type AdminSourceCheck = Static<typeof AdminSourceCheck>
