import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { EngineEvents } from '../../../src/core/delivery/engine-events.ts'
import type { Item } from '../../../src/core/delivery/lanes.ts'
import { LeaseReport } from '../../../src/core/delivery/lease-report.ts'
import { Recorder } from '../../../src/core/delivery/recorder.ts'
import { breakerThreshold, retrySchedule } from '../../../src/core/domain/journal/retry-schedule.ts'
import { claimWebhooks, recordProgress, type Progress } from '../../../src/core/store/webhooks/leases.ts'
import { listRetries } from '../../../src/core/store/webhooks/webhook-retries.ts'
import { getWebhook } from '../../../src/core/contract/webhooks/rows.ts'
import { startDelivery } from '../../support/delivery.ts'
import { keepEvents } from '../../support/engine.ts'
import { idOf, order, versionOf } from '../../support/records.ts'

const site = await startDelivery()
const { app } = site
const { pool } = app
const leaseMs = 10_000

/** Creates a location with leased webhooks, and five entries in its journal. */
async function leased(count: number) {
  const place = await app.addLocation()
  for (let i = 0; i < count; i++) await site.register(['order.created', 'order.paid'], place)
  await app.store(
    [1, 2, 3, 4, 5].map((n) => order(versionOf(place.id, n, 1))),
    place.key,
  )
  const token = randomUUID()
  const due = { now: new Date(), breakerThreshold, longestRetryMs: retrySchedule().longestMs }
  const webhooks = await claimWebhooks(pool, place.id, { ...due, token, leaseMs })
  assert.equal(webhooks.length, count)
  return { place, webhooks, token }
}

function item(seq: number, changes: Partial<Item> = {}): Item {
  const resourceId = idOf('order', seq)
  const rest = { type: 'order.created', kind: 'order', resourceId, lane: `order ${resourceId}` } as const
  return { seq, ...rest, attempts: 1, nextAt: new Date('2026-03-01T00:00:00.000Z'), stored: true, ...changes }
}

const state = { cursor: 0, failures: 0, failingSince: null, retryAt: null, disabled: null }

const everything = { after: 0, upTo: Number.MAX_SAFE_INTEGER }

describe('reports of one location in a shared transaction', () => {
  test('are stored even if the database refuses one of them', async () => {
    const { place, webhooks, token } = await leased(3)
    const recorder = new Recorder(pool)
    const report = (id: string, setAside: Progress['setAside']): Progress => {
      return {
        webhookId: id,
        recipientSince: new Date(0),
        token,
        ...state,
        cursor: 3,
        lease: null,
        attempts: [],
        setAside,
        settled: [],
      }
    }
    const twice = [item(4), item(4)].map(({ lane: _lane, stored: _stored, ...retry }) => retry)
    const [one, bad, other] = webhooks.map(({ id }) => id) as [string, string, string]
    const results = await Promise.allSettled([
      recorder.record(place.id, report(one, [])),
      recorder.record(place.id, report(bad, twice)),
      recorder.record(place.id, report(other, twice.slice(1))),
    ])
    assert.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : String(result.reason.code))),
      [true, '21000', true],
    )
    const cursors = await Promise.all(
      [one, bad, other].map(async (id) => (await getWebhook(pool, place.id, id)).cursor),
    )
    assert.deepEqual(cursors, [3, 0, 3])
  })
})

test('deliveries to a former recipient are in no log once the webhook or its id has another recipient', async () => {
  const { place, webhooks } = await leased(1)
  const [{ id, recipientSince, endpointUrl, events }] = webhooks as [(typeof webhooks)[number]]
  // The time is that of a database clock that is an hour ahead.
  const at = new Date(Date.now() + 3_600_000)
  const sent = { seq: 1, type: 'order.created', ok: true, durationMs: 1, errorClass: null, document: '{}' } as const
  const report = () => {
    const attempts = [{ ...sent, at, id: randomUUID() }]
    const nothing = { lease: null, setAside: [], settled: [] }
    const about = { webhookId: id, recipientSince, token: randomUUID() }
    return recordProgress(pool, place.id, [{ ...about, ...state, ...nothing, attempts }])
  }
  const logged = async () => (await pool`select 1 from webhook_attempts where webhook_id = ${id}`).length
  const give = () => {
    const input = { id, events, endpointUrl, locationId: place.id, recipientId: randomUUID() }
    const headers = { 'content-type': 'application/json' }
    return app.request('POST', '/v1/webhooks/', { key: place.key, headers, body: JSON.stringify(input) })
  }
  assert.deepEqual([await report(), await logged()], [[false], 1], 'it is the same recipient’s')
  assert.equal((await give()).status, 200)
  assert.deepEqual([await report(), await logged()], [[false], 1], 'it has moved')
  const { json } = await app.get(`/v1/webhooks/${id}/deliveries`, { key: place.key })
  assert.deepEqual(json.data, [])
  assert.equal((await app.request('DELETE', `/v1/webhooks/${id}`, { key: place.key })).status, 204)
  assert.deepEqual([await report(), await logged()], [[false], 0], 'it is deleted')
  assert.equal((await give()).status, 201)
  assert.deepEqual([await report(), await logged()], [[false], 0], 'its id is another’s')
})

describe('a report', () => {
  const reportOf = async () => {
    const { place, webhooks, token } = await leased(1)
    const [webhook] = webhooks as [(typeof webhooks)[number]]
    const events = new EngineEvents()
    const recorder = new Recorder(pool)
    const startedAt = new Date()
    const report = new LeaseReport({ webhook, token, recorder, events, leaseMs, startedAt })
    return { place, webhook, events, report, startedAt }
  }

  test('contains an event once, in its last state', async () => {
    const { report, webhook } = await reportOf()
    report.setAside(item(1))
    report.setAside(item(1, { attempts: 2 }))
    report.setAside(item(2))
    report.settle(item(2))
    report.setAside(item(3))
    report.setAside(item(3, { type: 'order.paid' }))
    assert.ok(await report.renew(state, new Date()))
    const stored = () => listRetries(pool, webhook, everything, 10)
    assert.deepEqual(
      (await stored()).map(({ seq, type, attempts }) => [seq, type, attempts]),
      [
        [1, 'order.created', 2],
        [3, 'order.created', 1],
        [3, 'order.paid', 1],
      ],
    )
    report.settle(item(3))
    report.setAside(item(3, { attempts: 5 }))
    report.settle(item(1))
    assert.ok(await report.release(state, new Date()))
    assert.deepEqual(
      (await stored()).map(({ seq, type, attempts }) => [seq, type, attempts]),
      [
        [3, 'order.created', 5],
        [3, 'order.paid', 1],
      ],
    )
  })

  test('that a webhook is disabled is recorded once, from the first such report', async () => {
    const { place, report, webhook, events } = await reportOf()
    let emitted = 0
    events.on('disabled', () => (emitted += 1))
    const disabled = { reason: 'gone' as const, at: new Date() }
    assert.ok(await report.renew(state, new Date()))
    assert.ok(await report.renew({ ...state, disabled }, new Date()))
    assert.ok(await report.release({ ...state, disabled }, new Date()))
    const entries = await pool`select seq from journal where location_id = ${place.id} and kind = 'webhook'`
    assert.deepEqual([entries.length, emitted], [1, 1])
    assert.equal((await getWebhook(pool, place.id, webhook.id)).state, 'disabled')
  })

  test('never moves the cursor back', async () => {
    const { place, report, webhook } = await reportOf()
    for (const cursor of [3, 1]) assert.ok(await report.renew({ ...state, cursor }, new Date()))
    assert.equal((await getWebhook(pool, place.id, webhook.id)).cursor, 3)
  })

  test('is due 100 ms after the previous one if something was sent, otherwise in time to renew the lease', async () => {
    const { report, startedAt } = await reportOf()
    const at = (ms: number) => new Date(startedAt.getTime() + ms)
    assert.equal(report.dueInMs(at(0)), leaseMs / 3)
    assert.ok(report.dueInMs(at(leaseMs / 3 + 1)) <= 0)
    report.log({
      id: randomUUID(),
      at: startedAt,
      seq: 1,
      type: 'order.created',
      ok: true,
      durationMs: 1,
      errorClass: null,
      document: '{}',
    })
    assert.equal(report.dueInMs(at(40)), 60)
    const writing = report.renew(state, at(100))
    assert.equal(report.dueInMs(at(leaseMs)), Infinity)
    assert.ok(await writing)
    assert.equal(report.dueInMs(at(200)), leaseMs / 3 - 100)
  })

  test('that the database refuses is the last one, and is reported as a failure', async () => {
    const { report, webhook, events } = await reportOf()
    const failed = keepEvents(events, 'failed')
    report.setAside(item(1, { resourceId: 'not a uuid' }))
    assert.equal(await report.renew(state, new Date()), false)
    assert.ok(report.hasFailed)
    assert.equal(report.dueInMs(new Date()), Infinity)
    assert.deepEqual(
      failed.map(({ work, webhookId }) => [work, webhookId]),
      [['report', webhook.id]],
    )
  })
})
