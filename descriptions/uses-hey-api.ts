// Compiled against the code that hey-api generates from openapi.json: its names are those that a new user expects.
import { getOrder, ingest, listEvents, listOrders, upsertWebhook } from './generated/hey-api/sdk.gen.ts'
import type { Event, Order, OrderItem, Problem } from './generated/hey-api/types.gen.ts'

export async function use(id: string): Promise<(string | number | null)[]> {
  const orders = await listOrders({ query: { since: '2026-01-01', size: 100, state: 'all' } })
  const order = await getOrder({ path: { id } })
  const events = await listEvents({ query: { after: 0, limit: 100 } })
  const webhook = await upsertWebhook({
    body: { events: ['order.paid'], endpointUrl: 'https://you.example/hooks', locationId: id, recipientId: id },
  })
  const answer = await ingest({ body: { type: 'catalog.taxes', data: [{ id, name: 'TVA 10 %', percentage: 1000 }] } })
  const closedAt: Order['closedAt'] | undefined = order.data?.closedAt
  const item: OrderItem | undefined = order.data?.items[0]
  const code: Problem['code'] | undefined = order.error?.code
  const next: number | undefined = events.data?.meta.next
  const all = [orders.data?.meta.totalCount, item?.unitPrice, next, answer.data?.accepted]
  return [closedAt ?? null, code ?? null, webhook.data?.id ?? null, ...all.map((value) => value ?? null)]
}

/** The type of an event determines the type of its data. */
export function totalOf(event: Event): number {
  return event.type === 'order.paid' ? event.data.total : 0
}
