import { Type, type Static } from 'typebox'
import type { BusinessClock } from '../../domain/days/business-time.ts'
import { closingSpans } from '../../domain/days/closing-times.ts'
import { longestFilter } from '../../domain/documents/filter-text.ts'
import type { DayRange } from '../../domain/days/ranges.ts'
import { validationFailed, type Fault } from '../errors/errors.ts'
import { RequireQuery } from '../../schemas/day-ranges.ts'
import { DatedPageQuery } from '../paging/schema.ts'
import { Amount, Choice, closed, Uuid } from '../scalars.ts'
import { isFilterName, type FilterName, type OrderFilters } from './rows.ts'
import { rangeFaults } from '../paging/day-range.ts'

/** Makes the schema of a text that must equal a column. */
const FilterText = (description: string, example: string) =>
  Type.String({ maxLength: longestFilter, description, examples: [example] })

/** Maximum characters of a search text: the texts that tills send for payments and categories have no limit. */
const longestItemText = 1_000

/** Makes the schema of a text that is searched for in the documents of the range. */
const ItemText = (description: string, example: string) =>
  Type.String({ maxLength: longestItemText, description, examples: [example] })

/** Maximum number of business days on which the requested orders were closed: a leap year. */
const longestDays = 366

/** The order list takes the parameters of the specification and additional filters, all combined with “and”. */
export const OrderListQuery = Type.Object(
  {
    ...DatedPageQuery,
    ...RequireQuery,
    reportId: Type.Optional(Uuid({ description: 'Only the orders of this report.' })),
    number: Type.Optional(FilterText('Only orders of this `orderNumber`.', '1042')),
    deviceId: Type.Optional(Uuid({ description: 'Only orders of this device.' })),
    operatorId: Type.Optional(Uuid({ description: 'Only orders of this operator.' })),
    channel: Type.Optional(FilterText('Only orders of this channel.', 'kiosk')),
    serviceType: Type.Optional(FilterText('Only orders of this service type.', 'takeaway')),
    isTraining: Type.Optional(
      Type.Boolean({ description: '`true`: only training orders. `false`: only orders that are not training orders.' }),
    ),
    isCounted: Type.Optional(
      Type.Literal(true, {
        description:
          'Only orders that figures count. `category`, `productId`, `discountId`, `taxRate` and `isTaxNotStated` then match ' +
          'only counted items: sales that were not canceled, lost or moved to another order.',
      }),
    ),
    isCanceled: Type.Optional(
      Type.Boolean({ description: '`true`: only canceled orders. `false`: only orders that are not canceled.' }),
    ),
    payment: Type.Optional(ItemText('Only orders with a payment of this `paymentName`.', 'Carte bancaire')),
    category: Type.Optional(ItemText('Only orders with an item of this category.', 'Plats')),
    productId: Type.Optional(Uuid({ description: 'Only orders with an item of this catalog product.' })),
    discountId: Type.Optional(Uuid({ description: 'Only orders with this catalog discount on an item.' })),
    taxRate: Type.Optional(
      Type.Integer({
        minimum: -1_000_000,
        maximum: 1_000_000,
        description: 'Only orders with an item of this tax rate, in hundredths of a percent.',
        examples: [1000],
      }),
    ),
    isTaxNotStated: Type.Optional(
      Type.Literal(true, { description: 'Only orders with an item whose tax is not stated.' }),
    ),
    minTotal: Type.Optional(
      Amount({ description: 'Only orders with at least this `total`, in major units.', examples: [50] }),
    ),
    maxTotal: Type.Optional(Amount({ description: 'Only orders with at most this `total`.', examples: [100] })),
    closedSince: Type.Optional(
      Type.String({
        format: 'date',
        description:
          'Only orders that were closed on or after this business day of the location, as figures count them, regardless of when they were ' +
          'created. Without `closedUntil`, that day alone.',
        examples: ['2026-03-14'],
      }),
    ),
    closedUntil: Type.Optional(
      Type.String({
        format: 'date',
        description: 'Last business day of closing; without `closedSince`, that day alone.',
        examples: ['2026-03-14'],
      }),
    ),
    weekday: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 7,
        description: 'Only orders closed on this weekday, from 1 (Monday) to 7 (Sunday).',
        examples: [5],
      }),
    ),
    hour: Type.Optional(
      Type.String({
        pattern: '^([01]\\d|2[0-3])$',
        'x-must': 'a two-digit hour from 00 to 23',
        description: 'Only orders closed in this local hour.',
        examples: ['19'],
      }),
    ),
    halfHour: Type.Optional(
      Type.String({
        pattern: '^([01]\\d|2[0-3]):(00|30)$',
        'x-must': 'a full or half hour from 00:00 to 23:30',
        description: 'Only orders closed in the local half hour that begins at this time.',
        examples: ['19:30'],
      }),
    ),
    state: Type.Optional(
      Choice(['open', 'closed', 'all'], {
        default: 'closed',
        description: '`closed`: orders with `closedAt`. `open`: orders without it.',
      }),
    ),
  },
  closed,
)

type Query = Static<typeof OrderListQuery>

/** Parameters that select times within the business days of closing. */
const timesOfDay = ['weekday', 'hour', 'halfHour'] as const

/**
 * Returns the business days on which the requested orders were closed. Throws 400 for a time of day without days, and
 * for too many days.
 */
export function closingDays(query: Query): DayRange | undefined {
  const { closedSince, closedUntil } = query
  const [since, until] = [closedSince ?? closedUntil, closedUntil ?? closedSince]
  if (since === undefined || until === undefined) {
    const faults = timesOfDay
      .filter((name) => query[name] !== undefined)
      .map((name): Fault => {
        const detail = `${name} requires closedSince or closedUntil: send one of them`
        return { in: 'query', pointer: `/${name}`, code: 'invalid_value', detail }
      })
    if (faults.length > 0) throw validationFailed(faults)
    return undefined
  }
  const nameOf = { '/since': 'closedSince', '/until': 'closedUntil' } as Record<string, string>
  const faults = rangeFaults({ since, until }, longestDays).map((fault) => ({
    ...fault,
    pointer: `/${nameOf[fault.pointer]}`,
    detail: fault.detail.replace(/^\w+/, nameOf[fault.pointer] ?? '').replace('until', 'closedUntil'),
  }))
  if (faults.length > 0) throw validationFailed(faults)
  return { since, until }
}

/** PostgreSQL takes the ranges of a filter as text. */
const iso = (ms: number) => new Date(ms).toISOString()

/** Returns the filters as text, including flags and times, to compare them with columns. */
export function filtersOf(query: Query, days: DayRange | undefined, clock: BusinessClock | undefined): OrderFilters {
  const given = Object.entries(query).filter(([name, value]) => isFilterName(name) && value !== undefined)
  const filters: OrderFilters = Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
  if (!days || !clock) return filters
  const { weekday, hour, halfHour } = query
  const spans = closingSpans(clock, { ...days, weekday, hour: hour === undefined ? hour : Number(hour), halfHour })
  return { ...filters, closed: `{${spans.map(({ first, end }) => `[${iso(first)},${iso(end - 1)}]`).join()}}` }
}

export const parameterOf = (name: FilterName) => (name === 'closed' ? 'closedSince' : name)
