import type { Order, OrderItem } from '../orders/schema.ts'
import { isOtherItem } from './classes.ts'
import { boundedCount, ExactSum, roundedBy, unitsOf } from './decimal.ts'

// What counts, for figures, business days, warnings, books and the reconciliation of Z reports alike (docs/modules/figures.md,
// docs/modules/reconciliation.md): one place, so that a Z report and a sales figure cannot disagree.

/** A *counted order* is closed, not canceled, not moved to another order and no training; what else an order is. */
export type Standing = 'counted' | 'training' | 'canceled' | 'transferred' | 'open'

type Standable = Pick<Order, 'closedAt' | 'isCanceled' | 'isTraining' | 'isTransferred' | 'total'> & {
  payments: readonly unknown[]
}

/**
 * Returns whether the sale of an order was moved to another order: it is transferred, and nothing was paid on it. A transferred order
 * with payments is the order that goes on at another table, and counts (docs/decisions/0010-orders-in-the-list.md).
 */
export const isMovedAway = ({ isTransferred, payments, total }: Omit<Standable, 'closedAt' | 'isCanceled'>): boolean =>
  isTransferred && payments.length === 0 && total !== 0

export function standingOf(order: Standable): Standing {
  if (order.isTraining) return 'training'
  if (order.isCanceled) return 'canceled'
  if ((order.closedAt ?? null) === null) return 'open'
  return isMovedAway(order) ? 'transferred' : 'counted'
}

/** Returns whether an item is neither canceled nor a loss. */
export const isKept = ({ isCanceled, isLoss }: Pick<OrderItem, 'isCanceled' | 'isLoss'>): boolean =>
  !isCanceled && !isLoss

const sumOf = (items: readonly OrderItem[]): number => {
  const sum = new ExactSum()
  for (const { total } of items) sum.add(total)
  return sum.units
}

/**
 * A *counted item* is one of an order that is neither canceled nor a loss, nor moved to another order. A transferred item is in the
 * total of the order that it was moved to: where the total is that of the items without it, it was moved away.
 */
export function countedItems({ items, total }: Pick<Order, 'items' | 'total'>): OrderItem[] {
  const kept = items.every(isKept) ? items : items.filter(isKept)
  if (!kept.some(({ isTransferred }) => isTransferred)) return kept
  const stayed = kept.filter(({ isTransferred }) => !isTransferred)
  const units = unitsOf(total)
  return sumOf(kept) !== units && sumOf(stayed) === units ? stayed : kept
}

/** Parts the counted items of an order into what is sold and what is no sale. */
export function partedItems(order: Pick<Order, 'items' | 'total'>): { sold: OrderItem[]; other: OrderItem[] } {
  const counted = countedItems(order)
  if (!counted.some(isOtherItem)) return { sold: counted, other: [] }
  return { sold: counted.filter((item) => !isOtherItem(item)), other: counted.filter(isOtherItem) }
}

/** Thousandths. */
export const quantityOf = ({ quantity }: OrderItem): number => boundedCount(roundedBy(unitsOf(quantity), 10))
