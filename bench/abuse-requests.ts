import { randomUUID } from 'node:crypto'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { hold, open, post, repeat, type Attack } from './abuse-target.ts'
import { orderLines } from './support/orders.ts'
import { push } from './support/server.ts'

const mib = 1024 * 1024

/** A megabyte of a body in pieces of one byte, prepared before the measurement. */
const crumbs = Buffer.from('1\r\n \r\n'.repeat(mib))

const lines = { 'content-type': 'application/x-ndjson' }
const json = { 'content-type': 'application/json' }
const packed = { 'content-encoding': 'gzip' }
const filled = (begin: string, part: string, end: string, bytes: number) =>
  gzipSync(begin + part.repeat(Math.floor((bytes - begin.length - end.length) / part.length)) + end)

/** A compressed body of 8 MiB without its last bytes. */
const endless = filled('[', '"x",', '', 8 * mib - 10).subarray(0, -100)

const chunked = 'transfer-encoding: chunked'

function send(socket: Socket, ...parts: Buffer[]): Socket {
  for (const part of parts) socket.write(part)
  return socket
}

/** Returns an attack: this many connections request a page of the largest orders and read nothing of it. */
function unread(name: string, path: string, connections: number): Attack {
  return {
    name,
    prepare: async ({ server, attacker }) => {
      const spread = { locationId: attacker.locationId, count: 100, perDay: 100, from: '2026-03-02' }
      const padding = 'x'.repeat(245 * 1024)
      const pad = (line: string) => line.replace('"customerId":"', `"customerId":"${padding}`)
      await push(server, attacker, [...orderLines(spread)].map(pad))
    },
    run: (target) => {
      const asked = `GET ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${target.attacker.key}\r\n\r\n`
      return hold(target, connections, () => open(target, asked, false))
    },
  }
}

/** Attacks without a key, or with a key of scope `ingest` or `read`. */
export const requestAttacks: Attack[] = [
  {
    name: '1 numbers under 2,500 brackets, packed',
    run: (target) => {
      const numbers = '1.0,'.repeat(250_000)
      const body = gzipSync(`{"type":"order","data":${'['.repeat(2500)}${numbers}1${']'.repeat(2500)}}\n`)
      return repeat(target, '/v1/ingest/', { ...lines, ...packed }, body)
    },
  },
  {
    name: '2 the script of the reference, 20 × 60 pipelined and not read',
    run: (target) => {
      const asked = 'GET /docs/js/scalar.js HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(60)
      return hold(target, 20, () => open(target, asked, false))
    },
  },
  {
    name: '3 bodies of 64 KiB of a partner',
    run: (target) => {
      const deep = `{"a":${'['.repeat(2000)}${'1.0,'.repeat(14_000)}1${']'.repeat(2000)}}`
      return repeat(target, '/v1/webhooks/', json, deep)
    },
  },
  {
    name: '4 8 MiB of {} as an array, packed',
    run: (target) => repeat(target, '/v1/ingest/', { ...json, ...packed }, filled('[', '{},', '{}]', 8 * mib - 10)),
  },
  {
    name: '4 8 MiB of 1.0 as an array, packed',
    run: (target) => repeat(target, '/v1/ingest/', { ...json, ...packed }, filled('[', '1.0,', '1.0]', 8 * mib - 10)),
  },
  {
    name: '4 an order of foreign fields',
    run: (target) => {
      const fields = Array.from({ length: 90_000 }, (_, i) => `"k${i}":1`).join()
      return repeat(target, '/v1/ingest/', lines, `{"type":"order","data":{${fields}}}\n`)
    },
  },
  {
    name: '4 the worst valid price list, 1 MiB',
    run: (target) => {
      const entry = '{"priceTypeId":1.0,"priceTypeName":"","unitPrice":1.0,"taxRate":1.0}'
      const list = Array(15_000).fill(entry).join()
      const id = randomUUID()
      const product = `{"id":"${id}","name":"","category":"","categoryId":"${id}","subCategories":[],"priceList":[${list}]}`
      return repeat(target, '/v1/ingest/', lines, `{"type":"catalog.products","data":[${product}]}\n`)
    },
  },
  unread('7 pages of 100 orders of 256 KiB, not read', '/v1/orders/?size=100', 4),
  unread('7 a hundred such pages at once, not read', '/v1/orders/?size=100', 100),
  unread('7 a hundred pages of such events at once, not read', '/v1/events/?limit=1000', 100),
  {
    name: '8 100 JSON bodies of 8 MiB without their end, packed',
    run: (target) => {
      const fields = 'content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 9999999'
      const head = post(target.attacker.key, '/v1/ingest/', fields)
      return hold(target, 100, () => send(open(target, head), endless))
    },
  },
  {
    name: '8 ten lines in pieces of one byte',
    run: (target) => {
      const head = post(target.attacker.key, '/v1/ingest/', `content-type: application/x-ndjson\r\n${chunked}`)
      return hold(target, 10, () => send(open(target, head), crumbs))
    },
  },
  {
    name: '8 two JSON bodies of 4 MiB in pieces of one byte',
    run: (target) => {
      const head = post(target.attacker.key, '/v1/ingest/', `content-type: application/json\r\n${chunked}`)
      return hold(target, 2, () => send(open(target, head), crumbs, crumbs, crumbs, crumbs))
    },
  },
  {
    name: '8 100 lines of 1 MiB without end',
    run: (target) => {
      const head = post(
        target.attacker.key,
        '/v1/ingest/',
        'content-type: application/x-ndjson\r\ncontent-length: 9999999',
      )
      const line = Buffer.alloc(mib - 1, 'x')
      return hold(target, 100, () => send(open(target, head), line))
    },
  },
  {
    name: '10 lines of 1 MiB that are no JSON, packed',
    run: (target) =>
      repeat(target, '/v1/ingest/', { ...lines, ...packed }, filled('', `${'x'.repeat(mib - 1)}\n`, '', 60 * mib)),
  },
  {
    name: '15 5,000 event streams of a key, begun in two seconds',
    run: async (target) => {
      const head = `GET /v1/events/ HTTP/1.1\r\nhost: x\r\nx-api-key: ${target.attacker.key}\r\naccept: text/event-stream\r\n\r\n`
      const fifty = async (_: unknown, i: number) => {
        await delay(20 * i)
        await hold(target, 50, () => open(target, head))
      }
      await Promise.all(Array.from({ length: 100 }, fifty))
    },
  },
  {
    name: '23 ten endless bodies without a key',
    run: (target) => {
      const head = post(
        'tg_live_nobody',
        '/v1/ingest/',
        'content-type: application/x-ndjson\r\ncontent-length: 99999999999',
      )
      const block = Buffer.alloc(mib, 'x')
      return hold(target, 10, () => {
        const socket = open(target, head)
        const more = () => void (socket.writable && socket.write(block, more))
        more()
        return socket
      })
    },
  },
  {
    name: '27 forty million blank lines, packed',
    run: (target) => repeat(target, '/v1/ingest/', { ...lines, ...packed }, filled('', '\n', '', 40 * mib)),
  },
]
