// Compiled against the code that swagger-typescript-api generates: a third generator, with its own classes and names.
import { Api, type Event, type Order, type OrderItem, type Problem } from './generated/swagger-typescript-api.ts'

const api = new Api({ baseUrl: 'https://pos.example', baseApiParams: { headers: { 'X-API-Key': 'tg_live_…' } } })

export async function use(id: string): Promise<(string | number | null)[]> {
  const { data: page } = await api.v1.listOrders({ since: '2026-01-01', size: 100, state: 'all' })
  const { data: order } = await api.v1.getOrder({ id })
  const { data: events } = await api.v1.listEvents({ after: 0, limit: 100 })
  const closedAt: Order['closedAt'] = order.closedAt
  const item: OrderItem | undefined = order.items[0]
  const next: number = events.meta.next
  return [page.meta.totalCount, closedAt, item?.unitPrice ?? null, next]
}

export const isMissing = ({ code }: Problem): boolean => code === 'order_not_found'

/** The type of an event determines the type of its data. */
export function totalOf(event: Event): number {
  return event.type === 'order.paid' ? event.data.total : 0
}
