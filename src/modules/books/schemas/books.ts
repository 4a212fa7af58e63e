import { Type, type Static } from 'typebox'
import { bookReasons, bookStates, bookWarnings, codesOf } from '../../../core/outcomes.ts'
import {
  Choice,
  closed,
  Count,
  Datetime,
  Minor,
  Nullable,
  NullableChoice,
  Uuid,
} from '../../../core/contract/scalars.ts'

const date = (description: string) => Type.String({ format: 'date', description, examples: ['2026-03-14'] })

export type BookReasonCode = keyof typeof bookReasons
export type BookState = keyof typeof bookStates

/** Why a Z, or a day without one, cannot be booked. */
export const BookReason = Type.Object(
  {
    code: Choice(codesOf(bookReasons), { examples: ['payments'] }),
    key: Nullable(Type.String(), {
      description: 'Tax rate in hundredths of a percent, payment name, discount or order id; null: the whole source.',
      examples: ['Carte bancaire'],
    }),
    reported: Nullable(Minor(), { description: 'Amount that the Z states, in minor units.', examples: [1010] }),
    computed: Nullable(Minor(), {
      description: 'Amount that the orders of the Z add up to, in minor units.',
      examples: [1000],
    }),
    difference: Nullable(Minor(), { description: 'Reported less computed.', examples: [10] }),
    orderIds: Type.Array(Uuid(), { description: 'Orders it is about, 100 at most.' }),
  },
  { ...closed, title: 'BookReason' },
)

export const BookWarning = Type.Object(
  {
    code: Choice(codesOf(bookWarnings), { examples: ['cash_tips_not_booked'] }),
    amount: Nullable(Minor(), {
      description: 'Amount that the warning is about, in minor units; null where it is about none.',
      examples: [250],
    }),
  },
  { ...closed, title: 'BookWarning' },
)

const roles = [
  'payment',
  'tip_paid',
  'drawer',
  'revenue',
  'untaxed',
  'voucher',
  'deposit',
  'discount',
  'tax',
  'tips',
  'overpaid',
  'unpaid',
  'rounding',
  'clearing',
  'difference',
] as const

export type BookRole = (typeof roles)[number]

const BookingLine = Type.Object(
  {
    account: Type.String({ examples: ['706100'] }),
    accountName: Type.String({ examples: ['Ventes 10 %'] }),
    auxiliary: Nullable(Type.String(), { examples: [null] }),
    auxiliaryName: Nullable(Type.String(), { examples: [null] }),
    label: Type.String({ examples: ['Ventes 10 %'] }),
    debit: Minor({ description: 'Not negative; one of the two is 0.', examples: [0] }),
    credit: Minor({ description: 'Not negative; one of the two is 0.', examples: [13764] }),
    role: Choice(roles, { description: 'Kind of amount that the line books.' }),
    key: Nullable(Type.String(), {
      description:
        'Key of what the line books: payment name, rate, rate with category or service, type of the drawer entry.',
      examples: ['1000'],
    }),
  },
  { ...closed, title: 'BookingLine' },
)

const Source = Type.Object(
  {
    type: Choice(['report', 'day'] as const, { description: 'A Z, or a business day without one.' }),
    reportId: Nullable(Uuid()),
    reportNumber: Nullable(Count(), { examples: [358] }),
    deviceName: Nullable(Type.String(), { examples: ['Caisse 1'] }),
    sequence: Count({ description: 'Number in the journal of the Z, or of the last order.', examples: [48211] }),
  },
  { ...closed, title: 'BookSource' },
)

/** One balanced booking entry. */
export const BookingEntry = Type.Object(
  {
    id: Type.String({
      description: 'Id of the Z, or date of the day; with `/sales` or `/cash` behind it in the layout `clearing`.',
      examples: ['7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'],
    }),
    source: Source,
    state: Choice(codesOf(bookStates), { examples: ['ready'] }),
    journal: Type.Object({ code: Type.String({ examples: ['CA'] }), name: Type.String() }, closed),
    date: date('Date of the entry.'),
    pieceRef: Type.String({ examples: ['Z358'] }),
    pieceDate: date('Business day that is booked.'),
    currency: Type.String({ examples: ['EUR'] }),
    lines: Type.Array(BookingLine),
    totals: Type.Object({ debit: Minor({ examples: [15140] }), credit: Minor({ examples: [15140] }) }, closed),
    accountsVersion: Count({ description: 'Version of the accounts it was made by.', examples: [3] }),
    hash: Type.String({ pattern: '^[0-9a-f]{64}$', examples: ['0'.repeat(64)] }),
    number: Nullable(Type.String(), {
      description: 'Number of the issued entry; null before it is issued.',
      examples: ['CA-2026-000001'],
    }),
    batch: Nullable(Count(), { description: 'Batch that issued it.', examples: [1] }),
    reverses: Nullable(Type.String(), { description: 'Number of the entry that it reverses.', examples: [null] }),
    warnings: Type.Array(BookWarning),
  },
  { ...closed, title: 'BookingEntry' },
)

const RefusedSource = Type.Object(
  {
    id: Type.String({ description: 'Id of the Z, or date of the day.' }),
    date: date('Business day that is booked.'),
    pieceRef: Type.String({ examples: ['Z358'] }),
    state: Choice(codesOf(bookStates), { examples: ['refused'] }),
    reasons: Type.Array(BookReason),
    warnings: Type.Array(BookWarning),
  },
  { ...closed, title: 'BookRefused' },
)

const unmappedNames = ['payment', 'tax', 'revenue', 'entry'] as const

const unmapped = {
  name: Type.Optional(Type.String({ examples: ['Livréo'] })),
  rate: Type.Optional(Type.Integer({ examples: [1000] })),
  category: Type.Optional(Type.String({ examples: ['Plats'] })),
  entryType: Type.Optional(Type.String({ examples: ['expense'] })),
  amount: Minor({ description: 'Sum of what is booked on the suspense account for it.' }),
  sources: Count({ description: 'In how many Z or days it is.', examples: [12] }),
}

/** A name that no account was given. */
export const BookUnmapped = Type.Object(
  { what: Choice(unmappedNames), ...unmapped },
  { ...closed, title: 'BookUnmapped' },
)

/** What stands in the way of a batch: a name that no account was given, or a source that cannot be booked. */
export const BookHindrance = Type.Object(
  {
    what: Choice([...unmappedNames, 'source'] as const, {
      description: '`source` is a Z or day that cannot be booked now: its names are looked up when it can be.',
    }),
    ...unmapped,
    id: Type.Optional(Type.String({ description: 'A source has the id of the Z, or the date of the day.' })),
    date: Type.Optional(date('A source has the business day that is booked.')),
    pieceRef: Type.Optional(Type.String({ examples: ['Z358'] })),
    state: Type.Optional(
      Choice(codesOf(bookStates), { description: 'A source is refused, waiting or blocked.', examples: ['refused'] }),
    ),
    reasons: Type.Optional(Type.Array(BookReason, { description: 'A source says why it cannot be booked.' })),
  },
  { ...closed, title: 'BookHindrance' },
)

const Vat = Type.Object(
  {
    rate: Type.Integer({ description: 'Hundredths of a percent.', examples: [1000] }),
    taxable: Minor(),
    tax: Minor(),
    rateTimesBase: Minor({ description: 'What the rate makes of the taxable sum: tills round item by item.' }),
  },
  { ...closed, title: 'BookVat' },
)

const range = { since: date('First business day.'), until: date('Last business day.') }

const clock = {
  timeZone: Type.String({ examples: ['Europe/Paris'] }),
  dayStartsAt: Type.String({ examples: ['05:00'] }),
  sequence: Count({ description: 'Number of the journal at which it holds.', examples: [48211] }),
}

const completeUntil = Nullable(Datetime(), { description: 'Everything that was closed until then has arrived.' })

export const BookingEntryList = Type.Object(
  {
    data: Type.Array(BookingEntry, { description: 'In order of date, till and number.' }),
    refused: Type.Array(RefusedSource, { description: 'What cannot be booked now: waiting, refused, blocked.' }),
    unmapped: Type.Array(BookUnmapped),
    vat: Type.Array(Vat, { description: 'VAT of all entries of the range, the highest rate first.' }),
    meta: Type.Object(
      {
        ...range,
        currency: Type.String({ examples: ['EUR'] }),
        ...clock,
        completeUntil,
        accountsVersion: Count({ examples: [3] }),
        siren: Nullable(Type.String(), {
          description: 'From the `siret` of the location, where it is one.',
          examples: ['732829320'],
        }),
        totalCount: Count({ examples: [31] }),
        currentPageIndex: Count({ examples: [0] }),
        totalPage: Count({ examples: [1] }),
        pageSize: Count({ examples: [100] }),
      },
      closed,
    ),
  },
  { ...closed, title: 'BookingEntryList' },
)

/** The entries of one source: one, or two in the layout `clearing`. */
export const BookingEntriesOfSource = Type.Object(
  { data: Type.Array(BookingEntry), meta: Type.Object({ sequence: clock.sequence, accountsVersion: Count() }, closed) },
  { ...closed, title: 'BookingEntriesOfSource' },
)

const BookDay = Type.Object(
  {
    date: date('Business day that is booked.'),
    state: NullableChoice(codesOf(bookStates), { description: 'The worst of its sources; null without any.' }),
    salesInclTax: Minor({ description: 'Sales of its sources, tax included, in minor units.' }),
    sources: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          type: Choice(['report', 'day'] as const),
          pieceRef: Type.String({ examples: ['Z358'] }),
          reportNumber: Nullable(Count()),
          deviceName: Nullable(Type.String()),
          state: Choice(codesOf(bookStates)),
          salesInclTax: Minor(),
          reasons: Type.Array(BookReason),
          warnings: Type.Array(BookWarning),
          unmapped: Count({
            description:
              'Names of it without an account: a batch is refused until each has one, or is sent to the suspense account.',
          }),
          numbers: Type.Array(Type.String(), {
            description: 'Numbers of the entries that were issued for it; empty before that.',
            examples: [['CA-2026-000001']],
          }),
        },
        { ...closed, title: 'BookDaySource' },
      ),
    ),
    batches: Type.Array(Count(), { description: 'Batches that have entries of it.' }),
  },
  { ...closed, title: 'BookDay' },
)

export const BookDayList = Type.Object(
  {
    data: Type.Array(BookDay, { description: 'Every day of the range, oldest first.' }),
    meta: Type.Object({ ...range, currency: Type.String(), ...clock, completeUntil, accountsVersion: Count() }, closed),
  },
  { ...closed, title: 'BookDayList' },
)

const Accepted = Type.Object(
  {
    reportId: Type.String({
      pattern:
        '^([0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}|[0-9]{4}-[0-9]{2}-[0-9]{2})$',
      'x-must': 'the id of a Z, or the date of a business day without one',
      description: 'Id of the Z, or date of the day without one.',
      examples: ['7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'],
    }),
    reason: Type.String({ minLength: 1, maxLength: 500, description: 'Why, in the words of who accepts it.' }),
  },
  { ...closed, title: 'BookAcceptance' },
)

export const BookBatchInput = Type.Object(
  {
    until: date('Last business day of what is issued.'),
    after: Type.Integer({
      minimum: 0,
      description: 'Number of the last batch, 0 before the first: so a repeated request issues nothing twice.',
    }),
    accept: Type.Optional(
      Type.Array(Accepted, {
        maxItems: 500,
        description: 'Z, or days without one, that are booked from their own figures alone.',
      }),
    ),
    unmapped: Type.Optional(
      Choice(['refuse', 'suspense'] as const, {
        description: '`suspense` books what has no account on the suspense account.',
      }),
    ),
    skip: Type.Optional(Type.Boolean({ description: 'Leave out what is refused or waiting, for a later batch.' })),
    dryRun: Type.Optional(Type.Boolean({ description: 'Counts what would be issued, and issues nothing: see `due`.' })),
    plan: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{64}$',
        examples: ['6b1f0c4d2a9e8f7361504a3b2c1d0e9f8a7b6c5d4e3f20112233445566778899'],
        'x-must': 'the `plan` of a dry run',
        description: '`plan` of a dry run: issues exactly what it counted, or nothing (409 `batch_changed`).',
      }),
    ),
    reissue: Type.Optional(
      Type.Array(Type.String({ maxLength: 60 }), {
        maxItems: 500,
        description: 'Ids of sources that are reversed and issued again by today’s accounts though nothing changed.',
      }),
    ),
  },
  { ...closed, title: 'BookBatchInput' },
)

const batch = {
  number: Count({ examples: [1] }),
  createdAt: Datetime(),
  until: date('Last business day.'),
  accountsVersion: Count({ examples: [3] }),
  sequence: Count({ description: 'Number of the journal at which it was computed.', examples: [48211] }),
}

/** An issued batch as the journal has it: it never changes. */
export const BookBatch = Type.Object(
  {
    ...batch,
    currency: Type.String({ examples: ['EUR'] }),
    timeZone: Type.String({ examples: ['Europe/Paris'] }),
    siren: Nullable(Type.String(), { examples: ['732829320'] }),
    entries: Type.Array(BookingEntry),
    accepted: Type.Array(Accepted),
    skipped: Type.Array(Type.String(), { description: 'Ids of sources that were left out.' }),
    hasMore: Type.Boolean({ description: 'More is due than one batch may have: issue the next.' }),
  },
  { ...closed, title: 'BookBatch' },
)

const due = Type.Object(
  {
    entries: Count({ description: 'Entries of the batch.', examples: [31] }),
    reversals: Count({ description: 'Entries among them that reverse an issued one.' }),
    since: Nullable(date('Day of the first entry.')),
    until: Nullable(date('Day of the last entry.')),
    debit: Minor({ description: 'Σ debit of the entries, which is Σ credit.' }),
    hasMore: Type.Boolean({ description: 'More is due after this batch.' }),
    plan: Type.String({ description: 'Names exactly these entries.' }),
  },
  closed,
)

export const NoBookBatch = Type.Object(
  {
    batch: Type.Null({ examples: [null] }),
    due: Type.Optional({ ...due, description: 'With `dryRun`: what the batch would have.' }),
  },
  { ...closed, title: 'NoBookBatch' },
)

export type BookBatchDue = Static<typeof due>

export const BookBatchList = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        { ...batch, entries: Count({ description: 'Number of entries in the batch.' }) },
        { ...closed, title: 'BookBatchSummary' },
      ),
      { description: 'The newest first.' },
    ),
    meta: Type.Object(
      { totalCount: Count(), currentPageIndex: Count(), totalPage: Count(), pageSize: Count() },
      closed,
    ),
  },
  { ...closed, title: 'BookBatchList' },
)

export type BookReason = Static<typeof BookReason>
export type BookWarning = Static<typeof BookWarning>
export type BookingLine = Static<typeof BookingLine>
export type BookingEntry = Static<typeof BookingEntry>
export type BookRefused = Static<typeof RefusedSource>
export type BookUnmapped = Static<typeof BookUnmapped>
export type BookHindrance = Static<typeof BookHindrance>
export type BookVat = Static<typeof Vat>
export type BookingEntryList = Static<typeof BookingEntryList>
export type BookDayList = Static<typeof BookDayList>
export type BookBatch = Static<typeof BookBatch>
export type BookBatchInput = Static<typeof BookBatchInput>
export type BookBatchList = Static<typeof BookBatchList>
