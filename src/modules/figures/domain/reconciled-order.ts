import type { Order } from '../../../core/contract/orders/schema.ts'
import { countedItems } from '../../../core/contract/money/counted.ts'
import { sumToMinor } from '../../../core/contract/money/decimal.ts'
import { comparePayments, type MoneyRules } from '../../../core/contract/money/paid.ts'
import type { Compare, FigureName } from './reconciled-figures.ts'

/** Compares the totals of an order with its parts: faults of two orders may cancel out in the sums of a report. */
export function compareOrder(compare: Compare, order: Order, rules: MoneyRules): void {
  const { decimals, stepMinor } = rules.money
  const items = countedItems(order)
  const minor = (...amounts: readonly number[]) => sumToMinor(amounts, decimals)
  const check = (figure: FigureName, reported: number, computed: number, within = 0) =>
    compare({ figure, key: order.id, name: order.orderNumber, reported, computed, within, orderIds: [order.id] })
  const total = minor(order.total)
  check('orderTotal', total, minor(...items.map((item) => item.total)))
  const taxes = items.map((item) => item.tax.taxAmount)
  check('orderTax', minor(order.totalTax), minor(...taxes), (stepMinor * items.length) / 2)
  const discounts = items.flatMap((item) => item.discountsApplied.map((discount) => discount.discountValue))
  check('orderDiscount', minor(order.totalDiscount), minor(...discounts))
  const paid = minor(...order.payments.map((payment) => payment.paymentAmount))
  const payment = comparePayments(order, rules)
  const within = payment === 'rounded' ? Math.abs(paid - total) : 0
  check('orderPayments', paid, payment === 'exact' ? paid : total, within)
}
