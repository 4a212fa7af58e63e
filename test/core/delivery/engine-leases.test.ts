import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { breakerThreshold, retrySchedule } from '../../../src/core/domain/journal/retry-schedule.ts'
import { openPool } from '../../../src/core/store/db/database.ts'
import { Hints } from '../../../src/core/store/db/hints.ts'
import {
  claimWebhooks,
  findDueLocations,
  recordProgress,
  type Progress,
} from '../../../src/core/store/webhooks/leases.ts'
import { getWebhook } from '../../../src/core/contract/webhooks/rows.ts'
import { atEnd } from '../../support/database.ts'
import { many, one } from '../../support/events.ts'
import { startDelivery } from '../../support/delivery.ts'
import { counting } from '../../support/engine.ts'
import { startProcess } from '../../support/processes.ts'
import type { DeliveryProcessOptions } from '../../support/processes/delivery.ts'
import { idOf, order, versionOf } from '../../support/records.ts'
import { eventually, gate } from '../../support/waiting.ts'

const site = await startDelivery()
const { app, receiver } = site
const { pool } = app

const leaseMs = 10_000
const due = (now: Date) => ({ now, breakerThreshold, longestRetryMs: retrySchedule().longestMs })

function claim(locationId: string, now: Date, token: string = randomUUID()) {
  return claimWebhooks(pool, locationId, { ...due(now), token, leaseMs })
}

async function isDue(locationId: string, now: Date): Promise<boolean> {
  return (await findDueLocations(pool, due(now))).some((found) => found.locationId === locationId)
}

function progress(webhookId: string, token: string, changes: Partial<Progress> = {}): Progress {
  const nothing = { failures: 0, failingSince: null, retryAt: null, lease: null, disabled: null }
  const about = { webhookId, recipientSince: new Date(0), token }
  return { ...about, cursor: 0, ...nothing, attempts: [], setAside: [], settled: [], ...changes }
}

const retry = (seq: number) =>
  ({
    seq,
    type: 'order.created',
    kind: 'order',
    resourceId: idOf('order', seq),
    attempts: 1,
    nextAt: new Date(),
  }) as const

const attempt = (seq: number) =>
  ({
    id: randomUUID(),
    at: new Date(),
    seq,
    type: 'order.created',
    ok: true,
    durationMs: 1,
    errorClass: null,
    document: '{}',
  }) as const

const count = async (table: 'webhook_retries' | 'webhook_attempts', webhookId: string) => {
  const [row] = await pool`select count(*) as n from ${pool(table)} where webhook_id = ${webhookId}`
  return row?.['n']
}

describe('a lease', () => {
  test('is granted to one worker, and to the next when it has expired', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const now = new Date()
    assert.ok(!(await isDue(place.id, now)))
    assert.equal((await claim(place.id, now)).length, 0)
    await app.store([one(place.id, 1)], place.key)
    assert.ok(await isDue(place.id, now))
    const claims = await Promise.all([1, 2, 3, 4].map(() => claim(place.id, now)))
    assert.deepEqual(
      claims.flat().map(({ id }) => id),
      [webhook.id],
    )
    const before = new Date(now.getTime() + leaseMs)
    assert.ok(!(await isDue(place.id, before)))
    assert.equal((await claim(place.id, before)).length, 0)
    const after = new Date(now.getTime() + leaseMs + 1)
    assert.ok(await isDue(place.id, after))
    assert.equal((await claim(place.id, after)).length, 1)
  })

  test('that is lost moves no cursor, defers nothing and settles nothing; only the log is kept', async () => {
    const place = await app.addLocation()
    const { id } = await site.register(['order.created'], place)
    await app.store(many(place.id, 1, 5), place.key)
    const now = new Date()
    const [old, current] = [randomUUID(), randomUUID()]
    await claim(place.id, now, old)
    await claim(place.id, new Date(now.getTime() + leaseMs + 1), current)
    const until = new Date(now.getTime() + 3 * leaseMs)
    const lease = { token: randomUUID(), until }
    const first = progress(id, current, { cursor: 2, setAside: [retry(2)], attempts: [attempt(1)], lease })
    assert.deepEqual(await recordProgress(pool, place.id, [first]), [true])
    const before = await getWebhook(pool, place.id, id)

    const late = {
      cursor: 5,
      failures: 3,
      failingSince: now,
      retryAt: now,
      disabled: { reason: 'gone' as const, at: now, isJournaled: false },
    }
    const gone = { setAside: [retry(3)], settled: [retry(2)], attempts: [attempt(3)] }
    const report = progress(id, old, { ...late, ...gone, recipientSince: before.recipientSince })
    assert.deepEqual(await recordProgress(pool, place.id, [report]), [false])
    assert.deepEqual(await getWebhook(pool, place.id, id), before)
    assert.equal(await count('webhook_retries', id), 1)
    assert.equal(await count('webhook_attempts', id), 2)
    const second = progress(id, lease.token, { cursor: 4, settled: [retry(2)] })
    assert.deepEqual(await recordProgress(pool, place.id, [second]), [true])
    assert.equal((await getWebhook(pool, place.id, id)).cursor, 4)
    assert.equal(await count('webhook_retries', id), 0)
  })

  test('is lost if the database lost the report before, as after a crash', async () => {
    const place = await app.addLocation()
    const { id } = await site.register(['order.created'], place)
    await app.store(many(place.id, 1, 5), place.key)
    const now = new Date()
    const until = new Date(now.getTime() + leaseMs)
    const [claimed, reported] = [randomUUID(), randomUUID()]
    await claim(place.id, now, claimed)
    const lease = { token: reported, until }
    const lost = progress(id, claimed, { cursor: 3, setAside: [retry(2)], lease })
    assert.deepEqual(await recordProgress(pool, place.id, [lost]), [true])
    // Like a crash of the server soon after an asynchronous commit: nothing of the report remains.
    await pool`delete from webhook_retries where webhook_id = ${id}`
    await pool`update webhooks set cursor = 0, lease_token = ${claimed} where id = ${id}`
    const next = progress(id, reported, { cursor: 5, lease: { token: randomUUID(), until } })
    assert.deepEqual(await recordProgress(pool, place.id, [next]), [false])
    assert.equal((await getWebhook(pool, place.id, id)).cursor, 0)
  })

  test('ends with a manual change', async () => {
    const place = await app.addLocation()
    const { id } = await site.register(['order.created'], place)
    await app.store(many(place.id, 1, 2), place.key)
    const headers = { 'content-type': 'application/json' }
    const changes = [
      ['secret/rotate', undefined],
      ['enable', undefined],
      ['replay', { sequence: 1 }],
    ] as const
    for (const [operation, body] of changes) {
      const token = randomUUID()
      assert.equal((await claim(place.id, new Date(), token)).length, 1)
      const answer = await app.request('POST', `/v1/webhooks/${id}/${operation}`, {
        key: place.key,
        ...(body ? { headers, body: JSON.stringify(body) } : {}),
      })
      assert.equal(answer.status, 200)
      assert.deepEqual(await recordProgress(pool, place.id, [progress(id, token, { cursor: 2 })]), [false])
      assert.equal((await getWebhook(pool, place.id, id)).cursor, 0)
    }
  })
})

describe('two workers', () => {
  test('share the webhooks, and no event is sent twice', async () => {
    const other = openPool(app.database.connection, { connections: 8, pipelining: true })
    const hints = new Hints(other)
    await hints.listen()
    atEnd(async () => {
      await hints.close()
      await other.end({ timeout: 5 })
    })
    const senders = [counting(app.context.sender), counting(app.context.sender)] as const
    const places = await Promise.all(Array.from({ length: 20 }, () => app.addLocation()))
    const webhooks = await Promise.all(places.map((place) => site.register(['order.created'], place)))
    // If a lease ends while a busy machine writes a report, another worker takes the webhook and repeats pending
    // deliveries.
    const leases = { leaseMs: 300_000 }
    const engines = [
      site.startEngine({ ...leases, sender: senders[0] }),
      site.startEngine({ ...leases, sender: senders[1], pool: other, hints }),
    ]
    // Which worker takes a webhook is not fixed: events are pushed until each worker has taken some, for at least 20
    // rounds.
    let orders = 0
    await eventually(async () => {
      orders += 1
      await Promise.all(places.map((place) => app.store([one(place.id, orders)], place.key)))
      return orders >= 20 && senders.every(({ sent }) => sent.length > 0)
    }, 'each worker has sent something')
    for (const webhook of webhooks) await site.settled(webhook)
    await Promise.all(engines.map((engine) => engine.stop()))
    for (const { path } of webhooks) {
      assert.deepEqual(
        receiver
          .at(path)
          .map(({ event }) => event.sequence)
          .toSorted((a, b) => a - b),
        Array.from({ length: orders }, (_, i) => i + 1),
      )
    }
  })

  test('take over from each other: the other one sends the events of a killed one after its lease', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created', 'order.updated'], place)
    const { opened, open } = gate()
    receiver.answer(webhook.path, (_receipt, earlier) => (earlier < 2 ? 200 : opened.then(() => 200)))
    const versions = [1, 2, 3].map((v) => order(versionOf(place.id, 1, v)))
    const options: DeliveryProcessOptions = { connection: app.database.connection, leaseMs: 400, sweepMs: 20 }
    const first = await startProcess('delivery', options)
    const second = await startProcess('delivery', options)
    try {
      await app.store([...versions, ...many(place.id, 2, 20)], place.key)
      await receiver.waitFor(webhook.path, 10)
      // One of the workers holds the lease; which one is not fixed.
      await first.kill()
      await second.kill()
      const third = await startProcess('delivery', options)
      open()
      await site.settled(webhook)
      await third.stop()
      const receipts = receiver.at(webhook.path)
      const numbers = new Set(receipts.map(({ event }) => event.sequence))
      assert.equal(numbers.size, 23)
      const own = receipts
        .filter(({ event }) => event.data.id === idOf('order', 1))
        .map(({ event }) => event.data.guests)
      assert.deepEqual(
        own.filter((v, i) => own.indexOf(v) === i),
        [1, 2, 3],
      )
      assert.ok(receipts.length > 23, 'what was under way comes again')
    } finally {
      await Promise.all([first.kill(), second.kill()])
    }
  })

  test('take over from each other while the killed one was probing and its first event is in flight', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const never = gate()
    let isWell = false
    receiver.answer(webhook.path, async ({ event }) => {
      if (isWell) return 200
      if (event.sequence === 1) await never.opened
      return 500
    })
    const options: DeliveryProcessOptions = { connection: app.database.connection, leaseMs: 400, sweepMs: 20 }
    const first = await startProcess('delivery', options)
    try {
      await app.store(many(place.id, 1, 8), place.key)
      await eventually(async () => (await getWebhook(pool, place.id, webhook.id)).failures >= 5, 'it only probes')
    } finally {
      await first.kill()
    }
    isWell = true
    site.forward(60_000)
    const engine = site.startEngine()
    await site.settled(webhook)
    await engine.stop()
    const accepted = receiver.at(webhook.path).filter(({ status }) => status === 200)
    assert.equal(new Set(accepted.map(({ event }) => event.sequence)).size, 8)
    never.open()
  })
})

describe('a worker that is stopped', () => {
  test('finishes events in flight, records them, and releases its leases', async () => {
    const place = await app.addLocation()
    const webhook = await site.register(['order.created'], place)
    const { opened, open } = gate()
    receiver.answer(webhook.path, () => opened.then(() => 200))
    const engine = site.startEngine()
    await app.store(many(place.id, 1, 40), place.key)
    await receiver.waitFor(webhook.path, 8)
    const stopped = engine.stop()
    open()
    await stopped
    assert.equal(receiver.at(webhook.path).length, 8)
    assert.equal(await count('webhook_attempts', webhook.id), 8)
    const [row] = await pool`select lease_token, lease_until from webhooks where id = ${webhook.id}`
    assert.deepEqual(row, { lease_token: null, lease_until: null })
    assert.equal((await getWebhook(pool, place.id, webhook.id)).cursor, 8)
    site.startEngine()
    await site.settled(webhook)
    assert.equal(receiver.at(webhook.path).length, 40)
  })
})
