import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { orderLines } from './support/orders.ts'
import { push, type Server, type Site } from './support/server.ts'

const mib = 1024 * 1024

/** One of the attacks that a security review found to harm others, by its number there. */
export type Attack = { name: string; run: (target: Target) => Promise<void> }

/** `until` is aborted when the attack has lasted long enough. */
export type Target = { server: Server; attacker: Site; until: AbortSignal }

/** Opens a connection and sends bytes; what comes back is read and thrown away unless `reads` is false. */
function open({ server }: Target, head: string, reads = true): Socket {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  if (reads) socket.resume()
  else socket.pause()
  socket.write(head)
  return socket
}

const post = ({ key }: Site, path: string, fields: string) =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\nx-api-key: ${key}\r\n${fields}\r\n\r\n`

/** Sends one body over and over, several at once, until the time is up. */
async function repeat(target: Target, path: string, headers: Record<string, string>, body: Buffer | string) {
  const { server, attacker, until } = target
  const one = async () => {
    while (!until.aborted) {
      const request = { method: 'POST', headers: { 'x-api-key': attacker.key, ...headers }, body, signal: until }
      await fetch(server.url + path, request)
        .then((answer) => answer.arrayBuffer())
        .catch(() => delay(20))
    }
  }
  await Promise.all(Array.from({ length: 4 }, one))
}

/** Holds sockets open until the time is up. */
async function hold({ until }: Target, sockets: readonly Socket[]): Promise<void> {
  if (!until.aborted) await once(until, 'abort')
  for (const socket of sockets) socket.destroy()
}

/** A megabyte of a body in pieces of one byte, made before anybody is watched. */
const crumbs = Buffer.from('1\r\n \r\n'.repeat(mib))

const lines = { 'content-type': 'application/x-ndjson' }
const json = { 'content-type': 'application/json' }
const packed = { 'content-encoding': 'gzip' }
const filled = (begin: string, part: string, end: string, bytes: number) =>
  gzipSync(begin + part.repeat(Math.floor((bytes - begin.length - end.length) / part.length)) + end)

export const attacks: Attack[] = [
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
      const request = 'GET /docs/js/scalar.js HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(60)
      return hold(
        target,
        Array.from({ length: 20 }, () => open(target, request, false)),
      )
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
  {
    name: '6 test operations on names that nobody answers for',
    run: async (target) => {
      const { server, attacker, until } = target
      const headers = { 'x-api-key': attacker.key, ...json }
      const ask = async (path: string, body: object): Promise<{ id?: string }> => {
        const request = { method: 'POST', headers, body: JSON.stringify(body), signal: until }
        try {
          return (await (await fetch(server.url + path, request)).json()) as { id?: string }
        } catch {
          return {}
        }
      }
      const { locationId } = attacker
      const made = await Promise.all(
        Array.from({ length: 40 }, (_, i) =>
          ask('/v1/webhooks/', {
            events: ['order.paid'],
            endpointUrl: `https://silent-${i}.invalid/`,
            locationId,
            recipientId: randomUUID(),
          }),
        ),
      )
      while (!until.aborted) {
        await Promise.all(made.map(({ id }) => ask(`/v1/webhooks/test/${id}`, {})))
        await delay(100)
      }
    },
  },
  {
    name: '7 pages of 100 orders of 256 KiB, not read',
    run: async (target) => {
      const spread = { locationId: target.attacker.locationId, count: 100, perDay: 100, from: '2026-03-02' }
      const padding = 'x'.repeat(245 * 1024)
      const pad = (line: string) => line.replace('"customerId":"', `"customerId":"${padding}`)
      await push(target.server, target.attacker, [...orderLines(spread)].map(pad))
      const request = `GET /v1/orders/?size=100 HTTP/1.1\r\nhost: x\r\nx-api-key: ${target.attacker.key}\r\n\r\n`
      await hold(
        target,
        Array.from({ length: 4 }, () => open(target, request, false)),
      )
    },
  },
  {
    name: '8 100 JSON bodies of 8 MiB without their end, packed',
    run: (target) => {
      const body = filled('[', '"x",', '', 8 * mib - 10)
      const fields = 'content-type: application/json\r\ncontent-encoding: gzip\r\ncontent-length: 9999999'
      const head = post(target.attacker, '/v1/ingest/', fields)
      const sockets = Array.from({ length: 100 }, () => {
        const socket = open(target, head)
        socket.write(body.subarray(0, body.length - 100))
        return socket
      })
      return hold(target, sockets)
    },
  },
  {
    name: '8 ten lines in pieces of one byte',
    run: (target) => {
      const fields = 'content-type: application/x-ndjson\r\ntransfer-encoding: chunked'
      const head = post(target.attacker, '/v1/ingest/', fields)
      const sockets = Array.from({ length: 10 }, () => open(target, head))
      for (const socket of sockets) socket.write(crumbs)
      return hold(target, sockets)
    },
  },
  {
    name: '8 two JSON bodies of 4 MiB in pieces of one byte',
    run: (target) => {
      const fields = 'content-type: application/json\r\ntransfer-encoding: chunked'
      const head = post(target.attacker, '/v1/ingest/', fields)
      const sockets = Array.from({ length: 2 }, () => open(target, head))
      for (const socket of sockets) for (let i = 0; i < 4; i++) socket.write(crumbs)
      return hold(target, sockets)
    },
  },
  {
    name: '8 100 lines of 1 MiB without end',
    run: (target) => {
      const head = post(target.attacker, '/v1/ingest/', `content-type: application/x-ndjson\r\ncontent-length: 9999999`)
      const line = 'x'.repeat(mib - 1)
      return hold(
        target,
        Array.from({ length: 100 }, () => open(target, head + line)),
      )
    },
  },
  {
    name: '10 lines of 1 MiB that are no JSON, packed',
    run: (target) =>
      repeat(target, '/v1/ingest/', { ...lines, ...packed }, filled('', `${'x'.repeat(mib - 1)}\n`, '', 60 * mib)),
  },
  {
    name: '27 forty million blank lines, packed',
    run: (target) => repeat(target, '/v1/ingest/', { ...lines, ...packed }, filled('', '\n', '', 40 * mib)),
  },
]
