import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Order } from '../src/core/contract/orders/schema.ts'
import { hold, open, repeat, type Attack, type Target } from './abuse-target.ts'
import { orderLines } from './support/orders.ts'
import { push } from './support/server.ts'

const packed = { 'content-encoding': 'gzip' }
const lines = { 'content-type': 'application/x-ndjson', ...packed }

const ordersOf = ({ attacker: { locationId } }: Target, count: number) =>
  [...orderLines({ locationId, count, perDay: 300, from: '2026-03-02' })].map(
    (line) => JSON.parse(line) as { type: 'order'; data: Order },
  )

/** Returns an order in which every amount and every text causes a warning. */
function mistaken({ type, data }: { type: 'order'; data: Order }): string {
  const items = data.items.map((item) => ({ ...item, description: ' undefined ', quantity: -1_000_000 }))
  const wrong = { items, total: 12_345, operatorName: 'undefined', openedAt: '1970-01-01T00:00:00.000Z' }
  return JSON.stringify({ type, data: { ...data, ...wrong, deviceId: randomUUID() } })
}

/** Returns an order with the maximum number of items, and with numbers that JavaScript would spell differently. */
function long({ type, data }: { type: 'order'; data: Order }): string {
  const items = Array.from({ length: 400 }, () => ({ ...data.items[0], quantity: 1.5 }))
  return JSON.stringify({ type, data: { ...data, items, id: randomUUID() } }).replaceAll(':1.5,', ':1.50,')
}

/** Returns nearly 1 MiB of products that all differ from those of another version. */
function catalog(version: number): string {
  const nothing = '00000000-0000-4000-8000-000000000000'
  const data = Array.from({ length: 5_100 }, (_, n) => ({
    id: nothing.slice(0, 24) + n.toString(16).padStart(12, '0'),
    name: `P${n} ${version}`,
    category: '',
    categoryId: nothing,
    subCategories: [],
    priceList: [],
  }))
  return `${JSON.stringify({ type: 'catalog.products', data })}\n`
}

/** Attacks tried after the security review, numbered after those of the review. */
export const laterAttacks: Attack[] = [
  {
    name: '28 a good order and then 8 MiB of {}, packed',
    run: (target) => {
      const [order] = ordersOf(target, 1)
      const body = gzipSync(`[${JSON.stringify(order)},${'{},'.repeat(2_790_000)}{}]`)
      return repeat(target, '/v1/ingest/', { 'content-type': 'application/json', ...packed }, body)
    },
  },
  {
    name: '29 3,000 orders with every mistake, packed',
    run: (target) => {
      const body = gzipSync(ordersOf(target, 3_000).map(mistaken).join('\n'))
      return repeat(target, '/v1/ingest/', lines, body)
    },
  },
  {
    name: '29 32 orders of 400 items, packed',
    run: (target) => {
      const [order] = ordersOf(target, 1) as [{ type: 'order'; data: Order }]
      const body = gzipSync(Array.from({ length: 32 }, () => long(order)).join('\n'))
      return repeat(target, '/v1/ingest/', lines, body)
    },
  },
  {
    name: '30 the changes of nine catalogs of 1 MiB, 16 at once',
    prepare: async ({ server, attacker }) => {
      for (let version = 0; version < 9; version++) await push(server, attacker, [catalog(version)])
    },
    run: async ({ server, attacker, until }) => {
      const ask = async () => {
        while (!until.aborted) {
          await fetch(`${server.url}/v1/catalog/changes/`, { headers: { 'x-api-key': attacker.key }, signal: until })
            .then((answer) => answer.arrayBuffer())
            .catch(() => delay(20))
        }
      }
      await Promise.all(Array.from({ length: 16 }, ask))
    },
  },
  {
    name: '31 20 connections of 1,000 pipelined requests without a key',
    run: (target) => {
      const asked = 'GET /v1/orders/ HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(1_000)
      return hold(target, 20, () => open(target, asked))
    },
  },
]
