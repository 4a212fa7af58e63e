import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimiter } from '../../../src/core/http/guard/rate-limit.ts'
import { startApp, type Answer } from '../../support/app.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { everyRecord, idOf } from '../../support/records.ts'

const app = await startApp()
await app.store(everyRecord(app.location))

type Described = { paths: Record<string, Record<string, { security?: object[] }>> }
const described = (await app.get('/openapi.json', { key: null })).json as Described

/** Every operation that requires a key, with an id that may or may not exist. */
const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { security = [] }]) => security.length > 0)
    .map(([method]) => ({ method: method.toUpperCase(), path: path.replace('{id}', idOf('order', 1)) })),
)

/** Checks that a response states its type completely, so that clients need not guess. */
function assertTyped(answer: Answer, what: string): void {
  assert.equal(answer.headers['x-content-type-options'], 'nosniff', what)
  if (answer.bytes.length > 0)
    assert.match(String(answer.headers['content-type']), /^(application|text|image)\/\w/, what)
}

function assertPrivate(answer: Answer, what: string): void {
  assert.match(String(answer.headers['cache-control']), /^private, no-(store|cache)$|^no-store$/, what)
  // A route that responds in several formats also varies by Accept.
  assert.match(String(answer.headers.vary), /^X-API-Key, Authorization(, Accept)?$/, what)
  assertTyped(answer, what)
  assert.equal(answer.headers['referrer-policy'], 'no-referrer', what)
  assert.equal(answer.headers['content-security-policy'], "default-src 'none'; frame-ancestors 'none'", what)
  // Only sent if the address uses HTTPS itself (test/programs/cli/serve-tls.test.ts).
  assert.equal(answer.headers['strict-transport-security'], undefined, what)
}

test('every answer to a key, errors included, is private to its caller', async () => {
  assert.ok(operations.length > 20)
  for (const { method, path } of operations) {
    const body = method === 'POST' ? { headers: { 'content-type': 'application/json' }, body: '{}' } : {}
    for (const key of [app.key, app.keys.revoked, null]) {
      const answer = await app.request(method, path, { ...body, key })
      assertPrivate(answer, `${method} ${path} ${answer.status}`)
    }
  }
})

test('an answer with an ETag may be cached by its caller and is revalidated; no other answer may be cached', async () => {
  const order = await app.get(`/v1/orders/${idOf('order', 1)}`)
  assert.equal(order.headers['cache-control'], 'private, no-cache')
  const again = await app.get(`/v1/orders/${idOf('order', 1)}`, {
    headers: { 'if-none-match': String(order.headers.etag) },
  })
  assert.equal(again.status, 304)
  assertPrivate(again, '304')
  for (const path of ['/v1/orders/', '/v1/events/', '/v1/webhooks/', '/health/']) {
    assert.equal((await app.get(path)).headers['cache-control'], 'private, no-store', path)
  }
})

test('an event stream has the same headers, and those of the rate limit', async () => {
  const limited = await startApp({ database: app.database, limiter: new RateLimiter(5, 10) })
  const stream = await openEventStream(`${limited.url}/v1/events/`, { 'x-api-key': limited.key })
  assert.equal(stream.headers['ratelimit-policy'], '"default";q=10;w=2')
  assert.equal(stream.headers['ratelimit'], '"default";r=9;t=1')
  assert.equal(stream.headers['cache-control'], 'private, no-store')
  assert.equal(stream.headers.vary, 'X-API-Key, Authorization, Accept')
  assert.equal(stream.headers['x-content-type-options'], 'nosniff')
  assert.ok(stream.headers['x-request-id'])
  stream.close()
})

test('an answer that needs no key has nosniff, and is cacheable only if it says so', async () => {
  const paths = [
    '/livez',
    '/nowhere',
    '/v9/orders/',
    '/%E0%A4%A',
    '/docs/',
    '/docs/js/scalar.js',
    '/openapi.json',
    '/favicon.ico',
  ]
  for (const path of paths) {
    const answer = await app.get(path, { key: null })
    assertTyped(answer, path)
    const mayBeKept = /scalar|openapi|favicon/.test(path)
    if (answer.status === 200) {
      assert.equal(answer.headers['cache-control'], mayBeKept ? 'public, max-age=3600' : 'no-store', path)
    }
  }
  const wrong = await app.request('PATCH', '/v1/orders/', { key: null })
  assert.deepEqual([wrong.status, wrong.headers['x-content-type-options']], [405, 'nosniff'])
})

test('a scheme other than http and https from a proxy never appears in a link', async () => {
  const behind = await startApp({ database: app.database, trustProxy: ['127.0.0.1'] })
  for (const scheme of ['javascript', 'https://evil.example/?', 'data:text/html,<script>', '"', 'ftp']) {
    const answer = await behind.get('/v1/orders/', { headers: { 'x-forwarded-proto': scheme } })
    assert.equal(answer.status, 200, scheme)
    assert.equal(new URL(answer.json.links.self).protocol, 'http:', scheme)
  }
  // Schemes are case-insensitive (RFC 3986, 3.1).
  for (const scheme of ['https', 'HTTPS']) {
    const secure = await behind.get('/v1/orders/', { headers: { 'x-forwarded-proto': scheme } })
    assert.equal(new URL(secure.json.links.self).protocol, 'https:', scheme)
  }
})

test('the form of the answer follows Accept, qualities included', async () => {
  const [json, csv, html] = ['application/json', 'text/csv', 'text/html']
  for (const [path, accept, type] of [
    ['/v1/sales/', '*/*', json],
    ['/v1/sales/', csv, csv],
    ['/v1/sales/', 'TEXT/CSV; charset=utf-8; header=present', csv],
    ['/v1/sales/', 'application/json, text/csv;q=0.5', json],
    ['/v1/sales/', 'application/json;q=0.5, text/csv;q=0.6', csv],
    ['/v1/sales/', 'text/csv;q=0', json],
    ['/v1/sales/', 'image/png', json],
    ['/v1/sales/', ';;q=,"', json],
    ['/v1/events/', 'application/json, text/event-stream;q=0.9', json],
    ['/', 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8', html],
    ['/', 'application/json, text/html;q=0.1', json],
  ] as const) {
    const { headers } = await app.get(path, { headers: { accept } })
    assert.equal(String(headers['content-type']).split(';')[0], type, `${path} ${accept}`)
    assert.match(String(headers.vary), /\bAccept$/, path)
  }
})
