import type { Order, OrderItem } from '../../schemas/orders.ts'
import { boundedCount, roundedBy, unitsOf } from './decimal.ts'

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

/** Returns whether an item is money that the order takes and that is no sale: a voucher, a deposit, a service charge. */
export const isOtherItem = ({ kind }: Pick<OrderItem, 'kind'>): boolean => kind !== undefined && kind !== 'sale'

/** Parts the counted items of an order into what is sold and what is no sale. */
export function partedItems(order: Order): { sold: OrderItem[]; other: OrderItem[] } {
  const counted = countedItems(order)
  if (!counted.some(isOtherItem)) return { sold: counted, other: [] }
  return { sold: counted.filter((item) => !isOtherItem(item)), other: counted.filter(isOtherItem) }
}

/**
 * Returns whether nobody said how an item is taxed, which is not the same as a rate of 0. `No tax` without rate and amount is what
 * the records of a ticket have where its source states no tax.
 */
const isTaxNotStated = ({ tax }: Pick<OrderItem, 'tax'>): boolean =>
  tax.isStated === false ||
  (tax.taxRate === 0 && tax.taxAmount === 0 && (tax.taxName === '' || tax.taxName === 'No tax'))

/** Thousandths. */
export const quantityOf = ({ quantity }: OrderItem): number => boundedCount(roundedBy(unitsOf(quantity), 10))

/** Returns the tax rate of an item in hundredths of a percent. */
const rateOf = ({ tax }: OrderItem): number => Math.round(tax.taxRate * 10_000)

/** The key of the sums of items whose tax nobody stated, in place of a rate. */
export const notStated = 'not_stated'

/** Returns what sums by tax rate are kept under: hundredths of a percent, or {@link notStated}. */
export const taxKeyOf = (item: OrderItem): string => (isTaxNotStated(item) ? notStated : String(rateOf(item)))
