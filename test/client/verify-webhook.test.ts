import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { toFetchHandler, toNodeHandler, verifyWebhook, type VerifiedWebhook } from '../../client/src/index.ts'
import { generateSecret, parseSecret } from '../../src/delivery/secrets.ts'
import { signatureHeaders } from '../../src/delivery/sign.ts'

const secret = generateSecret()
const body = JSON.stringify({
  id: 'evt_1',
  type: 'order.paid',
  timestamp: '2026-03-14T12:34:56.000Z',
  locationId: 'l',
  sequence: 7,
  data: { total: 1.5 },
})

function signed(text = body, secrets = [secret], at = new Date()): Record<string, string> {
  const keys = secrets.map((one) => parseSecret(one)).filter((key) => key !== null)
  return {
    ...signatureHeaders({ id: 'evt_1', timestampS: Math.floor(at.getTime() / 1000), body: Buffer.from(text), keys }),
  }
}

test('a delivery is verified, from a header object as from Headers, from text as from bytes', async () => {
  const headers = signed()
  for (const given of [headers, new Headers(headers)]) {
    for (const raw of [body, new TextEncoder().encode(body)]) {
      const { event, isTest, isRepeated } = await verifyWebhook(raw, given, secret)
      assert.equal(event.type, 'order.paid')
      assert.deepEqual([isTest, isRepeated], [false, false])
      // Nobody signs this header.
      assert.equal((await verifyWebhook(raw, { ...headers, 'webhook-test': 'true' }, secret)).isTest, false)
    }
  }
})

test('what an independent library signs is verified', async () => {
  const at = new Date()
  const signature = new Webhook(secret).sign('evt_1', at, body)
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signature,
  }
  assert.equal((await verifyWebhook(body, headers, secret)).event.sequence, 7)
})

test('while a secret is being exchanged, either side may still have the old one', async () => {
  const newer = generateSecret()
  await verifyWebhook(body, signed(body, [newer, secret]), secret)
  await verifyWebhook(body, signed(body, [newer, secret]), newer)
  await verifyWebhook(body, signed(body, [secret]), [newer, secret])
})

test('another body, secret, id or time, a missing header and a signature cut short are refused', async () => {
  const headers = signed()
  const refused: [unknown, string, Record<string, string>, string?][] = [
    ['signature_wrong', `${body} `, headers],
    ['signature_wrong', body, headers, generateSecret()],
    ['signature_wrong', body, { ...headers, 'webhook-id': 'evt_2' }],
    ['signature_wrong', body, { ...headers, 'webhook-signature': (headers['webhook-signature'] ?? '').slice(0, -4) }],
    [
      'signature_wrong',
      body,
      { ...headers, 'webhook-signature': (headers['webhook-signature'] ?? '').replace('v1,', 'v2,') },
    ],
    ['timestamp_off', body, signed(body, [secret], new Date(Date.now() - 301_000))],
    ['timestamp_off', body, signed(body, [secret], new Date(Date.now() + 302_000))],
    ['timestamp_off', body, { ...headers, 'webhook-timestamp': 'now' }],
    ['header_missing', body, { ...headers, 'webhook-signature': '' }],
    ['body_invalid', 'no json', signed('no json')],
  ]
  for (const [reason, text, given, with_ = secret] of refused) {
    await assert.rejects(verifyWebhook(text, given, with_), { reason })
  }
})

test('the handlers for node:http and fetch answer 204, 400 for a forgery, 500 when the work fails, 405 and 413', async () => {
  const seen: VerifiedWebhook[] = []
  const known = new Set<string>()
  let fails = false
  const options = {
    secrets: () => [secret],
    maxBytes: 1000,
    seen: known,
    onEvent: (delivery: VerifiedWebhook) => {
      seen.push(delivery)
      if (fails) throw new Error('not today')
    },
  }
  const server = createServer((request, response) => void toNodeHandler(options)(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const handler = toFetchHandler(options)
  for (const post of [
    (init: RequestInit) => fetch(url, init),
    (init: RequestInit) => handler(new Request(url, init)),
  ]) {
    known.clear()
    const before = seen.length
    const send = async (init: RequestInit) => (await post({ method: 'POST', body, headers: signed(), ...init })).status
    assert.equal(await send({}), 204)
    assert.equal(await send({}), 204)
    assert.equal(seen.length, before + 1, 'a repetition is answered and not dealt with again')
    known.clear()
    fails = true
    assert.equal(await send({}), 500)
    fails = false
    assert.equal(await send({}), 204)
    assert.equal(seen.length, before + 3, 'what failed is dealt with when it comes again')
    assert.equal(await send({ headers: { ...signed(), 'webhook-signature': 'v1,x' } }), 400)
    assert.equal(await send({ body: 'x'.repeat(2000) }), 413)
    const { status, headers } = await post({ method: 'GET' })
    assert.deepEqual([status, headers.get('allow')], [405, 'POST'])
  }
})
