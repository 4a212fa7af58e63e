import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../../../simulator/random.ts'
import type { Site } from '../app.ts'
import { idOf, linesOf, order, versionOf } from '../records.ts'
import { digestOf } from './digest.ts'
import { verdictsOf, type Batch, type Feed, type Ledger } from './ledger.ts'

/** A till gives up a push after this time; the server stops waiting for the database earlier. */
const pushMs = 20_000

/** Statuses that the documentation allows for a correct push. */
const expected = new Set([200, 429, 503])

/** Further statuses while a location is deactivated or deleted, before it is restored. */
const expectedAway = new Set([401, 403, 404])

const wasAway = ({ away }: Ledger, { id }: Site, begin: number) => (away.get(id) ?? 0) >= begin

const isExpected = (ledger: Ledger, site: Site, status: number, begin: number) =>
  expected.has(status) || (expectedAway.has(status) && wasAway(ledger, site, begin))

export type ClientOptions = {
  /** The current addresses of the servers; a client picks one for each request. */
  urls: () => readonly string[]
  site: Site
  random: Random
  ledger: Ledger
  isOver: () => boolean
}

export type TillOptions = ClientOptions & { name: string; orders: readonly number[] }

/** Pushes new versions of its own orders, repeating each batch until it is acknowledged, and records every response. */
export async function runTill({ name, orders, ...client }: TillOptions): Promise<void> {
  const { site, random, ledger, isOver } = client
  const versions = new Map<number, number>()
  while (!isOver()) {
    const numbers = new Set(Array.from({ length: random.int(1, 12) }, () => random.pick(orders)))
    const documents = [...numbers].map((n) => versionOf(site.id, n, (versions.get(n) ?? 0) + 1))
    for (const n of numbers) versions.set(n, (versions.get(n) ?? 0) + 1)
    const items = [...numbers].map((n, i) => {
      return { id: idOf('order', n), v: versions.get(n) as number, digest: digestOf(documents[i]) }
    })
    const batch: Batch = { locationId: site.id, till: name, items, attempts: [] }
    ledger.batches.push(batch)
    await pushUntilKnown(batch, linesOf(documents.map(order)), client)
    await delay(random.int(5, 60))
  }
}

async function pushUntilKnown(
  batch: Batch,
  body: string,
  { urls, site, random, ledger, isOver }: ClientOptions,
): Promise<void> {
  const headers = { 'content-type': 'application/x-ndjson', 'x-api-key': site.key }
  while (!isOver()) {
    const at = performance.now()
    try {
      const url = random.pick(urls())
      const signal = AbortSignal.timeout(pushMs)
      const answer = await fetch(`${url}/v1/ingest/`, { method: 'POST', headers, body, signal })
      // The answer is read completely, because the process may be killed while it sends.
      const text = await answer.text()
      const verdicts = answer.status === 200 ? verdictsOf(text, batch.items) : undefined
      if (verdicts)
        return void batch.attempts.push({ outcome: 'acknowledged', at, endedAt: performance.now(), verdicts })
      const code = /"code":"(\w+)"/.exec(text)?.[1] ?? ''
      batch.attempts.push({ outcome: 'refused', at, status: answer.status, code })
      if (!isExpected(ledger, site, answer.status, at))
        ledger.oddities.push(`a push was answered ${answer.status} ${code}: ${text.slice(0, 500)}`)
    } catch (error) {
      const { code = '', message = '' } = ((error as Error).cause ?? {}) as { code?: string; message?: string }
      // Nothing was sent, because no process listens on the port.
      if (code === 'ECONNREFUSED') batch.attempts.push({ outcome: 'unreached', at })
      else batch.attempts.push({ outcome: 'unknown', at, reason: `${String(error)} ${code} ${message}`.trim() })
    }
    await delay(random.int(20, 200))
  }
}

type FeedPage = {
  data: { id: string; sequence: number; type: string; data: { id?: string; guests?: number } }[]
  meta: { next: number; epoch: string }
}

/** Reads the feed from its beginning, page after page, and continues from its position after every failure. */
export async function runReader({ urls, site, random, ledger, isOver }: ClientOptions): Promise<void> {
  const feed: Feed = { events: [], turns: [] }
  const feeds = ledger.feeds.get(site.id) ?? []
  ledger.feeds.set(site.id, [...feeds, feed])
  let after = 0
  let epoch = ''
  while (!isOver()) {
    const begin = performance.now()
    try {
      const signal = AbortSignal.timeout(pushMs)
      const path = `/v1/events/?after=${after}${epoch && `&epoch=${epoch}`}&limit=500&wait=1`
      const answer = await fetch(random.pick(urls()) + path, { headers: { 'x-api-key': site.key }, signal })
      const body = (await answer.json()) as FeedPage & { after?: number; epoch?: string; code?: string }
      if (answer.status === 200) {
        for (const { id, sequence, type, data } of body.data) {
          feed.events.push({ id, sequence, type, resource: String(data.id), digest: digestOf(data) })
        }
        const versions = body.data.map(({ data }) => ({ id: String(data.id), v: Number(data.guests) }))
        const times = { begin, end: performance.now() }
        ledger.looks.push({
          locationId: site.id,
          what: 'feed',
          ...times,
          seq: null,
          least: null,
          isAll: false,
          versions,
        })
        after = body.meta.next
        epoch = body.meta.epoch
      } else if (answer.status === 409 && typeof body.after === 'number') {
        feed.turns.push({ at: feed.events.length, after: body.after })
        after = body.after
        epoch = body.epoch ?? ''
      } else if (!isExpected(ledger, site, answer.status, begin))
        ledger.oddities.push(`the feed answered ${answer.status} ${body.code}`)
    } catch {
      // The server was killed, or the connection cut or too slow: the page is requested again.
    }
    await delay(random.int(50, 250))
  }
}

/** Reads single orders and pages of all orders, sometimes requiring the last sequence it saw. */
export async function runLooker({ urls, site, random, ledger, isOver }: ClientOptions, orders: number): Promise<void> {
  let seen = 0
  while (!isOver()) {
    const isPage = random.chance(0.4)
    const id = idOf('order', random.int(1, orders))
    const least = random.chance(0.3) ? seen : null
    const path = isPage ? '/v1/orders/?size=100&state=all&isTraining=false' : `/v1/orders/${id}`
    const headers = { 'x-api-key': site.key, ...(least && { 'tillgate-min-sequence': String(least) }) }
    const begin = performance.now()
    try {
      const answer = await fetch(random.pick(urls()) + path, { headers, signal: AbortSignal.timeout(pushMs) })
      const body = (await answer.json()) as {
        id?: string
        guests?: number
        after?: number
        data?: { id: string; guests: number }[]
        meta?: { totalCount: number }
      }
      const seq = Number(answer.headers.get('tillgate-sequence') ?? 0)
      const look = { locationId: site.id, begin, end: performance.now(), seq, least: least || null }
      if (answer.status === 200 && isPage) {
        const versions = (body.data ?? []).map(({ id: of, guests }) => ({ id: of, v: guests }))
        if (versions.length > (body.meta?.totalCount ?? 0))
          ledger.oddities.push(`a page had ${versions.length} orders, and totalCount ${body.meta?.totalCount}`)
        // A single order may include entries after its sequence; only a page is consistent with its sequence.
        ledger.looks.push({ ...look, what: 'list', isAll: true, versions })
        seen = Math.max(seen, seq)
      } else if (answer.status === 200) {
        ledger.looks.push({ ...look, what: 'order', isAll: false, versions: [{ id, v: Number(body.guests) }] })
        seen = Math.max(seen, seq)
      } else if (answer.status === 404 && !isPage && !wasAway(ledger, site, begin)) {
        ledger.looks.push({ ...look, what: 'order', seq: null, least: null, isAll: false, versions: [{ id, v: 0 }] })
      } else if (answer.status === 409 && least) {
        ledger.refusals.push({ locationId: site.id, begin, end: look.end, least })
        seen = body.after ?? 0
      } else if (!isExpected(ledger, site, answer.status, begin))
        ledger.oddities.push(`${path} was answered ${answer.status}`)
    } catch {
      // The server was killed, or the connection cut or too slow: nothing was returned.
    }
    await delay(random.int(20, 120))
  }
}

export type Endpoints = { url: string; close(): Promise<void> }

/**
 * Starts the endpoint of webhooks. It refuses one in fifty events the first time, so that later events of the resource
 * must wait. It answers all other requests with 200.
 */
export async function startEndpoints(ledger: Ledger, random: Random): Promise<Endpoints> {
  const known = new Set<string>()
  const server: Server = createServer((request, response) => {
    const at = performance.now()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
    request.on('end', () => {
      const path = request.url ?? '/'
      const { id, sequence, type, locationId, data } = JSON.parse(Buffer.concat(chunks).toString())
      const isFirst = !known.has(path + id)
      known.add(path + id)
      const status = isFirst && random.chance(0.02) ? 500 : 200
      const answeredAt = performance.now()
      const event = { id, sequence, type, resource: String(data.id), digest: digestOf(data) }
      ledger.receipts.push({ ...event, path, status, at, answeredAt })
      const versions = [{ id: String(data.id), v: Number(data.guests) }]
      const look = { what: 'delivery' as const, begin: at, end: at, seq: null, least: null, isAll: false, versions }
      ledger.looks.push({ locationId: String(locationId), ...look })
      response.writeHead(status).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
