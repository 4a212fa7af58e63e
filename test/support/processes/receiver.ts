import { once } from 'node:events'
import { openSync, writeSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { processOptions, processReady } from '../processes.ts'
import type { DeliveredEvent } from '../receiver.ts'

/** `failures` is the fraction of requests answered with 500, at random; `file` gets each request as a line of JSON. */
export type ReceiverProcessOptions = { port: number; file: string; failures: number }

export type KeptReceipt = {
  path: string
  seq: number
  type: string
  resource: string
  status: number
  atMs: number
}

const { port, file, failures } = processOptions<ReceiverProcessOptions>()

const kept = openSync(file, 'a')
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('error', () => {})
  request.on('end', () => {
    const event = JSON.parse(Buffer.concat(chunks).toString()) as DeliveredEvent
    const status = Math.random() < failures ? 500 : 200
    const receipt: KeptReceipt = {
      path: request.url ?? '/',
      seq: event.sequence,
      type: event.type,
      resource: String(event.data.id),
      status,
      atMs: Date.now(),
    }
    // The receipt is stored before the response, so it exists even if the receiver is killed in between.
    writeSync(kept, `${JSON.stringify(receipt)}\n`)
    response.writeHead(status).end()
  })
})
server.listen(port, '127.0.0.1')
await once(server, 'listening')

processReady({ port: (server.address() as AddressInfo).port }, async () => {
  server.closeAllConnections()
  server.close()
})
