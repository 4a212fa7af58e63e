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

/** Makes the schema of a text that is compared whole with a column. */
const FilterText = (description: string, example: string) =>
  Type.String({ maxLength: longestFilter, description, examples: [example] })

/**
 * A text for which documents are searched has so many characters at most: what tills write of payments and categories
 * has no limit.
 */
const longestItemText = 1_000

/** Makes the schema of a text for which the documents of the range are searched. */
const ItemText = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: longestItemText, description, examples: [example] })

/** The longest range of days of closing: a leap year. */
const longestDays = 366

/** The order list takes the parameters of the specification and our own filters, which combine by “and”. */
export const OrderListQuery = Type.Object(
  {
    ...DatedPageQuery,
    ...RequireQuery,
    reportId: Type.Optional(Uuid({ description: 'Only the orders of this report.' })),
    number: Type.Optional(FilterText('Only orders of this `orderNumber`.', '1042')),
    deviceId: Type.Optional(Uuid({ description: 'Only orders of this till.' })),
    operatorId: Type.Optional(Uuid({ description: 'Only orders of this operator.' })),
    channel: Type.Optional(FilterText('Only orders of this channel.', 'kiosk')),
    serviceType: Type.Optional(FilterText('Only orders of this kind of service.', 'takeaway')),
    isTraining: Type.Optional(Type.Boolean({ description: 'Only training orders, or only others.' })),
    isCounted: Type.Optional(
      Type.Literal(true, {
        description:
          'Only the orders behind a figure: counted ones. `category`, `productId`, `discountId`, `taxRate` and `isTaxNotStated` then look at ' +
          'counted items alone, which are neither canceled nor lost nor moved to another order, and are a sale.',
      }),
    ),
    isCanceled: Type.Optional(Type.Boolean({ description: 'Only canceled orders, or only others.' })),
    payment: Type.Optional(ItemText('Only orders with a payment of this `paymentName`.', 'Carte bancaire')),
    category: Type.Optional(ItemText('Only orders with an item of this category.', 'Plats')),
    productId: Type.Optional(Uuid({ description: 'Only orders with an item of this product of the catalog.' })),
    discountId: Type.Optional(Uuid({ description: 'Only orders with this discount of the catalog on an item.' })),
    taxRate: Type.Optional(
      Type.Integer({
        minimum: -1_000_000,
        maximum: 1_000_000,
        description: 'Only orders with an item of this rate, in hundredths of a percent as the figures have it.',
        examples: [1000],
      }),
    ),
    isTaxNotStated: Type.Optional(
      Type.Literal(true, { description: 'Only orders with an item whose tax nobody stated.' }),
    ),
    minTotal: Type.Optional(
      Amount({ description: 'Only orders of this `total` or more, in major units.', examples: [50] }),
    ),
    maxTotal: Type.Optional(Amount({ description: 'Only orders of this `total` or less.', examples: [100] })),
    closedSince: Type.Optional(
      Type.String({
        format: 'date',
        description:
          'Only orders that were closed on this business day of the location or a later one, as the figures count them, whenever they were ' +
          'created. Without `closedUntil`, that day alone.',
        examples: ['2026-03-14'],
      }),
    ),
    closedUntil: Type.Optional(
      Type.String({
        format: 'date',
        description: 'The last business day of closing; without `closedSince` that day alone.',
        examples: ['2026-03-14'],
      }),
    ),
    weekday: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 7,
        description: 'Only days of closing that are this weekday, 1 for Monday to 7 for Sunday.',
        examples: [5],
      }),
    ),
    hour: Type.Optional(
      Type.String({
        pattern: '^([01]\\d|2[0-3])$',
        'x-must': 'an hour of two digits from 00 to 23',
        description: 'Only orders that were closed in this local hour of the days of closing.',
        examples: ['19'],
      }),
    ),
    halfHour: Type.Optional(
      Type.String({
        pattern: '^([01]\\d|2[0-3]):(00|30)$',
        'x-must': 'a full or half hour from 00:00 to 23:30',
        description: 'Only orders that were closed in the local half hour that begins so.',
        examples: ['19:30'],
      }),
    ),
    state: Type.Optional(
      Choice(['open', 'closed', 'all'], {
        default: 'closed',
        description: 'Closed orders have `closedAt`; open ones are still at the table.',
      }),
    ),
  },
  closed,
)

/** The parameters after validation, with their defaults. */
type Query = Static<typeof OrderListQuery>

/** Parameters that choose among the days of closing. */
const timesOfDay = ['weekday', 'hour', 'halfHour'] as const

/**
 * Returns the requested days of closing. Throws 400 when a time of day is given without days, or when there are too
 * many days.
 */
export function closingDays(query: Query): DayRange | undefined {
  const { closedSince, closedUntil } = query
  const [since, until] = [closedSince ?? closedUntil, closedUntil ?? closedSince]
  if (since === undefined || until === undefined) {
    const faults = timesOfDay
      .filter((name) => query[name] !== undefined)
      .map((name): Fault => {
        const detail = `${name}: goes with closedSince and closedUntil; name the days`
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

/** PostgreSQL takes the spans of a filter as text. */
const iso = (ms: number) => new Date(ms).toISOString()

/** Returns the filters in the form of the columns: text, also for flags and times. */
export function filtersOf(query: Query, days: DayRange | undefined, clock: BusinessClock | undefined): OrderFilters {
  const given = Object.entries(query).filter(([name, value]) => isFilterName(name) && value !== undefined)
  const filters: OrderFilters = Object.fromEntries(given.map(([name, value]) => [name, String(value)]))
  if (!days || !clock) return filters
  const { weekday, hour, halfHour } = query
  const spans = closingSpans(clock, { ...days, weekday, hour: hour === undefined ? hour : Number(hour), halfHour })
  return { ...filters, closed: `{${spans.map(({ first, end }) => `[${iso(first)},${iso(end)})`).join()}}` }
}

/** What a filter is called in a query. */
export const parameterOf = (name: FilterName) => (name === 'closed' ? 'closedSince' : name)
