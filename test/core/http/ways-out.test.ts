import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertProblem } from '../conformance/contract.ts'
import { startApp } from '../../support/app.ts'

const app = await startApp()

test('the answer to an unknown query parameter lists the allowed ones', async () => {
  const { errors } = assertProblem(await app.get('/v1/orders/?limit=5&page=2'), {
    status: 400,
    code: 'validation_failed',
  })
  assert.deepEqual(
    (errors ?? []).map(({ pointer, code }: { pointer: string; code: string }) => [pointer, code]),
    [
      ['/limit', 'unknown_parameter'],
      ['/page', 'unknown_parameter'],
    ],
  )
  const { parameters } = (await app.get('/openapi.json', { key: null })).json.paths['/v1/orders/'].get
  for (const { detail } of errors ?? []) {
    const taken = parameters.filter((parameter: { in: string }) => parameter.in === 'query')
    for (const { name } of taken) assert.match(detail, new RegExp(`; allowed: .*\\b${name}\\b`))
  }
  const none = assertProblem(await app.get('/v1/catalog/taxes/?size=5'), { status: 400, code: 'validation_failed' })
  assert.equal(none.errors?.[0].detail, 'size is not a known parameter; no parameters are allowed')
})

test('the answer to an unsupported authentication scheme names it and the supported ones', async () => {
  const authorization = `Basic ${Buffer.from(`${app.key}:`).toString('base64')}`
  const answer = await app.get('/v1/orders/', { key: null, headers: { authorization } })
  const { detail } = assertProblem(answer, { status: 401, code: 'key_missing' })
  assert.match(detail, /X-API-Key.*Authorization: Bearer.*Basic is not supported/)
  assert.doesNotMatch(detail, new RegExp(app.key))
  const bare = await app.get('/v1/orders/', { key: null, headers: { authorization: app.key } })
  assert.doesNotMatch(assertProblem(bare, { status: 401, code: 'key_missing' }).detail, new RegExp(app.key))
  const silent = assertProblem(await app.get('/v1/orders/', { key: null }), { status: 401, code: 'key_missing' })
  assert.doesNotMatch(silent.detail, /not supported/)
})

test('the answer to a mistyped key states both forms of a key', async () => {
  const answer = await app.get('/v1/orders/', { key: 'tg_test_mistyped' })
  assert.match(assertProblem(answer, { status: 401, code: 'key_unknown' }).detail, /tg_live_… or tg_test_…/)
})

test('an error without a pointer names the place of the wrong value', async () => {
  const pushed = await app.push(JSON.stringify({ type: 'catalog.products', data: {} }))
  assert.equal(
    assertProblem(pushed, { status: 400, code: 'nothing_usable' }).errors?.[0].detail,
    'data must be an array',
  )
  const sent = await app.request('POST', '/v1/webhooks/', {
    body: '[]',
    headers: { 'content-type': 'application/json' },
  })
  assert.equal(
    assertProblem(sent, { status: 400, code: 'validation_failed' }).errors?.[0].detail,
    'the body must be an object',
  )
})
