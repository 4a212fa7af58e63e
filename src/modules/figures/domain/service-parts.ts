import { allot } from '../../../core/contract/money/allot.ts'
import { isReported, taxKeyOf } from '../../../core/contract/money/classes.ts'
import { restOf, unitsOf } from '../../../core/contract/money/decimal.ts'
import { toFilterText } from '../../../core/domain/documents/filter-text.ts'
import type { Order, OrderItem } from '../../../core/contract/orders/schema.ts'

/** Separates a kind of service and a tax rate in the key of a cell; a key is split at its last separator. */
const separator = '\u001f'

export const toServiceKey = (serviceType: string, rate: string): string =>
  `${toFilterText(serviceType)}${separator}${rate}`

/** Splits a key of {@link toServiceKey}. `rate` is in hundredths of a percent, or `not_stated`. */
export function readServiceKey(key: string): { serviceType: string; rate: string } {
  const at = key.lastIndexOf(separator)
  return { serviceType: key.slice(0, at), rate: key.slice(at + 1) }
}

/**
 * Splits an amount by weights. Shares keep the unit of the amount, hundredths or thousandths, so that payments add up
 * exactly.
 */
function allotInSteps(amount: number, weights: readonly number[]): number[] {
  const step = [100, 10].find((step) => amount % step === 0) ?? 1
  return allot(amount / step, weights).map((share) => share * step)
}

export type ServicePart = {
  rate: string
  taxName: string
  sales: number
  salesRest: number
  tax: number
  taxRest: number
  paid: number
}

/**
 * Returns what a counted order adds to each tax rate: total and tax of its counted items, and their paid part, in
 * ten-thousandths; the members `…Rest` have the part beyond these. Payments count up to the sum of the items, so tips
 * are excluded; a partial payment is split in proportion to the sums of the rates.
 */
export function serviceParts(order: Order, counted: readonly OrderItem[]): ServicePart[] {
  const parts = new Map<string, ServicePart>()
  let beside = 0
  for (const item of counted) {
    const { total, tax } = item
    if (!isReported(item)) {
      beside += unitsOf(total)
      continue
    }
    const rate = taxKeyOf(item)
    let part = parts.get(rate)
    if (!part) {
      part = { rate, taxName: tax.taxName, sales: 0, salesRest: 0, tax: 0, taxRest: 0, paid: 0 }
      parts.set(rate, part)
    }
    part.sales += unitsOf(total)
    part.salesRest += restOf(total)
    part.tax += unitsOf(tax.taxAmount)
    part.taxRest += restOf(tax.taxAmount)
  }
  const all = [...parts.values()]
  const totalSales = all.reduce((sum, { sales }) => sum + sales, 0)
  const given = order.payments.reduce((sum, { paymentAmount }) => sum + unitsOf(paymentAmount), 0) - beside
  const paid = totalSales >= 0 ? Math.min(Math.max(given, 0), totalSales) : Math.max(Math.min(given, 0), totalSales)
  const shares =
    paid === totalSales
      ? all.map(({ sales }) => sales)
      : allotInSteps(
          paid,
          all.map(({ sales }) => sales),
        )
  return all.map((part, i) => ({ ...part, paid: shares[i] as number }))
}
