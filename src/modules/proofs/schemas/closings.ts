import { Type, type Static } from 'typebox'
import { Choice, closed, Count, Datetime, Minor, Nullable, Uuid } from '../../../core/contract/scalars.ts'

const date = (description: string) => Type.String({ format: 'date', description, examples: ['2026-03-14'] })

export const closingPeriods = ['day', 'month', 'year'] as const

export type ClosingPeriod = (typeof closingPeriods)[number]

const Totals = Type.Object(
  {
    orders: Count({ description: 'Number of counted orders, minus those removed later.', examples: [113] }),
    salesInclTax: Minor({ examples: [415000] }),
    tax: Minor({ examples: [37700] }),
    salesExclTax: Minor({ examples: [377300] }),
    discounts: Minor({ examples: [0] }),
    tips: Minor({ examples: [700] }),
    refunds: Minor({ examples: [0] }),
    canceledSales: Minor({ description: 'Sum of the totals of canceled orders.', examples: [0] }),
  },
  { ...closed, title: 'ClosingTotals' },
)

const Perpetual = Type.Object(
  {
    orders: Count({ examples: [21350] }),
    salesInclTax: Minor({ examples: [81200000] }),
    tax: Minor({ examples: [7381800] }),
  },
  { ...closed, title: 'ClosingPerpetual', description: 'Sums over this closing and all earlier ones.' },
)

const Others = Type.Object(
  {
    payments: Type.Object({ names: Count(), amount: Minor() }, closed),
    days: Type.Object({ days: Count(), salesInclTax: Minor(), tax: Minor() }, closed),
    reports: Count({ description: 'Number of omitted Z reports.' }),
  },
  {
    ...closed,
    title: 'ClosingOthers',
    description:
      'Omitted elements of the lists: payments beyond 200 names, and the oldest days and reports beyond 366 and 400.',
  },
)

/** A closing as journaled; it never changes. */
export const Closing = Type.Object(
  {
    id: Uuid(),
    period: Choice(closingPeriods, {
      description: 'Period of the closing; months and fiscal years add up their days.',
    }),
    number: Count({ description: 'Number of the closing per period, without gaps, from 1.', examples: [74] }),
    date: date('Last business day.'),
    createdAt: Datetime(),
    fromSequence: Count({
      description: 'First journal sequence that no earlier closing covers.',
    }),
    toSequence: Count({
      description:
        'Last journal sequence that it covers. Entries up to it, for days up to `date`, are in this closing or an earlier one.',
      examples: [48211],
    }),
    entries: Count({ description: 'Number of journal entries from `fromSequence` to `toSequence`.', examples: [394] }),
    first: Nullable(Count(), {
      description: 'Number of the first daily closing of the month or year; null for a daily closing.',
      examples: [44],
    }),
    last: Nullable(Count(), {
      description: 'Number of the last daily closing of the month or year; null for a daily closing.',
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
            description: 'Hundredths of a percent; null if not stated.',
            examples: [1000],
          }),
          taxable: Minor({ examples: [377300] }),
          tax: Minor({ examples: [37700] }),
        },
        { ...closed, title: 'ClosingTax' },
      ),
      { description: 'Highest rate first.' },
    ),
    payments: Type.Array(
      Type.Object(
        { name: Type.String({ examples: ['Carte bancaire'] }), amount: Minor({ examples: [415000] }) },
        { ...closed, title: 'ClosingPayment' },
      ),
      { description: 'Largest amount first.' },
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
      { description: 'Sums per business day, including late entries of earlier days.' },
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
      { description: 'New and changed Z reports, in journal order; none for a month or year.' },
    ),
    others: Others,
    perpetual: Perpetual,
    complete: Type.Boolean({ description: 'Whether nothing was missing on its business days.' }),
    waitingFor: Type.Array(Type.Object({ deviceId: Nullable(Uuid()), deviceName: Nullable(Type.String()) }, closed), {
      description: 'Tills with missing data.',
    }),
    completeUntil: Nullable(Datetime(), {
      description:
        'Everything that tills closed until this time is in this closing or an earlier one; null if unknown. For a month or ' +
        'year, the value of its last day.',
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
            'Entries of business days after `date`, which belong to the next closings. A closing without this field was made by an earlier version and ' +
            'contains all entries.',
        },
      ),
    ),
    previous: Nullable(Uuid(), { description: 'Id of the previous closing of the same period.', examples: [null] }),
  },
  { ...closed, title: 'Closing' },
)

export const ClosingInput = Type.Object(
  {
    until: date('Last business day, which must have ended.'),
    after: Type.Integer({
      minimum: 0,
      description:
        'Number of the last daily closing, 0 before the first, so that a repeated request closes nothing twice.',
    }),
  },
  { ...closed, title: 'ClosingInput' },
)

/** New closings: of days, and of the months and years that ended before the last of them. */
export const ClosingList = Type.Object({ data: Type.Array(Closing) }, { ...closed, title: 'ClosingList' })

export const ClosingPage = Type.Object(
  {
    data: Type.Array(Closing, { description: 'Closings, newest first.' }),
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
