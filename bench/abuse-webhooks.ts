import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { request, type Attack, type Target } from './abuse-target.ts'
import { orderLines } from './support/orders.ts'
import { push } from './support/server.ts'

/** Registers a webhook of the attacker; returns its id, or undefined if it was refused. */
async function register(target: Target, endpointUrl: string, events: string[]): Promise<string | undefined> {
  const { locationId } = target.attacker
  const input = { events, endpointUrl, locationId, recipientId: randomUUID() }
  const { id } = await request<{ id: string }>(target, '/v1/webhooks/', input)
  return id
}

/** Starts an endpoint that responds with 200, 16 KiB of headers and a body of the same size. */
async function startTalkative({ later }: Target): Promise<string> {
  const headers = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`x-long-${i}`, 'x'.repeat(1000)]))
  const body = 'x'.repeat(16 * 1024)
  const server = createServer((received, response) => {
    received.resume()
    response.writeHead(200, headers).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  later(async () => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const ordersOf = ({ attacker: { locationId } }: Target, count: number) =>
  orderLines({ locationId, count, perDay: 250, from: '2026-03-02' })

const made = new WeakMap<Target, string[]>()

/** Attacks with a key of scope `webhooks`. */
export const webhookAttacks: Attack[] = [
  {
    name: '6 test operations on names that nobody answers for',
    prepare: async (target) => {
      const ids = await Promise.all(
        Array.from({ length: 40 }, (_, i) => register(target, `https://silent-${i}.invalid/`, ['order.paid'])),
      )
      made.set(
        target,
        ids.filter((id) => id !== undefined),
      )
    },
    run: async (target) => {
      while (!target.until.aborted) {
        await Promise.all((made.get(target) ?? []).map((id) => request(target, `/v1/webhooks/test/${id}`, {})))
        await delay(100)
      }
    },
  },
  {
    name: '11 replays to an endpoint that answers 32 KiB',
    prepare: async (target) => {
      await push(target.server, target.attacker, ordersOf(target, 2_000))
      const id = await register(target, await startTalkative(target), ['order.created', 'order.updated', 'order.paid'])
      made.set(target, id === undefined ? [] : [id])
    },
    run: async (target) => {
      while (!target.until.aborted) {
        for (const id of made.get(target) ?? []) await request(target, `/v1/webhooks/${id}/replay`, { sequence: 1 })
        await delay(100)
      }
    },
  },
  {
    name: '15 1,000 webhooks of a key, and pushes of 20 orders',
    prepare: async (target) => {
      const url = await startTalkative(target)
      for (let i = 0; i < 50; i++) {
        await Promise.all(Array.from({ length: 20 }, () => register(target, url, ['order.created', 'order.updated'])))
      }
    },
    run: async (target) => {
      const lines = [...ordersOf(target, 2_000)]
      for (let at = 0; !target.until.aborted; at = (at + 20) % lines.length) {
        await push(target.server, target.attacker, lines.slice(at, at + 20))
        await delay(100)
      }
    },
  },
]
