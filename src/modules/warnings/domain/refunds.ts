import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Warning } from '../schemas/warnings.ts'
import { money, tolerance, type Money } from '../../../core/contract/money/currency.ts'
import { Warnings } from './known.ts'
import type { NamedOrder } from './report-orders.ts'

/** What of a refund is compared with its sale. */
export type RefundFacts = { refundOf: string; total: number }

/** Of a refund that counts and names its sale; undefined of every other order. */
export function refundFacts({ refundOf, total, isCanceled, isTraining }: Order): RefundFacts | undefined {
  if (typeof refundOf !== 'string' || total >= 0 || isCanceled || isTraining) return undefined
  return { refundOf: refundOf.toLowerCase(), total }
}

/** Tells a refund of more than its sale was. Of a sale that is not stored nothing is told. */
export function warnOfRefund({ total, refundOf }: RefundFacts, sale: NamedOrder | undefined, rules: Money): Warning[] {
  const found = new Warnings()
  if (sale && -total > sale.total + tolerance(rules, 0)) {
    const detail = `${money(-total)} are given back of the sale ${refundOf}, whose total is ${sale.total}`
    found.add('/total', 'refund_over_sale', detail)
  }
  return found.list
}
