import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Health } from '../../../src/core/contract/health/schema.ts'
import { startApp } from '../../support/app.ts'
import { assertProblem, okay } from './contract.ts'
import { assertFields } from './fields.ts'

let now = Date.parse('2026-03-01T10:00:00.000Z')
const app = await startApp({ clock: () => new Date(now) })
const bare = await startApp({ operations: false, database: app.database })

test('[HLT-1] GET /health/ returns status, uptime, apiVersions and docURL to a caller with a key', async () => {
  for (const path of ['/health/', '/health']) {
    const body = okay(await app.get(path), Health)
    assertFields('Health', body)
    assert.equal(body.status, 'ok')
    assert.equal(body.apiVersions, 'v1')
  }
})

test('[HLT-2] uptime is a human-readable duration', async () => {
  const uptime = async () => okay(await app.get('/health/'), Health).uptime
  assert.equal(await uptime(), '0 seconds')
  now += 3 * 86_400_000 + 4 * 3_600_000 + 12 * 60_000
  assert.equal(await uptime(), '3 days 4 hours 12 minutes')
})

test('[HLT-3] docURL leads to the documentation', async () => {
  const { docURL } = okay(await app.get('/health/'), Health)
  const page = await fetch(docURL)
  assert.equal(page.status, 200)
  assert.match(String(page.headers.get('content-type')), /^text\/html/)
})

test('[HLT-4] a key of any scope of a location is accepted, and a request without a key is refused', async () => {
  for (const key of [app.keys.read, app.keys.ingest, app.keys.webhooks])
    okay(await app.get('/health/', { key }), Health)
  assertProblem(await app.get('/health/', { key: null }), { status: 401, code: 'key_missing' })
})

test('[HLT-5] health has no parameters and no other method', async () => {
  const answer = await app.get('/health/?verbose=1')
  assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/verbose'] })
  assertProblem(await app.request('POST', '/health/'), { status: 405, code: 'method_not_allowed' })
})

test('[HLT-6] GET /livez and GET /readyz answer without a key', async () => {
  for (const path of ['/livez', '/readyz']) {
    const answer = await app.get(path, { key: null })
    assert.deepEqual([answer.status, answer.json], [200, { status: 'ok' }])
  }
})

test('[HLT-7] an operator can switch the probes off: then they are 404, and health still works', async () => {
  for (const path of ['/livez', '/readyz', '/metrics']) {
    assertProblem(await bare.get(path, { key: null }), { status: 404, code: 'route_not_found' })
  }
  okay(await bare.get('/health/'), Health)
})
