import { Type, type Static } from 'typebox'
import { RequireQuery } from '../../../core/schemas/day-ranges.ts'
import { Choice, closed, Count, Datetime, Minor, Nullable } from '../../../core/contract/scalars.ts'

const day = (description: string) => Type.String({ description, examples: ['2026-03-14'] })

const amount = (description: string) => Nullable(Minor(), { description, examples: [415000] })

const figures = {
  orders: Count({
    description: 'Number of counted orders: closed, not canceled, not training, not moved to another order.',
    examples: [120],
  }),
  guests: Nullable(Count(), { description: 'Number of guests of the counted orders.', examples: [214] }),
  items: Nullable(Type.Number(), {
    description: 'Quantity of the counted items, with at most three decimals.',
    examples: [512.5],
  }),
  listInclTax: amount('`salesInclTax` + `discounts`.'),
  discounts: amount('Sum of discounts on the counted items.'),
  salesInclTax: amount(
    'Sum of `total` of the counted orders, without vouchers, deposits and charges. With a dimension of items: sum of the counted items. With `payment`: sum of the payments.',
  ),
  tax: amount('Sum of tax of the counted items.'),
  salesExclTax: amount('`salesInclTax` − `tax`.'),
  tips: amount('Sum of tips. No other figure includes tips.'),
  refunds: amount('Sum of orders’ sales below zero, as a positive amount; also deducted from `salesInclTax`.'),
  averagePerOrder: amount('`salesInclTax` ÷ `orders`, rounded.'),
  averagePerGuest: amount('`salesInclTax` ÷ `guests`, rounded.'),
}

const SalesChange = Type.Object(
  Object.fromEntries(Object.keys(figures).map((name) => [name, Nullable(Type.Number())])) as Record<
    keyof typeof figures,
    ReturnType<typeof Nullable<ReturnType<typeof Type.Number>>>
  >,
  {
    ...closed,
    title: 'SalesChange',
    description: 'Relative change of each total, 0.05 for 5 %; null if the compared total is 0.',
  },
)

const SalesFigures = Type.Object(figures, { ...closed, title: 'SalesFigures' })

const SalesRow = Type.Object(
  {
    period: Nullable(Type.String(), {
      description:
        'Day, Monday of the week, month (`2026-03`), weekday (1 Monday to 7 Sunday), hour (`19`) or half hour (`19:30`); null when not ' +
        'grouped by time.',
      examples: ['2026-03-14'],
    }),
    key: Nullable(Type.String(), {
      description:
        'Id, rate or name of the dimension, or the time of day of `weekday,halfHour`; null without a dimension.',
    }),
    name: Nullable(Type.String(), {
      description:
        'Name of the key in the latest order; `others`, with a null key, is the sum of all names beyond the 5,000 best-selling ones.',
    }),
    ...figures,
  },
  { ...closed, title: 'SalesRow' },
)

const beside = (what: string) =>
  Type.Object(
    { orders: Count(), salesInclTax: Minor() },
    { ...closed, description: `${what}; not contained in the figures above.` },
  )

export const Sales = Type.Object(
  {
    data: Type.Array(SalesRow, { description: 'Ordered by period, then by name.' }),
    totals: SalesFigures,
    excluded: Type.Object(
      {
        canceled: beside('Canceled orders'),
        training: beside('Training orders'),
        losses: Type.Object(
          { items: Type.Number(), salesInclTax: Minor() },
          { ...closed, description: 'Lost items of counted orders; not contained in the figures above.' },
        ),
        notSales: Type.Object(
          { items: Type.Number(), amount: Minor() },
          {
            ...closed,
            description:
              'Vouchers, deposits and charges of counted orders, by `kind` of the item; not contained in the figures above.',
          },
        ),
      },
      closed,
    ),
    open: beside('Orders opened on these days and not closed'),
    comparison: Type.Optional(
      Type.Object(
        {
          since: day('First business day of the comparison.'),
          until: day('Last business day of the comparison.'),
          data: Type.Array(SalesRow),
          totals: SalesFigures,
          change: SalesChange,
          upTo: Type.Optional(
            Datetime({
              description:
                'With `upToNow`, if the last day has not ended: end of the comparison on its last business day. It is as long ' +
                'after the start of that day as now is after the start of the current day.',
            }),
          ),
        },
        { ...closed, description: 'The same figures for the range of `compare`.' },
      ),
    ),
    meta: Type.Object(
      {
        since: day('First business day.'),
        until: day('Last business day.'),
        by: Type.String({ examples: ['day,product'] }),
        before: Type.Optional(Type.String({ description: 'Requested end time of day, if any.', examples: ['14:30'] })),
        from: Type.Optional(Type.String({ description: 'Requested start time of day, if any.', examples: ['11:30'] })),
        weekday: Type.Optional(Type.Integer({ description: 'Requested weekday, if any.', examples: [5] })),
        currency: Type.String({ description: 'ISO 4217; amounts are in its minor units.', examples: ['EUR'] }),
        timeZone: Type.String({ examples: ['Europe/Paris'] }),
        dayStartsAt: Type.String({ description: 'Local time at which a business day begins.', examples: ['05:00'] }),
        sequence: Count({ description: 'Journal sequence of the figures.', examples: [48211] }),
        firstDay: Nullable(day('First business day with an order; null if there is none.')),
        completeUntil: Nullable(Datetime(), {
          description: 'Everything that active tills closed until this time has arrived; null while unknown.',
        }),
      },
      closed,
    ),
  },
  { ...closed, title: 'Sales' },
)

export const SalesQuery = Type.Object(
  {
    format: Type.Optional(
      Choice(['json', 'csv'] as const, {
        description:
          'Takes precedence over `Accept`, for links: `csv` is a file for spreadsheets, with a UTF-8 byte order mark.',
      }),
    ),
    since: Type.Optional(
      Type.String({
        format: 'date',
        description: 'First business day; today by default.',
        examples: ['2026-03-01'],
      }),
    ),
    until: Type.Optional(
      Type.String({
        format: 'date',
        description: 'Last business day; `since` by default.',
        examples: ['2026-03-31'],
      }),
    ),
    by: Type.Optional(
      Type.String({
        default: 'total',
        description:
          'How the sales are grouped: not (`total`); by time (`day`, `week`, `month`, `weekday`, `hour`, `halfHour`); by a dimension (`product`, `category`, ' +
          '`tax`, `payment`, `channel`, `serviceType`, `operator`, `device`, `discount`, `report`); by time and dimension, as in `day,product`; or by days and time of day, ' +
          'as in `weekday,halfHour`. `hour` with a dimension covers at most 31 days and 20,000 orders.',
        examples: ['day'],
      }),
    ),
    weekday: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 7,
        description:
          'Only business days on this weekday, from 1 (Monday) to 7 (Sunday); not with `hour` and a dimension.',
        examples: [5],
      }),
    ),
    from: Type.Optional(
      Type.String({
        pattern: '^([01]\\d|2[0-3]):(00|30)$',
        'x-must': 'a full or half hour from 00:00 to 23:30',
        description:
          'Only orders closed at or after this local full or half hour of their business day; only with `total` or a grouping by time. ' +
          '`excluded` and `open` cover full days.',
        examples: ['11:30'],
      }),
    ),
    before: Type.Optional(
      Type.String({
        pattern: '^([01]\\d|2[0-3]):(00|30)$',
        'x-must': 'a full or half hour from 00:00 to 23:30',
        description:
          'Only orders closed before this local full or half hour of their business day; only with `total` or a grouping by time. `excluded` ' +
          'and `open` cover full days.',
        examples: ['14:30'],
      }),
    ),
    compare: Type.Optional(
      Choice(['previous', 'weekday', 'year', 'yearWeekday', 'fourWeeks'] as const, {
        description:
          'Range to compare with. `previous`: as many days, directly before. `weekday`: the latest earlier range that begins on the same weekday. `year`: the same dates a year earlier. `yearWeekday`: 52 weeks earlier. ' +
          '`fourWeeks`: the average of the same days of the four preceding weeks, without weeks that have no sales; not with `day`, `week` and `month`.',
      }),
    ),
    upToNow: Type.Optional(
      Type.Literal(true, {
        description:
          'If the last business day of the range has not ended, the compared days end at the same time, to the ' +
          'minute. Requires `compare`; not with `from` or `before`, or with `hour` and a dimension.',
      }),
    ),
    ...RequireQuery,
  },
  closed,
)

export type Sales = Static<typeof Sales>

/** Sales without the time until which everything has arrived. */
export type SalesAtHead = Omit<Sales, 'meta'> & { meta: Omit<Sales['meta'], 'completeUntil'> }
