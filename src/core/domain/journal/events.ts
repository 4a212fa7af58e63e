import type { EventType } from '../../schemas/events.ts'
import type { Order } from '../../contract/orders/schema.ts'

/** The facts of an order from which its events follow. `isPaid` is computed by `money/paid.ts`. */
type OrderFacts = Pick<Order, 'isCanceled' | 'isTransferred' | 'isTraining'> & { isPaid: boolean }

/** What the versions so far of an order have announced; `paid` is true once `order.paid` was among their events. */
export type OrderSoFar = { canceled: boolean; transferred: boolean; paid: boolean }

/**
 * Event names of a new version of an order. `before` is undefined for a first version; `order.paid` is meant once in an
 * order's life. A training order means no event.
 */
export function orderEvents(before: OrderSoFar | undefined, after: OrderFacts): EventType[] {
  if (after.isTraining) return []
  const events: EventType[] = [before === undefined ? 'order.created' : 'order.updated']
  if (!before?.paid && after.isPaid) events.push('order.paid')
  if (after.isCanceled && !before?.canceled) events.push('order.canceled')
  if (after.isTransferred && !before?.transferred) events.push('order.transferred')
  return events
}
