import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { installationId } from '../../../src/core/domain/accounts/keys.ts'
import { assertProblem } from '../../core/conformance/contract.ts'
import { startApp, type Answer } from '../../support/app.ts'
import { everyRecord, idOf, order, smallOrderOf } from '../../support/records.ts'
import { runsOf } from '../../support/seed.ts'

const app = await startApp()
await app.store(everyRecord(app.location))
await app.store(Array.from({ length: 30 }, (_, n) => order(smallOrderOf(app.location, n))))

/** Checks that any request has a response: never an internal error, and a problem document for a refusal. */
function assertAnswered(answer: Answer, what: string): void {
  assert.ok(answer.status < 500, `${what} is ${answer.status}: ${answer.text.slice(0, 500)}`)
  assert.ok(answer.headers['x-request-id'], what)
  if (answer.status < 400) return
  if (answer.bytes.length === 0) return assert.equal(answer.headers['content-length'] === undefined, false, what)
  const problem = assertProblem(answer, { status: answer.status, code: answer.json?.code })
  if (problem.code === 'validation_failed') {
    assert.ok(problem.errors.length > 0, `${what} names no place`)
    // The empty pointer is the whole value (RFC 6901, section 5): a body that should have been an object.
    for (const { pointer, detail } of problem.errors) assert.ok(/^(\/|$)/.test(pointer) && detail.length > 0, what)
  }
}

const latin1 = (text: string) => Buffer.from(text, 'utf8').toString('latin1')

const anyText = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    '1e3',
    '9007199254740991',
    '9007199254740992',
    'NaN',
    'null',
    'true',
    '[]',
    '%',
    '%00',
    "'; drop table orders; --",
    '../..',
    '\u0000',
    '𝟙',
    '2026-02-30',
    '2026-03-01',
    '2026-03-01T10:00:00Z',
    '__proto__',
    'x'.repeat(300),
  ),
)

const name = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      'index',
      'size',
      'since',
      'until',
      'reportId',
      'state',
      'sort',
      'devices',
      'after',
      'limit',
    ),
  },
  { weight: 1, arbitrary: anyText },
)

const goodValue = fc.constantFrom(
  '0',
  '1',
  '5',
  '100',
  '2026-03-01',
  '2026-03-02T00:00:00.000Z',
  idOf('report', 1),
  'all',
  'open',
  '-createdAt',
  'true',
)

/** Queries, encoded by URLSearchParams or in an invalid encoding. */
const query = fc.oneof(
  fc.array(fc.tuple(name, fc.oneof(goodValue, anyText)), { maxLength: 4 }).map((pairs) => {
    const text = pairs.map(
      ([key, value]) => `${encodeURIComponent(key.toWellFormed())}=${encodeURIComponent(value.toWellFormed())}`,
    )
    return text.join('&')
  }),
  fc.string({ unit: fc.constantFrom(...'&=%+;[]#?/a1é'.split('')), maxLength: 15 }).map((text) => latin1(text)),
)

const knownPath = fc.constantFrom(
  '/v1/orders/',
  '/v1/orders',
  '/v1/reports/',
  '/v1/catalog/',
  '/v1/catalog/modifiers/',
  '/v1/catalog/payments/',
  '/v1/catalog/taxes/',
  '/v1/locations/own',
  '/health/',
  '/livez',
  '/readyz',
  '/v1/ingest/',
  '/openapi.json',
  '/v1/webhooks/',
)

const path = fc.oneof(
  { weight: 5, arbitrary: knownPath },
  {
    weight: 3,
    arbitrary: fc
      .tuple(
        fc.constantFrom('/v1/orders/', '/v1/reports/'),
        fc.oneof(
          fc.uuid(),
          fc.constantFrom(idOf('order', 1), idOf('report', 1)),
          anyText.map((text) => encodeURIComponent(text.toWellFormed())),
        ),
      )
      .map(([start, id]) => start + id),
  },
  { weight: 1, arbitrary: fc.webPath().map((text) => `/${text}`) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.constantFrom(...'/.%v1?;~*'.split('')), maxLength: 12 }).map((text) => `/${text}`),
  },
)

const method = fc.oneof(
  { weight: 6, arbitrary: fc.constant('GET') },
  { weight: 1, arbitrary: fc.constantFrom('HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS') },
)

const header = fc.oneof(
  fc.constantFrom(
    { 'if-none-match': '*' },
    { 'if-none-match': '"x", W/"y"' },
    { accept: 'text/html' },
    { accept: 'application/xml;q=0' },
    { 'accept-encoding': 'gzip, br' },
    { range: 'bytes=0-10' },
    { 'x-forwarded-host': 'evil.example' },
    { 'x-forwarded-proto': 'gopher' },
    { 'x-http-method-override': 'DELETE' },
    { 'content-type': 'application/json' },
    { host: 'a:99999' },
    { host: '[::1' },
    { cookie: 'a=b' },
  ),
  anyText.map((text) => ({ 'x-request-id': latin1(text).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '') })),
  anyText.map((text) => ({ 'x-api-key': latin1(text).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '') })),
  anyText.map((text) => ({ authorization: `Bearer ${latin1(text).replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '')}` })),
)

/** Webhooks and other writes have their own tests; nothing is written here. */
const body = fc.option(fc.oneof(fc.json(), anyText), { nil: undefined, freq: 3 })

test('no read request causes a server error, and each refusal is a problem document with a code and a pointer', async () => {
  const requests = fc.record({ method, path, query, headers: fc.array(header, { maxLength: 3 }), body })
  await fc.assert(
    fc.asyncProperty(requests, async ({ method, path, query, headers, body }) => {
      const url = query === '' ? path : `${path}?${query}`
      // Invalid HTTP is refused before its method is known, so the response has a body even for HEAD.
      const safe = url.replaceAll(method === 'HEAD' ? /[^\x21-\x7e]/g : /[^\x21-\xff]/g, '')
      const all = Object.assign({}, ...headers) as Record<string, string>
      const answer = await app.request(method, safe, { headers: all, ...(body === undefined ? {} : { body }) })
      assertAnswered(answer, `${method} ${safe} ${JSON.stringify(all)}`)
    }),
    { numRuns: runsOf(1000) },
  )
  assert.equal((await app.get('/health/')).status, 200)
})

type Parameter = { name: string; in: string }

type Operations = Record<string, { parameters?: Parameter[] }>

const documented = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as {
  paths: Record<string, Operations>
}

/** Values that may be a problem for a parser, a pattern, a date or the database. */
const stumbling = [
  '\0',
  'a\0b',
  '\\',
  '%_',
  '"',
  '9'.repeat(30),
  '-1',
  '2026-02-30',
  '0000-01-01',
  '0001-01-01',
  '9999-12-31',
  '+010000-01-01',
  'infinity',
  '𝟙',
  'x'.repeat(5000),
]

test('no text in any parameter of any read operation causes a 500', async () => {
  const admin = await app.addKey(installationId, { scopes: ['admin'] })
  let count = 0
  const ask = async (url: string) => {
    const key = url.startsWith('/v1/admin/') ? admin.key : app.key
    assertAnswered(await app.request('GET', url, { key }), url)
    count += 1
  }
  for (const [path, { get }] of Object.entries(documented.paths)) {
    if (!get) continue
    const parameters = get.parameters ?? []
    const fill = (value: string) => path.replaceAll(/\{\w+\}/g, encodeURIComponent(value))
    for (const text of stumbling) {
      if (parameters.some((parameter) => parameter.in === 'path')) await ask(fill(text))
      const queried = parameters.filter((parameter) => parameter.in === 'query' && parameter.name !== 'wait')
      for (const { name } of queried) await ask(`${fill(idOf('order', 1))}?${name}=${encodeURIComponent(text)}`)
    }
  }
  assert.ok(count > 1_000, `${count} requests`)
})

test('no operation reveals or changes anything of another location, whichever of its ids is given', async () => {
  const json = { 'content-type': 'application/json' }
  const target = {
    endpointUrl: `${app.url}/receiver-of-another/`,
    locationId: app.location,
    recipientId: idOf('order', 9),
  }
  const body = JSON.stringify({ events: ['order.paid'], ...target })
  const { json: webhook } = await app.request('POST', '/v1/webhooks/', { headers: json, body })
  const { json: verification } = await app.request('POST', '/v1/journal/verifications', { headers: json, body: '{}' })
  const link = await app.request('POST', '/v1/console/links', { headers: json, body: '{}' })
  const ids = [
    idOf('order', 1),
    idOf('report', 1),
    webhook.id,
    verification.id,
    link.json.id,
    app.location,
    '1',
    '2026-03-01',
  ]
  for (const id of ids) assert.ok(id, JSON.stringify(ids))
  const words = [...ids.filter((id) => id.length > 10), 'Zoé of another', 'receiver-of-another']
  await app.store([order(smallOrderOf(app.location, 40, { operatorName: 'Zoé of another' }))])
  const before = await app.get('/v1/webhooks/')
  let count = 0
  const ask = async (method: string, url: string, named: string) => {
    const sent = method === 'GET' ? {} : { headers: json, body: '{}' }
    const { status, text } = await app.request(method, url, { key: app.other.key, ...sent })
    const revealed = named.length > 10 ? text.replaceAll(named, '') : text
    for (const word of words)
      if (word !== named) assert.ok(!revealed.includes(word), `${method} ${url} tells ${word}: ${text.slice(0, 300)}`)
    if (ids.includes(named) && named.length > 10) assert.ok(status >= 400, `${method} ${url} is ${status}`)
    count += 1
  }
  // Operations that create something need no id, and probes need no key.
  const paths = Object.entries(documented.paths).filter(
    ([path]) => !/^\/v1\/admin\/|^\/(livez|readyz|metrics)/.test(path),
  )
  // Paths without an id first: a key can read its own refusals, which would contain the ids that it requested.
  for (const [path] of paths.filter(([one, { get }]) => get && !one.includes('{'))) await ask('GET', path, app.other.id)
  for (const [path, operations] of paths.filter(([one]) => one.includes('{'))) {
    for (const method of Object.keys(operations).map((name) => name.toUpperCase())) {
      for (const id of ids) await ask(method, path.replaceAll(/\{\w+\}/g, id), id)
    }
  }
  assert.ok(count > 150, `${count} requests`)
  assert.equal((await app.get('/v1/webhooks/')).text, before.text)
})
