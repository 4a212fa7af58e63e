import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { messageId } from '../src/core/domain/journal/messages.ts'
import { createWebhook } from './delivery-contestants.ts'
import { orderLines } from './support/orders.ts'
import { ask, type Server, type Site } from './support/server.ts'
import { monotonicMs, type Sink } from './support/sink.ts'

type Setting = {
  server: Server
  site: Site
  sink: Sink
  seconds: number
  /** Distinguishes the orders of one measurement from those of another. */
  salt?: number
  /** Called when the webhook exists and before anything is pushed. */
  prepare?: () => Promise<void>
}

/** Milliseconds per event, since its push was sent and since it was answered; the commit is between the two. */
export type Latency = { fromSent: number[]; fromAnswered: number[] }

const perSecond = 100

/** Pushes a hundred orders a second, each without waiting for earlier ones, and measures when their webhooks arrive. */
export async function measureLatency({ server, site, sink, seconds, salt = 2, prepare }: Setting): Promise<Latency> {
  const count = seconds * perSecond
  const webhooks = await ask<{ data: { id: string }[] }>(server, site, '/v1/webhooks/')
  for (const { id } of webhooks.data) {
    await fetch(`${server.url}/v1/webhooks/${id}`, { method: 'DELETE', headers: { 'x-api-key': site.key } })
  }
  await createWebhook(server, site, sink.url)
  const lines = [...orderLines({ locationId: site.locationId, count, perDay: 250, from: '2026-06-01', salt })]
  const agent = new Agent({ connections: 16 })
  const headers = { 'x-api-key': site.key, 'content-type': 'application/json' }
  await sink.expect(count)
  await prepare?.()

  const pushOne = async (body: string) => {
    const sentMs = monotonicMs()
    const answer = await request(`${server.url}/v1/ingest/`, { method: 'POST', headers, body, dispatcher: agent })
    const { results } = (await answer.body.json()) as { results: { sequence: number }[] }
    return { sentMs, answeredMs: monotonicMs(), sequence: results[0]?.sequence ?? 0 }
  }
  const beganMs = monotonicMs()
  const pushes = []
  for (const [i, line] of lines.entries()) {
    await delay(Math.max(0, beganMs + (i * 1000) / perSecond - monotonicMs()))
    pushes.push(pushOne(line))
  }
  const pushed = await Promise.all(pushes)
  await sink.reached()
  await agent.close()
  const times = await sink.times()
  const { locationId } = site
  const { meta } = await ask<{ meta: { epoch: string } }>(server, site, '/v1/events/?limit=1')
  const idOf = (seq: number) => messageId({ locationId, epoch: meta.epoch, seq }, 'order.created')
  const received = pushed.map((one) => times[idOf(one.sequence)] ?? Number.NaN)
  return {
    fromSent: pushed.map(({ sentMs }, i) => (received[i] as number) - sentMs),
    fromAnswered: pushed.map(({ answeredMs }, i) => Math.max(0, (received[i] as number) - answeredMs)),
  }
}
