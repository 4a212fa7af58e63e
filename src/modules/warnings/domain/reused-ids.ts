import type { Order, OrderItem } from '../../../core/contract/orders/schema.ts'
import type { Warning } from '../../../core/schemas/warnings.ts'

const nameOf = ({ itemCatalogId, description }: OrderItem) => `${itemCatalogId.toLowerCase()} ${description}`

/** Whether both orders have items, and none in common. */
function haveOtherItems(one: Order, other: Order): boolean {
  const names = new Set(one.items.map(nameOf))
  return one.items.length > 0 && other.items.length > 0 && !other.items.some((item) => names.has(nameOf(item)))
}

/**
 * Warns about an order that replaces another sale with the same id. The two were opened at different times, and either
 * their numbers differ, or they share no item, or the new one was opened after the stored one was closed. A correction,
 * even of a clock, changes less.
 */
export function warnOfReusedId(order: Order, stored: Order): Warning | undefined {
  const { openedAt, orderNumber } = order
  if (openedAt === stored.openedAt) return undefined
  const isLater = stored.closedAt !== null && stored.closedAt !== undefined && openedAt > stored.closedAt
  if (orderNumber === stored.orderNumber && !isLater && !haveOtherItems(order, stored)) return undefined
  const detail =
    `this id belongs to order ${JSON.stringify(stored.orderNumber)}, opened at ${stored.openedAt}, which this one replaces: ` +
    'give each order its own id'
  return { pointer: '/data/id', code: 'id_reused', detail }
}
