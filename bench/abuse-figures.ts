import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Order } from '../src/core/contract/orders/schema.ts'
import { hold, open, post, repeat, type Attack, type Target } from './abuse-target.ts'
import { orderLines } from './support/orders.ts'
import { push } from './support/server.ts'

const linesOf = ({ attacker: { locationId } }: Target, count: number, perDay: number) => [
  ...orderLines({ locationId, count, perDay, from: '2026-03-02' }),
]

async function store({ server, attacker }: Target, lines: string[]): Promise<void> {
  await push(server, attacker, lines)
}

type OrderRecord = { type: 'order'; data: Order }

/** Returns an order with the maximum number of payments, all with different names. */
function manyNames(line: string, order: number): string {
  const { type, data } = JSON.parse(line) as OrderRecord
  const payments = Array.from({ length: 500 }, (_, n) => ({
    paymentAmount: 0.01,
    paymentName: `Payment ${order} ${n}`,
    paymentCatalogId: randomUUID(),
  }))
  return `${JSON.stringify({ type, data: { ...data, payments } })}\n`
}

/** Returns a Z report that lists this many orders. */
function reportOf({ attacker: { locationId } }: Target, lines: readonly string[], reportNumber: number): string {
  const orders = lines.map((line) => JSON.parse(line) as OrderRecord).map(({ data }) => data)
  const texts = ['Address', 'City', 'Country', 'Name', 'Phone', 'Naf', 'Siret', 'Text', 'Tva', 'Url', 'Zip']
  const [first, last] = [orders[0], orders.at(-1)] as [Order, Order]
  const data = {
    id: randomUUID(),
    locationId,
    createdAt: last.updatedAt,
    updatedAt: last.updatedAt,
    startedAt: first.openedAt,
    finalizedAt: last.closedAt,
    deviceName: 'Caisse 1',
    deviceIdentifier: first.deviceId,
    reportNumber,
    guestsNumber: orders.length,
    totalSales: 1,
    reportHeaderInfo: Object.fromEntries(texts.map((name) => [`header${name}`, ''])),
    reportProducts: [],
    reportClerksShift: [],
    clerkName: null,
    clerkId: null,
    reportDiscounts: [],
    reportTaxes: [],
    reportPayments: [],
    initialCashBalance: 0,
    finalCashBalance: 0,
    reportEntries: [],
    orders: orders.map(({ id }) => id),
  }
  return `${JSON.stringify({ type: 'report', data })}\n`
}

/** Keeps this many requests in flight, each to the next path, until the time is up. */
async function askInTurn({ server, attacker, until }: Target, atOnce: number, paths: readonly string[]): Promise<void> {
  const ask = async (_: unknown, first: number) => {
    for (let at = first; !until.aborted; at++) {
      const headers = { 'x-api-key': attacker.key }
      await fetch(server.url + paths[at % paths.length], { headers, signal: until })
        .then((answer) => answer.arrayBuffer())
        .catch(() => delay(20))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, ask))
}

const march = 'since=2026-03-02&until=2026-03-31'

const reports = new WeakMap<Target, string[]>()

/** Returns a list of nearly 4,000 KiB whose entries all differ from those of another version. */
function longList(version: number): string {
  const nothing = '00000000-0000-4000-8000-000000000000'
  const data = Array.from({ length: 24_000 }, (_, n) => ({
    id: nothing.slice(0, 24) + n.toString(16).padStart(12, '0'),
    name: `P${n} ${version}`,
    category: '',
    categoryId: nothing,
    subCategories: [],
    priceList: [],
  }))
  return `${JSON.stringify({ type: 'catalog.products', data })}\n`
}

/** Attacks on sums, on bulk reads, and on sign-in. */
export const figureAttacks: Attack[] = [
  {
    name: '32 200 orders of 500 payments with names of their own, packed, and their figures',
    run: async (target) => {
      const body = gzipSync(linesOf(target, 200, 50).map(manyNames).join(''))
      const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }
      await Promise.all([
        repeat(target, '/v1/ingest/', headers, body),
        askInTurn(target, 8, [`/v1/sales/?${march}&by=payment`]),
      ])
    },
  },
  {
    name: '33 figures of 5,000 names, 16 at once',
    prepare: async (target) => {
      const some = linesOf(target, 20, 10).map(manyNames)
      await push(target.server, target.attacker, some)
    },
    run: (target) =>
      askInTurn(
        target,
        16,
        ['payment', 'day,payment', 'hour,payment'].map((by) => `/v1/sales/?${march}&by=${by}`),
      ),
  },
  {
    name: '34 reconciliations of Z reports of 4,000 orders, 16 at once',
    prepare: async (target) => {
      const lines = linesOf(target, 4_000, 4_000)
      await push(target.server, target.attacker, lines)
      const made = Array.from({ length: 4 }, (_, n) => reportOf(target, lines, n + 1))
      await push(target.server, target.attacker, made)
      reports.set(
        target,
        made.map((line) => (JSON.parse(line) as { data: { id: string } }).data.id),
      )
    },
    run: (target) =>
      askInTurn(
        target,
        16,
        (reports.get(target) ?? []).map((id) => `/v1/reports/${id}/reconciliation`),
      ),
  },
  {
    name: '34 Z reports of 4,000 orders, each checked',
    prepare: (target) => store(target, linesOf(target, 4_000, 4_000)),
    run: async (target) => {
      const lines = linesOf(target, 4_000, 4_000)
      for (let number = 1; !target.until.aborted; number += 10) {
        const some = Array.from({ length: 10 }, (_, n) => reportOf(target, lines, number + n))
        await push(target.server, target.attacker, some)
      }
    },
  },
  {
    name: '35 business days and completeness of a year, 16 at once',
    prepare: (target) => store(target, linesOf(target, 8_000, 22)),
    run: (target) =>
      askInTurn(target, 16, [
        '/v1/business-days/?since=2026-03-02&until=2027-03-01',
        '/v1/completeness/',
        '/v1/e-reporting/?since=2026-03-02&until=2026-05-31',
        '/v1/deductions/?since=2026-03-02&until=2026-04-01',
      ]),
  },
  {
    name: '36 events that a filter passes over, 16 at once',
    prepare: (target) => store(target, linesOf(target, 20_000, 250)),
    run: (target) =>
      askInTurn(target, 16, ['/v1/events/?after=0&limit=1000&types=report.created', '/v1/events/?after=0&limit=1000']),
  },
  {
    name: '37 sign-ins with invented codes',
    run: async ({ server, until }) => {
      const headers = { 'content-type': 'application/json', origin: server.url }
      const attempt = async () => {
        while (!until.aborted) {
          const body = JSON.stringify({ code: randomUUID() })
          await fetch(`${server.url}/console/api/session`, { method: 'POST', headers, body, signal: until })
            .then((answer) => answer.arrayBuffer())
            .catch(() => delay(20))
        }
      }
      await Promise.all(Array.from({ length: 32 }, attempt))
    },
  },
  {
    name: '37 600 sign-ins that stall in their body',
    run: (target) => {
      const head = `POST /console/api/session HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{"code":"`
      return hold(target, 600, () => open(target, head))
    },
  },
  {
    name: '38 2,000 connections that stall in their head',
    run: (target) => hold(target, 2_000, () => open(target, 'GET /v1/orders/ HTTP/1.1\r\nhost: x\r\nx-api-key: tg_')),
  },
  {
    name: '38 500 pushes that stall in their body',
    run: (target) => {
      const head = post(
        target.attacker.key,
        '/v1/ingest/',
        'content-type: application/x-ndjson\r\ncontent-length: 90000',
      )
      return hold(target, 500, () => open(target, `${head}${' '.repeat(60_000)}`))
    },
  },
  {
    name: '39 catalog lists of 4,000 KiB, and their changes, 4 at once',
    prepare: async ({ server, attacker }) => {
      for (const version of [1, 2, 3]) await push(server, attacker, [longList(version)])
    },
    run: async (target) => {
      const pushing = async () => {
        for (let version = 4; !target.until.aborted; version++)
          await push(target.server, target.attacker, [longList(version)])
      }
      await Promise.all([pushing(), askInTurn(target, 4, ['/v1/catalog/changes/', '/v1/catalog/', '/v1/search/?q=P1'])])
    },
  },
  {
    name: '39 4,000 KiB that begin as a list and are {}',
    run: (target) => {
      const body = `{"type":"catalog.products","data":[${'{},'.repeat(1_300_000)}{}]}\n`
      return repeat(target, '/v1/ingest/', { 'content-type': 'application/x-ndjson' }, body)
    },
  },
]
