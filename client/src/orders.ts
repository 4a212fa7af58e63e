import type { HistoryEntry, ListOrdersQuery, Order, OrderPage } from './api.ts'
import type { Caching } from './etags.ts'
import { listOf, type List } from './pages.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** Lists the orders of the location, oldest first unless `sort` is set. Includes open orders only with `state`. */
export function listOrders(
  transport: Transport,
  { signal, ...query }: ListOrdersQuery & Options = {},
): List<Order, OrderPage> {
  return listOf<Order, OrderPage>(transport, '/v1/orders/', query, signal)
}

/** Gets the latest version of an order. Throws `TillgateError` with the code `order_not_found`. */
export function getOrder(caching: Caching, id: string, { signal }: Options = {}): Promise<Order> {
  return caching.json<Order>({ path: `/v1/orders/${encodeURIComponent(id)}`, signal })
}

/** Lists every version of an order, oldest first, each with its events. */
export function getOrderHistory(
  transport: Transport,
  id: string,
  { signal }: Options = {},
): Promise<(Omit<HistoryEntry, 'data'> & { data: Order })[]> {
  return transport.json({ path: `/v1/orders/${encodeURIComponent(id)}/history`, signal })
}
