import assert from 'node:assert/strict'
import type { KeyObject } from 'node:crypto'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { generateSecret, parseSecret } from '../../../src/core/delivery/secrets.ts'
import { signatureHeaders } from '../../../src/core/delivery/sign.ts'

const nowS = () => Math.floor(Date.now() / 1000)

function keyOf(secret: string): KeyObject {
  const key = parseSecret(secret)
  assert.ok(key)
  return key
}

test('the library of Standard Webhooks verifies a body of any bytes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.uuid(), (value, id) => {
      const secret = generateSecret()
      const body = Buffer.from(JSON.stringify(value))
      const headers = signatureHeaders({ id, timestampS: nowS(), body, keys: [keyOf(secret)] })
      assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body.toString()))
    }),
  )
})

test('the signature of a known message equals the one that Standard Webhooks publishes', () => {
  const headers = signatureHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestampS: 1614265330,
    body: Buffer.from('{"test": 2432232314}'),
    keys: [keyOf('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')],
  })
  assert.deepEqual(headers, {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('during a rotation, receivers with either secret can verify', () => {
  const [current, previous, other] = [generateSecret(), generateSecret(), generateSecret()]
  const body = Buffer.from('{"type":"order.paid"}')
  const headers = signatureHeaders({ id: 'evt_1', timestampS: nowS(), body, keys: [keyOf(current), keyOf(previous)] })
  assert.match(headers['webhook-signature'], /^v1,[A-Za-z\d+/]{43}= v1,[A-Za-z\d+/]{43}=$/)
  for (const secret of [current, previous]) new Webhook(secret).verify(body, headers)
  assert.throws(() => new Webhook(other).verify(body, headers), /No matching signature/)
})

test('a changed body, id or time is refused', () => {
  const secret = generateSecret()
  const timestampS = nowS()
  const headers = signatureHeaders({
    id: 'evt_1',
    timestampS,
    body: Buffer.from('{"total":1}'),
    keys: [keyOf(secret)],
  })
  const verify = (body: string, changed = {}) =>
    new Webhook(secret).verify(Buffer.from(body), { ...headers, ...changed })
  verify('{"total":1}')
  assert.throws(() => verify('{"total":2}'))
  assert.throws(() => verify('{"total":1}', { 'webhook-id': 'evt_2' }))
  assert.throws(() => verify('{"total":1}', { 'webhook-timestamp': String(timestampS + 1) }))
})
