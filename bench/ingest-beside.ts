import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { pushSingly, type Sink } from './ingest-contestants.ts'
import { median, timed } from './support/figures.ts'
import { FileSender } from './support/file-sender.ts'
import { requestsPerSecond } from './support/load.ts'
import { memoryOf } from './support/memory.ts'
import type { Figure } from './support/report.ts'
import { push, type Server, type Site } from './support/server.ts'

/** Makes new lines for a location, different ones each time. */
export type Make = (site: Site, count: number) => string[]

/** Orders that are pushed to a location while others are read there. */
type Pushing = { site: Site; make: Make }

/** Orders pushed per second during reads, and the number of seconds. */
const [ordersPerSecond, seconds] = [1_000, 5]

/**
 * Measures single pushes of a till in milliseconds, one every 20 ms, while another process pushes a file of another
 * location in one request. Ends when the file is stored or `lines` ends.
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

/** Sends NDJSON. Throws if any record was not stored. */
async function send(server: Server, { key }: Site, body: string, dispatcher: Agent): Promise<void> {
  const headers = { 'x-api-key': key, 'content-type': 'application/x-ndjson' }
  const answer = await request(`${server.url}/v1/ingest/`, { method: 'POST', headers, body, dispatcher })
  await answer.body.dump()
  if (answer.statusCode !== 200) throw new Error(`ingest answered ${answer.statusCode}`)
}

/** Pushes `perPush` orders at a time, this many per second in total, until it is stopped. */
class Tills {
  readonly #began = performance.now()
  readonly #pushing: Promise<void>
  #isOver = false
  #pushed = 0

  constructor(push: (body: string) => Promise<void>, bodies: readonly string[], perPush: number, everyMs: number) {
    this.#pushing = (async () => {
      const under: Promise<void>[] = []
      for (const body of bodies) {
        if (this.#isOver) break
        under.push(push(body).then(() => void (this.#pushed += perPush)))
        await delay(Math.max(0, this.#began + under.length * everyMs - performance.now()))
      }
      await Promise.all(under)
    })()
    this.#pushing.catch(() => {})
  }

  /** Resolves to the number of orders stored per second. Throws if a push failed. */
  async stop(): Promise<number> {
    this.#isOver = true
    await this.#pushing
    return (this.#pushed * 1000) / (performance.now() - this.#began)
  }
}

/** Measures responses per second for one order over 16 connections: alone, and during pushes of `perPush` orders. */
async function readBesidePushes(
  server: Server,
  { site, make }: Pushing,
  perPush: number,
): Promise<{ alone: number; beside: number; pushedPerSecond: number }> {
  const agent = new Agent({ connections: 8 })
  try {
    const headers = { 'x-api-key': site.key }
    const first = await request(`${server.url}/v1/orders/?size=200`, { headers, dispatcher: agent })
    const { data } = (await first.body.json()) as { data: { id: string }[] }
    const paths = data.map(({ id }) => `/v1/orders/${id}`)
    const load = { url: server.url, paths, key: site.key, connections: 16, seconds }
    const lines = make(site, 2 * ordersPerSecond * seconds)
    const bodies = Array.from({ length: lines.length / perPush }, (_, i) =>
      lines.slice(i * perPush, (i + 1) * perPush).join(''),
    )
    await requestsPerSecond({ ...load, seconds: 1 })
    const alone = await requestsPerSecond(load)
    const everyMs = (1000 * perPush) / ordersPerSecond
    const tills = new Tills((body) => send(server, site, body, agent), bodies, perPush, everyMs)
    const beside = await requestsPerSecond(load).finally(() => tills.stop())
    return { alone, beside, pushedPerSecond: await tills.stop() }
  } finally {
    await agent.close()
  }
}

/** Measures which share of their rate reads keep during pushes of tens and of hundreds: medians of several rounds. */
export async function readFigures(server: Server, pushing: Pushing, rounds: number): Promise<Figure[]> {
  const sizes = [10, 100]
  // Read before anything is pushed; rounds must not be measured on a server that has just started.
  await push(server, pushing.site, pushing.make(pushing.site, 20_000))
  const looks: { perPush: number; alone: number; beside: number; pushedPerSecond: number }[] = []
  for (let round = 0; round < rounds; round++)
    for (const perPush of sizes) looks.push({ perPush, ...(await readBesidePushes(server, pushing, perPush)) })
  const shares = sizes.map((perPush): Figure => {
    const those = looks.filter((look) => look.perPush === perPush)
    const stored = Math.round(median(those.map((look) => look.pushedPerSecond)))
    const row = `one order, read beside ${stored} pushed/s, ${perPush} at a time`
    const value = median(those.map(({ beside, alone }) => (100 * beside) / alone))
    return { row, column: 'Tillgate', value, unit: '%', aim: { least: 90 }, note: 'of alone' }
  })
  const alone = median(looks.map((look) => look.alone))
  return [{ row: 'one order, read alone', column: 'Tillgate', value: alone, unit: '/s' }, ...shares]
}

/** Resolves to the peak memory of the server's process in MB; undefined if the system does not report it. */
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
