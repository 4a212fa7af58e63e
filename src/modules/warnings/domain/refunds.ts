import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Warning } from '../../../core/schemas/warnings.ts'
import { money, tolerance, type Money } from '../../../core/contract/money/currency.ts'
import { ExactSum } from '../../../core/contract/money/decimal.ts'
import { Warnings } from './known.ts'
import type { NamedOrder } from './report-orders.ts'

/** The parts of a refund that are compared with its sale; ids in lower case. */
export type RefundFacts = { id: string; refundOf: string; total: number }

/** Returns the facts of a refund that counts and names its sale; undefined for every other order. */
export function refundFacts({ id, refundOf, total, isCanceled, isTraining }: Order): RefundFacts | undefined {
  if (typeof refundOf !== 'string' || total >= 0 || isCanceled || isTraining) return undefined
  return { id: id.toLowerCase(), refundOf: refundOf.toLowerCase(), total }
}

/** The earlier refunds of the same sale, and the sale; undefined if it is not stored. */
export type Refunded = { sale: NamedOrder | undefined; before: readonly RefundFacts[] }

/** Warns about a refund that, with the earlier refunds, exceeds its sale. */
export function warnOfRefund({ total, refundOf }: RefundFacts, { sale, before }: Refunded, rules: Money): Warning[] {
  const found = new Warnings()
  const sum = before.reduce((added, refund) => added.add(refund.total), new ExactSum().add(total)).units / 10_000
  if (sale && -sum > sale.total + tolerance(rules, before.length)) {
    const others = before.length === 0 ? '' : ` by ${before.length + 1} refunds`
    const detail = `${money(-sum)} was refunded${others} for the sale ${refundOf}, whose total is ${sale.total}`
    found.add('/total', 'refund_over_sale', detail)
  }
  return found.list
}
