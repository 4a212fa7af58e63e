import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Receipt } from '../../support/receiver.ts'
import { startDelivery } from '../../support/delivery.ts'
import { idOf, order, versionOf } from '../../support/records.ts'
import { gate } from '../../support/waiting.ts'
import { transact } from '../../../src/core/store/db/database.ts'

const site = await startDelivery()
const { app, receiver, forward } = site
site.startEngine()

/** Returns `[number of the order, version]` of each receipt. */
const versionsOf = (receipts: readonly Receipt[]) =>
  receipts.map(({ event }) => [Number.parseInt(event.data.id.slice(-12), 16), event.data.guests])

describe('events of one resource', () => {
  test('arrive in order, each after the previous one was accepted', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated', 'order.paid'], place)
    let underWay = 0
    receiver.answer(webhook.path, async () => {
      underWay += 1
      assert.equal(underWay, 1)
      await new Promise(setImmediate)
      underWay -= 1
      return 200
    })
    await app.store(
      [1, 2, 3, 4, 5].map((v) => order(versionOf(place.id, 1, v))),
      place.key,
    )
    await site.settled(webhook)
    assert.deepEqual(
      receiver.at(webhook.path).map(({ event }) => `${event.data.guests} ${event.type}`),
      ['1 order.created', '1 order.paid', '2 order.updated', '3 order.updated', '4 order.updated', '5 order.updated'],
    )
    assert.ok(receiver.at(webhook.path).every(({ status }) => status === 200))
  })

  test('continue, each once, while the journal is slow to read', async () => {
    const place = await app.addLocation()
    const types = ['order.created', 'order.updated', 'order.paid'] as const
    // The second webhook gets the entries that the first one read, from memory.
    const [first, second] = [await site.register(types, place), await site.register(types, place)]
    await app.store(
      [1, 2, 3].map((v) => order(versionOf(place.id, 1, v))),
      place.key,
    )
    await Promise.all([site.settled(first), site.settled(second)])
    assert.equal(receiver.at(second.path).length, 4)

    const { opened, open } = gate()
    const { opened: isLocked, open: locked } = gate()
    const locking = transact(app.pool, async (tx) => {
      await tx`lock table journal in access exclusive mode`
      locked()
      await opened
    })
    await isLocked
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ sequence: 1 })
    // The response to the replay counts pending journal entries, so it waits for the lock; the replay starts before.
    const replaying = app.request('POST', `/v1/webhooks/${second.id}/replay`, { key: place.key, headers, body })
    try {
      await receiver.waitFor(second.path, 8)
    } finally {
      open()
      await locking
    }
    const replay = await replaying
    assert.equal(replay.status, 200, replay.text)
    await site.settled(second)
    assert.equal(receiver.at(second.path).length, 8)
  })
})

describe('events of different resources', () => {
  test('are sent in parallel, eight at once', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const { opened, open } = gate()
    let [underWay, most] = [0, 0]
    receiver.answer(webhook.path, async () => {
      underWay += 1
      most = Math.max(most, underWay)
      await opened
      underWay -= 1
      return 200
    })
    const numbers = Array.from({ length: 40 }, (_, i) => i + 1)
    await app.store(
      numbers.map((n) => order(versionOf(place.id, n, 1))),
      place.key,
    )
    await receiver.waitFor(webhook.path, 8)
    open()
    await site.settled(webhook)
    assert.equal(receiver.at(webhook.path).length, 40)
    assert.equal(most, 8)
  })
})

describe('an event that failed', () => {
  test('is deferred with the later ones of its resource, in order, while the others continue', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    let isWell = false
    receiver.answer(webhook.path, ({ event }) => (event.data.id === idOf('order', 1) && !isWell ? 500 : 200))
    await app.store([order(versionOf(place.id, 1, 1)), order(versionOf(place.id, 1, 2))], place.key)
    await site.attempted(webhook, 1)
    await app.store([order(versionOf(place.id, 2, 1)), order(versionOf(place.id, 1, 3))], place.key)
    await app.store([order(versionOf(place.id, 3, 1))], place.key)
    await receiver.waitFor(webhook.path, 3)
    await site.attempted(webhook, 3)
    assert.deepEqual(versionsOf(receiver.at(webhook.path)), [
      [1, 1],
      [2, 1],
      [3, 1],
    ])
    const status = await site.status(webhook, place.key)
    assert.deepEqual([status.state, status.sequence, status.behind, status.setAside], ['enabled', 5, 0, 3])

    isWell = true
    forward(60_000)
    await site.settled(webhook)
    assert.deepEqual(versionsOf(receiver.at(webhook.path)).slice(3), [
      [1, 1],
      [1, 2],
      [1, 3],
    ])
  })

  test('waits without delaying the next version of another resource, over many sessions', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    receiver.answer(webhook.path, ({ event }, earlier) =>
      event.data.id === idOf('order', 1) && earlier < 1 ? 503 : 200,
    )
    for (let v = 1; v <= 5; v++) {
      await app.store([order(versionOf(place.id, 1, v)), order(versionOf(place.id, 2, v))], place.key)
      await site.attempted(webhook, v + 1)
    }
    forward(60_000)
    await site.settled(webhook)
    const versions = (n: number) =>
      versionsOf(receiver.at(webhook.path))
        .filter(([number]) => number === n)
        .map(([, v]) => v)
    assert.deepEqual(versions(1), [1, 1, 2, 3, 4, 5])
    assert.deepEqual(versions(2), [1, 2, 3, 4, 5])
    assert.deepEqual(versionsOf(receiver.at(webhook.path)).slice(0, 6), [
      [1, 1],
      [2, 1],
      [2, 2],
      [2, 3],
      [2, 4],
      [2, 5],
    ])
  })
})
