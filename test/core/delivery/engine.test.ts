import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import type { Receipt } from '../../support/receiver.ts'
import { isSignedWith } from '../../support/events.ts'
import { startDelivery } from '../../support/delivery.ts'
import { everyRecord, order, orderOf, timeOf } from '../../support/records.ts'
import { hourMs } from '../../../src/core/domain/days/time-units.ts'

const site = await startDelivery()
const { app, receiver, forward } = site
site.startEngine()

/** Returns the request once per signature, as a receiver with one secret checks it. */
function signaturesOf(receipt: Receipt): Pick<Receipt, 'headers' | 'body'>[] {
  const all = String(receipt.headers['webhook-signature']).split(' ')
  return all.map((one) => ({ body: receipt.body, headers: { ...receipt.headers, 'webhook-signature': one } }))
}

describe('an event', () => {
  test('arrives once', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.paid'], place)
    await app.store([order(orderOf(place.id, 1))], place.key)
    await receiver.waitFor(webhook.path, 1)
    await site.settled(webhook)
    assert.equal(receiver.at(webhook.path).length, 1)
  })

  test('is a POST of JSON, signed so that the library of Standard Webhooks verifies it', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.paid'], place)
    await app.store([order(orderOf(place.id, 1))], place.key)
    const [receipt] = (await receiver.waitFor(webhook.path, 1)) as [Receipt]
    assert.equal(receipt.headers['content-type'], 'application/json')
    assert.ok(isSignedWith(webhook.secret, receipt))
    const tampered = { ...receipt, body: Buffer.from(receipt.body.toString().replace('"total":22', '"total":23')) }
    assert.notDeepEqual(tampered.body, receipt.body)
    assert.ok(!isSignedWith(webhook.secret, tampered))
    const stranger = await site.register(['order.paid'], place)
    assert.ok(!isSignedWith(stranger.secret, receipt))
  })

  test('carries the documented members in order, and its `webhook-id` is its `id`', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    await app.store([order(orderOf(place.id, 1))], place.key)
    const { json } = await app.get('/v1/events/', { key: place.key })
    const [{ event, headers }] = (await receiver.waitFor(webhook.path, 1)) as [Receipt]
    assert.deepEqual(Object.keys(event), ['id', 'type', 'timestamp', 'locationId', 'sequence', 'data'])
    assert.equal(event.id, headers['webhook-id'])
    assert.doesNotMatch(event.id, /\./)
    assert.equal(event.type, 'order.created')
    assert.equal(event.locationId, place.id)
    assert.equal(event.sequence, 1)
    assert.equal(event.timestamp, json.data[0].timestamp)
  })

  test('has as `data` the bytes that GET returned at that moment, even after a newer version arrived', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    const text = JSON.stringify(orderOf(place.id, 1)).replace('"total":22,', '"total":22.00,')
    assert.match(text, /22\.00/)
    await app.push(`{"type":"order","data":${text}}\n`, { key: place.key })
    const first = await app.get(`/v1/orders/${orderOf(place.id, 1).id}`, { key: place.key })
    await app.store([order(orderOf(place.id, 1, { updatedAt: timeOf(2), orderPlace: 'é "14"' }))], place.key)
    const second = await app.get(`/v1/orders/${orderOf(place.id, 1).id}`, { key: place.key })
    assert.notDeepEqual(first.bytes, second.bytes)
    const receipts = await receiver.waitFor(webhook.path, 2)
    for (const [i, { bytes }] of [first, second].entries()) {
      const body = receipts[i]?.body as Buffer
      const end = body.subarray(body.indexOf('"data":') + '"data":'.length)
      assert.deepEqual(end, Buffer.concat([bytes, Buffer.from('}')]))
    }
  })

  test('of every record type arrives at a webhook that is registered for all', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(
      [
        'order.created',
        'order.paid',
        'report.created',
        'catalog.products.updated',
        'catalog.modifiers.updated',
        'catalog.payments.updated',
        'catalog.taxes.updated',
        'location.updated',
      ],
      place,
    )
    const changed = everyRecord(place.id).map((record) =>
      record.type === 'location' ? { ...record, data: { ...(record.data as object), name: 'Renamed' } } : record,
    )
    await app.store(changed, place.key)
    const receipts = await receiver.waitFor(webhook.path, 8)
    assert.deepEqual(receipts.map(({ event }) => event.type).toSorted(), webhook.events.toSorted())
  })

  test('arrives only if it is registered for, and not for a training order', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.paid'], place)
    await app.store(
      [
        order(orderOf(place.id, 1, { closedAt: null, payments: [] })),
        order(orderOf(place.id, 2, { isTraining: true })),
        order(orderOf(place.id, 3)),
      ],
      place.key,
    )
    await receiver.waitFor(webhook.path, 1)
    await site.settled(webhook)
    assert.deepEqual(
      receiver.at(webhook.path).map(({ event }) => [event.sequence, event.type]),
      [[3, 'order.paid']],
    )
  })

  test('from before the webhook was created does not arrive', async () => {
    const place = await app.addLocation()
    await app.store([order(orderOf(place.id, 1))], place.key)
    const webhook = await site.register(['order.paid'], place)
    await app.store([order(orderOf(place.id, 2))], place.key)
    await receiver.waitFor(webhook.path, 1)
    await site.settled(webhook)
    assert.deepEqual(
      receiver.at(webhook.path).map(({ event }) => event.sequence),
      [2],
    )
  })

  test('of one location does not reach webhooks of another', async () => {
    const [one, other] = [await app.addLocation(), await app.addLocation()]
    const webhooks = [await site.register(['order.paid'], one), await site.register(['order.paid'], other)] as const
    await app.store([order(orderOf(one.id, 1))], one.key)
    await app.store([order(orderOf(other.id, 2))], other.key)
    await receiver.waitFor(webhooks[0].path, 1)
    await receiver.waitFor(webhooks[1].path, 1)
    for (const webhook of webhooks) {
      await site.settled(webhook)
      const receipts = receiver.at(webhook.path)
      assert.deepEqual(
        receipts.map(({ event }) => event.locationId),
        [webhook.locationId],
      )
    }
  })
})

describe('a rotated secret', () => {
  test('signs together with the old one for 24 hours, then alone', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.paid'], place)
    const rotated = await app.request('POST', `/v1/webhooks/${webhook.id}/secret/rotate`, { key: place.key })
    const secret: string = rotated.json.secret
    assert.notEqual(secret, webhook.secret)

    await app.store([order(orderOf(place.id, 1))], place.key)
    const [during] = (await receiver.waitFor(webhook.path, 1)) as [Receipt]
    const both = signaturesOf(during)
    assert.equal(both.length, 2)
    assert.ok(isSignedWith(secret, both[0]!) && isSignedWith(webhook.secret, both[1]!))
    assert.ok(isSignedWith(secret, during) && isSignedWith(webhook.secret, during))

    const before = Date.now()
    forward(24 * hourMs)
    await app.store([order(orderOf(place.id, 2))], place.key)
    const receipts = await receiver.waitFor(webhook.path, 2)
    const after = receipts[1] as Receipt
    assert.equal(signaturesOf(after).length, 1)
    // The library requires a time close to its own clock.
    const sentS = Number(after.headers['webhook-timestamp'])
    assert.ok(sentS >= Math.floor((before + 24 * hourMs) / 1000))
    const at = new Date(sentS * 1000)
    const id = String(after.headers['webhook-id'])
    assert.equal(new Webhook(secret).sign(id, at, after.body), after.headers['webhook-signature'])
  })
})

describe('a retried event', () => {
  test('keeps its `webhook-id` and body over retries and replays, and is signed again each time', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.paid'], place)
    receiver.answer(webhook.path, (_receipt, earlier) => (earlier < 2 ? 500 : 200))
    await app.store([order(orderOf(place.id, 1))], place.key)
    await site.attempted(webhook, 1)
    forward(60_000)
    await site.attempted(webhook, 2)
    forward(6 * 60_000)
    await receiver.waitFor(webhook.path, 3)
    await site.settled(webhook)
    const body = JSON.stringify({ sequence: 1 })
    const headers = { 'content-type': 'application/json' }
    await app.request('POST', `/v1/webhooks/${webhook.id}/replay`, { key: place.key, headers, body })
    const receipts = await receiver.waitFor(webhook.path, 4)
    assert.equal(new Set(receipts.map(({ headers }) => headers['webhook-id'])).size, 1)
    assert.equal(new Set(receipts.map(({ body }) => body.toString())).size, 1)
    for (const { headers, body } of receipts) {
      const at = new Date(Number(headers['webhook-timestamp']) * 1000)
      const signature = new Webhook(webhook.secret).sign(String(headers['webhook-id']), at, body)
      assert.equal(headers['webhook-signature'], signature)
    }
    assert.ok(
      Number(receipts[2]?.headers['webhook-timestamp']) - Number(receipts[0]?.headers['webhook-timestamp']) > 300,
    )
  })
})
