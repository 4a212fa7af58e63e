import assert from 'node:assert/strict'
import { METHODS } from 'node:http'
import { connect } from 'node:net'
import { test } from 'node:test'
import { problems } from '../../../src/core/contract/errors/errors.ts'
import { startApp } from '../../support/app.ts'
import { idOf } from '../../support/records.ts'
import { patienceMs } from '../../support/waiting.ts'
import { assertProblem } from './contract.ts'

const app = await startApp()

const readPaths = [
  '/v1/orders/',
  `/v1/orders/${idOf('order', 1)}`,
  '/v1/reports/',
  `/v1/reports/${idOf('report', 1)}`,
  '/v1/catalog/',
  '/v1/catalog/modifiers/',
  '/v1/catalog/payments/',
  '/v1/catalog/taxes/',
  '/v1/locations/own',
  '/health/',
]

/** Sends the bytes unchanged and reads until the server closes. */
function raw(text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(app.port, '127.0.0.1')
    const chunks: Buffer[] = []
    socket.setTimeout(patienceMs, () => socket.destroy(new Error('no answer')))
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', reject)
    socket.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    socket.write(text)
  })
}

test('[ERR-1] an error is a problem document with type, title, status, detail, instance, code and requestId', async () => {
  const answer = await app.get('/v1/orders/?size=0', { headers: { host: 'pos.example' } })
  const problem = assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/size'] })
  assert.deepEqual(Object.keys(problem), [
    'type',
    'title',
    'status',
    'detail',
    'instance',
    'code',
    'requestId',
    'errors',
  ])
  assert.equal(problem.type, 'http://pos.example/docs/errors/validation_failed')
  assert.equal(problem.instance, '/v1/orders/')
  assert.deepEqual(Object.keys(problem.errors[0]), ['in', 'pointer', 'code', 'detail'])
  assert.equal(problem.errors[0].in, 'query')
})

test('[ERR-2] the type of a problem is the address of a page that explains it', async () => {
  for (const [code, [, title]] of Object.entries(problems)) {
    const page = await app.get(`/docs/errors/${code}`, { key: null })
    assert.equal(page.status, 200, code)
    assert.match(String(page.headers['content-type']), /^text\/html/)
    assert.ok(page.text.includes(title) && page.text.includes(code))
  }
  assert.equal((await app.get('/docs/errors', { key: null })).status, 200)
  assertProblem(await app.get('/docs/errors/no_such_code'), { status: 404, code: 'route_not_found' })
})

test('[ERR-3] every answer carries x-request-id: the caller’s own if it is valid', async () => {
  for (const [path, key] of [
    ['/health/', app.key],
    ['/nowhere', app.key],
    ['/health/', null],
    ['/livez', null],
  ] as const) {
    const own = await app.get(path, { key, headers: { 'x-request-id': 'abc-123._' } })
    assert.equal(own.headers['x-request-id'], 'abc-123._')
    const made = await app.get(path, { key })
    assert.match(String(made.headers['x-request-id']), /^[0-9a-f-]{36}$/)
    for (const bad of ['a b', 'x'.repeat(65), '{"a":1}', 'é']) {
      const answer = await app.get(path, { key, headers: { 'x-request-id': Buffer.from(bad).toString('latin1') } })
      assert.match(String(answer.headers['x-request-id']), /^[0-9a-f-]{36}$/)
    }
  }
})

test('[ERR-4] a method that a path does not support is 405 with Allow, with any body', async () => {
  for (const path of readPaths) {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
      const answer = await app.request(method, path, { headers: { 'content-type': 'text/plain' }, body: 'x' })
      assertProblem(answer, { status: 405, code: 'method_not_allowed' })
      assert.equal(answer.headers['allow'], 'GET, HEAD')
    }
  }
  for (const method of ['GET', 'PUT', 'DELETE']) {
    const answer = await app.request(method, '/v1/ingest/')
    assertProblem(answer, { status: 405, code: 'method_not_allowed' })
    assert.equal(answer.headers['allow'], 'POST')
  }
})

test('[ERR-4] rarely used methods are 405 too', async () => {
  for (const method of METHODS.filter((one) => !['GET', 'HEAD', 'CONNECT'].includes(one))) {
    const answer = await app.request(method, '/v1/orders/')
    assert.deepEqual([answer.status, answer.headers['allow']], [405, 'GET, HEAD'], method)
  }
})

test('[ERR-5] an unknown path is 404, with any method and body', async () => {
  const paths = ['/nowhere', '/v1/nowhere', '/v1/orders/x/y', '/v1//orders/', '/%zz', '/..', '/v1/orders%2F']
  for (const path of paths) assertProblem(await app.get(path), { status: 404, code: 'route_not_found' })
  for (const [type, body] of [
    ['application/json', '{'],
    ['text/plain', 'x'],
    ['application/json', ''],
  ] as const) {
    const answer = await app.request('POST', '/nowhere', { headers: { 'content-type': type }, body })
    assertProblem(answer, { status: 404, code: 'route_not_found' })
  }
  assertProblem(await app.get('/nowhere', { key: null }), { status: 404, code: 'route_not_found' })
})

test('[ERR-6] all faults of a request are reported together, each with its place', async () => {
  const answer = await app.get('/v1/orders/?size=0&index=-1&reportId=x&state=y&sort=z&limit=1')
  const pointers = ['/size', '/index', '/reportId', '/state', '/sort', '/limit']
  assertProblem(answer, { status: 400, code: 'validation_failed', pointers })
})

test('[ERR-7] the response to an invalid Host header is valid', async () => {
  for (const host of ['a:99999', '1.2.3.4.5', '999.999', '[:::]', 'x y', 'é', '"><script>', '']) {
    const answer = await app.get('/v1/orders/', { headers: { host: Buffer.from(host).toString('latin1') } })
    assert.equal(answer.status, 200, `${host}: ${answer.text.slice(0, 300)}`)
    assert.ok(URL.canParse(answer.json.links.self))
  }
})

test('[ERR-7] a request in absolute form is answered like any other', async () => {
  const head = `host: 127.0.0.1:${app.port}\r\nx-api-key: ${app.key}\r\nconnection: close\r\n\r\n`
  const answer = await raw(`GET http://127.0.0.1:${app.port}/v1/orders/ HTTP/1.1\r\n${head}`)
  assert.match(answer, /^HTTP\/1\.1 200 /)
  assert.ok(answer.includes(`"self":"http://127.0.0.1:${app.port}/v1/orders/?index=0&size=10"`), answer.slice(-400))
})

test('[ERR-8] input that is not HTTP, and headers that are too large, get a problem document too', async () => {
  const cases = [
    ['FOO / HTTP/1.1\r\nhost: x\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nhost: x\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 431],
    ['GET /health/ HTTP/1.1\r\n\r\n', 400],
    ['GET /health/ HTTP/1.0\r\n\r\n', 401],
    ['CONNECT pos.example:443 HTTP/1.1\r\nhost: pos.example:443\r\n\r\n', 400],
    ['GET /health/ HTTP/1.1\r\nhost: x\r\nexpect: more\r\nconnection: close\r\n\r\n', 401],
  ] as const
  for (const [text, status] of cases) {
    const answer = await raw(text)
    assert.match(answer, new RegExp(`^HTTP/1\\.1 ${status} `))
    assert.match(answer, /content-type: application\/problem\+json/i)
    const problem = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4))
    assert.equal(problem.status, status)
    assert.ok(problem.code)
  }
  assert.equal((await app.get('/health/')).status, 200)
})

test('[ERR-8] a request with two lengths or two hosts is refused, and what follows it is not read as a request', async () => {
  const head = `POST /v1/ingest/ HTTP/1.1\r\nhost: x\r\nx-api-key: ${app.key}\r\ncontent-type: application/x-ndjson\r\n`
  const next = `GET /health/ HTTP/1.1\r\nhost: x\r\nx-api-key: ${app.key}\r\nconnection: close\r\n\r\n`
  const ambiguous = [
    `${head}content-length: 4\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
    `${head}content-length: 3\r\ncontent-length: 5\r\n\r\n{}\n`,
    `${head}content-length: 3, 3\r\n\r\n{}\n`,
    `${head}transfer-encoding: chunked, identity\r\n\r\n0\r\n\r\n`,
    `${head}transfer-encoding: identity, chunked\r\n\r\n3\r\n{}\n\r\n0\r\n\r\n`,
    `${head}transfer-encoding: gzip, chunked\r\n\r\n3\r\n{}\n\r\n0\r\n\r\n`,
    `${head.replace('1.1', '1.0')}connection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n3\r\n{}\n\r\n0\r\n\r\n`,
    `GET http://y/health/ HTTP/1.1\r\nhost: x\r\nx-api-key: ${app.key}\r\n\r\n`,
    `${head}transfer-encoding: chunked\r\n\r\n0x3\r\n{}\n\r\n0\r\n\r\n`,
    `${head}transfer-encoding: chunked\r\n\r\n3\n{}\n\n0\n\n`,
    'GET /health/ HTTP/1.1\r\nhost: x\r\nHost: y\r\n\r\n',
    `GET /health/ HTTP/1.1\r\nhost: x\r\nhost: x\r\nx-api-key: ${app.key}\r\n\r\n`,
    `GET /health/ HTTP/1.1\r\nhost: x\r\nx-api-key : ${app.key}\r\n\r\n`,
  ]
  // A body does not end with a line break, so the next response does not start on a new line.
  const statusesOf = async (text: string) =>
    [...(await raw(text + next)).matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status)
  assert.deepEqual(await statusesOf(`${head}transfer-encoding: Chunked\r\n\r\n3\r\n{}\n\r\n0\r\n\r\n`), ['400', '200'])
  for (const text of ambiguous) assert.deepEqual(await statusesOf(text), ['400'], JSON.stringify(text))
})

test('[ERR-9] every path works with and without a trailing slash, and HEAD works wherever GET does', async () => {
  for (const path of [...readPaths, '/livez', '/readyz']) {
    const [plain, slash] = path.endsWith('/') ? [path.slice(0, -1), path] : [path, `${path}/`]
    const statuses = [
      (await app.get(plain)).status,
      (await app.get(slash)).status,
      (await app.request('HEAD', plain)).status,
      (await app.request('HEAD', slash)).status,
    ]
    assert.equal(new Set(statuses).size, 1, `${path} ${statuses.join()}`)
  }
})
