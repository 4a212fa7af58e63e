import type { Order, OrderItem } from '../orders/schema.ts'
import { isOtherItem } from './classes.ts'
import { boundedCount, ExactSum, roundedBy, unitsOf } from './decimal.ts'

// The rules for what is counted, shared by figures, business days, warnings, books and the reconciliation of Z reports
// (docs/modules/figures.md, docs/modules/reconciliation.md).

/**
 * A *counted order* is closed, not canceled, not moved to another order and not a training order. The other values say
 * why an order does not count.
 */
export type Standing = 'counted' | 'training' | 'canceled' | 'transferred' | 'open'

type Standable = Pick<Order, 'closedAt' | 'isCanceled' | 'isTraining' | 'isTransferred' | 'total'> & {
  payments: readonly unknown[]
}

/**
 * Returns whether the sale was moved to another order: the order is transferred, has no payments, and its total is not 0.
 * A transferred order with payments continues at another table, and counts (docs/decisions/0010-orders-in-the-list.md).
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
 * Returns the *counted items*: neither canceled, nor a loss, nor moved to another order. A transferred item was moved to
 * another order if only the other items add up to the total of this one; otherwise it was moved here, and counts.
 */
export function countedItems({ items, total }: Pick<Order, 'items' | 'total'>): OrderItem[] {
  const kept = items.every(isKept) ? items : items.filter(isKept)
  if (!kept.some(({ isTransferred }) => isTransferred)) return kept
  const stayed = kept.filter(({ isTransferred }) => !isTransferred)
  const units = unitsOf(total)
  return sumOf(kept) !== units && sumOf(stayed) === units ? stayed : kept
}

/** Splits the counted items of an order into sales and other items. */
export function partedItems(order: Pick<Order, 'items' | 'total'>): { sold: OrderItem[]; other: OrderItem[] } {
  const counted = countedItems(order)
  if (!counted.some(isOtherItem)) return { sold: counted, other: [] }
  return { sold: counted.filter((item) => !isOtherItem(item)), other: counted.filter(isOtherItem) }
}

/** Returns the quantity of an item in thousandths. */
export const quantityOf = ({ quantity }: OrderItem): number => boundedCount(roundedBy(unitsOf(quantity), 10))
