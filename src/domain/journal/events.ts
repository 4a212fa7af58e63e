import type { EventType } from '../../schemas/events.ts'
import type { Order } from '../../schemas/orders.ts'

type OrderFacts = Pick<Order, 'closedAt' | 'isCanceled' | 'isTransferred' | 'isTraining' | 'total'> & {
  payments: readonly { paymentAmount: number }[]
}

/** Ten-thousandths, so that sums of decimal amounts compare exactly in every currency. */
const exact = (amount: number) => Math.round(amount * 10_000)

/** Returns whether an order is closed, not canceled, and its payments cover the total. */
export function isPaid(order: OrderFacts): boolean {
  if (order.closedAt === null || order.isCanceled) return false
  return order.payments.reduce((sum, payment) => sum + exact(payment.paymentAmount), 0) >= exact(order.total)
}

/** Holds what the events of an order's next version depend on. `paid` says that `order.paid` was meant already. */
export type OrderSoFar = { canceled: boolean; transferred: boolean; paid: boolean }

/**
 * Event names of a new version of an order. `before` is undefined for a first version; `order.paid` is meant once in an
 * order's life. A training order means no event.
 */
export function orderEvents(before: OrderSoFar | undefined, after: OrderFacts): EventType[] {
  if (after.isTraining) return []
  const events: EventType[] = [before === undefined ? 'order.created' : 'order.updated']
  if (!before?.paid && isPaid(after)) events.push('order.paid')
  if (after.isCanceled && !before?.canceled) events.push('order.canceled')
  if (after.isTransferred && !before?.transferred) events.push('order.transferred')
  return events
}
