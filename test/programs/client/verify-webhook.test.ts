import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { after, test } from 'node:test'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { toFetchHandler, toNodeHandler, verifyWebhook, type VerifiedWebhook } from '../../../client/src/index.ts'
import { generateSecret, parseSecret } from '../../../src/core/delivery/secrets.ts'
import { signatureHeaders } from '../../../src/core/delivery/sign.ts'

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

test('a delivery is verified, from a header object or Headers, from text or bytes', async () => {
  const headers = signed()
  for (const given of [headers, new Headers(headers)]) {
    for (const raw of [body, new TextEncoder().encode(body)]) {
      const { event, isTest, isRepeated } = await verifyWebhook(raw, given, secret)
      assert.equal(event.type, 'order.paid')
      assert.deepEqual([isTest, isRepeated], [false, false])
      // This header is not part of the signature.
      assert.equal((await verifyWebhook(raw, { ...headers, 'webhook-test': 'true' }, secret)).isTest, false)
    }
  }
})

test('a signature of an independent library is verified', async () => {
  const at = new Date()
  const signature = new Webhook(secret).sign('evt_1', at, body)
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signature,
  }
  assert.equal((await verifyWebhook(body, headers, secret)).event.sequence, 7)
})

test('during a rotation of the secret, either side may still have the old one', async () => {
  const newer = generateSecret()
  await verifyWebhook(body, signed(body, [newer, secret]), secret)
  await verifyWebhook(body, signed(body, [newer, secret]), newer)
  await verifyWebhook(body, signed(body, [secret]), [newer, secret])
})

test('another body, secret, id or time, a missing header and a truncated signature are refused', async () => {
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
    ['timestamp_off', body, signed(body, [secret], new Date(Date.now() + 360_000))],
    ['timestamp_off', body, { ...headers, 'webhook-timestamp': 'now' }],
    ['header_missing', body, { ...headers, 'webhook-signature': '' }],
    ['body_invalid', 'no json', signed('no json')],
  ]
  for (const [reason, text, given, with_ = secret] of refused) {
    await assert.rejects(verifyWebhook(text, given, with_), { reason })
  }
})

test('one valid signature is enough among many, also of other versions; one of another secret never is', async () => {
  // All deliveries have the same time: the second that a signature covers could otherwise end between two of them.
  const now = new Date()
  const headers = signed(body, [secret], now)
  const good = headers['webhook-signature'] ?? ''
  const foreign = signed(body, [generateSecret()], now)['webhook-signature'] ?? ''
  const fits = async (signature: string) =>
    verifyWebhook(body, { ...headers, 'webhook-signature': signature }, secret).then(
      () => true,
      ({ reason }) => reason,
    )
  for (const signature of [`${foreign} ${good}`, `v1a,AAAA ${good}`, `${good} v9,x`, ` ${good} `, `${good} ${good}`]) {
    assert.equal(await fits(signature), true, signature)
  }
  const tooLong = Array.from({ length: 500 }, () => foreign).join(' ')
  for (const signature of [foreign, good.slice(3), `V1,${good.slice(3)}`, `${good},${good}`, 'v1,', tooLong]) {
    assert.equal(await fits(signature), 'signature_wrong', signature.slice(0, 80))
  }
})

test('the tolerance is configurable, and a timestamp that is not a whole number of seconds is refused', async () => {
  const at = new Date('2026-03-14T12:00:00.000Z')
  const headers = signed(body, [secret], at)
  const offBy = (seconds: number, toleranceS?: number) =>
    verifyWebhook(body, headers, secret, {
      now: new Date(at.getTime() + seconds * 1000),
      ...(toleranceS === undefined ? {} : { toleranceS }),
    })
  for (const seconds of [-300, 0, 300]) await offBy(seconds)
  await offBy(10, 10)
  for (const [seconds, toleranceS] of [[301], [-301], [11, 10], [1, 0]] as [number, number?][]) {
    await assert.rejects(offBy(seconds, toleranceS), { reason: 'timestamp_off' })
  }
  const seconds = headers['webhook-timestamp'] ?? ''
  for (const text of [
    `${seconds}.5`,
    ` ${seconds}`,
    `+${seconds}`,
    `${seconds}e0`,
    '0x6',
    '-1',
    'NaN',
    'Infinity',
    '9'.repeat(40),
  ]) {
    const given = { ...headers, 'webhook-timestamp': text }
    await assert.rejects(verifyWebhook(body, given, secret, { now: at }), { reason: 'timestamp_off' }, text)
  }
})

test('the bytes are verified as they arrived, and a body that is not UTF-8 is refused after its signature', async () => {
  const spelled = body.replace('1.5', '1.50')
  assert.equal((await verifyWebhook(Buffer.from(spelled), signed(spelled), secret)).event.sequence, 7)
  await assert.rejects(verifyWebhook(JSON.stringify(JSON.parse(spelled)), signed(spelled), secret), {
    reason: 'signature_wrong',
  })
  const bytes = Buffer.concat([Buffer.from(body.slice(0, -1)), Buffer.from([0xff, 0x7d])])
  const key = parseSecret(secret)
  assert.ok(key)
  const timestampS = Math.floor(Date.now() / 1000)
  const headers = { ...signatureHeaders({ id: 'evt_1', timestampS, body: bytes, keys: [key] }) }
  await assert.rejects(verifyWebhook(bytes, headers, secret), { reason: 'body_invalid' })
  // Of a view of a larger buffer, only the visible part is verified.
  const larger = Buffer.from(`xx${body}yy`)
  assert.equal((await verifyWebhook(larger.subarray(2, -2), signed(), secret)).event.sequence, 7)
})

test('a repeated header counts once, and an invalid secret is an error of the program', async () => {
  const headers = signed()
  const twice = { ...headers, 'webhook-id': ['evt_1', 'evt_2'] }
  assert.equal((await verifyWebhook(body, twice, secret)).event.id, 'evt_1')
  for (const wrong of ['', 'secret', secret.slice(6)])
    await assert.rejects(verifyWebhook(body, headers, wrong), TypeError)
})

test('the handlers for node:http and fetch answer 204, 400 for a forgery, 500 if the callback fails, 405 and 413', async () => {
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
