import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { pushSingly, type Sink } from './ingest-contestants.ts'
import { timed } from './support/figures.ts'
import { FileSender } from './support/file-sender.ts'
import { requestsPerSecond } from './support/load.ts'
import { memoryOf } from './support/memory.ts'
import type { Server, Site } from './support/server.ts'

/** New lines of a location, never the same twice. */
export type Make = (site: Site, count: number) => string[]

/**
 * How long single pushes of a till take in milliseconds, one every 20 ms, while another location pushes a file in one
 * request from another process: until it is stored, or `lines` are at their end.
 */
export async function pushBesideImport(
  server: Server,
  { sink, till, importing, path, lines }: { sink: Sink; till: Site; importing: Site; path: string; lines: string[] },
): Promise<number[]> {
  const sender = new FileSender()
  const tills = new Agent({ connections: 1 })
  const took: number[] = []
  let isOver = false
  const running = sender.push(server, importing, path).finally(() => (isOver = true))
  running.catch(() => {})
  try {
    for (const line of lines) {
      if (isOver) break
      took.push(await timed(() => pushSingly(sink, [till], [line], { agent: tills, connections: 1 })))
      await delay(20)
    }
    await running
  } finally {
    await Promise.all([sender.stop(), tills.close()])
  }
  return took
}

/** Sends NDJSON; throws when not all of it was stored. */
async function send(server: Server, { key }: Site, body: string, dispatcher: Agent): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/x-ndjson' }
  const answer = await request(`${server.url}/v1/ingest/`, { method: 'POST', headers, body, dispatcher })
  await answer.body.dump()
  if (answer.statusCode !== 200) throw new Error(`ingest answered ${answer.statusCode}`)
}

/**
 * Answers a second for one order over 16 connections: alone, and while tills push so many orders a second. They come as
 * tills send what they gathered, ten in a push.
 */
export async function readBesidePushes(
  server: Server,
  { site, make, ordersPerSecond, seconds }: { site: Site; make: Make; ordersPerSecond: number; seconds: number },
): Promise<{ alone: number; beside: number; pushedPerSecond: number }> {
  const agent = new Agent({ connections: 8 })
  const headers = { 'x-api-key': site.key }
  const first = await request(`${server.url}/v1/orders/?size=1`, { headers, dispatcher: agent })
  const { data } = (await first.body.json()) as { data: { id: string }[] }
  const load = { url: `${server.url}/v1/orders/${data[0]?.id}`, key: site.key, connections: 16, seconds }
  const perPush = 10
  const everyMs = (1000 * perPush) / ordersPerSecond
  const lines = make(site, 2 * ordersPerSecond * seconds)
  const bodies = Array.from({ length: lines.length / perPush }, (_, i) =>
    lines.slice(i * perPush, (i + 1) * perPush).join(''),
  )
  await requestsPerSecond({ ...load, seconds: 1 })
  const alone = await requestsPerSecond(load)
  const began = performance.now()
  let isOver = false
  let pushed = 0
  const pushing = (async () => {
    const under: Promise<void>[] = []
    for (const body of bodies) {
      if (isOver) break
      under.push(send(server, site, body, agent).then(() => void (pushed += perPush)))
      await delay(Math.max(0, began + under.length * everyMs - performance.now()))
    }
    await Promise.all(under)
  })()
  const beside = await requestsPerSecond(load)
  isOver = true
  await pushing
  const pushedPerSecond = (pushed * 1000) / (performance.now() - began)
  await agent.close()
  return { alone, beside, pushedPerSecond }
}

/** The most memory of the server's process in MB while it works; undefined where the system does not tell. */
export async function peakMemory({ pid }: Server, work: () => Promise<unknown>): Promise<number | undefined> {
  let most: number | undefined
  const look = async () => {
    const now = await memoryOf([pid], { children: false })
    if (now !== undefined) most = Math.max(most ?? 0, now)
  }
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      await look()
      await delay(50)
    }
  })()
  await work()
  isOver = true
  await looking
  return most
}
