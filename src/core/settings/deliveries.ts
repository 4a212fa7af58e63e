import { Type } from 'typebox'
import { Format } from 'typebox/format'
import { parseWait, writeWait } from '../domain/days/durations.ts'
import { setting } from './setting.ts'

Format.Set('wait', (text) => parseWait(text) !== null)

const integer = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum })

/** Delivery of webhooks. Each worker uses its own values, so give all workers the same. */
export const deliveries = {
  webhookRetries: setting({
    group: 'Webhooks',
    env: 'TILLGATE_WEBHOOK_RETRIES',
    flag: '--webhook-retries <waits...>',
    schema: Type.Array(Type.String({ format: 'wait' }), { minItems: 1, maxItems: 50 }),
    must: 'waits from 1s to 7d, such as 5s, 5m, 2h, 1d',
    default: ['5s', '5m', '30m', '2h', '5h', '10h', '14h', '20h', '24h'],
    read: (waits) => waits.map((wait) => parseWait(wait) ?? 0),
    write: writeWait,
    help: 'Waits after the first, second, … failure of a delivery, each varied by up to 20 %. The last one repeats.',
  }),
  webhookLease: setting({
    group: 'Webhooks',
    env: 'TILLGATE_WEBHOOK_LEASE',
    flag: '--webhook-lease <seconds>',
    schema: integer(2, 300),
    default: 10,
    help: 'Seconds until another worker takes over the webhooks of a worker that died.',
  }),
  webhookInFlight: setting({
    group: 'Webhooks',
    env: 'TILLGATE_WEBHOOK_IN_FLIGHT',
    flag: '--webhook-in-flight <n>',
    schema: integer(1, 100),
    default: 8,
    help: 'Concurrent deliveries to one webhook.',
  }),
  webhookSockets: setting({
    group: 'Webhooks',
    env: 'TILLGATE_WEBHOOK_SOCKETS',
    flag: '--webhook-sockets <n>',
    schema: integer(8, 60_000),
    default: 512,
    help: 'Maximum connections to all endpoints, per process.',
  }),
  webhookReplays: setting({
    group: 'Webhooks',
    env: 'TILLGATE_WEBHOOK_REPLAYS',
    flag: '--webhook-replays <n>',
    schema: integer(0, 1_000),
    default: 6,
    help: 'Replays per hour of one webhook, counted in each process; 0 for no limit.',
  }),
  deliveryRetention: setting({
    group: 'Webhooks',
    env: 'TILLGATE_DELIVERY_RETENTION',
    flag: '--delivery-retention <days>',
    schema: integer(1, 3_650),
    default: 30,
    help: 'Days for which the delivery log keeps attempts; at most the last 10,000 of each webhook.',
  }),
} as const
