import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { everyRecord, idOf } from '../../support/records.ts'
import { assertProblem } from './contract.ts'

let now = Date.parse('2026-03-01T10:00:00.000Z')
let monotonicMs = 1_000_000
const app = await startApp({ clock: () => new Date(now), keyRing: { monotonic: () => monotonicMs } })
await app.store(everyRecord(app.location))

type Operation = [method: string, path: string, scope: 'read' | 'ingest' | 'any']

const operations: Operation[] = [
  ['GET', '/v1/orders/', 'read'],
  ['GET', `/v1/orders/${idOf('order', 1)}`, 'read'],
  ['GET', '/v1/reports/', 'read'],
  ['GET', `/v1/reports/${idOf('report', 1)}`, 'read'],
  ['GET', '/v1/catalog/', 'read'],
  ['GET', '/v1/catalog/modifiers/', 'read'],
  ['GET', '/v1/catalog/payments/', 'read'],
  ['GET', '/v1/catalog/taxes/', 'read'],
  ['GET', '/v1/locations/own', 'read'],
  ['GET', '/health/', 'any'],
  ['POST', '/v1/ingest/', 'ingest'],
]

function call([method, path]: Operation, key: string | null, headers: Record<string, string> = {}) {
  if (method === 'GET') return app.get(path, { key, headers })
  const type = { 'content-type': 'application/x-ndjson' }
  return app.request(method, path, { key, headers: { ...type, ...headers }, body: '{}' })
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

test('[AUT-1] every operation, health included, is 401 without a key', async () => {
  for (const operation of operations) {
    assertProblem(await call(operation, null), { status: 401, code: 'key_missing' })
    assertProblem(await call(operation, null, { authorization: 'Basic abc' }), { status: 401, code: 'key_missing' })
  }
})

test('[AUT-2] the key is sent as X-API-Key, or as Authorization: Bearer', async () => {
  for (const operation of operations) {
    for (const answer of [await call(operation, app.key), await call(operation, null, bearer(app.key))]) {
      assert.ok(
        operation[0] === 'POST' ? answer.status === 400 : answer.status === 200,
        `${operation[1]} ${answer.status}`,
      )
    }
  }
  assert.equal((await app.get('/health/', { key: null, headers: { authorization: `bearer  ${app.key}` } })).status, 200)
  assert.equal((await app.get('/health/', { key: null, headers: { 'X-Api-KEY': app.key } })).status, 200)
})

test('[AUT-2] if both headers are sent, X-API-Key is used', async () => {
  assert.equal((await app.get('/health/', { headers: bearer(app.keys.unknown) })).status, 200)
  const wrong = await app.get('/health/', { key: app.keys.unknown, headers: bearer(app.key) })
  assertProblem(wrong, { status: 401, code: 'key_unknown' })
})

test('[AUT-3] a key is never read from the URL', async () => {
  for (const name of ['key', 'apiKey', 'api_key', 'x-api-key', 'token']) {
    assertProblem(await app.get(`/health/?${name}=${app.key}`, { key: null }), { status: 401, code: 'key_missing' })
  }
})

test('[AUT-4] an unknown or mistyped key, and text that is not a key, are 401', async () => {
  const wrong = [
    app.keys.unknown,
    `${app.key}0`,
    app.key.slice(0, -1),
    app.key.toLowerCase(),
    'x',
    '💥',
    `${app.key}, x`,
  ]
  for (const operation of operations) {
    for (const key of wrong) {
      const answer = await call(operation, Buffer.from(key).toString('latin1'))
      assertProblem(answer, { status: 401, code: 'key_unknown' })
    }
  }
})

test('[AUT-5] an expired key is 401, from the moment it expires', async () => {
  for (const operation of operations) {
    assertProblem(await call(operation, app.keys.expired), { status: 401, code: 'key_expired' })
  }
  const { key } = await app.addKey(app.location, { expiresAt: new Date(now + 1000) })
  assert.equal((await app.get('/health/', { key })).status, 200)
  now += 1000
  assertProblem(await app.get('/health/', { key }), { status: 401, code: 'key_expired' })
})

test('[AUT-6] a revoked key is 401', async () => {
  for (const operation of operations) {
    assertProblem(await call(operation, app.keys.revoked), { status: 401, code: 'key_revoked' })
  }
})

test('[AUT-6] a revoked key is refused within 5 seconds, even if the clock is set back meanwhile', async () => {
  const { id, key } = await app.addKey(app.location)
  assert.equal((await app.get('/health/', { key })).status, 200)
  await app.pool`update api_keys set revoked_at = ${new Date(now)} where id = ${id}`
  const before = now
  now -= 3_600_000
  monotonicMs += 5000
  assertProblem(await app.get('/health/', { key }), { status: 401, code: 'key_revoked' })
  now = before
})

test('[AUT-7] every 401 names the ways to authenticate in WWW-Authenticate', async () => {
  for (const key of [null, app.keys.unknown, app.keys.expired, app.keys.revoked, 'x']) {
    const challenge = String((await app.get('/health/', { key })).headers['www-authenticate'])
    assert.match(challenge, /ApiKey .*X-API-Key/)
    assert.match(challenge, /Bearer /)
  }
})

test('[AUT-8] a key without the scope of an operation gets a 403 that names the scope', async () => {
  const scopes = ['read', 'ingest', 'webhooks'] as const
  for (const operation of operations) {
    for (const scope of scopes) {
      const answer = await call(operation, app.keys[scope])
      if (operation[2] === 'any' || operation[2] === scope) assert.notEqual(answer.status, 403)
      else
        assert.match(
          assertProblem(answer, { status: 403, code: 'scope_missing' }).detail,
          new RegExp(`"${operation[2]}"`),
        )
    }
  }
})

test('[AUT-9] the location of the key determines the data', async () => {
  const own = (await app.get('/v1/locations/own', { key: app.other.key })).json
  assert.equal(own.id, app.other.id)
  assert.equal((await app.get('/v1/orders/', { key: app.other.key })).json.meta.totalCount, 0)
  for (const path of [`/v1/orders/${idOf('order', 1)}`, `/v1/reports/${idOf('report', 1)}`]) {
    assert.equal((await app.get(path, { key: app.other.key })).status, 404)
    assert.equal((await app.get(path)).status, 200)
  }
})

test('[AUT-9] an id of another location gets the same answer, word for word, as an id that does not exist', async () => {
  for (const [path, kind] of [['/v1/orders/', 'order'] as const, ['/v1/reports/', 'report'] as const]) {
    const answers = [idOf(kind, 1), idOf(kind, 777)].map(async (id) => {
      const { requestId: _, ...problem } = (await app.get(path + id, { key: app.other.key })).json
      return JSON.stringify(problem).replaceAll(id, '<id>')
    })
    const [foreign, nowhere] = await Promise.all(answers)
    assert.equal(foreign, nowhere)
  }
})

test('[AUT-10] the key is checked before anything else of a request', async () => {
  const answers = [
    await app.get('/v1/orders/?size=x', { key: null }),
    await app.get('/v1/orders/no-uuid', { key: null }),
    await app.request('POST', '/v1/ingest/', { key: null, headers: { 'content-type': 'text/plain' }, body: 'x' }),
  ]
  for (const answer of answers) assertProblem(answer, { status: 401, code: 'key_missing' })
})

test('[AUT-11] keys are stored as hashes', async () => {
  const rows = await app.pool<Record<string, unknown>[]>`select * from api_keys`
  assert.ok(rows.length > 5)
  const text = JSON.stringify(rows)
  for (const key of [app.key, ...Object.values(app.keys)]) assert.ok(!text.includes(key))
})

test('[AUT-12] no operation that a location’s key can call creates a key', async () => {
  const { paths } = (await app.get('/openapi.json', { key: null })).json as { paths: Record<string, object> }
  const aboutKeys = Object.keys(paths).filter((path) => /\bkeys\b/.test(path) && !path.startsWith('/v1/admin/'))
  const makingKeys = aboutKeys.filter((path) => Object.keys(paths[path] as object).some((method) => method !== 'get'))
  assert.deepEqual(makingKeys, [])
  for (const path of ['/v1/keys/', '/v1/keys', '/v1/api-keys/']) {
    const answer = await app.request('POST', path, { headers: { 'content-type': 'application/json' }, body: '{}' })
    assertProblem(answer, { status: 404, code: 'route_not_found' })
  }
})
