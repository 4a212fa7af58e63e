import { addDays, weekdayOf, weekOf } from './business-time.ts'
import { addAmounts, emptyAmounts, type Amounts } from './amounts.ts'
import type { Cell, CellKind } from './sales.ts'

/** Grains of time, each a way to gather business days; `hour` is the local hour over all days of the range. */
export const timeGrains = ['day', 'week', 'month', 'weekday', 'hour'] as const

export type TimeGrain = (typeof timeGrains)[number]

/** Properties that sales are parted by. */
export const dimensions = [
  'product',
  'category',
  'tax',
  'payment',
  'channel',
  'serviceType',
  'operator',
  'device',
  'discount',
  'report',
] as const satisfies readonly CellKind[]

export type Dimension = (typeof dimensions)[number]

/** How a table is cut: by time, by a dimension, by both, or by neither. */
export type Cut = { grain: TimeGrain | null; dimension: Dimension | null }

const isGrain = (word: string): word is TimeGrain => timeGrains.some((grain) => grain === word)
const isDimension = (word: string): word is Dimension => dimensions.some((dimension) => dimension === word)

/** Every value of `by`: `total`, a grain, a dimension, or a grain with a dimension, such as `day,product`. */
export const cuts: readonly string[] = [
  'total',
  ...timeGrains,
  ...dimensions,
  ...timeGrains.flatMap((grain) => dimensions.map((one) => `${grain},${one}`)),
]

/** Reads a value of {@link cuts}. */
export function readCut(by: string): Cut {
  const words = by.split(',')
  return { grain: words.find(isGrain) ?? null, dimension: words.find(isDimension) ?? null }
}

/** The kind of cell that a cut is added up from. */
export function cellKindOf({ grain, dimension }: Cut): CellKind {
  return dimension ?? (grain === 'hour' ? 'hour' : 'total')
}

/** Figures that a part by item, payment or discount does not have: an order's guests are in each of its items. */
const missing: Partial<Record<Dimension, readonly (keyof SalesFigures)[]>> = {
  product: ['guests', 'tips', 'refunds', 'averagePerOrder', 'averagePerGuest'],
  category: ['guests', 'tips', 'refunds', 'averagePerOrder', 'averagePerGuest'],
  tax: ['guests', 'tips', 'refunds', 'averagePerOrder', 'averagePerGuest'],
  payment: ['guests', 'items', 'tax', 'salesExclTax', 'discounts', 'listInclTax', 'tips', 'refunds', 'averagePerGuest'],
  discount: [
    'guests',
    'salesInclTax',
    'tax',
    'salesExclTax',
    'listInclTax',
    'tips',
    'refunds',
    'averagePerOrder',
    'averagePerGuest',
  ],
}

/** Figures as they are answered: amounts in hundredths of the currency; null where a part cannot have the figure. */
export type SalesFigures = {
  orders: number
  guests: number | null
  /** Quantity with at most three decimals. */
  items: number | null
  listInclTax: number | null
  discounts: number | null
  salesInclTax: number | null
  tax: number | null
  salesExclTax: number | null
  tips: number | null
  refunds: number | null
  averagePerOrder: number | null
  averagePerGuest: number | null
}

const average = (amount: number, n: number): number | null => (n > 0 ? Math.round(amount / n) : null)

export function toFigures(amounts: Amounts, dimension: Dimension | null): SalesFigures {
  const { orders, guests, sales, tax, discounts, tips, refunds } = amounts
  const figures: SalesFigures = {
    orders,
    guests,
    items: amounts.items / 1000,
    listInclTax: sales + discounts,
    discounts,
    salesInclTax: sales,
    tax,
    salesExclTax: sales - tax,
    tips,
    refunds,
    averagePerOrder: average(sales, orders),
    averagePerGuest: average(sales, guests),
  }
  for (const name of (dimension && missing[dimension]) ?? []) Object.assign(figures, { [name]: null })
  return figures
}

export type SalesRow = { period: string | null; key: string | null; name: string | null } & SalesFigures

/** The period of a business day in a grain: the day, the Monday of its week, its month (`2026-03`), or its weekday 1 to 7. */
function periodOf(grain: TimeGrain | null, day: string): string | null {
  if (grain === 'day') return day
  if (grain === 'week') return weekOf(day)
  if (grain === 'month') return day.slice(0, 7)
  return grain === 'weekday' ? String(weekdayOf(day)) : null
}

export function sumOf(cells: Iterable<Amounts>): Amounts {
  const sum = emptyAmounts()
  for (const cell of cells) addAmounts(sum, cell)
  return sum
}

type Group = { period: string | null; key: string | null; name: string | null; day: string; amounts: Amounts }

/**
 * Rows of a cut, by period and then by name; parts in which nothing was sold are left out. Cells by hour and dimension have
 * the hour in place of the day.
 */
export function toRows(cells: Iterable<Cell>, { grain, dimension }: Cut): SalesRow[] {
  const groups = new Map<string, Group>()
  for (const cell of cells) {
    const hour = dimension ? cell.day : cell.key
    const period = grain === 'hour' ? hour : periodOf(grain, cell.day)
    const key = dimension ? cell.key : null
    const id = `${period}\n${key}`
    let group = groups.get(id)
    if (!group) {
      group = { period, key, name: dimension ? cell.label : null, day: '', amounts: emptyAmounts() }
      groups.set(id, group)
    }
    addAmounts(group.amounts, cell)
    // What a key is called changes; the latest name stands for all days.
    if (dimension && cell.label !== '' && cell.day >= group.day) {
      Object.assign(group, { name: cell.label, day: cell.day })
    }
  }
  return [...groups.values()]
    .filter(({ amounts }) => amounts.orders !== 0)
    .toSorted(inOrder)
    .map(({ period, key, name, amounts }) => ({ period, key, name, ...toFigures(amounts, dimension) }))
}

const compare = (a: string | null, b: string | null): number => ((a ?? '') < (b ?? '') ? -1 : a === b ? 0 : 1)

type Place = Pick<SalesRow, 'period' | 'name' | 'key'>

/** Rows by period, then by name. */
export function inOrder(a: Place, b: Place): number {
  return compare(a.period, b.period) || compare(a.name, b.name) || compare(a.key, b.key)
}

export const comparisons = ['previous', 'weekday', 'year'] as const

export type Comparison = (typeof comparisons)[number]

export type DayRange = { since: string; until: string }

const daysOf = ({ since, until }: DayRange): number =>
  Math.round((Date.parse(until) - Date.parse(since)) / 86_400_000) + 1

function yearBefore(day: string): string {
  const [year = '', month, date] = day.split('-')
  const before = String(Math.max(Number(year) - 1, 1)).padStart(4, '0')
  return month === '02' && date === '29' ? `${before}-02-28` : `${before}-${month}-${date}`
}

/**
 * The range that another is compared with: `previous` is as long and ends the day before; `weekday` is the latest one
 * before it that begins on the same weekday; `year` has the same dates a year earlier, 28 February for the 29th.
 */
export function comparedRange(range: DayRange, comparison: Comparison): DayRange {
  if (comparison === 'year') return { since: yearBefore(range.since), until: yearBefore(range.until) }
  const days = daysOf(range)
  const back = comparison === 'previous' ? days : Math.ceil(days / 7) * 7
  return { since: addDays(range.since, -back), until: addDays(range.until, -back) }
}
