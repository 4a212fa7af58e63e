import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { order, smallOrderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const app = await startApp()

/** A raw connection, and the received bytes. */
class Wire {
  readonly socket: Socket
  text = ''
  isClosed = false

  constructor() {
    this.socket = connect({ port: app.port, host: '127.0.0.1', allowHalfOpen: true })
    this.socket.on('data', (bytes: Buffer) => (this.text += bytes.toString('latin1')))
    this.socket.on('error', () => {})
    // Either side may end the connection first.
    this.socket.on('end', () => this.socket.end())
    this.socket.on('close', () => (this.isClosed = true))
  }

  ask(line: string, headers: Record<string, string | number> = {}, body = ''): this {
    const lines = Object.entries({ host: 'x', 'x-api-key': app.key, ...headers }).map(
      ([name, is]) => `${name}: ${is}\r\n`,
    )
    this.socket.write(`${line} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
    return this
  }

  /** Resolves to everything that arrived, once the server has closed the connection. */
  async whole(): Promise<string> {
    await eventually(() => this.isClosed, 'the connection is closed')
    return this.text
  }

  /** Resolves to the response, which must be the only one until the connection is closed. */
  async answered(): Promise<{ status: number; json: any }> {
    const text = await this.whole()
    assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, text)
    return { status: Number(text.slice(9, 12)), json: JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) }
  }
}

const line = (n: number) => `${JSON.stringify(order(smallOrderOf(app.location, n)))}\n`
const ndjson = { 'content-type': 'application/x-ndjson' }
const json = { 'content-type': 'application/json' }

test('a refused request with a broken body is answered once', async () => {
  const { status, json: problem } = await new Wire()
    .ask('POST /v1/ingest/', { 'transfer-encoding': 'xchunked' }, '0\r\n\r\n')
    .answered()
  assert.deepEqual([status, problem.code], [400, 'request_malformed'])
  assert.match(problem.detail, /Transfer-Encoding/)
})

test('nothing is written into an answer that is being sent', async () => {
  const wire = new Wire().ask('GET /v1/events/', { accept: 'text/event-stream' })
  await eventually(() => wire.text.includes('retry: 1000'), 'the stream has begun')
  const before = wire.text
  wire.socket.write('garbage\r\n\r\n')
  assert.equal(await wire.whole(), before)
})

test('extra bytes after a request do not affect its answer', async () => {
  const { status } = await new Wire().ask('GET /v1/orders/', {}, 'garbage\r\n\r\n').answered()
  assert.equal(status, 200)
})

test('bytes that are not HTTP are answered after the previous answer was sent', async () => {
  const wire = new Wire().ask('GET /v1/orders/')
  await eventually(() => wire.text.endsWith('}'), 'the answer')
  wire.socket.write('garbage\r\n\r\n')
  const text = await wire.whole()
  assert.deepEqual(
    [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status),
    ['200', '400'],
  )
})

test('the complete records of a push that is cut off are stored and reported', async () => {
  const wire = new Wire().ask('POST /v1/ingest/', { ...ndjson, 'content-length': 9_000 })
  wire.socket.end(line(1) + line(2) + line(3).slice(0, 50))
  const { status, json: answer } = await wire.answered()
  assert.deepEqual([status, answer.accepted, answer.stopped?.code], [207, 2, 'body_interrupted'])
  assert.match(answer.stopped.detail, /closed the connection before the request was complete/)
})

test('the answer to a push with broken chunks states what was stored before the fault', async () => {
  const body = `${line(4).length.toString(16)}\r\n${line(4)}\r\nzz\r\n`
  const { status, json: answer } = await new Wire()
    .ask('POST /v1/ingest/', { ...ndjson, 'transfer-encoding': 'chunked' }, body)
    .answered()
  assert.deepEqual([status, answer.accepted, answer.stopped?.code], [207, 1, 'body_interrupted'])
})

test('a JSON body that is cut off is body_invalid, for a push and for any other operation', async () => {
  for (const path of ['/v1/ingest/', '/v1/webhooks/']) {
    const wire = new Wire().ask(`POST ${path}`, { ...json, 'content-length': 9_000 })
    wire.socket.end('{"type":')
    const { status, json: problem } = await wire.answered()
    assert.deepEqual([status, problem.code], [400, 'body_invalid'], path)
    assert.match(problem.detail, /was cut off: the client closed/)
  }
})

test('the answer to bytes that are not a request states what is wrong with them', async () => {
  const post = 'POST /v1/webhooks/ HTTP/1.1\r\nhost: x\r\n'
  for (const [bytes, detail] of [
    ['FOO / HTTP/1.1\r\n', /must begin with an HTTP method/],
    [`${post}content-length: -1\r\n\r\n`, /^Content-Length must be the number/],
    [`${post}content-length: 2\r\ncontent-length: 2\r\n\r\n`, /^Content-Length is repeated/],
    [`${post}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n`, /has both/],
    [`${post}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\n`, /has both/],
    ['GET /a b HTTP/1.1\r\n\r\n', /without spaces/],
    ['GET / HTTP/1.1\r\nho st: x\r\n\r\n', /name of a header/],
    ['GET / HTTP/1.1\r\nhost: x\u0001\r\n\r\n', /control character/],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /HTTP\/2/],
    ['CONNECT x:1 HTTP/1.1\r\nhost: x\r\n\r\n', /CONNECT is not supported/],
    [`GET /?${'a'.repeat(17_000)} HTTP/1.1\r\n`, /URL and headers below 16 KiB/],
  ] as const) {
    const wire = new Wire()
    wire.socket.write(bytes)
    const { json: problem } = await wire.answered()
    assert.match(problem.detail, detail)
  }
  const body = { ...json, 'transfer-encoding': 'chunked' }
  const { json: problem } = await new Wire().ask('POST /v1/webhooks/', body, 'zz\r\n').answered()
  assert.deepEqual(
    [problem.code, problem.detail],
    [
      'body_invalid',
      'the body was cut off: a chunk of the body must begin with its size, in hexadecimal digits; send it again',
    ],
  )
})
