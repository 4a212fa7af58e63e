import assert from 'node:assert/strict'
import { once } from 'node:events'
import { registerHooks } from 'node:module'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { problems } from '../../../src/core/contract/errors/errors.ts'
import { assertProblem } from '../conformance/contract.ts'
import { fastify } from 'fastify'
import { SharedFile } from '../../../src/core/http/answers/shared-file.ts'
import { startApp, type Answer } from '../../support/app.ts'
import { eventually } from '../../support/waiting.ts'

/** The modules of the reference page that this thread loads. */
const ofReference: string[] = []
registerHooks({
  load(url, context, next) {
    if (url.includes('/@scalar/')) ofReference.push(url)
    return next(url, context)
  },
})

const app = await startApp()

const get = (path: string, headers: Record<string, string> = {}) => app.get(path, { key: null, headers })

/** Returns the directives of a response's content security policy. */
function policyOf(answer: Answer): Map<string, string> {
  const text = String(answer.headers['content-security-policy'])
  return new Map(text.split('; ').map((part) => [part.split(' ', 1)[0] ?? '', part.replace(/^\S+ ?/, '')]))
}

test('/docs leads to a page, without a key and also below the path of a proxy', async () => {
  const first = await get('/docs')
  assert.equal(first.status, 302)
  const location = String(first.headers['location'])
  assert.equal(new URL(location, 'https://pos.example/till/docs').pathname, '/till/docs/')
  const page = await get('/docs/')
  assert.equal(page.status, 200)
  assert.match(String(page.headers['content-type']), /^text\/html/)
  const places = [/src="([^"]+)"/, /"url": "([^"]+)"/].map((form) => form.exec(page.text)?.[1] ?? '')
  assert.deepEqual(
    places.map((place) => new URL(place, 'https://pos.example/till/docs/').pathname),
    ['/till/docs/js/scalar.js', '/till/openapi.json'],
  )
})

test('the key field of the reference has no value that looks like a key', async () => {
  const { text } = await get('/docs/js/scalar.js')
  assert.ok(text.includes('YOUR_SECRET_TOKEN'))
  assert.ok(!text.includes('QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT'))
})

test('the reference is built in its own thread, so loading it delays no request', async () => {
  assert.ok((await get('/docs/js/scalar.js')).bytes.length > 1_000_000)
  assert.deepEqual(ofReference, [])
  await import('@scalar/fastify-api-reference')
  assert.notDeepEqual(ofReference, [], 'here it would be seen')
})

test('the page loads nothing from other origins', async () => {
  const page = await get('/docs/')
  const loaded = [...page.text.matchAll(/<(?:script|link|img|iframe)[^>]*(?:src|href)="([^"]+)"/g)].map(
    (match) => match[1] ?? '',
  )
  assert.ok(loaded.length > 0)
  for (const source of loaded) {
    const url = new URL(source, `${app.url}/docs/`)
    assert.equal(url.origin, app.url, source)
    assert.equal((await get(url.pathname)).status, 200, source)
  }
  assert.doesNotMatch(page.text, /https?:\/\/(?!127\.0\.0\.1)[^"'\s]*\.(?:js|css|woff2?)/)
})

test('the page can run only its own scripts, with a different nonce in each answer, and cannot be framed', async () => {
  const pages = [await get('/docs/'), await get('/docs/')]
  const nonces = pages.map((page) => {
    const policy = policyOf(page)
    assert.equal(policy.get('default-src'), "'none'")
    assert.equal(policy.get('frame-ancestors'), "'none'")
    assert.equal(policy.get('connect-src'), "'self'")
    assert.equal(page.headers['x-frame-options'], 'DENY')
    assert.equal(page.headers['cache-control'], 'no-store')
    const [, nonce = ''] = /^'nonce-([\w-]{22})'$/.exec(policy.get('script-src') ?? '') ?? []
    const scripts = [...page.text.matchAll(/<script[^>]*>/g)]
    assert.ok(scripts.length > 0)
    for (const [tag] of scripts) assert.match(tag, new RegExp(`nonce="${nonce}"`))
    return nonce
  })
  assert.equal(new Set(nonces).size, 2)
})

test('the error pages run nothing, load nothing and may not be framed', async () => {
  for (const path of ['/docs/errors', ...Object.keys(problems).map((code) => `/docs/errors/${code}`)]) {
    const page = await get(path)
    assert.equal(page.status, 200, path)
    const policy = policyOf(page)
    assert.equal(policy.get('default-src'), "'none'")
    assert.equal(policy.has('script-src'), false)
    assert.match(String(policy.get('style-src')), /^'sha256-[^']+'$/)
    assert.equal(policy.get('frame-ancestors'), "'none'")
    assert.doesNotMatch(page.text, /<script/)
  }
})

test('the script of the reference is compressed once and revalidated by its ETag', async () => {
  const path = '/docs/js/scalar.js'
  const plain = await get(path)
  const packed = await get(path, { 'accept-encoding': 'gzip, deflate, br' })
  const gzipped = await get(path, { 'accept-encoding': 'br;q=0.1, gzip;q=0.9' })
  assert.deepEqual(
    [plain, packed, gzipped].map(({ headers }) => headers['content-encoding']),
    [undefined, 'br', 'gzip'],
  )
  assert.ok(packed.bytes.length < plain.bytes.length / 3)
  assert.deepEqual(brotliDecompressSync(packed.bytes), plain.bytes)
  assert.deepEqual(gunzipSync(gzipped.bytes), plain.bytes)
  // The placeholder in the API reference looks like a key, but has a different form.
  const placeholders = String(plain.bytes).match(/placeholder:`(QUxM\w+|tg_live_…)`/g)
  assert.deepEqual(new Set(placeholders), new Set(['placeholder:`tg_live_…`']))
  const tags = [plain, packed, gzipped].map(({ headers }) => headers.etag)
  assert.equal(new Set(tags).size, 3)
  for (const answer of [plain, packed, gzipped]) {
    assert.equal(answer.headers['cache-control'], 'public, max-age=3600')
    assert.equal(answer.headers.vary, 'Accept-Encoding')
    assert.equal(answer.headers['x-content-type-options'], 'nosniff')
  }
  const again = await get(path, { 'accept-encoding': 'br', 'if-none-match': String(packed.headers.etag) })
  assert.deepEqual([again.status, again.bytes.length], [304, 0])
})

test('/openapi.json returns the document, without a key, and is revalidated by its ETag', async () => {
  const answer = await get('/openapi.json')
  assert.equal(answer.status, 200)
  assert.match(String(answer.headers['content-type']), /^application\/json/)
  assert.equal(answer.json.openapi, '3.1.0')
  assert.equal((await get('/openapi.json', { 'if-none-match': String(answer.headers.etag) })).status, 304)
})

test('clients that request the script without reading it share one copy, and are disconnected', async () => {
  const patient = await startApp({ database: app.database })
  const path = '/docs/js/scalar.js'
  for (const coding of ['identity', 'gzip']) {
    await patient.get(path, { key: null, headers: { 'accept-encoding': coding } })
  }
  assert.equal(patient.app.server.timeout, 120_000)
  // Sockets that are accepted from now on have a shorter timeout.
  patient.app.server.setTimeout(500)
  const served: Promise<unknown>[] = []
  patient.app.server.on('connection', (socket: Socket) => served.push(once(socket, 'close')))
  const before = process.memoryUsage().arrayBuffers
  const line = `GET ${path} HTTP/1.1\r\nhost: x\r\n`
  const both = `${line}\r\n${line}accept-encoding: gzip\r\n\r\n`
  const sockets = Array.from({ length: 10 }, () => {
    const socket = connect(patient.port, '127.0.0.1')
    // The server may close while requests are still on their way.
    socket.on('error', () => {})
    socket.write(both.repeat(15))
    return socket
  })
  const closed = sockets.map((socket) => new Promise((resolve) => socket.once('close', resolve)))
  let most = 0
  const watching = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers)), 5)
  for (const socket of sockets) socket.pause()
  await eventually(() => served.length === sockets.length, 'all are connected')
  await Promise.all(served)
  // A paused socket detects that it was closed only when it is read again.
  for (const socket of sockets) socket.resume()
  await Promise.all(closed)
  clearInterval(watching)
  assert.ok(most - before < 64 * 1024 * 1024, `${most - before} bytes more for 300 requests of 4 MB`)
})

test('concurrent requests for a file are answered one per turn of the event loop', async () => {
  const file = new SharedFile({ type: 'text/plain' }, async () => Buffer.from('a file'))
  const rounds: number[] = []
  let round = 0
  let isOver = false
  const count = () => void ((round += 1), isOver || setImmediate(count))
  const server = fastify()
  server.addHook('onSend', async () => void rounds.push(round))
  server.get('/', (request, reply) => file.send(request, reply))
  await server.inject('/')
  rounds.length = 0
  setImmediate(count)
  await Promise.all(Array.from({ length: 20 }, () => server.inject('/')))
  isOver = true
  assert.equal(new Set(rounds).size, 20, `the rounds of their answers: ${rounds.join()}`)
})

test('a public file is built once, even if many request it in different encodings', async () => {
  let made = 0
  const file = new SharedFile({ type: 'text/plain' }, async () => {
    made += 1
    return Buffer.from('a file\n'.repeat(1_000))
  })
  const server = fastify()
  server.get('/', (request, reply) => file.send(request, reply))
  const codings = ['identity', 'gzip', 'br', 'gzip', 'identity', 'br']
  const answers = await Promise.all(
    codings.map((coding) => server.inject({ url: '/', headers: { 'accept-encoding': coding } })),
  )
  assert.deepEqual(
    answers.map(({ headers }) => headers['content-encoding'] ?? 'identity'),
    codings,
  )
  assert.equal(made, 1)
})

test('if the documentation is switched off its paths are 404, and problem documents still work', async () => {
  const quiet = await startApp({ database: app.database, docs: false })
  for (const path of ['/docs', '/docs/js/scalar.js', '/docs/errors', '/docs/errors/key_missing', '/openapi.json']) {
    assertProblem(await quiet.get(path, { key: null }), { status: 404, code: 'route_not_found' })
  }
  assertProblem(await quiet.get('/v1/orders/', { key: null }), { status: 401, code: 'key_missing' })
})

test('the reference runs in a sandbox without an origin, with no more access to this server than a page elsewhere', async () => {
  const sandbox = policyOf(await get('/docs/')).get('sandbox') ?? ''
  assert.deepEqual(sandbox.split(' ').toSorted(), ['allow-forms', 'allow-popups', 'allow-scripts'])
  const origin = { origin: 'null' }
  assert.equal((await get('/openapi.json', origin)).headers['access-control-allow-origin'], '*')
  const headers = { ...origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' }
  const preflight = await app.request('OPTIONS', '/v1/webhooks/', { key: null, headers: headers })
  assert.equal(preflight.status, 204)
  assert.equal(preflight.headers['access-control-allow-origin'], '*')
  assert.match(String(preflight.headers['access-control-allow-headers']), /\bx-api-key\b/)
  const answer = await app.get('/v1/orders/', { headers: origin })
  assert.deepEqual([answer.status, answer.headers['access-control-allow-origin']], [200, '*'])
  for (const path of ['/console/api/session', '/console/api/v1/orders/', '/console/', '/docs/', '/livez']) {
    for (const method of ['OPTIONS', 'GET']) {
      const closed = await app.request(method, path, { key: null, headers: headers })
      assert.notEqual(closed.status, 204, path)
      const named = Object.keys(closed.headers).filter((name) => name.startsWith('access-control-'))
      assert.deepEqual(named, [], `${method} ${path}`)
    }
  }
  // This header is never sent: browsers require it before they send a cookie to another origin.
  for (const { headers } of [preflight, answer]) assert.equal(headers['access-control-allow-credentials'], undefined)
})
