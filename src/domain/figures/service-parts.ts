import { toCents } from '../money/amounts.ts'
import { rateOf } from '../money/counted.ts'
import { toFilterText } from '../documents/filter-text.ts'
import type { Order, OrderItem } from '../../schemas/orders.ts'

/** Stands between a kind of service and a tax rate in the key of a cell; the last one counts. */
const separator = '\u001f'

export const toServiceKey = (serviceType: string, rate: number): string =>
  `${toFilterText(serviceType)}${separator}${rate}`

/** Takes apart what {@link toServiceKey} made; the rate is in hundredths of a percent. */
export function readServiceKey(key: string): { serviceType: string; rate: number } {
  const at = key.lastIndexOf(separator)
  return { serviceType: key.slice(0, at), rate: Number(key.slice(at + 1)) }
}

/** Parts `amount` by `weights`, integers all: what rounding leaves goes to the largest remainders, the first of equals. */
function allot(amount: number, weights: readonly number[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0)
  if (whole === 0) return weights.map(() => 0)
  const exact = weights.map((weight) => (amount * weight) / whole)
  const parts = exact.map(Math.floor)
  const left = amount - parts.reduce((sum, part) => sum + part, 0)
  const byRemainder = exact
    .map((value, i) => ({ i, rest: value - Math.floor(value) }))
    .toSorted((a, b) => b.rest - a.rest)
  for (const { i } of byRemainder.slice(0, left)) parts[i] = (parts[i] as number) + 1
  return parts
}

export type ServicePart = { rate: number; taxName: string; sales: number; tax: number; paid: number }

/**
 * Returns what a counted order adds to each tax rate: total and tax of its counted items, and how much of that was
 * paid, in hundredths. Payments are those of the order up to the sum of the items, so that tips are not in them; an
 * order that is paid in part parts what was paid by the rates' sums.
 */
export function serviceParts(order: Order, counted: readonly OrderItem[]): ServicePart[] {
  const parts = new Map<number, ServicePart>()
  for (const item of counted) {
    const { total, tax } = item
    const rate = rateOf(item)
    const part = parts.get(rate) ?? { rate, taxName: tax.taxName, sales: 0, tax: 0, paid: 0 }
    part.sales += toCents(total)
    part.tax += toCents(tax.taxAmount)
    parts.set(rate, part)
  }
  const all = [...parts.values()]
  const whole = all.reduce((sum, { sales }) => sum + sales, 0)
  const given = order.payments.reduce((sum, { paymentAmount }) => sum + toCents(paymentAmount), 0)
  const paid = whole >= 0 ? Math.min(Math.max(given, 0), whole) : Math.max(Math.min(given, 0), whole)
  const shares =
    paid === whole
      ? all.map(({ sales }) => sales)
      : allot(
          paid,
          all.map(({ sales }) => sales),
        )
  return all.map((part, i) => ({ ...part, paid: shares[i] as number }))
}
