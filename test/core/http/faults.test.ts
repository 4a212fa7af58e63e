import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FaultCode } from '../../../src/core/contract/errors/faults.ts'
import { startApp, type RequestOptions } from '../../support/app.ts'
import { assertProblem } from '../conformance/contract.ts'

const app = await startApp()
const json = { 'content-type': 'application/json' }
const webhook = {
  events: ['order.paid'],
  endpointUrl: 'https://partner.example/',
  locationId: app.location,
  recipientId: app.location,
}
const posted = (changes: object): RequestOptions => ({
  headers: json,
  body: JSON.stringify({ ...webhook, ...changes }),
})
const deliveries = '/v1/webhooks/7f3c1f0e-5d0b-4c55-9a56-0d2a0a3c9b11/deliveries'

const requests: [code: FaultCode, method: string, path: string, options?: RequestOptions][] = [
  ['unknown_parameter', 'GET', '/v1/orders/?limit=10'],
  ['repeated_parameter', 'GET', '/v1/orders/?size=1&size=2'],
  ['out_of_range', 'GET', '/v1/orders/?size=0'],
  ['invalid_uuid', 'GET', '/v1/orders/?reportId=A-17'],
  ['invalid_value', 'GET', '/v1/orders/?state=done'],
  ['invalid_datetime', 'GET', '/v1/orders/?since=tomorrow'],
  ['since_after_until', 'GET', '/v1/orders/?since=2026-03-02&until=2026-03-01'],
  ['invalid_format', 'GET', '/v1/events/?epoch=XYZ'],
  ['unknown_event', 'GET', '/v1/events/?types=order.eaten'],
  ['invalid_cursor', 'GET', '/v1/events/', { headers: { accept: 'text/event-stream', 'last-event-id': 'abc' } }],
  ['invalid_text', 'GET', '/v1/orders/?category=a%00b'],
  ['too_long', 'GET', `${deliveries}?cursor=${'a'.repeat(201)}`],
  ['range_too_long', 'GET', '/v1/sales/?by=day&since=1990-01-01&until=2026-01-01'],
  ['missing', 'POST', '/v1/webhooks/', { headers: json, body: '{}' }],
  ['unknown_field', 'POST', '/v1/webhooks/', posted({ secret: 'x' })],
  ['invalid_type', 'POST', '/v1/webhooks/', posted({ endpointUrl: 5 })],
  ['too_short', 'POST', '/v1/webhooks/', posted({ events: [] })],
  ['endpoint_url_invalid', 'POST', '/v1/webhooks/', posted({ endpointUrl: 'my-app' })],
  ['endpoint_url_address', 'POST', '/v1/webhooks/', posted({ endpointUrl: 'https://10.0.0.1/' })],
]

for (const [code, method, path, options] of requests) {
  test(`${method} ${path.slice(0, 80)} is refused with ${code}`, async () => {
    const answer = await app.request(method, path, options)
    const problem = assertProblem(answer, { status: 400, code: 'validation_failed' })
    assert.deepEqual(new Set(problem.errors.map((fault: { code: string }) => fault.code)), new Set([code]))
  })
}

test('the faults of path, query, headers and body are reported together, in this order', async () => {
  const inAndAt = ({ json: { errors } }: { json: { errors: { in: string; pointer: string }[] } }) =>
    errors.map((fault) => `${fault.in} ${fault.pointer}`)
  const read = await app.get('/v1/orders/x?foo=1&bar=2', { headers: { 'tillgate-min-sequence': 'x' } })
  assert.deepEqual(inAndAt(read), ['path /id', 'query /foo', 'query /bar', 'header /tillgate-min-sequence'])
  assert.equal(read.json.detail, 'id must be a UUID (and 3 more)')
  const written = await app.request('POST', '/v1/webhooks/?x=1', posted({ events: [] }))
  assert.deepEqual(inAndAt(written), ['query /x', 'body /events'])
  const listed = await app.get('/v1/orders/?size=1&size=2&foo=1')
  assert.deepEqual(inAndAt(listed), ['query /size', 'query /foo'])
  const many = await app.request('POST', `/v1/webhooks/?${Array.from({ length: 19 }, (_, n) => `p${n}=1`).join('&')}`, {
    headers: json,
    body: '{}',
  })
  assert.equal(many.json.errors.length, 20)
})

test('a JSON body that is not an object always has the same code', async () => {
  for (const body of ['null', '[]', '"x"', '5', 'true']) {
    const answer = await app.request('POST', '/v1/webhooks/?x=1', { headers: json, body })
    const { errors } = assertProblem(answer, { status: 400, code: 'validation_failed' })
    assert.deepEqual(
      errors.map((fault: { code: string; pointer: string }) => [fault.code, fault.pointer]),
      [
        ['unknown_parameter', '/x'],
        ['invalid_type', ''],
      ],
      body,
    )
  }
})

test('a secret sent in place of another value is not repeated', async () => {
  const secrets = [app.key, 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD', 'whsec_C2FV/sBQIhrscChlQIMV+b5sSYspob7']
  for (const secret of secrets) {
    const encoded = encodeURIComponent(secret).replaceAll('_', '%5F')
    const requests: [method: string, path: string, options?: RequestOptions][] = [
      ['GET', `/v1/orders/?${encodeURIComponent(secret)}=1`],
      ['GET', `/v1/orders/${encodeURIComponent(secret)}`],
      ['GET', `/v1/${secret}`],
      ['GET', `/v1/${encoded}`],
      ['GET', `/v1/webhooks/${encoded}`],
      ['GET', `/v1/webhooks/${encodeURIComponent(secret)}`],
      ['GET', `/v1/events/?types=${encodeURIComponent(secret)}`],
      ['POST', '/v1/webhooks/', posted({ [secret]: 1 })],
      ['POST', '/v1/webhooks/', posted({ endpointUrl: `https://${encodeURIComponent(secret)}@pos.example/` })],
      ['POST', '/v1/ingest/', { headers: { 'content-type': `text/${secret}` }, body: 'x' }],
    ]
    for (const [method, path, options] of requests) {
      const { status, text } = await app.request(method, path, options)
      assert.ok(status >= 400, `${path} is ${status}`)
      for (const part of [secret, encoded]) assert.ok(!text.includes(part.slice(-12)), text)
    }
    const log = JSON.stringify(app.lines)
    for (const part of [secret, encoded]) assert.ok(!log.includes(part.slice(-12)), 'it is in the log')
  }
})
