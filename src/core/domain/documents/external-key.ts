import { hash } from 'node:crypto'
import type { Order } from '../../contract/orders/schema.ts'

type External = Partial<Pick<Order, 'source' | 'externalLocationId' | 'externalOrderId'>>

/**
 * Returns the second key of an order from another system: a UUID made from its source and from the ids of its location
 * and itself in that system; null if one of the three is missing. Orders of a location have distinct keys.
 */
export function externalKeyOf({ source, externalLocationId, externalOrderId }: External): string | null {
  if (!source || !externalLocationId || !externalOrderId) return null
  const hex = hash('sha256', [source, externalLocationId, externalOrderId].join('\u001f'))
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`
}
