import type { Order } from '../orders/schema.ts'
import { moneyOf, type Money } from './currency.ts'
import { unitsOf } from './decimal.ts'
import { usualKinds, type KindOf } from './payment-kinds.ts'

/** The currency of a location and the kinds of its payments. */
export type MoneyRules = {
  money: Money
  kindOf: KindOf
  /** Name of a payment of the catalog, by its id. */
  nameOf?: (paymentCatalogId: string) => string | undefined
}

export const usualRules: MoneyRules = {
  // Created on first use: the runtime then loads its currency tables, which takes 10 ms.
  get money() {
    return moneyOf('EUR')
  },
  kindOf: usualKinds,
}

type Paying = Pick<Order, 'total' | 'payments'> & { tips?: Order['tips'] | undefined }

/** The payments of an order compared with its total. `over` and `under` differ by more than the allowed rounding. */
export type Payment = 'exact' | 'rounded' | 'over' | 'under'

/** Returns the sum of the payments in ten-thousandths; smaller parts do not matter for money that changes hands. */
function paidBy(payments: Paying['payments']): number {
  let sum = 0
  for (const { paymentAmount } of payments) sum += unitsOf(paymentAmount)
  return sum
}

function tippedBy(tips: Paying['tips']): number {
  let sum = 0
  for (const { amount } of tips ?? []) sum += unitsOf(amount)
  return sum
}

/**
 * Compares the payments, which may include tips, with the amount due. The amounts may differ by half the smallest coin
 * if a payment is in cash, of kind `other` or of unknown kind, otherwise by half the rounding unit. For a refund the
 * signs are reversed: `under` means that less was refunded than owed.
 */
export function comparePayments({ total, payments, tips }: Paying, { money, kindOf }: MoneyRules): Payment {
  const owed = unitsOf(total)
  const sign = owed < 0 ? -1 : 1
  const over = sign * (paidBy(payments) - owed)
  if (over === 0) return 'exact'
  const isRounded = payments.some((payment) => {
    const kind = kindOf(payment)
    return kind === 'cash' || kind === null || kind === 'other'
  })
  const within = unitsOf(isRounded ? money.cashRounding : money.step / 2)
  if (over < 0) return over >= -within ? 'rounded' : 'under'
  const tipsOver = Math.max(sign * tippedBy(tips), 0)
  if (over <= tipsOver) return 'exact'
  return over <= tipsOver + within ? 'rounded' : 'over'
}

/** Returns whether an order is closed, not canceled, and covered by its payments; for a refund, whether it was paid back. */
export function isPaid(order: Paying & Pick<Order, 'closedAt' | 'isCanceled'>, rules: MoneyRules): boolean {
  if (order.closedAt === null || order.isCanceled) return false
  return comparePayments(order, rules) !== 'under'
}
