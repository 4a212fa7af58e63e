import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook as Verifier } from 'standardwebhooks'
import { eventSchema } from '../../../src/core/schemas/events.ts'
import { DeliveryFailureList, DeliveryPage, WebhookStatus } from '../../../src/core/contract/webhooks/schema.ts'
import { ascending, isSignedWith, many, numbersOf, one } from '../../support/events.ts'
import { startDelivery } from '../../support/delivery.ts'
import type { Receipt } from '../../support/receiver.ts'
import { everyRecord, idOf, order, orderOf, versionOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'
import { assertSchema, okay } from './contract.ts'
import { minuteMs, dayMs } from '../../../src/core/domain/days/time-units.ts'
import { retrySchedule } from '../../../src/core/domain/journal/retry-schedule.ts'

const site = await startDelivery()
const { app, receiver, forward } = site
site.startEngine()
/** A delivery process with the clock and the retry schedule of `startDelivery`. */
const punctual = await startDelivery()
punctual.startEngine({ schedule: retrySchedule() })

const json = { 'content-type': 'application/json' }

const accepted = (path: string) => receiver.at(path).filter(({ status }) => status === 200)

async function call(method: string, path: string, key: string, body?: unknown) {
  const sent = body === undefined ? {} : { headers: json, body: JSON.stringify(body) }
  return app.request(method, path, { key, ...sent })
}

test('[EVT-2] an event is posted as JSON to the endpoint, with the documented members', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.paid'], place)
  await app.store([order(orderOf(place.id, 1))], place.key)
  const [receipt] = (await receiver.waitFor(webhook.path, 1)) as [Receipt]
  assert.equal(receipt.headers['content-type'], 'application/json')
  assert.deepEqual(Object.keys(receipt.event), ['id', 'type', 'timestamp', 'locationId', 'sequence', 'data'])
  assertSchema(eventSchema('order.paid'), receipt.event)
  assert.equal(receipt.headers['webhook-id'], receipt.event.id)
})

test('[EVT-3] data is, byte for byte, what GET returned at that moment', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.created', 'order.updated'], place)
  const texts: string[] = []
  for (const v of [1, 2]) {
    await app.store([order(versionOf(place.id, 1, v))], place.key)
    texts.push((await app.get(`/v1/orders/${idOf('order', 1)}`, { key: place.key })).text)
  }
  const receipts = await receiver.waitFor(webhook.path, 2)
  for (const [i, text] of texts.entries()) assert.ok(receipts[i]?.body.toString().endsWith(`"data":${text}}`))
})

test('[EVT-4] a webhook receives the events it registered for, from its creation on, of its location only', async () => {
  const [place, other] = [await app.addLocation(), await app.addLocation()]
  await app.store([one(place.id, 1)], place.key)
  const webhook = await site.register(['order.paid'], place)
  await app.store([one(other.id, 2)], other.key)
  await app.store(everyRecord(place.id), place.key)
  await site.settled(webhook)
  const received = receiver.at(webhook.path).map(({ event }) => [event.type, event.locationId])
  assert.deepEqual(received, [])
  await app.store([one(place.id, 3)], place.key)
  await receiver.waitFor(webhook.path, 1)
  await site.settled(webhook)
  assert.deepEqual(
    receiver.at(webhook.path).map(({ event }) => [event.type, event.locationId, event.data.id]),
    [['order.paid', place.id, idOf('order', 3)]],
  )
})

test('[EVT-5] order.paid is sent once, for a closed, paid order that is not canceled; a training order has no events', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.paid'], place)
  const version = (n: number, changes: Parameters<typeof orderOf>[2]) =>
    order(orderOf(place.id, n, { ...changes, updatedAt: `2026-03-02T10:00:0${changes?.guests}.000Z` }))
  await app.store([version(1, { guests: 1, closedAt: null, payments: [] })], place.key)
  await app.store([version(1, { guests: 2 })], place.key)
  await app.store([version(1, { guests: 3 }), version(2, { guests: 1, isTraining: true })], place.key)
  await app.store([version(3, { guests: 1, isCanceled: true }), version(4, { guests: 1, payments: [] })], place.key)
  await receiver.waitFor(webhook.path, 1)
  await site.settled(webhook)
  assert.deepEqual(
    receiver.at(webhook.path).map(({ event }) => [event.data.id, event.data.guests]),
    [[idOf('order', 1), 2]],
  )
})

test('[EVT-6] deliveries are signed by Standard Webhooks; after a rotation by both secrets for 24 hours', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.paid'], place)
  const rotated = await call('POST', `/v1/webhooks/${webhook.id}/secret/rotate`, place.key)
  await app.store([one(place.id, 1)], place.key)
  const [during] = (await receiver.waitFor(webhook.path, 1)) as [Receipt]
  assert.ok(isSignedWith(webhook.secret, during) && isSignedWith(rotated.json.secret, during))
  await site.settled(webhook)
  forward(dayMs)
  await app.store([one(place.id, 2)], place.key)
  const after = (await receiver.waitFor(webhook.path, 2))[1] as Receipt
  const at = new Date(Number(after.headers['webhook-timestamp']) * 1_000)
  const expected = new Verifier(rotated.json.secret).sign(after.event.id, at, after.body)
  assert.equal(after.headers['webhook-signature'], expected)
})

test('[EVT-7] any 2xx is success; anything else is retried with the same webhook-id; redirects are not followed', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.paid'], place)
  const statuses = [302, 404, 500, 204]
  const headers = { location: receiver.url('/elsewhere') }
  receiver.answer(webhook.path, (_receipt, earlier) => ({ status: statuses[earlier] ?? 200, headers }))
  await app.store([one(place.id, 1)], place.key)
  for (let count = 1; count <= 4; count++) {
    await site.attempted(webhook, count)
    forward(60 * minuteMs)
  }
  await site.settled(webhook)
  const receipts = receiver.at(webhook.path)
  assert.equal(receipts.length, 4)
  assert.equal(new Set(receipts.map((receipt) => receipt.headers['webhook-id'])).size, 1)
  assert.equal(receiver.at('/elsewhere').length, 0)
})

test('[EVT-8] waits follow the schedule; Retry-After makes one longer', async () => {
  const { app, receiver, forward } = punctual
  const place = await app.addLocation()
  const webhook = await punctual.register(['order.paid'], place)
  const asks = { status: 503, headers: { 'retry-after': '3600' } }
  receiver.answer(webhook.path, (_receipt, earlier) => [500, asks][earlier] ?? 200)
  await app.store([one(place.id, 1)], place.key)
  for (const [i, [earliestMs, latestMs]] of [
    [4_000, 6_000] as const,
    [60 * minuteMs, 60 * minuteMs] as const,
  ].entries()) {
    await punctual.attempted(webhook, i + 1)
    // The wait begins at the failure, which is between the start of the request and now.
    const { sentAt, nextAttemptAt } = (await punctual.log(webhook, place.key))[i]!
    const nextMs = Date.parse(String(nextAttemptAt))
    const isOnTime = nextMs >= Date.parse(sentAt) + earliestMs && nextMs <= app.context.clock().getTime() + latestMs
    assert.ok(isOnTime, JSON.stringify({ sentAt, nextAttemptAt }))
    forward(latestMs)
  }
  await punctual.settled(webhook)
  assert.equal(receiver.at(webhook.path).length, 3)
})

test('[EVT-9] events of one resource are sent in order; after a failure they wait, and other events continue', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.created', 'order.updated'], place)
  let isWell = false
  receiver.answer(webhook.path, ({ event }) => (event.data.id === idOf('order', 1) && !isWell ? 500 : 200))
  await app.store(
    [1, 2, 3].map((v) => order(versionOf(place.id, 1, v))),
    place.key,
  )
  await site.attempted(webhook, 1)
  await app.store(
    [1, 2, 3].map((v) => order(versionOf(place.id, 2, v))),
    place.key,
  )
  await site.attempted(webhook, 4)
  assert.deepEqual(numbersOf(accepted(webhook.path)), [4, 5, 6])
  isWell = true
  forward(minuteMs)
  await site.settled(webhook)
  assert.deepEqual(numbersOf(accepted(webhook.path)), [4, 5, 6, 1, 2, 3])
})

test('[EVT-10] after five consecutive failures a webhook receives only probes; one success resumes it, and no event is lost', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.created'], place)
  let isWell = false
  receiver.answer(webhook.path, () => (isWell ? 200 : 500))
  await app.store([one(place.id, 1)], place.key)
  await site.attempted(webhook, 1)
  await app.store(many(place.id, 2, 4), place.key)
  await site.attempted(webhook, 5)
  await app.store(many(place.id, 6, 20), place.key)
  forward(minuteMs)
  await site.attempted(webhook, 6)
  const status = okay(await app.get(`/v1/webhooks/${webhook.id}/status`, { key: place.key }), WebhookStatus)
  assert.deepEqual([status.state, status.behind], ['failing', 20])
  assert.equal(receiver.at(webhook.path).length, 6)
  isWell = true
  forward(10 * minuteMs)
  await site.settled(webhook)
  const numbers = ascending(numbersOf(accepted(webhook.path)))
  assert.deepEqual(
    numbers,
    Array.from({ length: 25 }, (_, i) => i + 1),
  )
})

test('[EVT-11] a 410 or five days of only failures disable a webhook; when enabled again it continues where it stopped', async () => {
  const place = await app.addLocation()
  const [gone, failing] = [await site.register(['order.created'], place), await site.register(['order.created'], place)]
  let isWell = false
  receiver.answer(gone.path, () => (isWell ? 200 : 410))
  receiver.answer(failing.path, () => (isWell ? 200 : 500))
  await app.store([one(place.id, 1)], place.key)
  await site.attempted(gone, 1)
  const stateOf = async (webhook: { id: string }) => {
    const { state, disabledReason } = await site.status(webhook, place.key)
    return [state, disabledReason]
  }
  assert.deepEqual(await stateOf(gone), ['disabled', 'gone'])
  await site.attempted(failing, 1)
  forward(4 * dayMs)
  await site.attempted(failing, 2)
  assert.deepEqual(await stateOf(failing), ['enabled', null])
  forward(dayMs)
  // The number of attempts is not fixed: setting the clock forward may end a lease, and one attempt is then repeated.
  await eventually(async () => (await stateOf(failing))[0] === 'disabled', 'five days of failures disable it')
  assert.deepEqual(await stateOf(failing), ['disabled', 'failing'])
  isWell = true
  await app.store([one(place.id, 2)], place.key)
  for (const webhook of [gone, failing]) {
    okay(await call('POST', `/v1/webhooks/${webhook.id}/enable`, place.key), WebhookStatus)
    await site.settled(webhook)
    // The journal entries of the two webhooks have the sequences 2 and 3.
    assert.deepEqual(ascending(numbersOf(accepted(webhook.path))), [1, 4])
  }
})

test('[EVT-12] a replay resends events from a sequence or a time on, with the same webhook-ids', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.created'], place)
  await app.store(many(place.id, 1, 2), place.key)
  await site.settled(webhook)
  forward(minuteMs)
  const since = app.context.clock().toISOString()
  await app.store(many(place.id, 3, 2), place.key)
  await site.settled(webhook)
  okay(await call('POST', `/v1/webhooks/${webhook.id}/replay`, place.key, { sequence: 2 }), WebhookStatus)
  await receiver.waitFor(webhook.path, 7)
  await site.settled(webhook)
  okay(await call('POST', `/v1/webhooks/${webhook.id}/replay`, place.key, { since }), WebhookStatus)
  await receiver.waitFor(webhook.path, 9)
  await site.settled(webhook)
  const receipts = receiver.at(webhook.path)
  assert.deepEqual(ascending(numbersOf(receipts.slice(4, 7))), [2, 3, 4])
  assert.deepEqual(ascending(numbersOf(receipts.slice(7))), [3, 4])
  assert.equal(new Set(receipts.map(({ headers }) => headers['webhook-id'])).size, 4)
})

test('[EVT-13] every attempt is in the delivery log, which has filters by event, outcome and time, and pages by cursor; failures are counted by cause', async () => {
  const place = await app.addLocation()
  const webhook = await site.register(['order.created', 'order.paid'], place)
  receiver.answer(webhook.path, ({ event }) => (event.type === 'order.paid' ? 500 : 200))
  await app.store(many(place.id, 1, 2), place.key)
  await site.attempted(webhook, 4)
  const read = async (query: string) =>
    okay(await app.get(`/v1/webhooks/${webhook.id}/deliveries${query}`, { key: place.key }), DeliveryPage)
  assert.equal((await read('?outcome=failure')).data.length, 2)
  assert.equal((await read('?event=order.created&outcome=success')).data.length, 2)
  assert.equal((await read('?until=2026-01-01')).data.length, 0)
  const first = await read('?size=3')
  const second = await read(`?size=3&cursor=${first.meta.next}`)
  assert.deepEqual([first.data.length, second.data.length, second.meta.next], [3, 1, null])
  for (const delivery of first.data) assert.ok(!JSON.stringify(delivery).includes('v1,'))
  assert.deepEqual([first.meta.keptDays, first.meta.keptAttempts], [30, 10_000])
  const causes = async (query: string) =>
    okay(await app.get(`/v1/webhooks/${webhook.id}/failures${query}`, { key: place.key }), DeliveryFailureList).data
  const [cause, ...others] = await causes('')
  const failed = (await read('?outcome=failure')).data
  const lastAt = failed[0].sentAt
  assert.deepEqual(
    [cause, others],
    [
      {
        errorClass: 'http',
        status: 500,
        count: 2,
        firstAt: failed[1].sentAt,
        lastAt,
        lastMessage: failed[0].message,
        lastDeliveryId: failed[0].id,
      },
      [],
    ],
  )
  for (const none of ['?event=order.created', '?until=2026-01-01']) assert.deepEqual(await causes(none), [], none)
})

test('[EVT-19] a deleted webhook receives nothing more', async () => {
  const place = await app.addLocation()
  const [webhook, witness] = [
    await site.register(['order.created'], place),
    await site.register(['order.created'], place),
  ]
  await app.store([one(place.id, 1)], place.key)
  await site.settled(webhook)
  assert.equal((await call('DELETE', `/v1/webhooks/${webhook.id}`, place.key)).status, 204)
  await app.store([one(place.id, 2)], place.key)
  await site.settled(witness)
  await eventually(() => receiver.at(witness.path).length === 2, 'the other receives it')
  assert.equal(receiver.at(webhook.path).length, 1)
})
