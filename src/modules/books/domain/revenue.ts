import type { BookAccountsEffective } from '../schemas/books-accounts.ts'
import { bookPlaces, itemRules } from '../../../core/contract/money/classes.ts'
import { sumOf } from '../../../core/contract/money/amounts.ts'
import type { BookSums, RateRow, Split } from './sums.ts'

/** One line of revenue, in minor units; `rate` is null if no tax is stated. */
export type Revenue = {
  place: (typeof places)[number]
  rate: number | null
  category?: string
  serviceType?: string
  taxable: number
  tax: number
  /** The discounts, without tax, if they are booked gross; else 0. */
  discount: number
}

/** The kinds of revenue, in the order of their lines. */
const places = ['revenue', 'untaxed', 'vouchers', 'deposits'] as const

type RevenueSettings = Pick<BookAccountsEffective, 'revenueBy' | 'discounts'>

const isBeside = ({ of }: Split): boolean => bookPlaces[of] !== 'revenue'

const grossOf = (splits: readonly Pick<Split, 'taxable' | 'tax'>[]): number =>
  sumOf(splits.map(({ taxable, tax }) => taxable + tax))

const partOf = ({ category, serviceType }: Revenue): string => category ?? serviceType ?? ''

const keyOf = (row: Revenue): string => `${row.place}\n${row.rate}\n${partOf(row)}`

function merge(rows: readonly Revenue[]): Revenue[] {
  const merged = new Map<string, Revenue>()
  for (const row of rows) {
    const known = merged.get(keyOf(row))
    if (!known) merged.set(keyOf(row), { ...row })
    else {
      known.taxable += row.taxable
      known.tax += row.tax
      known.discount += row.discount
    }
  }
  return [...merged.values()].toSorted(
    (a, b) =>
      places.indexOf(a.place) - places.indexOf(b.place) ||
      (b.rate ?? -1) - (a.rate ?? -1) ||
      (partOf(a) < partOf(b) ? -1 : partOf(a) > partOf(b) ? 1 : 0),
  )
}

function toRevenue(
  { of, rate, category, serviceType, taxable, tax, discount }: Split,
  settings: RevenueSettings,
): Revenue {
  const place = bookPlaces[of]
  const isParted = place === 'revenue' || place === 'untaxed'
  return {
    place,
    rate,
    ...(isParted && settings.revenueBy === 'category' ? { category } : {}),
    ...(isParted && settings.revenueBy === 'serviceType' ? { serviceType } : {}),
    taxable,
    tax,
    discount: settings.discounts === 'gross' ? discount : 0,
  }
}

/**
 * Adjusts the tax of a rate to the tax that the Z states. A Z may include or omit each class of non-sales, so its tax
 * is compared with each possible tax of its orders. The smallest difference counts as rounding, and is added to the
 * largest part of the rate.
 */
function adjust(rows: Revenue[], { rate, tax }: RateRow, splits: readonly Split[]): void {
  const ofRate = splits.filter((split) => split.rate === rate)
  let differences = [tax]
  for (const [of, parts] of Map.groupBy(ofRate, (split) => split.of)) {
    const sum = sumOf(parts.map((split) => split.tax))
    const without = itemRules[of].isSale ? [] : differences
    differences = [...without, ...differences.map((left) => left - sum)]
  }
  const [difference = 0] = differences.toSorted((a, b) => Math.abs(a) - Math.abs(b))
  if (difference === 0) return
  const parts = rows.filter((row) => row.place === 'revenue' && row.rate === rate)
  const [largest] = parts.toSorted((a, b) => Math.abs(b.taxable) - Math.abs(a.taxable))
  if (!largest) {
    rows.push({ place: 'revenue', rate, taxable: 0 - difference, tax: difference, discount: 0 })
    return
  }
  largest.tax += difference
  largest.taxable -= difference
}

function ofOrders({ source, stated, orders }: BookSums, settings: RevenueSettings): Revenue[] {
  const rows = merge(orders.splits.map((split) => toRevenue(split, settings)))
  if (source.type === 'report') for (const row of stated.taxes ?? []) adjust(rows, row, orders.splits)
  return merge(rows)
}

/**
 * Returns the revenue that an accepted Z states, even if its orders disagree. Untaxed amounts, vouchers and deposits of
 * the orders get rows of their own. They are subtracted from the row of their rate if that row agrees with the orders
 * better with these amounts than without.
 */
function ofReport(taxes: readonly RateRow[], { stated, orders }: BookSums, settings: RevenueSettings): Revenue[] {
  const rows: Revenue[] = taxes.map(({ rate, taxable, tax }) => {
    const gross = grossOf(orders.splits.filter((split) => split.rate === rate))
    return { place: 'revenue', rate, taxable: stated.hasTaxable ? taxable : gross - tax, tax, discount: 0 }
  })
  const rowOf = (split: Split) => rows.find(({ place, rate }) => place === 'revenue' && rate === (split.rate ?? 0))
  const beside: Revenue[] = []
  for (const splits of Map.groupBy(orders.splits.filter(isBeside), rowOf)) {
    const [row, others] = splits
    for (const split of others) beside.push({ ...toRevenue(split, { ...settings, revenueBy: 'rate' }), discount: 0 })
    if (!row) continue
    const orderGross = grossOf(orders.splits.filter((split) => rowOf(split) === row))
    const [stood, other] = [row.taxable + row.tax, grossOf(others)]
    if (Math.abs(stood - orderGross) > Math.abs(stood - orderGross + other)) continue
    row.taxable -= sumOf(others.map(({ taxable }) => taxable))
    row.tax -= sumOf(others.map(({ tax }) => tax))
  }
  return merge([...rows, ...beside])
}

/** Splits the revenue of a source by account. An accepted Z is split by its own taxes alone, if it states any. */
export const revenueOf = (sums: BookSums, settings: RevenueSettings, isAccepted: boolean): Revenue[] =>
  isAccepted && sums.source.type === 'report' && sums.stated.taxes !== null
    ? ofReport(sums.stated.taxes, sums, settings)
    : ofOrders(sums, settings)

/** Adds up rows by rate; the highest rate comes first. */
export function taxesOf(rows: readonly Revenue[]): RateRow[] {
  const rates = new Map<number, RateRow>()
  for (const { rate, taxable, tax } of rows) {
    if (rate === null) continue
    const sum = rates.get(rate) ?? { rate, taxable: 0, tax: 0 }
    rates.set(rate, { rate, taxable: sum.taxable + taxable, tax: sum.tax + tax })
  }
  return [...rates.values()].toSorted((a, b) => b.rate - a.rate)
}
