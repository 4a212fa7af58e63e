import type { Order, OrderItem } from '../../schemas/orders.ts'
import type { Warning } from '../../schemas/warnings.ts'
import { hoursBehind } from './delays.ts'
import { warnOfTimes, Warnings, type Circumstances, type KnownIds } from './known.ts'

/** Half a cent per rounding, and one cent for the sum itself. */
const tolerance = (parts: number) => 0.015 + 0.005 * parts

const isCounted = (item: OrderItem) => !item.isCanceled && !item.isLoss

const money = (amount: number) => String(Math.round(amount * 100) / 100)

/** Tax contained in an amount that includes it. */
const containedTax = (total: number, rate: number) => (total * rate) / (1 + rate)

/** An item's own tax is off by more than rounding of a unit price explains. */
function hasWrongTax({ total, tax }: OrderItem): boolean {
  if (tax.taxRate < 0 || tax.taxRate > 1) return false
  const expected = containedTax(total, tax.taxRate)
  return Math.abs(tax.taxAmount - expected) > 0.05 + 0.01 * Math.abs(expected)
}

/** Below this no order is taken for one in cents: it would be of less than one unit. */
const leastInCents = 100

/** An amount that was rounded, or cut, to a whole number. */
const isCutFrom = (amount: number, exact: number) => amount === Math.round(exact) || amount === Math.floor(exact)

/** What gives away that an order is in cents, in words; undefined when nothing does. */
function whyInCents(order: Order, counted: readonly OrderItem[], { products }: KnownIds): string | undefined {
  const isWhole = Number.isInteger
  const priced = counted.find(
    ({ unitPrice, itemCatalogId }) =>
      unitPrice >= leastInCents && products?.get(itemCatalogId.toLowerCase())?.includes(unitPrice),
  )
  if (priced) return `unitPrice ${priced.unitPrice} is what its product costs in cents`
  if (!isWhole(order.total) || !isWhole(order.totalTax) || !isWhole(order.totalDiscount)) return undefined
  if (order.total < leastInCents || !order.payments.every(({ paymentAmount }) => isWhole(paymentAmount)))
    return undefined
  if (!counted.every(({ unitPrice, total, tax }) => isWhole(unitPrice) && isWhole(total) && isWhole(tax.taxAmount))) {
    return undefined
  }
  const isCut = counted.some(({ total, tax }) => {
    const expected = containedTax(total, tax.taxRate)
    const isRate = tax.taxRate > 0 && tax.taxRate <= 1
    return isRate && isCutFrom(tax.taxAmount, expected) && Math.abs(tax.taxAmount - expected) > 0.05
  })
  return isCut ? `every amount is a whole number, such as the total ${order.total}` : undefined
}

function warnOfItems(found: Warnings, { items }: Order, known: KnownIds, isInCents: boolean): void {
  for (const [i, item] of items.entries()) {
    const { tax } = item
    const at = `/items/${i}`
    if (tax.taxRate > 1) {
      found.add(`${at}/tax/taxRate`, 'tax_rate_over_one', `taxRate ${tax.taxRate} is ${money(tax.taxRate * 100)} %`)
    } else if (!isInCents && isCounted(item) && hasWrongTax(item)) {
      const expected = money(containedTax(item.total, tax.taxRate))
      const detail = `taxAmount is ${tax.taxAmount}; ${item.total} contains ${expected} at ${money(tax.taxRate * 100)} %`
      found.add(`${at}/tax/taxAmount`, 'tax_mismatch', detail)
    }
    if (item.total * item.quantity * item.unitPrice < 0) {
      const detail = `total is ${item.total}, of ${item.quantity} at ${item.unitPrice}`
      found.add(`${at}/total`, 'total_mismatch', detail)
    }
    if (known.products && !known.products.has(item.itemCatalogId.toLowerCase())) {
      found.add(`${at}/itemCatalogId`, 'unknown_product', `there is no product ${item.itemCatalogId} in the catalog`)
    }
    if (known.taxes && !known.taxes.has(tax.taxCatalogId.toLowerCase())) {
      found.add(`${at}/tax/taxCatalogId`, 'unknown_tax', `there is no tax ${tax.taxCatalogId} in the catalog`)
    }
  }
}

/** Payments in cents beside a total in units. A note of 500 may pay for 5. */
const isHundredfold = (paid: number, total: number) => paid > 500 && Math.abs(paid - 100 * total) < 0.005

function warnOfPayments(found: Warnings, order: Order, known: KnownIds): void {
  const { payments, total } = order
  for (const [i, { paymentCatalogId }] of payments.entries()) {
    if (!known.payments || known.payments.has(paymentCatalogId.toLowerCase())) continue
    const detail = `there is no payment ${paymentCatalogId} in the catalog`
    found.add(`/payments/${i}/paymentCatalogId`, 'unknown_payment', detail)
  }
  const isSale = !order.isCanceled && !order.isTransferred && !order.isTraining
  if (!isSale || (order.closedAt ?? null) === null || total <= 0) return
  const paid = payments.reduce((sum, { paymentAmount }) => sum + paymentAmount, 0)
  if (payments.length === 0) found.add('/payments', 'payments_missing', 'the order is closed and has no payments')
  else if (paid < total - tolerance(0) || isHundredfold(paid, total)) {
    found.add('/payments', 'payments_mismatch', `the payments add up to ${money(paid)}, the total is ${total}`)
  }
}

/** A till whose every change is whole hours old when it comes sends the local time of a zone behind UTC. */
function warnOfDelay(found: Warnings, { deviceId, updatedAt }: Order, { delayOf, nowMs }: Circumstances): void {
  const hours = hoursBehind(delayOf?.(deviceId), nowMs - Date.parse(updatedAt), nowMs)
  if (hours === null) return
  const detail = `updatedAt is ${hours} hours behind, like all that this device pushes: it must be UTC, not local time`
  found.add('/updatedAt', 'times_behind', detail)
}

/** What a till should know of an order that is stored all the same: each rule stands in `schemas/warnings.ts`. */
export function warnOfOrder(order: Order, circumstances: Circumstances): Warning[] {
  const { known, nowMs } = circumstances
  const found = new Warnings()
  const counted = order.items.filter(isCounted)
  const inCents = whyInCents(order, counted, known)
  if (inCents !== undefined) found.add('', 'amounts_in_cents', inCents)
  warnOfItems(found, order, known, inCents !== undefined)
  const sum = counted.reduce((total, item) => total + item.total, 0)
  if (Math.abs(order.total - sum) > tolerance(counted.length)) {
    found.add('/total', 'total_mismatch', `total is ${order.total}, the items add up to ${money(sum)}`)
  }
  const tax = counted.reduce((total, item) => total + item.tax.taxAmount, 0)
  if (Math.abs(order.totalTax - tax) > tolerance(counted.length)) {
    found.add('/totalTax', 'tax_mismatch', `totalTax is ${order.totalTax}, the items’ taxes add up to ${money(tax)}`)
  }
  warnOfPayments(found, order, known)
  if (known.devices && !known.devices.has(order.deviceId.toLowerCase())) {
    found.add('/deviceId', 'unknown_device', `there is no device ${order.deviceId} at the location`)
  }
  warnOfTimes(found, order, ['openedAt', 'createdAt', 'updatedAt', 'closedAt'], nowMs)
  warnOfDelay(found, order, circumstances)
  if (order.closedAt && order.closedAt < order.openedAt) {
    found.add('/closedAt', 'times_reversed', `closedAt ${order.closedAt} is before openedAt ${order.openedAt}`)
  }
  const { createdAt, updatedAt } = order as Partial<Order>
  if (createdAt !== undefined && updatedAt !== undefined && updatedAt < createdAt) {
    found.add('/updatedAt', 'times_reversed', `updatedAt ${updatedAt} is before createdAt ${createdAt}`)
  }
  return found.list
}
