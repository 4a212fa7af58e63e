import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { Arrivals } from '../../../src/core/http/guard/arrivals.ts'
import { RequestBodies } from '../../../src/core/http/guard/request-bodies.ts'
import { BodyBudget } from '../../../src/core/ingest/receive/body-budget.ts'
import { startApp } from '../../support/app.ts'
import { atEnd } from '../../support/database.ts'
import { order, smallOrderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const kib = 1024
const budget = new BodyBudget({ process: 70 * kib, key: 64 * kib })
const app = await startApp({ bodies: new RequestBodies(budget, { pieceMs: 150, wholeMs: 600 }) })
const patient = await startApp({ database: app.database })
/** Only the total time is limited: on a busy machine no piece may arrive for a while. */
const hurried = await startApp({
  database: app.database,
  bodies: new RequestBodies(budget, { pieceMs: 60_000, wholeMs: 300 }),
})

/** A raw HTTP/1.1 connection. */
class Client {
  readonly socket: Socket
  text = ''
  isClosed = false

  /** Opens a connection. With `isStubborn` it continues to send after the server has ended its side. */
  constructor(port = app.port, isStubborn = false) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: isStubborn })
    this.socket.on('data', (chunk: Buffer) => (this.text += chunk.toString('latin1')))
    this.socket.on('error', () => {})
    this.socket.on('close', () => (this.isClosed = true))
  }

  /** Sends the head of a request; with a null length the body is chunked. */
  post(path: string, type: string, length: number | null, key: string | null = app.key): this {
    const body = length === null ? 'transfer-encoding: chunked' : `content-length: ${length}`
    const keyed = key === null ? '' : `x-api-key: ${key}\r\n`
    this.socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${keyed}content-type: ${type}\r\n${body}\r\n\r\n`)
    return this
  }

  chunk(text: string): this {
    this.socket.write(`${text.length.toString(16)}\r\n${text}\r\n`)
    return this
  }

  async answered(): Promise<any> {
    await eventually(() => /\r\n\r\n[\s\S]*\}$/.test(this.text), 'an answer with a body')
    return JSON.parse(this.text.slice(this.text.indexOf('\r\n\r\n') + 4))
  }

  async closed(): Promise<void> {
    // If the connection is reset while the client still sends, it emits an error and a close.
    await eventually(() => this.isClosed, 'the connection is closed')
  }

  get status(): string {
    return this.text.slice(9, 12)
  }
}

const line = (n: number, location = app.location) => `${JSON.stringify(order(smallOrderOf(location, n)))}\n`
const ndjson = 'application/x-ndjson'
const json = 'application/json'

test('a push that stalls ends with the complete records, and the answer states this', async () => {
  const client = new Client().post('/v1/ingest/', ndjson, null).chunk(line(1)).chunk(line(2).slice(0, 50))
  const answer = await client.answered()
  assert.deepEqual([client.status, answer.accepted, answer.stopped.code], ['207', 1, 'body_interrupted'])
  assert.match(answer.stopped.detail, /nothing arrived for 0\.15 s/)
  await client.closed()
})

test('the server does not wait for the rest of a refused compressed body', async () => {
  const endless = await startApp({
    database: app.database,
    bodies: new RequestBodies(new BodyBudget(), { pieceMs: 3_600_000, wholeMs: 3_600_000 }),
  })
  const { next } = Arrivals.prototype
  let waiting = 0
  Arrivals.prototype.next = function (waitMs) {
    waiting += 1
    return next.call(this, waitMs).finally(() => (waiting -= 1))
  }
  atEnd(async () => void (Arrivals.prototype.next = next))
  const packed = gzipSync(`[${'"x",'.repeat(3 * kib * kib)}`).subarray(0, -100)
  const fields = `x-api-key: ${endless.key}\r\ncontent-type: ${json}\r\ncontent-encoding: gzip\r\ncontent-length: 9999999`
  const client = new Client(endless.port)
  client.socket.write(`POST /v1/ingest/ HTTP/1.1\r\nhost: x\r\n${fields}\r\n\r\n`)
  client.socket.write(packed)
  assert.equal((await client.answered()).code, 'body_too_large')
  client.socket.destroy()
  await eventually(() => waiting === 0, 'what reads the body has ended')
})

test('a JSON body that stalls is 408, for a push and for any other operation', async () => {
  for (const path of ['/v1/ingest/', '/v1/webhooks/']) {
    const client = new Client().post(path, json, 5000)
    client.socket.write('{"a":')
    const problem = await client.answered()
    assert.deepEqual([client.status, problem.code], ['408', 'request_timeout'])
    await client.closed()
  }
})

test('a JSON body that arrives too slowly is 408 at its time limit', async () => {
  for (const path of ['/v1/ingest/', '/v1/webhooks/']) {
    const client = new Client(hurried.port).post(path, json, 50_000, hurried.key)
    const dripping = setInterval(() => client.socket.write(' '), 20)
    const problem = await client.answered()
    clearInterval(dripping)
    assert.deepEqual([client.status, problem.code], ['408', 'request_timeout'])
    assert.match(problem.detail, /not complete after/)
    client.socket.destroy()
  }
})

test('a slow push that keeps sending is accepted completely', async () => {
  const text = [3, 4, 5].map((n) => line(n)).join('')
  const slowly = async () => {
    const client = new Client().post('/v1/ingest/', ndjson, null)
    let longestPauseMs = 0
    let last = performance.now()
    const pause = async () => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      longestPauseMs = Math.max(longestPauseMs, performance.now() - last)
      last = performance.now()
    }
    // The whole body takes longer than a single pause may.
    for (let at = 0; at < text.length; at += 100) {
      client.chunk(text.slice(at, at + 100))
      await pause()
    }
    client.socket.write('0\r\n\r\n')
    await pause()
    const { accepted = 0, unchanged = 0 } = await client.answered()
    client.socket.destroy()
    return { taken: accepted + unchanged, longestPauseMs }
  }
  for (;;) {
    const { taken, longestPauseMs } = await slowly()
    if (taken === 3) break
    assert.ok(longestPauseMs > 75, `it was ended, though the longest pause took ${longestPauseMs} ms`)
  }
})

test('bodies being received hold no more than their budget: 429 beyond the key’s, 503 beyond the total, and all is released', async () => {
  const part = `{"a":"${'x'.repeat(40 * kib)}`
  const { key } = await patient.addKey(patient.location, {})
  const small = await startApp({ database: app.database, bodies: new RequestBodies(budget) })
  const open = (with_: string) => {
    const client = new Client(small.port).post('/v1/ingest/', json, 500_000, with_)
    client.socket.write(part)
    return client
  }
  const first = open(app.key)
  await eventually(() => budget.held > 40 * kib, '40 KiB are held')
  const second = open(app.key)
  const refused = await second.answered()
  assert.deepEqual([second.status, refused.code], ['429', 'too_much_at_once'])
  assert.match(second.text, /retry-after: 5/)
  const third = open(key)
  const overloaded = await third.answered()
  assert.deepEqual([third.status, overloaded.code], ['503', 'overloaded'])
  const lines = new Client(small.port)
    .post('/v1/ingest/', ndjson, null, key)
    .chunk(line(6, patient.location))
    .chunk(part)
  const stopped = await lines.answered()
  assert.deepEqual([lines.status, stopped.accepted, stopped.stopped.code], ['207', 1, 'overloaded'])
  const nothing = new Client(small.port).post('/v1/ingest/', ndjson, null, key).chunk(part)
  assert.equal((await nothing.answered()).code, 'overloaded')
  assert.equal(nothing.status, '503')
  for (const client of [first, second, third, lines, nothing]) client.socket.destroy()
  await eventually(() => budget.held === 0, 'nothing is held')
  assert.equal((await small.push(line(7, small.location))).status, 200)
})

test('a body in small pieces holds little more memory than its bytes', async () => {
  const held = new BodyBudget()
  const receiving = await startApp({ database: app.database, bodies: new RequestBodies(held) })
  const client = new Client(receiving.port).post('/v1/ingest/', ndjson, null)
  const text = 'x'.repeat(20 * kib)
  client.socket.write(`10\r\n${'x'.repeat(16)}\r\n`.repeat(text.length / 16))
  await eventually(() => held.held >= text.length, 'the bytes are held')
  assert.ok(held.held <= 2 * text.length, `${held.held} bytes are held for ${text.length}`)
  client.socket.destroy()
  await eventually(() => held.held === 0, 'nothing is held')
})

const crumbs = (text: string) => text.replaceAll(/[\s\S]/g, (letter) => `1\r\n${letter}\r\n`)

test('a push that continues in pieces of one byte ends: complete records are stored, the answer states the reason, and the connection is closed', async () => {
  const client = new Client(patient.port).post('/v1/ingest/', ndjson, null).chunk(line(9))
  client.socket.write(crumbs('x'.repeat(20_000)))
  const answer = await client.answered()
  assert.deepEqual([client.status, answer.accepted, answer.stopped.code], ['207', 1, 'pieces_too_small'])
  assert.match(answer.stopped.detail, /pieces of [\d.]+ bytes: send chunks of one record or more/)
  await client.closed()
})

test('a gzipped push in pieces of one byte ends too', async () => {
  const client = new Client(patient.port)
  const head = `POST /v1/ingest/ HTTP/1.1\r\nhost: x\r\nx-api-key: ${app.key}\r\ncontent-type: ${ndjson}`
  const packed = gzipSync(randomBytes(20_000)).toString('latin1')
  client.socket.write(`${head}\r\ncontent-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n`)
  client.socket.write(crumbs(packed), 'latin1')
  const answer = await client.answered()
  assert.equal(answer.stopped.code, 'pieces_too_small')
  await client.closed()
})

test('a JSON body in pieces of one byte is refused, for a push and for any other operation', async () => {
  for (const path of ['/v1/ingest/', '/v1/webhooks/']) {
    const client = new Client(patient.port).post(path, json, null)
    client.socket.write(crumbs(`{"a":"${'x'.repeat(20_000)}`))
    const problem = await client.answered()
    assert.deepEqual([client.status, problem.code], ['400', 'body_invalid'])
    assert.match(problem.detail, /the body arrived in \d+ pieces of 1\.0 bytes/)
    await client.closed()
  }
})

test('a short push in pieces of one byte is accepted, as a slow till sends it', async () => {
  const client = new Client(patient.port).post('/v1/ingest/', ndjson, null)
  client.socket.write(`${crumbs(line(8))}0\r\n\r\n`)
  assert.equal((await client.answered()).accepted, 1)
  client.socket.destroy()
})

test('a connection buffers at most one read', async () => {
  const seen = once(patient.app.server, 'request')
  const client = new Client(patient.port).post('/v1/ingest/', ndjson, null)
  const [request] = await seen
  // A read has 64 KiB, which is 10,900 bytes in pieces of one byte.
  assert.ok(request.readableHighWaterMark <= 10_900, `${request.readableHighWaterMark} bytes may wait`)
  client.socket.destroy()
})

test('an unauthorized body is answered at once, and only a limited part of it is read', async () => {
  for (const [key, path, status] of [
    [null, '/v1/ingest/', '401'],
    [app.keys.revoked, '/v1/ingest/', '401'],
    [app.keys.read, '/v1/ingest/', '403'],
    [null, '/v1/nowhere', '404'],
  ] as const) {
    // The body of a caller with a key is read for longer, so that the caller receives the response.
    const client = new Client(patient.port, key !== app.keys.read).post(path, ndjson, null, key)
    const block = 'x'.repeat(16 * kib)
    client.chunk(block)
    await client.answered()
    const most = 64 * 1024 * kib
    let sent = block.length
    const sending = setInterval(() => {
      if (client.isClosed || client.socket.writableNeedDrain) return
      if (sent > most) client.socket.destroy()
      else client.chunk(block)
      sent += block.length
    }, 1)
    await client.closed()
    clearInterval(sending)
    assert.equal(client.status, status)
    assert.match(client.text, /connection: close/)
    assert.ok(sent <= most, `${sent} bytes were taken`)
  }
})

test('a small unauthorized body leaves the connection open for the next request', async () => {
  const client = new Client(patient.port).post('/v1/ingest/', ndjson, 5, null)
  client.socket.write('hello')
  await client.answered()
  client.text = ''
  client.socket.write('GET /livez HTTP/1.1\r\nhost: x\r\n\r\n')
  await eventually(() => client.text.startsWith('HTTP/1.1 200'), 'the probe answers')
  client.socket.destroy()
})

test('a small unauthorized body that never completes closes the connection', async () => {
  const client = new Client(patient.port).post('/v1/ingest/', ndjson, 5, null)
  await client.answered()
  await client.closed()
  assert.equal(client.status, '401')
})
