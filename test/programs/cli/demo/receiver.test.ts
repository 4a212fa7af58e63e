import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { startReceiver, type Delivered } from '../../../../simulator/cli/demo/receiver.ts'
import { generateSecret } from '../../../../src/core/delivery/secrets.ts'

const secret = generateSecret()
const delivered: Delivered[] = []
const refused: string[] = []
const receiver = await startReceiver({
  secret: () => secret,
  onDelivered: async (one) => void delivered.push(one),
  onRefused: async (reason) => void refused.push(reason),
})
after(() => receiver.close())

const body = JSON.stringify({ id: 'evt_1', type: 'order.paid', sequence: 7, data: { total: 12.5 } })

type Changes = { to?: string; at?: Date; signer?: string; sent?: string; headers?: Record<string, string> }

/** Sends a delivery, signed with the library of the standard, which is independent of ours. */
async function post({
  to = receiver.url,
  at = new Date(),
  signer = secret,
  sent = body,
  headers = {},
}: Changes = {}): Promise<number> {
  const signature = new Webhook(signer).sign('evt_1', at, body)
  const signed = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
    'webhook-signature': signature,
  }
  return (await fetch(to, { method: 'POST', body: sent, headers: { ...signed, ...headers } })).status
}

test('a delivery signed with the secret is accepted, also among other signatures', async () => {
  assert.equal(await post(), 204)
  assert.deepEqual(
    delivered.map(({ event, isTest }) => [event.sequence, isTest]),
    [[7, false]],
  )
  const other = new Webhook(generateSecret()).sign('evt_1', new Date(), body)
  const own = new Webhook(secret).sign('evt_1', new Date(), body)
  assert.equal(await post({ headers: { 'webhook-signature': `${other} ${own}` } }), 204)
})

test('a delivery is answered after it was shown, not before', async () => {
  const shown = Promise.withResolvers<void>()
  const arrived = Promise.withResolvers<void>()
  const slow = await startReceiver({
    secret: () => secret,
    onDelivered: () => {
      arrived.resolve()
      return shown.promise
    },
    onRefused: async (reason) => assert.fail(reason),
  })
  after(() => slow.close())
  let answered = 0
  const posted = post({ to: slow.url }).then((status) => (answered = status))
  await arrived.promise
  // The response would arrive before that of a receiver that is called later.
  assert.equal(await post(), 204)
  assert.equal(answered, 0)
  shown.resolve()
  assert.equal(await posted, 204)
})

test('a test delivery is distinguished from a real one', async () => {
  assert.equal(await post({ headers: { 'webhook-test': 'true' } }), 204)
  assert.equal(delivered.at(-1)?.isTest, true)
})

test('anything not signed with the secret, for this body and time, is refused and not shown', async () => {
  const known = delivered.length
  const attempts: [Changes, RegExp][] = [
    [{ signer: generateSecret() }, /signature does not match/],
    [{ sent: body.replace('12.5', '13.5') }, /signature does not match/],
    [{ headers: { 'webhook-id': 'evt_2' } }, /signature does not match/],
    [{ headers: { 'webhook-signature': 'v1,' } }, /signature does not match/],
    [{ at: new Date(Date.now() - 301_000) }, /timestamp is too old or too new/],
    [{ at: new Date(Date.now() + 360_000) }, /timestamp is too old or too new/],
    [{ headers: { 'webhook-timestamp': 'soon' } }, /timestamp is too old or too new/],
  ]
  for (const [changes, reason] of attempts) {
    assert.equal(await post(changes), 400)
    assert.match(refused.at(-1) ?? '', reason)
  }
  assert.equal((await fetch(receiver.url, { method: 'POST', body })).status, 400)
  assert.match(refused.at(-1) ?? '', /not signed/)
  assert.equal(delivered.length, known)
})
