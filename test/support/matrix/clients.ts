import { createServer, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Random } from '../../../src/simulator/random.ts'
import type { Site } from '../app.ts'
import { idOf, linesOf, order, versionOf } from '../records.ts'
import { digestOf, verdictsOf, type Batch, type Ledger, type ReadEvent } from './ledger.ts'

/** A till gives a push up after this; the server gives the database up before. */
const pushMs = 20_000

/** Statuses that the documents promise to a till whose push is right. */
const expected = new Set([200, 429, 503])

export type ClientOptions = {
  /** Where the servers listen now; a client picks one for each request. */
  urls: () => readonly string[]
  site: Site
  random: Random
  ledger: Ledger
  isOver: () => boolean
}

export type TillOptions = ClientOptions & { name: string; orders: readonly number[] }

/** Pushes new versions of its own orders, each batch again until it is acknowledged, and writes down every answer. */
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
      // The whole answer: a process may be killed in the midst of it.
      const text = await answer.text()
      const verdicts = answer.status === 200 ? verdictsOf(text, batch.items) : undefined
      if (verdicts) return void batch.attempts.push({ outcome: 'acknowledged', at, verdicts })
      const code = /"code":"(\w+)"/.exec(text)?.[1] ?? ''
      batch.attempts.push({ outcome: 'refused', at, status: answer.status, code })
      if (!expected.has(answer.status)) ledger.oddities.push(`a push was answered ${answer.status} ${code}`)
    } catch (error) {
      const { code = '', message = '' } = ((error as Error).cause ?? {}) as { code?: string; message?: string }
      // A process that is down has no port, and nothing was sent.
      if (code === 'ECONNREFUSED') batch.attempts.push({ outcome: 'unreached', at })
      else batch.attempts.push({ outcome: 'unknown', at, reason: `${String(error)} ${code} ${message}`.trim() })
    }
    await delay(random.int(20, 200))
  }
}

type FeedPage = {
  data: { id: string; sequence: number; type: string; data: { id?: string } }[]
  meta: { next: number }
}

/** Reads the feed from its beginning, page after page, and goes on where it was after every failure. */
export async function runReader({ urls, site, random, ledger, isOver }: ClientOptions): Promise<void> {
  const seen: ReadEvent[] = []
  const feeds = ledger.feeds.get(site.id) ?? []
  ledger.feeds.set(site.id, [...feeds, seen])
  let after = 0
  while (!isOver()) {
    try {
      const signal = AbortSignal.timeout(pushMs)
      const path = `/v1/events/?after=${after}&limit=500&wait=1`
      const answer = await fetch(random.pick(urls()) + path, { headers: { 'x-api-key': site.key }, signal })
      const body = (await answer.json()) as FeedPage & { head?: number; code?: string }
      if (answer.status === 200) {
        for (const { id, sequence, type, data } of body.data) {
          seen.push({ id, sequence, type, resource: String(data.id), digest: digestOf(data) })
        }
        after = body.meta.next
      } else if (answer.status === 409 && typeof body.head === 'number') after = body.head
      else if (!expected.has(answer.status)) ledger.oddities.push(`the feed answered ${answer.status} ${body.code}`)
    } catch {
      // Killed, cut, or too late: the next page is asked for again.
    }
    await delay(random.int(50, 250))
  }
}

export type Endpoints = { url: string; close(): Promise<void> }

/**
 * Where webhooks are received. One in fifty events is refused when it comes for the first time, so that what follows of
 * its resource must wait for it; every other request is answered 200 after a moment.
 */
export async function startEndpoints(ledger: Ledger, random: Random): Promise<Endpoints> {
  const known = new Set<string>()
  const server: Server = createServer((request, response) => {
    const at = performance.now()
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
    request.on('end', () => {
      const path = request.url ?? '/'
      const { id, sequence, type, data } = JSON.parse(Buffer.concat(chunks).toString())
      const isFirst = !known.has(path + id)
      known.add(path + id)
      const status = isFirst && random.chance(0.02) ? 500 : 200
      const answeredAt = performance.now()
      const event = { id, sequence, type, resource: String(data.id), digest: digestOf(data) }
      ledger.receipts.push({ ...event, path, status, at, answeredAt })
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
