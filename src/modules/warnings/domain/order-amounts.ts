import type { Order, OrderItem } from '../../../core/contract/orders/schema.ts'
import type { KnownIds, Warnings } from './known.ts'
import { hasDecimalsBeyond, money, tolerance } from '../../../core/contract/money/currency.ts'
import { containedTax } from './order-items.ts'
import { standingOf } from '../../../core/contract/money/counted.ts'
import { comparePayments } from '../../../core/contract/money/paid.ts'
import { isUnusual, warnOfName } from './texts.ts'

/** Orders below this total are never considered to be in minor units: they would be worth less than one unit. */
const leastInCents = 100

/** Returns whether an amount was rounded, or truncated, to a whole number. */
const isCutFrom = (amount: number, exact: number) => amount === Math.round(exact) || amount === Math.floor(exact)

const isInteger = Number.isInteger

function hasOnlyIntegers(order: Order, counted: readonly OrderItem[]): boolean {
  const { total, totalTax, totalDiscount, payments } = order
  return (
    [total, totalTax, totalDiscount].every(isInteger) &&
    payments.every(({ paymentAmount }) => isInteger(paymentAmount)) &&
    counted.every(({ unitPrice, total, tax }) => isInteger(unitPrice) && isInteger(total) && isInteger(tax.taxAmount))
  )
}

/** Describes why an order appears to be in minor units; undefined if it does not. */
export function whyInCents(order: Order, counted: readonly OrderItem[], known: KnownIds): string | undefined {
  const { products } = known
  const { step } = known.money
  if (step === 1) return undefined
  const priced = counted.find(
    ({ unitPrice, itemCatalogId }) =>
      unitPrice >= leastInCents && products?.get(itemCatalogId.toLowerCase())?.prices.includes(unitPrice),
  )
  if (priced) return `unitPrice ${priced.unitPrice} equals the catalog price of its product, which is in minor units`
  if (order.total < leastInCents || !hasOnlyIntegers(order, counted)) return undefined
  const isCut = counted.some(({ total, tax }) => {
    const expected = containedTax(total, tax.taxRate)
    const isRate = tax.taxRate > 0 && tax.taxRate <= 1
    return isRate && isCutFrom(tax.taxAmount, expected) && Math.abs(tax.taxAmount - expected) > 0.05
  })
  // Prices alone prove nothing: a voucher of 100 and a feast of 1,100 are whole numbers too.
  return isCut
    ? `all amounts are whole numbers, such as total ${order.total}, and a tax was rounded to a whole unit`
    : undefined
}

/** Warns about totals that are not the sum of the counted items, and totals with too many decimals. */
export function warnOfTotals(found: Warnings, order: Order, counted: readonly OrderItem[], known: KnownIds): void {
  const within = tolerance(known.money, counted.length)
  const { total, totalTax, totalDiscount } = order
  const tips = (order.tips ?? []).reduce((sum, { amount }) => sum + amount, 0)
  let [sum, tax, taken, discounts] = [0, 0, 0, 0]
  for (const item of counted) {
    sum += item.total
    tax += item.tax.taxAmount
    for (const { discountValue } of item.discountsApplied) taken += discountValue
    discounts += item.discountsApplied.length
  }
  if (Math.abs(total - sum) > within) {
    const why = tips !== 0 && Math.abs(total - sum - tips) <= within ? '; tips are not part of the total' : ''
    found.add('/total', 'total_mismatch', `total is ${total}, but the items add up to ${money(sum)}${why}`)
  }
  if (Math.abs(totalTax - tax) > within) {
    found.add(
      '/totalTax',
      'tax_mismatch',
      `totalTax is ${totalTax}, but the taxes of the items add up to ${money(tax)}`,
    )
  }
  if (Math.abs(totalDiscount - taken) > tolerance(known.money, discounts)) {
    const detail = `totalDiscount is ${totalDiscount}, but the discounts of the items add up to ${money(taken)}`
    found.add('/totalDiscount', 'discount_mismatch', detail)
  }
  warnOfDecimals(found, 'total', total, known)
  warnOfDecimals(found, 'totalTax', totalTax, known)
  warnOfDecimals(found, 'totalDiscount', totalDiscount, known)
}

function warnOfDecimals(found: Warnings, name: string, amount: number, { money }: KnownIds): void {
  if (hasDecimalsBeyond(money, amount))
    found.add(`/${name}`, 'decimals_beyond_currency', `${name} ${amount} has more decimals than the currency`)
}

/**
 * Warns about the payments of an order: unusable names, amounts with too many decimals, methods that are not in the
 * catalog, no payments at all, and a sum that does not match the total.
 */
export function warnOfPayments(found: Warnings, order: Order, known: KnownIds): void {
  const { payments, total } = order
  for (let i = 0; i < payments.length; i++) {
    const { paymentCatalogId, paymentName, paymentAmount } = payments[i] as Order['payments'][number]
    if (isUnusual(paymentName)) warnOfName(found, `/payments/${i}/paymentName`, paymentName)
    if (hasDecimalsBeyond(known.money, paymentAmount)) {
      found.add(
        `/payments/${i}/paymentAmount`,
        'decimals_beyond_currency',
        `paymentAmount ${paymentAmount} has more decimals than the currency`,
      )
    }
    if (!known.payments || known.payments.has(paymentCatalogId.toLowerCase())) continue
    const detail = `payment ${paymentCatalogId} is not in the catalog`
    found.add(`/payments/${i}/paymentCatalogId`, 'unknown_payment', detail)
  }
  if (standingOf(order) !== 'counted' || total === 0) return
  if (payments.length === 0) {
    if (total > 0) found.add('/payments', 'payments_missing', 'the order is closed and has no payments')
    return
  }
  const payment = comparePayments(order, known)
  if (payment !== 'under' && payment !== 'over') return
  const paid = money(payments.reduce((sum, { paymentAmount }) => sum + paymentAmount, 0))
  const tips = money((order.tips ?? []).reduce((sum, { amount }) => sum + amount, 0))
  const andTips = payment === 'over' ? ` and the tips are ${tips}` : ''
  const detail = `the payments add up to ${paid}, but the total is ${total}${andTips}`
  found.add('/payments', 'payments_mismatch', detail)
}
