import { createWriteStream } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answer, startChild, type Child } from './child.ts'

/** Bytes are those of the bodies of distinct events; times are from the machine's monotonic clock in ms. */
export type Receipts = { atMs: number; bytes: number; sample: { headers: IncomingHttpHeaders; body: string } }

export type Sink = {
  url: string
  /** Forgets everything received; from here on bodies of distinct events are written to `record`, one per line. */
  expect(count: number, record?: string): Promise<void>
  /** Resolves when this many distinct events have arrived. */
  reached(): Promise<Receipts>
  /** When each event first arrived, by its id. */
  times(): Promise<Record<string, number>>
  stop(): Promise<void>
}

/** Returns the time of the one clock that all processes on a machine share. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint() / 1000n) / 1000
}

export async function startSink(): Promise<Sink> {
  const child: Child = startChild(import.meta.filename)
  return {
    url: await child.ask<string>('listen'),
    expect: (count, record) => child.ask('expect', { count, record }),
    reached: () => child.ask<Receipts>('reached', undefined, 120_000),
    times: () => child.ask<Record<string, number>>('times'),
    stop: () => child.stop(),
  }
}

/** Starts a receiver that only reads the body, remembers the id, and responds with 200. */
async function serve(): Promise<void> {
  let count = 0
  let bytes = 0
  let first: Receipts['sample'] | undefined
  let seen = new Map<string, number>()
  let all = Promise.withResolvers<Receipts>()
  let record: ReturnType<typeof createWriteStream> | undefined
  const receive = (headers: IncomingHttpHeaders, body: Buffer) => {
    const id = String(headers['webhook-id'])
    if (seen.has(id)) return
    seen.set(id, monotonicMs())
    bytes += body.length
    first ??= { headers, body: body.toString() }
    record?.write(`${body.toString()}\n`)
    if (seen.size !== count) return
    const receipts = { atMs: monotonicMs(), bytes, sample: first }
    if (record) record.end(() => all.resolve(receipts))
    else all.resolve(receipts)
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      receive(request.headers, chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks))
      response.end('ok')
    })
  })
  answer({
    listen: async () => {
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
    },
    expect: (asked: { count: number; record?: string }) => {
      count = asked.count
      bytes = 0
      first = undefined
      seen = new Map()
      all = Promise.withResolvers()
      record = asked.record === undefined ? undefined : createWriteStream(asked.record)
    },
    reached: () => all.promise,
    times: () => Object.fromEntries(seen),
  })
}

if (import.meta.main) await serve()
