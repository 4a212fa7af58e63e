import { createHmac, timingSafeEqual, type KeyObject } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseSecret } from '../../../src/core/delivery/secrets.ts'
import type { EventType } from '../../../src/core/schemas/events.ts'
import type { Order } from '../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../src/core/contract/reports/schema.ts'

/** The body of a delivery. */
export type DeliveredEvent = {
  id: string
  type: EventType
  timestamp: string
  locationId: string
  sequence: number
  data: Partial<Order & Report>
}

export type Delivered = {
  event: DeliveredEvent
  /** Sent by the test operation, with fake data. */
  isTest: boolean
}

export type DemoReceiver = { url: string; close(): Promise<void> }

export type ReceiverOptions = {
  /** Returns the secret of the webhook; empty until the webhook exists. */
  secret: () => string
  /** Called for a delivery with a valid signature. The sender gets its answer when this resolves. */
  onDelivered: (delivered: Delivered) => Promise<void>
  onRefused: (reason: string) => Promise<void>
}

/**
 * Maximum difference of a timestamp from the present, in seconds: beyond it, a delivery is a replay (Standard Webhooks
 * 1.0).
 */
const toleranceS = 5 * 60

const largestBody = 4 * 1024 * 1024

/** Returns why a request is not a delivery of the webhook; undefined for a valid signature (Standard Webhooks 1.0). */
function findFault(headers: IncomingHttpHeaders, body: Buffer, key: KeyObject, now: Date): string | undefined {
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((name) => headers[`webhook-${name}`])
  if (typeof id !== 'string' || typeof timestamp !== 'string' || typeof signatures !== 'string') {
    return 'it is not signed'
  }
  if (!(Math.abs(now.getTime() / 1000 - Number(timestamp)) <= toleranceS)) return 'its timestamp is too old or too new'
  const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  const fits = signatures.split(' ').some((signature) => {
    const [version, text = ''] = signature.split(',')
    const given = Buffer.from(text, 'base64')
    return version === 'v1' && given.length === wanted.length && timingSafeEqual(given, wanted)
  })
  return fits ? undefined : 'its signature does not match'
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    length += chunk.length
    if (length > largestBody) throw new Error('it is too large')
  }
  return Buffer.concat(chunks)
}

/**
 * Starts a webhook receiver on a free port of this machine, like that of a partner: it trusts nothing but the
 * signature.
 */
export async function startReceiver({ secret, onDelivered, onRefused }: ReceiverOptions): Promise<DemoReceiver> {
  const receive = async (request: IncomingMessage): Promise<number> => {
    try {
      const body = await readBody(request)
      const key = parseSecret(secret())
      const fault = key ? findFault(request.headers, body, key, new Date()) : 'there is no secret yet'
      if (fault !== undefined) throw new Error(fault)
      const isTest = request.headers['webhook-test'] === 'true'
      await onDelivered({ event: JSON.parse(body.toString()) as DeliveredEvent, isTest })
      return 204
    } catch (error) {
      await onRefused((error as Error).message)
      return 400
    }
  }
  const server = createServer((request, response) => {
    void receive(request).then((status) => response.writeHead(status).end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}
