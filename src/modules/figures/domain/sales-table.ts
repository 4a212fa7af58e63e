import type { DayRange } from '../../../core/domain/days/ranges.ts'
import { addDays, weekdayOf, weekOf } from '../../../core/domain/days/business-time.ts'
import { addAmounts, emptyAmounts, type Amounts } from '../../../core/contract/money/amounts.ts'
import { roundedBy, toMinor } from '../../../core/contract/money/decimal.ts'
import { othersKey, othersName, type Cell, type CellKind } from './sales.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'

/** Grains of time that group business days. */
const dayGrains = ['day', 'week', 'month', 'weekday'] as const

/** Grains that are local times of day, over all days of the range. */
const clockGrains = ['hour', 'halfHour'] as const

type ClockGrain = (typeof clockGrains)[number]

export type TimeGrain = (typeof dayGrains)[number] | ClockGrain

/** Properties that split sales. */
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

/**
 * How a table is split: by time, by a dimension, by both, or by neither. The time of day can split days like a
 * dimension.
 */
export type Cut = { grain: TimeGrain | null; dimension: Dimension | ClockGrain | null }

const grains: readonly TimeGrain[] = [...dayGrains, ...clockGrains]

export const singleCuts: readonly string[] = ['total', ...grains, ...dimensions]

/** All values of `by`: a single cut, or a grain with a dimension or with the time of day, such as `day,product`. */
export const cuts: readonly string[] = [
  ...singleCuts,
  ...dayGrains.flatMap((grain) => [...clockGrains, ...dimensions].map((one) => `${grain},${one}`)),
  ...dimensions.map((one) => `hour,${one}`),
]

/** Reads a value of {@link cuts}. */
export function readCut(by: string): Cut {
  const [first, second] = by.split(',')
  const grain = grains.find((one) => one === first) ?? null
  return { grain, dimension: [...clockGrains, ...dimensions].find((one) => one === (grain ? second : first)) ?? null }
}

const isOfClock = (grain: TimeGrain | null): grain is ClockGrain => clockGrains.some((one) => one === grain)

/** Returns whether the cut is by half hours, which figures of an earlier version do not have. */
export const needsHalfHours = ({ grain, dimension }: Cut): boolean => grain === 'halfHour' || dimension === 'halfHour'

/** Returns the kind of the stored cells whose sum answers a cut. */
export function cellKindOf({ grain, dimension }: Cut): CellKind {
  return dimension ?? (isOfClock(grain) ? grain : 'total')
}

/** Figures that a part by item, payment or discount does not have: each item would count all guests of its order. */
const missing: Partial<Record<Dimension | ClockGrain, readonly (keyof SalesFigures)[]>> = {
  product: ['guests', 'tips', 'refunds', 'averagePerOrder', 'averagePerGuest'],
  category: ['guests', 'tips', 'refunds', 'averagePerOrder', 'averagePerGuest'],
  tax: ['guests', 'tips', 'refunds', 'averagePerOrder', 'averagePerGuest'],
  payment: ['guests', 'items', 'tax', 'salesExclTax', 'discounts', 'listInclTax', 'refunds', 'averagePerGuest'],
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

/** Figures of an answer: amounts in minor units of the currency; null if a part cannot have the figure. */
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

const average = (amount: number, n: number): number | null => (n > 0 ? roundedBy(amount, n) : null)

type Rounded = Pick<Amounts, 'orders' | 'guests' | 'items' | 'sales' | 'tax' | 'discounts' | 'tips' | 'refunds'>

/** Rounds each exact sum once, to minor units of the currency. */
function rounded(sum: Amounts, decimals: number): Rounded {
  const { orders, guests, items } = sum
  return {
    orders,
    guests,
    items,
    sales: toMinor(sum.sales, sum.salesRest, decimals),
    tax: toMinor(sum.tax, sum.taxRest, decimals),
    discounts: toMinor(sum.discounts, sum.discountsRest, decimals),
    tips: toMinor(sum.tips, 0, decimals),
    refunds: toMinor(sum.refunds, 0, decimals),
  }
}

function toFigures(amounts: Rounded, dimension: Cut['dimension']): SalesFigures {
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

/** Averages figures over a number of weeks: each is rounded once more; the averages per order and guest are over all weeks. */
function toWeekly(sum: Rounded, dimension: Cut['dimension'], weeks: number): SalesFigures {
  const ofOne = Object.fromEntries(Object.entries(sum).map(([name, n]) => [name, roundedBy(n, weeks)])) as Rounded
  const { averagePerOrder, averagePerGuest } = toFigures(sum, dimension)
  return { ...toFigures(ofOne, dimension), averagePerOrder, averagePerGuest }
}

/** How figures are answered: as the average of `weeks` weeks, in minor units of a currency with `decimals` decimals. */
export type Answered = { weeks: number; decimals: number }

export function figuresOf(sum: Amounts, dimension: Cut['dimension'], { weeks, decimals }: Answered): SalesFigures {
  const amounts = rounded(sum, decimals)
  return weeks === 1 ? toFigures(amounts, dimension) : toWeekly(amounts, dimension, weeks)
}

export type SalesChange = { [Name in keyof SalesFigures]: number | null }

/** Fractions are rounded to a millionth. */
const fractions = 1_000_000

/**
 * Returns the relative change of each figure compared with the average of `weeks` weeks, computed from the undivided
 * sums and rounded last. Null if the average is 0.
 */
export function changeOf(now: Amounts, then: Amounts, { weeks, decimals }: Answered): SalesChange {
  const [after, before] = [toFigures(rounded(now, decimals), null), toFigures(rounded(then, decimals), null)]
  const ratio = (sums: SalesFigures, of: 'orders' | 'guests') => (sums.salesInclTax ?? 0) / (sums[of] ?? 0)
  const fraction = (a: number, b: number) =>
    b === 0 || !Number.isFinite(a) || !Number.isFinite(b)
      ? null
      : Math.round(((a - b) / Math.abs(b)) * fractions) / fractions
  const names = Object.keys(after) as (keyof SalesFigures)[]
  return {
    ...(Object.fromEntries(
      names.map((name) => [name, fraction(after[name] ?? 0, (before[name] ?? 0) / weeks)]),
    ) as SalesChange),
    averagePerOrder: fraction(ratio(after, 'orders'), ratio(before, 'orders')),
    averagePerGuest: fraction(ratio(after, 'guests'), ratio(before, 'guests')),
  }
}

export type SalesRow = { period: string | null; key: string | null; name: string | null } & SalesFigures

/**
 * Returns the period of a business day in a grain: the day, the Monday of its week, its month (`2026-03`), or its
 * weekday 1 to 7.
 */
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
 * Makes the rows of a cut, by period and then by name, without parts that have no orders. Cells by hour and dimension
 * have the hour instead of the day. For several weeks the rows are weekly averages.
 */
export function toRows(cells: Iterable<Cell>, { grain, dimension }: Cut, answered: Answered): SalesRow[] {
  const groups = new Map<string, Group>()
  for (const cell of cells) {
    const clock = dimension ? cell.day : cell.key
    const period = isOfClock(grain) ? clock : periodOf(grain, cell.day)
    const key = dimension ? cell.key : null
    const id = `${period}\n${key}`
    let group = groups.get(id)
    if (!group) {
      group = { period, key, name: dimension ? cell.label : null, day: '', amounts: emptyAmounts() }
      groups.set(id, group)
    }
    addAmounts(group.amounts, cell)
    // The name of a key can change; the latest name is used for all days.
    if (dimension && cell.label !== '' && cell.day >= group.day) {
      Object.assign(group, { name: cell.label, day: cell.day })
    }
  }
  return [...groups.values()]
    .filter(({ amounts }) => amounts.orders !== 0)
    .toSorted(inOrder)
    .map(({ period, key, name, amounts }) => ({
      period,
      ...(key === othersKey ? { key: null, name: othersName } : { key, name }),
      ...figuresOf(amounts, dimension, answered),
    }))
}

const compare = (a: string | null, b: string | null): number => ((a ?? '') < (b ?? '') ? -1 : a === b ? 0 : 1)

type RowKey = Pick<SalesRow, 'period' | 'name' | 'key'>

/** Compares rows by period, then by name. */
export function inOrder(a: RowKey, b: RowKey): number {
  return compare(a.period, b.period) || compare(a.name, b.name) || compare(a.key, b.key)
}

export const comparisons = ['previous', 'weekday', 'year', 'yearWeekday', 'fourWeeks'] as const

export type Comparison = (typeof comparisons)[number]

const daysOf = ({ since, until }: DayRange): number => Math.round((Date.parse(until) - Date.parse(since)) / dayMs) + 1

function yearBefore(day: string): string {
  const [year = '', month, date] = day.split('-')
  const before = String(Math.max(Number(year) - 1, 1)).padStart(4, '0')
  return month === '02' && date === '29' ? `${before}-02-28` : `${before}-${month}-${date}`
}

/** Returns the ranges to compare with: one, or the same days of each of the four preceding weeks. */
export function comparedRanges(range: DayRange, comparison: Comparison): DayRange[] {
  if (comparison !== 'fourWeeks') return [comparedRange(range, comparison)]
  return [28, 21, 14, 7].map((back) => ({ since: addDays(range.since, -back), until: addDays(range.until, -back) }))
}

/** Returns whether the rows of several weeks can be combined; rows by date cannot. */
export const isOfEveryWeek = ({ grain }: Cut): boolean => grain === null || grain === 'weekday' || isOfClock(grain)

/** Returns whether a cut can be limited to a part of the day: sums by half hour do not exist by dimension. */
export const isByTimeOnly = ({ dimension }: Cut): boolean => dimension === null

/** Returns the cells of a cut from the half hours of business days, starting with `from` and ending before `before`. */
export function cellsBetween(
  halfHours: readonly Cell[],
  {
    from,
    before,
    dayStartsAt,
    cut,
  }: { from: string | undefined; before: string | undefined; dayStartsAt: string; cut: Cut },
): Cell[] {
  const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3, 5))
  const first = Math.floor(minutesOf(dayStartsAt) / 30) * 30
  const placeOf = (time: string) => (minutesOf(time) - first + 1440) % 1440
  const keyOf = { hour: (key: string) => key.slice(0, 2), halfHour: (key: string) => key }
  const toKey = isOfClock(cut.grain) ? keyOf[cut.grain] : () => ''
  return halfHours
    .filter(
      ({ key }) =>
        (from === undefined || placeOf(key) >= placeOf(from)) &&
        (before === undefined || placeOf(key) < placeOf(before)),
    )
    .map((cell) => ({ ...cell, key: toKey(cell.key) }))
}

/**
 * Returns the range to compare with: `previous` is as long and ends the day before; `weekday` is the latest range
 * before it, of the same length, that begins on the same weekday; `year` has the same dates a year earlier, 28
 * February for the 29th; `yearWeekday` is 52 weeks earlier, so that Wednesday is compared with Wednesday.
 */
export function comparedRange(range: DayRange, comparison: Exclude<Comparison, 'fourWeeks'>): DayRange {
  if (comparison === 'year') return { since: yearBefore(range.since), until: yearBefore(range.until) }
  const days = daysOf(range)
  const back = { previous: days, weekday: Math.ceil(days / 7) * 7, yearWeekday: 52 * 7 }[comparison]
  return { since: addDays(range.since, -back), until: addDays(range.until, -back) }
}
