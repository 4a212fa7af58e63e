import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { patienceMs } from './waiting.ts'

/** The body of a delivery. */
export type DeliveredEvent = {
  id: string
  type: string
  timestamp: string
  locationId: string
  sequence: number
  data: any
}

export type Receipt = {
  path: string
  headers: IncomingHttpHeaders
  body: Buffer
  event: DeliveredEvent
  /** Unix time in milliseconds. */
  atMs: number
  /** The status of the response; 0 until it is sent. */
  status: number
}

export type Reply = number | { status: number; headers?: Record<string, string>; body?: string }

/** `earlier` is the number of earlier requests to the path. */
export type Answering = (receipt: Receipt, earlier: number) => Reply | Promise<Reply>

/** A webhook receiver on 127.0.0.1 that records requests and answers 200, unless a test sets the answers of a path. */
export type Receiver = {
  url(path: string): string
  /** Sets the answers of a path, from now on. */
  answer(path: string, answering: Answering): void
  /** The deliveries to a path, in the order of arrival. */
  at(path: string): readonly Receipt[]
  /** Resolves when the condition is true, which is checked at every arrival and response; rejects after `withinMs`. */
  until(condition: () => boolean, what: string, withinMs?: number): Promise<void>
  /** Resolves with all requests to a path when there are `count`. */
  waitFor(path: string, count: number, withinMs?: number): Promise<readonly Receipt[]>
  close(): Promise<void>
}

export async function startReceiver(): Promise<Receiver> {
  const receipts = new Map<string, Receipt[]>()
  const answers = new Map<string, Answering>()
  const changes = new EventEmitter().setMaxListeners(0)
  const at = (path: string) => {
    const known = receipts.get(path) ?? []
    receipts.set(path, known)
    return known
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const atMs = Date.now()
      const path = request.url ?? '/'
      const body = Buffer.concat(chunks)
      const event = JSON.parse(body.toString()) as DeliveredEvent
      const receipt: Receipt = { path, headers: request.headers, body, event, atMs, status: 0 }
      const known = at(path)
      known.push(receipt)
      changes.emit('change')
      void (async () => {
        const reply = (await answers.get(path)?.(receipt, known.length - 1)) ?? 200
        const { status, headers = {}, body: text = '' } = typeof reply === 'number' ? { status: reply } : reply
        receipt.status = status
        response.writeHead(status, headers).end(text)
        changes.emit('change')
      })()
    })
    request.on('error', () => {})
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  const until: Receiver['until'] = async (condition, what, withinMs = patienceMs) => {
    const limit = AbortSignal.timeout(withinMs)
    while (!condition()) {
      await once(changes, 'change', { signal: limit }).catch(() => {
        throw new Error(`not within ${withinMs} ms: ${what}`)
      })
    }
  }
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    answer: (path, answering) => void answers.set(path, answering),
    at,
    until,
    async waitFor(path, count, withinMs) {
      await until(() => at(path).length >= count, `${count} requests to ${path}`, withinMs)
      return at(path)
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
