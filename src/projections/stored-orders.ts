import { setImmediate as turn } from 'node:timers/promises'
import { readStoredOrder } from '../domain/documents/stored-documents.ts'
import type { Order } from '../schemas/orders.ts'

/** These bytes take about ten milliseconds to read: 250 usual orders, or two of the largest. */
const bytesAtOnce = 600 * 1024

/** Reads the orders of a report. It may name tens of thousands: other requests have their turn in between. */
export async function readOrders(documents: readonly Buffer[]): Promise<Order[]> {
  const orders: Order[] = []
  let bytes = 0
  for (const document of documents) {
    orders.push(readStoredOrder(document))
    bytes += document.length
    if (bytes < bytesAtOnce) continue
    bytes = 0
    await turn()
  }
  return orders
}
