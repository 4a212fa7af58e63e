import type { ConsoleServer } from './console.ts'
import { eventually } from './waiting.ts'

/** Screens of a session with the scopes `read` and `webhooks`; words in capitals are replaced by `withIds`. */
export const everyScreen: readonly string[] = [
  '/today',
  '/sales?by=product&compare=previous&range=28d',
  '/sales?by=day&range=28d',
  '/sales?by=weekday%2ChalfHour&range=28d',
  '/orders?range=28d',
  '/orders?range=28d&order=ORDER',
  '/orders/ORDER',
  '/z',
  '/days',
  '/days?month=2026-01',
  '/deductions?range=28d',
  '/month?month=2026-01',
  '/z/REPORT',
  '/catalog/products',
  '/catalog/modifiers',
  '/catalog/payments',
  '/catalog/taxes',
  '/catalog/products?view=changes',
  '/month',
  '/closings',
  '/closings?period=month',
  '/integrity',
  '/log',
  '/webhooks',
  '/webhooks?dialog=new',
  '/webhooks/WEBHOOK',
  '/webhooks/WEBHOOK?delivery=DELIVERY',
  '/webhooks/WEBHOOK?dialog=edit',
  '/webhooks/WEBHOOK?dialog=pending',
  '/webhooks/WEBHOOK?dialog=test',
  '/webhooks/WEBHOOK?dialog=replay',
  '/webhooks/WEBHOOK?dialog=secret',
  '/events',
  '/events?entry=1',
  '/key',
  '/access',
]

/** Returns whether a screen is only about the session: it sends no request to the API. */
export const isOfSession = (path: string): boolean => path.startsWith('/access')

/** Screens of an operator. */
export const operatorScreens: readonly string[] = [
  '/ops',
  '/ops?dialog=new',
  '/ops?dialog=edit&id=LOCATION',
  '/ops/tills',
  '/ops/sources',
  '/ops/rejected',
  '/ops/rejected?record=RECORD',
  '/ops/keys',
  '/ops/keys?dialog=key',
  '/ops/keys?dialog=link',
  '/ops/keys?tab=sessions',
  '/ops/keys?tab=passkeys',
  '/ops/keys?tab=audit',
  '/ops/system?settings=all',
]

export type Known = {
  ORDER: string
  REPORT: string
  WEBHOOK: string
  DELIVERY: string
  RECORD: string
  LOCATION: string
}

export const withIds = (path: string, known: Known): string =>
  path.replaceAll(/ORDER|REPORT|WEBHOOK|DELIVERY|RECORD|LOCATION/g, (name) => known[name as keyof Known])

/**
 * Returns ids of existing data: an order in a report, that report, a called webhook, one of its deliveries, a rejected
 * record, and the location.
 */
export async function knownOf(site: ConsoleServer, endpointUrl: string): Promise<Known> {
  const { id: webhookId } = await site.post('/v1/webhooks/', {
    endpointUrl,
    // Not only paid orders: at night, the last records of a day may be unpaid orders.
    events: ['order.created', 'order.updated', 'order.paid', 'report.created', 'report.updated'],
    locationId: site.location,
    recipientId: '8a0e5f0c-3f52-4d5c-9a1b-6a1f5f0c0001',
  })
  await site.sellOn()
  const log = `/v1/webhooks/${webhookId}/deliveries`
  await eventually(async () => (await site.get(log)).data.length > 0, 'the webhook was called')
  const [{ id: deliveryId }] = (await site.get(log)).data
  const [{ id: reportId, orders }] = (await site.get('/v1/reports/?size=1')).data
  await site.pushBroken(await site.get(`/v1/orders/${orders[0]}`))
  const [rejected] = await site.pool<{ id: string }[]>`
    select id from rejected_records where location_id = ${site.location} order by received_at desc limit 1`
  return {
    ORDER: orders[0],
    REPORT: reportId,
    WEBHOOK: webhookId,
    DELIVERY: deliveryId,
    RECORD: rejected?.id ?? '',
    LOCATION: site.location,
  }
}
