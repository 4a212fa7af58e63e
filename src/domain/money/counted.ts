import type { Order, OrderItem } from '../../schemas/orders.ts'
import { bounded } from './amounts.ts'

// What counts, for figures, business days and the reconciliation of Z reports alike (docs/figures.md, docs/reconciliation.md): one
// place, so that a Z report and a sales figure cannot disagree.

/** A *counted order* is closed, not canceled and no training; what else an order is. */
export type Standing = 'counted' | 'training' | 'canceled' | 'open'

export function standingOf({ closedAt, isCanceled, isTraining }: Order): Standing {
  if (isTraining) return 'training'
  if (isCanceled) return 'canceled'
  return closedAt === null ? 'open' : 'counted'
}

/** A *counted item* is one of a counted order that is neither canceled nor a loss. */
export const isCountedItem = ({ isCanceled, isLoss }: Pick<OrderItem, 'isCanceled' | 'isLoss'>): boolean =>
  !isCanceled && !isLoss

export const countedItems = ({ items }: Order): OrderItem[] => items.filter(isCountedItem)

/** Thousandths. */
export const quantityOf = ({ quantity }: OrderItem): number => bounded(Math.round(quantity * 1000))

/** Returns the tax rate of an item in hundredths of a percent. */
export const rateOf = ({ tax }: OrderItem): number => Math.round(tax.taxRate * 10_000)
