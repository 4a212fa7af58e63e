import type { EventType } from '../../schemas/events.ts'
import type { Order } from '../../contract/orders/schema.ts'

/** The facts of an order that determine its events. `isPaid` is computed by `contract/money/paid.ts`. */
type OrderFacts = Pick<Order, 'isCanceled' | 'isTransferred' | 'isTraining'> & { isPaid: boolean }

/** What the versions of an order have announced until now; `paid` is true once `order.paid` was among their events. */
export type OrderSoFar = { canceled: boolean; transferred: boolean; paid: boolean }

/**
 * Returns the events of a new version of an order. `before` is undefined for a first version; `order.paid` is sent once
 * in an order's life. A training order has no events.
 */
export function orderEvents(before: OrderSoFar | undefined, after: OrderFacts): EventType[] {
  if (after.isTraining) return []
  const events: EventType[] = [before === undefined ? 'order.created' : 'order.updated']
  if (!before?.paid && after.isPaid) events.push('order.paid')
  if (after.isCanceled && !before?.canceled) events.push('order.canceled')
  if (after.isTransferred && !before?.transferred) events.push('order.transferred')
  return events
}
