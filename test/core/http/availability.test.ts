import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertProblem } from '../conformance/contract.ts'
import { startApp } from '../../support/app.ts'
import { everyRecord, idOf } from '../../support/records.ts'

const app = await startApp()
await app.store(everyRecord(app.location))
/** An app on the same data whose database becomes unavailable. */
const doomed = await startApp({ database: app.database })
const { key } = app
assert.equal((await doomed.get('/health/', { key })).status, 200)
await doomed.pool.end({ timeout: 1 })
doomed.context.reader.end()

const paths = [
  '/v1/orders/',
  `/v1/orders/${idOf('order', 1)}`,
  '/v1/reports/',
  '/v1/catalog/',
  '/v1/locations/own',
  '/health/',
  '/readyz',
]

test('without its database the server answers 503 with Retry-After, and keeps running', async () => {
  for (const path of paths) {
    const answer = await doomed.get(path, { key })
    assertProblem(answer, { status: 503, code: 'database_unavailable' })
    assert.ok(Number(answer.headers['retry-after']) >= 1, path)
  }
  const push = await doomed.push(everyRecord(app.location), { key })
  assertProblem(push, { status: 503, code: 'database_unavailable' })
  assert.equal((await doomed.get('/livez', { key: null })).status, 200)
})

test('a key that cannot be looked up is not reported as a wrong key', async () => {
  assertProblem(await doomed.get('/health/', { key: app.keys.read }), { status: 503, code: 'database_unavailable' })
})

test('internal causes are logged and never sent', async () => {
  const { text } = await doomed.get('/v1/orders/', { key })
  assert.doesNotMatch(text, /CONNECTION|postgres|select|CLOSED|ConnectionLost/i)
  assert.match(JSON.stringify(doomed.lines.filter(({ level }) => level === 'error')), /CONNECTION_CLOSED/)
})

test('another server on the same data is not affected', async () => {
  assert.equal((await app.get('/v1/orders/')).status, 200)
})
