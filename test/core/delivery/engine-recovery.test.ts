import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { breakerThreshold, retrySchedule } from '../../../src/core/domain/journal/retry-schedule.ts'
import { openPool } from '../../../src/core/store/db/database.ts'
import { hastenProbes } from '../../../src/core/store/webhooks/leases.ts'
import { getWebhook } from '../../../src/core/contract/webhooks/rows.ts'
import { RestingWebhooks } from '../../../src/core/delivery/resting-webhooks.ts'
import { atEnd } from '../../support/database.ts'
import { ascending, many, numbersOf, one } from '../../support/events.ts'
import { startDelivery, type Registered } from '../../support/delivery.ts'
import { about, keepEvents, nextEvent } from '../../support/engine.ts'

const site = await startDelivery()
const { app, receiver, forward } = site
const { pool } = app

const tomorrow = () => new Date(app.context.clock().getTime() + 86_400_000)

describe('a receiver that has recovered', () => {
  test('is found by one probe: the other webhooks of its host do not wait for their scheduled time', async () => {
    const engine = site.startEngine({ random: () => 0.5 })
    const places = await Promise.all([1, 2, 3].map(() => app.addLocation()))
    let isWell = false
    const webhooks: Registered[] = []
    for (const place of places) {
      const webhook = await site.register(['order.created'], place)
      receiver.answer(webhook.path, () => (isWell ? 200 : 500))
      const probing = nextEvent(engine.events, 'probing', about(webhook))
      await app.store(many(place.id, 1, 6), place.key)
      await probing
      await site.attempted(webhook, 5)
      webhooks.push(webhook)
    }
    const [first, ...others] = webhooks as [Registered, ...Registered[]]
    // The retries of the other webhooks are due in a day, for which the test does not wait.
    for (const { id } of others) {
      await pool`update webhooks set retry_at = ${tomorrow()} where id = ${id}`
      await pool`update webhook_retries set next_at = ${tomorrow()} where webhook_id = ${id} and next_at is not null`
    }
    isWell = true
    forward(60_000)
    for (const webhook of [first, ...others]) await site.settled(webhook)
    await engine.stop()
    for (const { path } of webhooks) {
      assert.equal(receiver.at(path).filter(({ status }) => status === 200).length, 6)
    }
  })

  test('wakes no webhook of another host', async () => {
    const engine = site.startEngine({ random: () => 0.5 })
    const resumed = keepEvents(engine.events, 'resumed')
    const [place, elsewhere] = [await app.addLocation(), await app.addLocation()]
    let isWell = false
    const webhooks = [await site.register(['order.created'], place), await site.register(['order.created'], elsewhere)]
    for (const [i, webhook] of webhooks.entries()) {
      receiver.answer(webhook.path, () => (isWell ? 200 : 500))
      const probing = nextEvent(engine.events, 'probing', about(webhook))
      await app.store(many(webhook.locationId, 1, 5), [place, elsewhere][i]!.key)
      await probing
      await site.attempted(webhook, 5)
    }
    const [well, other] = webhooks as [Registered, Registered]
    await pool`
      update webhooks set retry_at = ${tomorrow()},
        endpoint_url = replace(endpoint_url, '127.0.0.1', 'localhost') where id = ${other.id}`
    isWell = true
    forward(60_000)
    await site.settled(well)
    // A webhook that becomes due is leased by the next sweep at the latest.
    await nextEvent(engine.events, 'swept')
    await nextEvent(engine.events, 'swept')
    await engine.stop()
    assert.deepEqual(
      resumed.map(({ webhookId }) => webhookId),
      [well.id],
    )
  })

  test('makes no webhook due that a worker holds, whose own result counts', async () => {
    const place = await app.addLocation()
    const { id, endpointUrl } = await site.register(['order.created'], place)
    const now = app.context.clock()
    const due = { now, breakerThreshold, longestRetryMs: retrySchedule().longestMs }
    const later = new Date(now.getTime() + 60_000)
    await pool`
      update webhooks set failures = ${breakerThreshold}, retry_at = ${later}, lease_token = ${id} where id = ${id}`
    const times: (Date | null)[] = []
    for (const token of [id, null]) {
      await pool`update webhooks set lease_token = ${token} where id = ${id}`
      await hastenProbes(pool, new URL(endpointUrl).host, due)
      times.push((await getWebhook(pool, place.id, id)).retryAt)
    }
    assert.deepEqual(times, [later, now])
  })
})

describe('a worker whose reports the database refuses', () => {
  test('skips the webhook for the length of a lease, and continues after a manual change', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const witness = await site.register(['order.created'], place)
    // As with a full disk, the lease can be written, but not the log.
    const { direct = pool.from } = pool.from
    const owner = openPool(direct, { connections: 1, pipelining: true })
    atEnd(() => owner.end({ timeout: 1 }))
    await owner.unsafe(`alter table webhook_attempts add constraint full_disk check (webhook_id <> '${webhook.id}')`)
    const engine = site.startEngine({ leaseMs: 240_000 })
    engine.events.removeAllListeners('failed')
    const failed = keepEvents(engine.events, 'failed', ({ webhookId }) => webhookId === webhook.id)
    const rested = nextEvent(engine.events, 'rested', about(webhook))
    let claims = 0
    engine.events.on('claimed', ({ webhookIds }) => void (webhookIds.includes(webhook.id) && (claims += 1)))
    await app.store([one(place.id, 1)], place.key)
    await rested
    // By the clock of the leases, the lease of the refused report has ended; but the worker waits by its own clock.
    site.forward(250_000)
    await app.store([one(place.id, 2)], place.key)
    await site.settled(witness)
    await nextEvent(engine.events, 'swept')
    assert.deepEqual([claims, failed.map(({ work }) => work)], [1, ['report']])
    await owner`alter table webhook_attempts drop constraint full_disk`
    await app.request('POST', `/v1/webhooks/${webhook.id}/enable`, { key: place.key })
    await site.settled(webhook)
    await engine.stop()
    assert.deepEqual(ascending(numbersOf(receiver.at(webhook.path))), [1, 1, 2])
  })

  test('waits twice as long after each failure in a row, up to five minutes, and not at all after a success', () => {
    const time = { ms: 0 }
    const resting = new RestingWebhooks(() => time.ms)
    const waits = Array.from({ length: 8 }, () => {
      resting.failed('a', 10_000)
      const failedMs = time.ms
      while (resting.ids.includes('a')) time.ms += 10_000
      return (time.ms - failedMs) / 1_000
    })
    assert.deepEqual(waits, [10, 20, 40, 80, 160, 300, 300, 300])
    resting.failed('b', 10_000)
    resting.wake('a')
    resting.failed('a', 10_000)
    assert.deepEqual(resting.ids, ['b', 'a'])
    resting.wake('a')
    resting.wake('b')
    assert.deepEqual(resting.ids, [])
  })
})
