import { Type, type Static } from 'typebox'
import { Choice, closed, Count, Datetime, Minor, Nullable, Uuid } from '../../../core/contract/scalars.ts'

const date = (description: string) => Type.String({ format: 'date', description, examples: ['2026-03-14'] })

export const closingPeriods = ['day', 'month', 'year'] as const

export type ClosingPeriod = (typeof closingPeriods)[number]

const Totals = Type.Object(
  {
    orders: Count({ description: 'Counted orders, those that were taken out again less.', examples: [113] }),
    salesInclTax: Minor({ examples: [415000] }),
    tax: Minor({ examples: [37700] }),
    salesExclTax: Minor({ examples: [377300] }),
    discounts: Minor({ examples: [0] }),
    tips: Minor({ examples: [700] }),
    refunds: Minor({ examples: [0] }),
    canceledSales: Minor({ description: 'Totals of the orders that were canceled.', examples: [0] }),
  },
  { ...closed, title: 'ClosingTotals' },
)

const Perpetual = Type.Object(
  {
    orders: Count({ examples: [21350] }),
    salesInclTax: Minor({ examples: [81200000] }),
    tax: Minor({ examples: [7381800] }),
  },
  { ...closed, title: 'ClosingPerpetual', description: 'Sums over this closing and all before it.' },
)

const Others = Type.Object(
  {
    payments: Type.Object({ names: Count(), amount: Minor() }, closed),
    days: Type.Object({ days: Count(), salesInclTax: Minor(), tax: Minor() }, closed),
    reports: Count({ description: 'Z reports that are left out.' }),
  },
  {
    ...closed,
    title: 'ClosingOthers',
    description: 'What the lists leave out: payments beyond 200 names, the oldest days and reports beyond 366 and 400.',
  },
)

/** A closing as the journal has it: it never changes. */
export const Closing = Type.Object(
  {
    id: Uuid(),
    period: Choice(closingPeriods, { description: 'A month adds up its days, and so does a fiscal year.' }),
    number: Count({ description: 'Without a gap per period, from 1.', examples: [74] }),
    date: date('Last business day.'),
    createdAt: Datetime(),
    fromSequence: Count({
      description: 'First number of the journal that no closing before looked at.',
    }),
    toSequence: Count({
      description:
        'Last number of the journal that it looked at: what came up to it for days up to `date` is in it or one before.',
      examples: [48211],
    }),
    entries: Count({ description: 'Entries of the journal between the two.', examples: [394] }),
    first: Nullable(Count(), {
      description: 'Number of the first day of a month or year; null for a day.',
      examples: [44],
    }),
    last: Nullable(Count(), {
      description: 'Number of the last day of a month or year; null for a day.',
      examples: [74],
    }),
    currency: Type.String({ examples: ['EUR'] }),
    timeZone: Type.String({ examples: ['Europe/Paris'] }),
    dayStartsAt: Type.String({ examples: ['05:00'] }),
    totals: Totals,
    taxes: Type.Array(
      Type.Object(
        {
          rate: Nullable(Type.Integer(), {
            description: 'Hundredths of a percent; null where none is stated.',
            examples: [1000],
          }),
          taxable: Minor({ examples: [377300] }),
          tax: Minor({ examples: [37700] }),
        },
        { ...closed, title: 'ClosingTax' },
      ),
      { description: 'The highest rate first.' },
    ),
    payments: Type.Array(
      Type.Object(
        { name: Type.String({ examples: ['Carte bancaire'] }), amount: Minor({ examples: [415000] }) },
        { ...closed, title: 'ClosingPayment' },
      ),
      { description: 'The largest first.' },
    ),
    days: Type.Array(
      Type.Object(
        {
          date: date('Business day of the sums.'),
          salesInclTax: Minor({ examples: [415000] }),
          tax: Minor({ examples: [37700] }),
        },
        { ...closed, title: 'ClosingDay' },
      ),
      { description: 'To which business days it belongs: what came late for an earlier one too.' },
    ),
    reports: Type.Array(
      Type.Object(
        {
          id: Uuid(),
          number: Count({ examples: [358] }),
          deviceName: Type.String({ examples: ['Caisse 1'] }),
          totalSales: Minor({ examples: [415000] }),
        },
        { ...closed, title: 'ClosingReport' },
      ),
      { description: 'Z reports that came or changed, in the order of the journal; of a month or year none.' },
    ),
    others: Others,
    perpetual: Perpetual,
    complete: Type.Boolean({ description: 'Nothing of its business days was missing.' }),
    waitingFor: Type.Array(Type.Object({ deviceId: Nullable(Uuid()), deviceName: Nullable(Type.String()) }, closed), {
      description: 'Tills that something was missing of.',
    }),
    completeUntil: Nullable(Datetime(), {
      description:
        'Everything that tills closed until then is in this closing or one before it; null where that was not known. Of a month or ' +
        'year that of its last day.',
      examples: ['2026-03-15T03:00:00.000Z'],
    }),
    left: Type.Optional(
      Type.Object(
        {
          orders: Count({ examples: [0] }),
          salesInclTax: Minor({ examples: [0] }),
          tax: Minor({ examples: [0] }),
          reports: Count({ examples: [0] }),
        },
        {
          ...closed,
          title: 'ClosingLeft',
          description:
            'What came for business days after `date`, which the next closings have. A closing without it is of an earlier build and has all ' +
            'that came.',
        },
      ),
    ),
    previous: Nullable(Uuid(), { description: 'Id of the closing of the same period before it.', examples: [null] }),
  },
  { ...closed, title: 'Closing' },
)

export const ClosingInput = Type.Object(
  {
    until: date('Last business day; it must be over.'),
    after: Type.Integer({
      minimum: 0,
      description:
        'Number of the last closing of a day, 0 before the first: so a repeated request closes nothing twice.',
    }),
  },
  { ...closed, title: 'ClosingInput' },
)

/** What was closed: a day, and months and years that ended before it. */
export const ClosingList = Type.Object({ data: Type.Array(Closing) }, { ...closed, title: 'ClosingList' })

export const ClosingPage = Type.Object(
  {
    data: Type.Array(Closing, { description: 'The newest first.' }),
    meta: Type.Object(
      { totalCount: Count(), currentPageIndex: Count(), totalPage: Count(), pageSize: Count() },
      closed,
    ),
  },
  { ...closed, title: 'ClosingPage' },
)

export type Closing = Static<typeof Closing>
export type ClosingPage = Static<typeof ClosingPage>
export type ClosingInput = Static<typeof ClosingInput>
