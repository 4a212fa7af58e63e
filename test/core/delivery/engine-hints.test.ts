import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { openEmbeddedDatabase } from '../../../src/core/embedded/database.ts'
import { openPool, type Connection } from '../../../src/core/store/db/database.ts'
import { Hints } from '../../../src/core/store/db/hints.ts'
import { atEnd } from '../../support/database.ts'
import { startEmbedded } from '../../support/test-servers.ts'
import { one } from '../../support/events.ts'
import { keepEvents } from '../../support/engine.ts'
import { watchTransactions } from '../../support/transactions.ts'
import { startDelivery } from '../../support/delivery.ts'
import { upsertWebhook } from '../../../src/core/delivery/webhooks.ts'
import { startProcess } from '../../support/processes.ts'
import type { DeliveryProcessOptions } from '../../support/processes/delivery.ts'
import { eventually, gate } from '../../support/waiting.ts'

const site = await startDelivery()
const { app, receiver } = site

/** Longer than any test. */
const neverMs = 3_600_000

/** Opens the hints of another process, on a separate pool. */
async function otherHints(connection: Connection = app.database.connection) {
  const pool = openPool(connection, { connections: 4, pipelining: true })
  const hints = new Hints(pool)
  atEnd(async () => {
    await hints.close()
    await pool.end({ timeout: 1 })
  })
  return { pool, hints }
}

/** Resolves at the next hint of a commit. */
function nextCommit(hints: Hints): Promise<string> {
  return new Promise((resolve) => {
    const unsubscribe = hints.subscribe({
      committed: (locationId) => {
        unsubscribe()
        resolve(locationId)
      },
    })
  })
}

describe('a worker', () => {
  test('in the process of the commit is woken without a sweep', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const engine = site.startEngine({ sweepMs: neverMs })
    for (let n = 1; n <= 5; n++) {
      await app.store([one(place.id, n)], place.key)
      await receiver.waitFor(webhook.path, n)
    }
    await engine.stop()
  })

  test('in another process is woken by NOTIFY without a sweep', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const options: DeliveryProcessOptions = { connection: app.database.connection, leaseMs: 5_000, sweepMs: neverMs }
    const worker = await startProcess('delivery', options)
    try {
      for (let n = 1; n <= 5; n++) {
        await app.store([one(place.id, n)], place.key)
        await receiver.waitFor(webhook.path, n)
      }
    } finally {
      await worker.stop()
    }
    assert.equal(worker.output(), '')
  })

  test('that receives no hint finds the work by its sweep', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const deaf = await otherHints()
    const engine = site.startEngine({ ...deaf, sweepMs: 50 })
    for (let n = 1; n <= 3; n++) {
      await app.store([one(place.id, n)], place.key)
      await receiver.waitFor(webhook.path, n)
    }
    await engine.stop()
  })
})

/** Starts an engine on a separate pool, and counts its claims. */
async function startCounted(sweepMs: number) {
  const { pool, hints } = await otherHints()
  await hints.listen()
  const { transcripts, stop } = watchTransactions(pool)
  atEnd(async () => stop())
  const engine = site.startEngine({ pool, hints, sweepMs })
  await once(engine.events, 'swept')
  const claims = () =>
    transcripts.filter((texts) => texts.some((text) => text.startsWith('update webhooks set lease_token'))).length
  return { engine, hints, claims }
}

describe('a location', () => {
  test('without webhooks is not claimed, and a new webhook receives the next commit without a sweep', async () => {
    const place = await app.addLocation()
    const { engine, hints, claims } = await startCounted(neverMs)
    for (let n = 1; n <= 5; n++) {
      const heard = nextCommit(hints)
      await app.store([one(place.id, n)], place.key)
      assert.equal(await heard, place.id)
    }
    // Another process registers the webhook: this process is informed by NOTIFY.
    const webhook = await site.register(['order.created'], place)
    await app.store([one(place.id, 6)], place.key)
    await receiver.waitFor(webhook.path, 1)
    await site.settled(webhook)
    await engine.stop()
    // One claim for the notified webhook, and one for the check after its session.
    assert.ok(claims() <= 2, `${claims()} claims`)
  })

  test('is not claimed if all its webhooks have a session', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const answered = gate()
    receiver.answer(webhook.path, () => answered.opened.then(() => 200))
    const { engine, hints, claims } = await startCounted(neverMs)
    await app.store([one(place.id, 1)], place.key)
    await receiver.waitFor(webhook.path, 1)
    const before = claims()
    for (let n = 2; n <= 6; n++) {
      const heard = nextCommit(hints)
      await app.store([one(place.id, n)], place.key)
      assert.equal(await heard, place.id)
      await receiver.waitFor(webhook.path, n)
    }
    assert.deepEqual([before, claims()], [1, 1])
    answered.open()
    await site.settled(webhook)
    await engine.stop()
  })

  test('that gets a webhook without a hint is found by the sweep', async () => {
    const place = await app.addLocation()
    const { engine } = await startCounted(50)
    const path = `/${randomUUID()}`
    const input = {
      events: ['order.created' as const],
      endpointUrl: receiver.url(path),
      locationId: place.id,
      recipientId: randomUUID(),
    }
    const sweeps = keepEvents(engine.events, 'swept')
    await app.store([one(place.id, 1)], place.key)
    const { webhook } = await upsertWebhook(app.pool, input, { visibleTo: null, webhooksPerLocation: 10 }, new Date())
    await app.store([one(place.id, 2)], place.key)
    await receiver.waitFor(path, 1)
    // Once its first event has arrived, the webhook is known: commits are delivered without waiting for a sweep.
    let orders = 2
    const isHeard = async () => {
      const before = sweeps.length
      await app.store([one(place.id, ++orders)], place.key)
      await receiver.waitFor(path, orders - 1)
      return sweeps.slice(before).every(({ due }) => due === 0)
    }
    await eventually(isHeard, 'a commit is reported by its hint')
    await site.settled(webhook)
    await engine.stop()
  })
})

describe('a lease that a manual change has ended', () => {
  test('is granted again without a sweep, while its old session still runs', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const answered = gate()
    receiver.answer(webhook.path, (_receipt, earlier) => (earlier === 0 ? answered.opened.then(() => 200) : 200))
    const engine = site.startEngine({ leaseMs: 300_000, sweepMs: neverMs })
    await once(engine.events, 'swept')
    await app.store([one(place.id, 1)], place.key)
    await receiver.waitFor(webhook.path, 1)
    assert.equal((await app.request('POST', `/v1/webhooks/${webhook.id}/enable`, { key: place.key })).status, 200)
    await receiver.waitFor(webhook.path, 2)
    answered.open()
    await site.settled(webhook)
    await engine.stop()
  })
})

describe('an expired lease', () => {
  test('is granted again by the sweep, while its old session still runs', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const answered = gate()
    receiver.answer(webhook.path, (_receipt, earlier) => (earlier === 0 ? answered.opened.then(() => 200) : 200))
    const engine = site.startEngine({ leaseMs: 300_000 })
    await app.store([one(place.id, 1)], place.key)
    await receiver.waitFor(webhook.path, 1)
    const past = new Date(Date.now() - 1_000)
    await app.pool`update webhooks set lease_until = ${past} where location_id = ${place.id} and id = ${webhook.id}`
    await receiver.waitFor(webhook.path, 2)
    answered.open()
    await site.settled(webhook)
    await engine.stop()
  })
})

describe('a hint', () => {
  test('that arrives while its location is being claimed makes the worker look there again', async () => {
    const place = await app.addLocation()
    const [first, second] = [
      await site.register(['order.created'], place),
      await site.register(['order.created'], place),
    ]
    // Only the hint makes the worker look: the session of the first webhook lasts until the second gets the event.
    const answered = gate()
    receiver.answer(first.path, () => answered.opened.then(() => 200))
    receiver.answer(second.path, () => (answered.open(), 200))
    await app.store([one(place.id, 1)], place.key)
    const until = new Date(Date.now() + 300_000)
    await app.pool`update webhooks set lease_token = ${first.id}, lease_until = ${until} where id = ${second.id}`
    // One connection, so that statements are executed in order.
    const pool = openPool(app.database.connection, { connections: 1, pipelining: true })
    const engine = site.startEngine({ pool, sweepMs: neverMs })
    engine.events.once('claimed', () => {
      void pool`update webhooks set lease_token = null, lease_until = null where id = ${second.id}`.catch(() => {})
      app.context.hints.committed(place.id)
    })
    await receiver.waitFor(second.path, 1)
    await receiver.waitFor(first.path, 1)
    await engine.stop()
    await pool.end()
  })
})

describe('hints', () => {
  test('reach a session that waits for a receiver', async (t) => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const answered = gate()
    receiver.answer(webhook.path, (_receipt, earlier) => (earlier === 0 ? answered.opened.then(() => 200) : 200))
    // A session also checks by itself from time to time.
    t.mock.timers.enable({ apis: ['setInterval'] })
    const engine = site.startEngine({ sweepMs: neverMs })
    await app.store([one(place.id, 1)], place.key)
    await receiver.waitFor(webhook.path, 1)
    await app.store([one(place.id, 2)], place.key)
    await receiver.waitFor(webhook.path, 2)
    answered.open()
    await engine.stop()
  })

  test('for many commits at once reach another process as a few, and none is missing', async () => {
    const { hints } = await otherHints()
    await hints.listen()
    const heard: string[] = []
    hints.subscribe({ committed: (id) => void heard.push(id) })
    const places = await Promise.all(Array.from({ length: 3 }, () => app.addLocation()))
    for (let i = 0; i < 100; i++) for (const { id } of places) app.context.hints.committed(id)
    await eventually(() => places.every(({ id }) => heard.includes(id)), 'each location is heard of')
    assert.ok(heard.length < 30, `${heard.length} hints`)
  })

  test('for a manual change name the webhook, and are not commits', async () => {
    const { hints } = await otherHints()
    await hints.listen()
    const heard: string[] = []
    const own: string[] = []
    hints.subscribe({ committed: (id) => void heard.push(id), changed: (id) => void own.push(id) })
    app.context.hints.changed('one')
    app.context.hints.changed('two')
    await eventually(() => own.length === 2, 'both are heard of')
    assert.deepEqual([own, heard], [['one', 'two'], []])
  })

  test('arrive again after the connection was cut', async () => {
    const { pool, hints } = await otherHints()
    await hints.listen()
    // If there is a direct connection past the pooler or the worker node, the engine listens on it.
    const { direct = pool.from } = pool.from
    const where = openPool(direct, { connections: 1, pipelining: true })
    atEnd(() => where.end({ timeout: 1 }))
    const listening = async () =>
      (await where`select pid from pg_stat_activity where query ilike 'listen%' and datname = current_database()`).map(
        ({ pid }) => pid as number,
      )
    const before = await listening()
    assert.ok(before.length > 0)
    for (const pid of before) await where`select pg_terminate_backend(${pid}::int)`
    await eventually(async () => {
      const now = await listening()
      return now.length === before.length && now.every((pid) => !before.includes(pid))
    }, 'listens again')
    const heard = nextCommit(hints)
    app.context.hints.committed('here')
    assert.equal(await heard, 'here')
  })

  test('arrive again after the database was unavailable', async () => {
    const { dataDir, database, stop } = await startEmbedded()
    let running = database
    atEnd(() => running.stop().then(stop))
    const [speaker, listener] = [await otherHints(database.connection), await otherHints(database.connection)]
    await listener.hints.listen()
    let heard = 0
    listener.hints.subscribe({ committed: () => void (heard += 1) })
    const speak = () => {
      speaker.hints.committed('here')
      return heard > 0
    }
    await eventually(speak, 'hears while the database is there')
    await database.stop()
    heard = 0
    running = await openEmbeddedDatabase(dataDir)
    await eventually(speak, 'hears again')
  })
})
