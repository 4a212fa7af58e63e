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
    reported: Nullable(Minor(), { description: 'Amount in the Z report, in minor units.', examples: [1010] }),
    computed: Nullable(Minor(), {
      description: 'Sum of the orders of the Z report, in minor units.',
      examples: [1000],
    }),
    difference: Nullable(Minor(), { description: 'Reported amount minus computed amount.', examples: [10] }),
    orderIds: Type.Array(Uuid(), { description: 'Affected orders, at most 100.' }),
  },
  { ...closed, title: 'BookReason' },
)

export const BookWarning = Type.Object(
  {
    code: Choice(codesOf(bookWarnings), { examples: ['cash_tips_not_booked'] }),
    amount: Nullable(Minor(), {
      description: 'Amount of the warning in minor units; null if it has none.',
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
    auxiliary: Nullable(Type.String(), { description: 'Null if there is none.', examples: [null] }),
    auxiliaryName: Nullable(Type.String(), { description: 'Null if there is none.', examples: [null] }),
    label: Type.String({ examples: ['Ventes 10 %'] }),
    debit: Minor({ description: 'Not negative; either debit or credit is 0.', examples: [0] }),
    credit: Minor({ description: 'Not negative; either debit or credit is 0.', examples: [13764] }),
    role: Choice(roles, { description: 'Kind of amount of the line.' }),
    key: Nullable(Type.String(), {
      description:
        'Key of the amount: payment name, rate, rate with category or service, or type of the cash movement.',
      examples: ['1000'],
    }),
  },
  { ...closed, title: 'BookingLine' },
)

const Source = Type.Object(
  {
    type: Choice(['report', 'day'] as const, { description: 'A Z report, or a business day without a Z report.' }),
    reportId: Nullable(Uuid(), { description: 'Null for a day.' }),
    reportNumber: Nullable(Count(), { description: 'Null for a day.', examples: [358] }),
    deviceName: Nullable(Type.String(), { description: 'Till; null for a day.', examples: ['Caisse 1'] }),
    sequence: Count({ description: 'Journal sequence of the Z report, or of the last order.', examples: [48211] }),
  },
  { ...closed, title: 'BookSource' },
)

export const BookingEntry = Type.Object(
  {
    id: Type.String({
      description: 'Id of the Z report, or date of the day; followed by `/sales` or `/cash` in the layout `clearing`.',
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
    accountsVersion: Count({ description: 'Version of the accounts used.', examples: [3] }),
    hash: Type.String({ pattern: '^[0-9a-f]{64}$', examples: ['0'.repeat(64)] }),
    number: Nullable(Type.String(), {
      description: 'Number of the issued entry; null before it is issued.',
      examples: ['CA-2026-000001'],
    }),
    batch: Nullable(Count(), { description: 'Batch that issued the entry.', examples: [1] }),
    reverses: Nullable(Type.String(), { description: 'Number of the reversed entry.', examples: [null] }),
    warnings: Type.Array(BookWarning),
  },
  { ...closed, title: 'BookingEntry' },
)

const RefusedSource = Type.Object(
  {
    id: Type.String({ description: 'Id of the Z report, or date of the day.' }),
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
  amount: Minor({ description: 'Sum booked to the suspense account for this name.' }),
  sources: Count({ description: 'Number of Z reports or days with this name.', examples: [12] }),
}

export const BookUnmapped = Type.Object(
  { what: Choice(unmappedNames), ...unmapped },
  { ...closed, title: 'BookUnmapped' },
)

/** What prevents a batch: a name without an account, or a source that cannot be booked. */
export const BookHindrance = Type.Object(
  {
    what: Choice([...unmappedNames, 'source'] as const, {
      description: '`source` is a Z report or day that cannot be booked now; its names are checked when it can be.',
    }),
    ...unmapped,
    id: Type.Optional(Type.String({ description: 'For a source: the id of the Z report, or the date of the day.' })),
    date: Type.Optional(date('For a source: its business day.')),
    pieceRef: Type.Optional(Type.String({ examples: ['Z358'] })),
    state: Type.Optional(
      Choice(codesOf(bookStates), { description: 'For a source: refused, waiting or blocked.', examples: ['refused'] }),
    ),
    reasons: Type.Optional(Type.Array(BookReason, { description: 'For a source: why it cannot be booked.' })),
  },
  { ...closed, title: 'BookHindrance' },
)

const Vat = Type.Object(
  {
    rate: Type.Integer({ description: 'Hundredths of a percent.', examples: [1000] }),
    taxable: Minor(),
    tax: Minor(),
    rateTimesBase: Minor({ description: 'Tax computed from the taxable sum; tills round item by item.' }),
  },
  { ...closed, title: 'BookVat' },
)

const range = { since: date('First business day.'), until: date('Last business day.') }

const clock = {
  timeZone: Type.String({ examples: ['Europe/Paris'] }),
  dayStartsAt: Type.String({ examples: ['05:00'] }),
  sequence: Count({ description: 'Journal sequence of this state.', examples: [48211] }),
}

const completeUntil = Nullable(Datetime(), {
  description: 'Everything that active tills closed until this time has arrived.',
})

export const BookingEntryList = Type.Object(
  {
    data: Type.Array(BookingEntry, { description: 'Ordered by date, till and number.' }),
    refused: Type.Array(RefusedSource, {
      description: 'Sources that cannot be booked now: waiting, refused or blocked.',
    }),
    unmapped: Type.Array(BookUnmapped),
    vat: Type.Array(Vat, { description: 'VAT of all entries of the range, highest rate first.' }),
    meta: Type.Object(
      {
        ...range,
        currency: Type.String({ examples: ['EUR'] }),
        ...clock,
        completeUntil,
        accountsVersion: Count({ examples: [3] }),
        siren: Nullable(Type.String(), {
          description: 'Derived from the `siret` of the location, if valid.',
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
    state: NullableChoice(codesOf(bookStates), { description: 'Worst state of its sources; null without sources.' }),
    salesInclTax: Minor({ description: 'Sales of the day, tax included, in minor units.' }),
    sources: Type.Array(
      Type.Object(
        {
          id: Type.String(),
          type: Choice(['report', 'day'] as const),
          pieceRef: Type.String({ examples: ['Z358'] }),
          reportNumber: Nullable(Count(), { description: 'Null for a day.' }),
          deviceName: Nullable(Type.String(), { description: 'Till of the Z report; null for a day.' }),
          state: Choice(codesOf(bookStates)),
          salesInclTax: Minor(),
          reasons: Type.Array(BookReason),
          warnings: Type.Array(BookWarning),
          unmapped: Count({
            description:
              'Names without an account. A batch is refused until each has one or is booked to the suspense account.',
          }),
          numbers: Type.Array(Type.String(), {
            description: 'Numbers of the issued entries; empty before they are issued.',
            examples: [['CA-2026-000001']],
          }),
        },
        { ...closed, title: 'BookDaySource' },
      ),
    ),
    batches: Type.Array(Count(), { description: 'Batches with entries of the day.' }),
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
      'x-must': 'the id of a Z report, or the date of a business day without one',
      description: 'Id of the Z report, or date of a business day without one.',
      examples: ['7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11'],
    }),
    reason: Type.String({ minLength: 1, maxLength: 500, description: 'Reason given by the person who accepts it.' }),
  },
  { ...closed, title: 'BookAcceptance' },
)

export const BookBatchInput = Type.Object(
  {
    until: date('Last business day to issue.'),
    after: Type.Integer({
      minimum: 0,
      description: 'Number of the last batch, 0 before the first, so that a repeated request issues nothing twice.',
    }),
    accept: Type.Optional(
      Type.Array(Accepted, {
        maxItems: 500,
        description: 'Z reports, or days without a Z report, to book from their own figures.',
      }),
    ),
    unmapped: Type.Optional(
      Choice(['refuse', 'suspense'] as const, {
        description: '`suspense` books amounts without an account to the suspense account.',
      }),
    ),
    skip: Type.Optional(Type.Boolean({ description: 'Skip refused and waiting sources, for a later batch.' })),
    dryRun: Type.Optional(Type.Boolean({ description: 'Counts the entries without issuing them: see `due`.' })),
    plan: Type.Optional(
      Type.String({
        pattern: '^[0-9a-f]{64}$',
        examples: ['6b1f0c4d2a9e8f7361504a3b2c1d0e9f8a7b6c5d4e3f20112233445566778899'],
        'x-must': 'the `plan` of a dry run',
        description: '`plan` of a dry run: issues exactly these entries, or none (409 `batch_changed`).',
      }),
    ),
    reissue: Type.Optional(
      Type.Array(Type.String({ maxLength: 60 }), {
        maxItems: 500,
        description: 'Ids of sources to reverse and reissue with the current accounts, although nothing changed.',
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
  sequence: Count({ description: 'Journal sequence at which the batch was computed.', examples: [48211] }),
}

/** An issued batch as journaled; it never changes. */
export const BookBatch = Type.Object(
  {
    ...batch,
    currency: Type.String({ examples: ['EUR'] }),
    timeZone: Type.String({ examples: ['Europe/Paris'] }),
    siren: Nullable(Type.String(), { examples: ['732829320'] }),
    entries: Type.Array(BookingEntry),
    accepted: Type.Array(Accepted),
    skipped: Type.Array(Type.String(), { description: 'Ids of skipped sources.' }),
    hasMore: Type.Boolean({ description: 'More entries are due than fit into one batch; issue the next one.' }),
  },
  { ...closed, title: 'BookBatch' },
)

const due = Type.Object(
  {
    entries: Count({ description: 'Entries of the batch.', examples: [31] }),
    reversals: Count({ description: 'Entries that reverse an issued one.' }),
    since: Nullable(date('Day of the first entry.')),
    until: Nullable(date('Day of the last entry.')),
    debit: Minor({ description: 'Sum of the debits, equal to the sum of the credits.' }),
    hasMore: Type.Boolean({ description: 'More entries are due after this batch.' }),
    plan: Type.String({ description: 'Identifies exactly these entries.' }),
  },
  closed,
)

export const NoBookBatch = Type.Object(
  {
    batch: Type.Null({ examples: [null] }),
    due: Type.Optional({ ...due, description: 'With `dryRun`: the contents of the batch.' }),
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
      { description: 'Batches, newest first.' },
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
