import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Attempted } from '../../../src/core/delivery/engine-events.ts'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { eventSchema } from '../../../src/core/schemas/events.ts'
import { disableWebhook } from '../../../src/core/contract/webhooks/rows.ts'
import { assertSchema } from '../conformance/contract.ts'
import { isSignedWith, one } from '../../support/events.ts'
import { startDelivery } from '../../support/delivery.ts'
import { about, keepEvents, nextEvent } from '../../support/engine.ts'

const site = await startDelivery()
const { app, receiver, forward } = site
const { events } = site.startEngine({ random: () => 0.5 })

/** Collects the names of the events about one webhook, in order, from now on. */
function listen(webhookId: string): string[] {
  const heard: string[] = []
  const names = ['attempted', 'reported', 'leaseLost', 'probing', 'resumed', 'disabled', 'rested'] as const
  for (const name of names) {
    events.on(name, (event: { webhookId: string }) => {
      if (event.webhookId === webhookId) heard.push(name)
    })
  }
  events.on('claimed', ({ webhookIds }) => void (webhookIds.includes(webhookId) && heard.push('claimed')))
  return heard
}

describe('the engine emits events', () => {
  test('for a session: claimed, each attempt, the report that contains it, rested', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const heard = listen(webhook.id)
    const rested = nextEvent(events, 'rested', about(webhook))
    await app.store([one(place.id, 1)], place.key)
    await rested
    // On a slow machine there may be a report before the last one.
    const each = heard.filter((name, i) => name !== heard[i - 1])
    assert.deepEqual(each, ['claimed', 'attempted', 'reported', 'rested'])
  })

  test('for an attempt, with all that the log, the metrics and an operator need', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    receiver.answer(webhook.path, (_receipt, earlier) => (earlier === 0 ? 503 : 200))
    const attempts = keepEvents(events, 'attempted', about(webhook))
    let rested = nextEvent(events, 'rested', about(webhook))
    const before = app.context.clock().getTime()
    await app.store([one(place.id, 1)], place.key)
    await rested
    rested = nextEvent(events, 'rested', about(webhook))
    forward(60_000)
    await rested
    const [failure, success] = attempts as [Attempted, Attempted]
    assert.equal(attempts.length, 2)
    const logged = await site.log(webhook, place.key)
    for (const [i, emitted] of [failure, success].entries()) {
      const { event, sequence, messageId, attempt, status, errorClass, message, address, durationMs, phases } = emitted
      const own = { event, sequence, messageId, attempt, status, errorClass, message, address, durationMs, phases }
      const {
        id: _id,
        webhookId,
        sentAt: _at,
        success: ok,
        nextAttemptAt,
        request: _r,
        response: _a,
        ...rest
      } = logged[i]!
      assert.deepEqual(own, rest)
      assert.deepEqual([emitted.locationId, emitted.webhookId], [place.id, webhookId])
      assert.equal(emitted.outcome, ok ? 'success' : 'failure')
      assert.equal(emitted.nextAttemptAt?.toISOString() ?? null, nextAttemptAt)
    }
    assert.equal(failure.errorClass, 'http')
    assert.ok(Number(failure.lagMs) >= 0 && before + Number(failure.lagMs) <= app.context.clock().getTime())
    assert.equal(success.lagMs, null)
  })

  test('without a lag for replayed events', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const attempts = keepEvents(events, 'attempted', about(webhook))
    await app.store([one(place.id, 1), one(place.id, 2)], place.key)
    await site.settled(webhook)
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ sequence: 2 })
    await app.request('POST', `/v1/webhooks/${webhook.id}/replay`, { key: place.key, headers, body })
    await receiver.waitFor(webhook.path, 3)
    await site.settled(webhook)
    await app.store([one(place.id, 3)], place.key)
    await site.settled(webhook)
    const lags = attempts.map(({ sequence, lagMs }) => [sequence, lagMs === null])
    assert.deepEqual(
      lags.toSorted(([a], [b]) => Number(a) - Number(b)),
      [
        [1, false],
        [2, false],
        [2, true],
        [3, false],
      ],
    )
  })

  test('when a webhook starts to be probed, and when it has recovered', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    let isWell = false
    receiver.answer(webhook.path, () => (isWell ? 200 : 500))
    const [probing, resumed] = [
      nextEvent(events, 'probing', about(webhook)),
      nextEvent(events, 'resumed', about(webhook)),
    ]
    await app.store(
      [1, 2, 3, 4, 5].map((n) => one(place.id, n)),
      place.key,
    )
    const { failures, failingSince } = await probing
    assert.equal(failures, 5)
    isWell = true
    await site.attempted(webhook, 5)
    forward(60_000)
    assert.deepEqual((await resumed).failingSince, failingSince)
  })

  test('when a webhook was disabled, once that is committed', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    receiver.answer(webhook.path, () => 410)
    const disabled = nextEvent(events, 'disabled', about(webhook))
    await app.store([one(place.id, 1)], place.key)
    const { reason, at, failingSince } = await disabled
    assert.deepEqual([reason, failingSince], ['gone', at])
    assert.equal((await site.status(webhook, place.key)).state, 'disabled')
  })

  test('for a disabled webhook to the location’s other webhooks and its feed, with a sequence of the journal', async () => {
    const place = await app.addLocation()
    const other = await site.register(['webhook.disabled'], place)
    const [gone, stopped] = [
      await site.register(['order.created'], place),
      await site.register(['order.created', 'webhook.disabled'], place),
    ]
    receiver.answer(gone.path, () => 410)
    const disabled = nextEvent(events, 'disabled', about(gone))
    await app.store([one(place.id, 1)], place.key)
    const { at, failingSince } = await disabled
    await receiver.waitFor(other.path, 1)
    await site.settled(stopped)
    await disableWebhook(app.pool, { locationId: place.id, id: stopped.id }, { reason: 'operator', at })
    // The webhook is already disabled, which is reported only once.
    await disableWebhook(app.pool, { locationId: place.id, id: stopped.id }, { reason: 'key_revoked', at })
    app.context.hints.committed(place.id)
    const receipts = await receiver.waitFor(other.path, 2)
    for (const { event } of receipts) assertSchema(eventSchema('webhook.disabled'), event)
    assert.deepEqual(
      receipts.map(({ event }) => [event.sequence, event.data]),
      [
        [2, { id: gone.id, reason: 'gone', disabledAt: at.toISOString(), failingSince: failingSince?.toISOString() }],
        [3, { id: stopped.id, reason: 'operator', disabledAt: at.toISOString(), failingSince: null }],
      ],
    )
    assert.ok(receipts.every((receipt) => isSignedWith(other.secret, receipt)))
    const feed = await app.get('/v1/events/?types=webhook.disabled', { key: place.key })
    assert.deepEqual(
      feed.json.data,
      receipts.map(({ event }) => event),
    )
    assert.equal(feed.text.includes('/hook') || feed.text.includes(gone.recipientId), false)
    await site.settled(other)
    assert.equal(receiver.at(other.path).length, 2)
    assert.equal(receiver.at(gone.path).length, 1)
    assert.deepEqual(await verifyLocation(app.pool, place.id), { entries: 3, verified: true })
    // The journal continues after the last event.
    await app.store([one(place.id, 2)], place.key)
  })

  test('for each sweep, and for failed work', async () => {
    const swept = await nextEvent(events, 'swept')
    assert.ok(swept.due >= 0 && swept.durationMs > 0)
    const broken = site.startEngine({ pool: Object.assign(() => Promise.reject(new Error('away')), app.pool) as never })
    broken.events.removeAllListeners('failed')
    const { work, error, locationId, webhookId } = await nextEvent(broken.events, 'failed')
    await broken.stop()
    assert.deepEqual([work, String(error), locationId, webhookId], ['sweep', 'Error: away', null, null])
  })
})
