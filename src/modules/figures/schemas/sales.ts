import { Type, type Static } from 'typebox'
import { RequireQuery } from '../../../core/schemas/day-ranges.ts'
import { Choice, closed, Count, Datetime, Minor, Nullable } from '../../../core/contract/scalars.ts'

const day = (description: string) => Type.String({ description, examples: ['2026-03-14'] })

const amount = (description: string) => Nullable(Minor(), { description, examples: [415000] })

const figures = {
  orders: Count({ description: 'Counted orders: closed, not canceled, no training.', examples: [120] }),
  guests: Nullable(Count(), { description: 'Guests of the counted orders.', examples: [214] }),
  items: Nullable(Type.Number(), {
    description: 'Quantity of the counted items, three decimals at most.',
    examples: [512.5],
  }),
  listInclTax: amount('`salesInclTax` + `discounts`.'),
  discounts: amount('Discounts on the counted items.'),
  salesInclTax: amount('Σ total of the counted orders; in a part by item, of its items; by payment, what was paid.'),
  tax: amount('Σ tax of the counted items.'),
  salesExclTax: amount('`salesInclTax` − `tax`.'),
  tips: amount('Tips, in no other figure.'),
  refunds: amount('Σ of the totals below zero, as a positive amount; they lower `salesInclTax` as well.'),
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
    description: 'By which fraction each total is more than the one compared with, 0.05 for 5 %; null where that is 0.',
  },
)

const SalesFigures = Type.Object(figures, { ...closed, title: 'SalesFigures' })

const SalesRow = Type.Object(
  {
    period: Nullable(Type.String(), {
      description:
        'Day, Monday of the week, month (`2026-03`), weekday (1 Monday to 7 Sunday), hour (`19`) or half hour (`19:30`); null when not ' +
        'by time.',
      examples: ['2026-03-14'],
    }),
    key: Nullable(Type.String(), {
      description: 'Id, rate or name of the dimension, or the time of day of `weekday,halfHour`; null when not by one.',
    }),
    name: Nullable(Type.String(), {
      description:
        'What people call the key, as the latest order does; `others`, with the key null, is the sum of all names beyond the 5,000 that sold most.',
    }),
    ...figures,
  },
  { ...closed, title: 'SalesRow' },
)

const beside = (what: string) =>
  Type.Object({ orders: Count(), salesInclTax: Minor() }, { ...closed, description: `${what}; in no figure above.` })

export const Sales = Type.Object(
  {
    data: Type.Array(SalesRow, { description: 'By period, then by name.' }),
    totals: SalesFigures,
    excluded: Type.Object(
      {
        canceled: beside('Canceled orders'),
        training: beside('Training orders'),
        losses: Type.Object(
          { items: Type.Number(), salesInclTax: Minor() },
          { ...closed, description: 'Items of counted orders that were lost; in no figure above.' },
        ),
        notSales: Type.Object(
          { items: Type.Number(), amount: Minor() },
          {
            ...closed,
            description: 'Vouchers, deposits and charges of counted orders, by `kind` of the item; in no figure above.',
          },
        ),
      },
      closed,
    ),
    open: beside('Orders that were opened on these days and are not closed'),
    comparison: Type.Optional(
      Type.Object(
        {
          since: day('First business day compared with.'),
          until: day('Last business day compared with.'),
          data: Type.Array(SalesRow),
          totals: SalesFigures,
          change: SalesChange,
          upTo: Type.Optional(
            Datetime({
              description:
                'With `upToNow`, where the last day is not over: what was closed before this moment of the last business day compared ' +
                'with is in, so long after its beginning as it is now after that of today.',
            }),
          ),
        },
        { ...closed, description: 'The same of the range that `compare` names.' },
      ),
    ),
    meta: Type.Object(
      {
        since: day('First business day.'),
        until: day('Last business day.'),
        by: Type.String({ examples: ['day,product'] }),
        before: Type.Optional(
          Type.String({ description: 'Time of day that was asked for, where one was.', examples: ['14:30'] }),
        ),
        from: Type.Optional(
          Type.String({ description: 'Time of day from which on, where one was asked for.', examples: ['11:30'] }),
        ),
        weekday: Type.Optional(
          Type.Integer({ description: 'Weekday that was asked for, where one was.', examples: [5] }),
        ),
        currency: Type.String({ description: 'ISO 4217; amounts are in hundredths of it.', examples: ['EUR'] }),
        timeZone: Type.String({ examples: ['Europe/Paris'] }),
        dayStartsAt: Type.String({ description: 'Local time at which a business day begins.', examples: ['05:00'] }),
        sequence: Count({ description: 'Number of the journal at which the figures hold.', examples: [48211] }),
        firstDay: Nullable(day('First business day of which there is an order; null where there is none.')),
        completeUntil: Nullable(Datetime(), {
          description: 'Everything that was closed until then has arrived; null while nobody can tell.',
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
          'Decides before `Accept`, for plain links: `csv` is a file for spreadsheets, which begins with the mark of UTF-8.',
      }),
    ),
    since: Type.Optional(
      Type.String({
        format: 'date',
        description: 'First business day; today when left out.',
        examples: ['2026-03-01'],
      }),
    ),
    until: Type.Optional(
      Type.String({
        format: 'date',
        description: 'Last business day; the same as `since` when left out.',
        examples: ['2026-03-31'],
      }),
    ),
    by: Type.Optional(
      Type.String({
        default: 'total',
        description:
          '`total`; a grain `day`, `week`, `month`, `weekday`, `hour`, `halfHour`; a dimension `product`, `category`, `tax`, `payment`, `channel`, ' +
          '`serviceType`, `operator`, `device`, `discount`, `report`; or a grain and a dimension, as in `day,product`; `hour` with a ' +
          'dimension for 31 days and 20,000 orders at most; or days by the time of day, as in `weekday,halfHour`.',
        examples: ['day'],
      }),
    ),
    weekday: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 7,
        description:
          'Only business days that are this weekday, 1 for Monday to 7 for Sunday; not with `hour` and a dimension.',
        examples: [5],
      }),
    ),
    from: Type.Optional(
      Type.String({
        pattern: '^([01]\\d|2[0-3]):(00|30)$',
        'x-must': 'a full or half hour from 00:00 to 23:30',
        description:
          'Only what was closed at this local full or half hour of its business day or later; with `total` and the grains alone. ' +
          '`excluded` and `open` are those of whole days.',
        examples: ['11:30'],
      }),
    ),
    before: Type.Optional(
      Type.String({
        pattern: '^([01]\\d|2[0-3]):(00|30)$',
        'x-must': 'a full or half hour from 00:00 to 23:30',
        description:
          'Only what was closed before this local full or half hour of its business day; with `total` and the grains alone. `excluded` ' +
          'and `open` are those of whole days.',
        examples: ['14:30'],
      }),
    ),
    compare: Type.Optional(
      Choice(['previous', 'weekday', 'year', 'yearWeekday', 'fourWeeks'] as const, {
        description:
          'Beside it the days just before, the same weekdays before, the same dates a year earlier, the same weekdays 52 weeks earlier (`yearWeekday`), or `fourWeeks`: one of the four weeks ' +
          'before on average, those without sales left out; not by `day`, `week` and `month`.',
      }),
    ),
    upToNow: Type.Optional(
      Type.Literal(true, {
        description:
          'Where the range ends with the business day that is not over, the days compared with end as long after their beginning, to the ' +
          'minute. Needs `compare`; not with `from` and `before`, nor with `hour` and a dimension.',
      }),
    ),
    ...RequireQuery,
  },
  closed,
)

export type Sales = Static<typeof Sales>

/** What is sold, before it is said until when everything has arrived. */
export type SalesAtHead = Omit<Sales, 'meta'> & { meta: Omit<Sales['meta'], 'completeUntil'> }
