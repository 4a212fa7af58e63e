import { readStoredOrder } from '../domain/documents/stored-documents.ts'
import type { Order } from '../schemas/orders.ts'
import { inShortTurns } from './short-turns.ts'

/** Reads the orders of a report. It may name tens of thousands: other requests have their turn in between. */
export async function readOrders(documents: readonly Buffer[]): Promise<Order[]> {
  const orders: Order[] = []
  await inShortTurns(documents, (document) => orders.push(readStoredOrder(document)))
  return orders
}
