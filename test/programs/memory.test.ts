import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { createGzip } from 'node:zlib'
import type { IngestAnswer } from '../../src/core/schemas/ingest.ts'
import { addKey, addLocation, send } from '../support/app.ts'
import { atEnd, createDatabase } from '../support/database.ts'
import { order, smallOrderOf } from '../support/records.ts'
import type { ServingMessage } from './serving.ts'

const heapMiB = 128
const mib = 1024 * 1024

const { pool, connection } = await createDatabase()
const location = await addLocation(pool)
const { key } = await addKey(pool, location)

/** A server with a heap limit of `heapMiB`: it dies if it does not release the data it reads. */
const child: ChildProcess = fork(join(import.meta.dirname, 'serving.ts'), [JSON.stringify(connection)], {
  execArgv: [`--max-old-space-size=${heapMiB}`, '--expose-gc'],
})
const exited = once(child, 'exit')
const [{ port }] = (await once(child, 'message')) as [{ port: number }]
const agent = new Agent({ keepAlive: true })
atEnd(async () => {
  agent.destroy()
  if (child.connected) child.disconnect()
  await exited
})

async function memory(): Promise<Extract<ServingMessage, { heapBytes: number }>> {
  child.send('memory')
  const [message] = await once(child, 'message')
  return message
}

/** Streams lines from a generator; resolves with the response. */
function stream(lines: Iterable<string>, gzipped: boolean): Promise<{ status: number; answer: IngestAnswer }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/x-ndjson', 'x-api-key': key, 'transfer-encoding': 'chunked' }
    const outgoing = httpRequest(
      {
        agent,
        port,
        method: 'POST',
        path: '/v1/ingest/',
        headers: gzipped ? { ...headers, 'content-encoding': 'gzip' } : headers,
      },
      (incoming) => {
        const chunks: Buffer[] = []
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
        incoming.on('error', reject)
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, answer: JSON.parse(Buffer.concat(chunks).toString('utf8')) }),
        )
      },
    )
    outgoing.on('error', reject)
    const write = async () => {
      const gzip = gzipped ? createGzip({ level: 1 }) : undefined
      gzip?.pipe(outgoing)
      const sink = gzip ?? outgoing
      let text = ''
      for (const line of lines) {
        text += line
        if (text.length < 65_536) continue
        if (!sink.write(text)) await once(sink, 'drain')
        text = ''
      }
      sink.end(text)
    }
    write().catch(reject)
  })
}

/** Yields mostly records that are unchanged after the first round, so that the database is not measured. */
function* longBody(count: number): Generator<string> {
  const known = Array.from({ length: 500 }, (_, n) => `${JSON.stringify(order(smallOrderOf(location, n)))}\n`)
  for (let n = 0; n < count; n++) {
    if (n % 20 === 7) yield `{"type":"order","data":{"id":"${n}","total":"${'9'.repeat(100)}"}}\n`
    else if (n % 20 === 13) yield '\r\n'
    else yield known[n % known.length] as string
  }
}

for (const [count, gzipped] of [[24_000, false] as const, [12_000, true] as const]) {
  test(`a body of ${count} lines${gzipped ? ', gzipped,' : ''} is read in constant memory`, async () => {
    await stream(longBody(2000), gzipped)
    const before = await memory()
    const { status, answer } = await stream(longBody(count), gzipped)
    const after = await memory()
    assert.equal(status, 207)
    assert.equal(answer.rejected, count / 20)
    assert.equal(answer.accepted + answer.unchanged, count * 0.9)
    const grown = (after.heapBytes - before.heapBytes) / mib
    assert.ok(grown < 16, `the heap grew by ${grown.toFixed(1)} MiB`)
  })
}

test('invalid records with very long names do not fill the memory of the answer', async () => {
  const long = (letter: string) => letter.repeat(30_000)
  function* lines() {
    for (let n = 0; n < 350; n++) {
      yield `{"type":"order","data":{"id":"${long('i')}","${n}${long('a')}":1,"${long('b')}":2}}\n`
      yield `{"${n}${long('c')}":1,"${long('c')}":2,"${long('c')}":3}\n`
    }
  }
  const { status, answer } = await stream(lines(), false)
  assert.equal(status, 400)
  assert.equal(answer.rejected, 700)
  const size = Buffer.byteLength(JSON.stringify(answer))
  assert.ok(size < 8 * mib, `the answer has ${(size / mib).toFixed(1)} MiB`)
  const alive = await send(agent, port, 'GET', '/health/', { headers: { 'x-api-key': key } })
  assert.equal(alive.status, 200)
})
