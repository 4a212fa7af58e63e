import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { EngineEvents } from '../../../src/core/delivery/engine-events.ts'
import { Housekeeping } from '../../../src/core/delivery/housekeeping.ts'
import { listWarnings, insertWarnings } from '../../../src/modules/warnings/store/ingest-warnings.ts'
import { listRejected, insertRejected } from '../../../src/core/store/pushes/rejected.ts'
import { getWebhook } from '../../../src/core/contract/webhooks/rows.ts'
import { startDelivery, type Registered } from '../../support/delivery.ts'
import { order, orderOf, idOf, timeOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'
import { dayMs } from '../../../src/core/domain/days/time-units.ts'
import { pruneNotices, type Retention } from '../../../src/core/store/db/retention.ts'
import { transact } from '../../../src/core/store/db/database.ts'

const site = await startDelivery()
const { app, forward } = site
const { pool } = app

const housekeeping = (events = new EngineEvents()) =>
  new Housekeeping({ pool, events, clock: app.context.clock, retentionMs: 30 * dayMs, noticeMs: 7 * dayMs })

/** Inserts attempts spread over the past `days`; `seq` 1 is the oldest. */
async function insertAttempts(webhook: Registered, count: number, days: number): Promise<void> {
  await pool`
    insert into webhook_attempts (location_id, webhook_id, at, id, seq, type, ok, document)
    select ${webhook.locationId}, ${webhook.id}, now() - make_interval(secs => ${days * 86_400} * (1 - seq::float8 / ${count})),
      gen_random_uuid(), seq, 'order.paid', true, '{}'
    from generate_series(1, ${count}) as seq`
}

async function range({ id }: Registered) {
  const [row] = await pool`
    select count(*) as count, min(seq) as first, max(seq) as last from webhook_attempts where webhook_id = ${id}`
  return row
}

const register = async () => {
  const place = await app.addLocation()
  return { place, webhook: await site.register(['order.paid'], place) }
}

test('attempts are deleted after 30 days, except the last 10,000 of each webhook', async () => {
  const [{ webhook: old }, { webhook: busy }, { webhook: other }] = [
    await register(),
    await register(),
    await register(),
  ]
  await insertAttempts(old, 60, 60)
  await insertAttempts(busy, 10_050, 1)
  await insertAttempts(other, 10_000, 1)
  await housekeeping().run()
  const kept = await range(old)
  assert.ok(kept?.['last'] === 60 && Math.abs(Number(kept['count']) - 30) <= 1, JSON.stringify(kept))
  assert.deepEqual(await range(busy), { count: 10_000, first: 51, last: 10_050 })
  assert.deepEqual(await range(other), { count: 10_000, first: 1, last: 10_000 })
})

test('a webhook with very many attempts is cleaned up at once, not after an hour', async () => {
  const { place, webhook } = await register()
  const events = new EngineEvents()
  const keeping = housekeeping(events)
  await keeping.run()
  await insertAttempts(webhook, 10_010, 1)
  const about = { locationId: place.id, webhookId: webhook.id, cursor: 0, durationMs: 1 }
  events.emit('reported', { ...about, attempts: 4_999 })
  await keeping.run()
  assert.equal((await range(webhook))?.['count'], 10_010)
  events.emit('reported', { ...about, attempts: 1 })
  await keeping.run()
  assert.deepEqual(await range(webhook), { count: 10_000, first: 11, last: 10_010 })
})

test('a previous secret is deleted after its 24 hours, and not before', async () => {
  const { place, webhook } = await register()
  const rotated = await app.request('POST', `/v1/webhooks/${webhook.id}/secret/rotate`, { key: place.key })
  assert.equal(rotated.status, 200)
  await housekeeping().run()
  assert.equal((await getWebhook(pool, place.id, webhook.id)).previousSecret, webhook.secret)
  forward(dayMs)
  await housekeeping().run()
  const { secret, previousSecret, previousSecretUntil } = await getWebhook(pool, place.id, webhook.id)
  assert.deepEqual([secret, previousSecret, previousSecretUntil], [rotated.json.secret, null, null])
})

test('failures are reported, and the work is retried later', async () => {
  const events = new EngineEvents()
  const failed: string[] = []
  events.on('failed', ({ work }) => void failed.push(work))
  await pool`alter table webhook_attempts rename to moved_away`
  await housekeeping(events).run()
  await pool`alter table moved_away rename to webhook_attempts`
  assert.deepEqual(failed, ['prune'])
})

test('the id of a deleted webhook causes no error', async () => {
  const events = new EngineEvents()
  const failed: unknown[] = []
  events.on('failed', (failure) => void failed.push(failure))
  const keeping = housekeeping(events)
  events.emit('reported', {
    locationId: randomUUID(),
    webhookId: randomUUID(),
    cursor: 0,
    durationMs: 1,
    attempts: 9_000,
  })
  await keeping.run()
  assert.deepEqual(failed, [])
})

test('rejected records and warnings are deleted after their days, also at a location whose tills no longer push', async () => {
  const { id, key } = await app.addLocation()
  const bad = { type: 'order', data: {} }
  await app.push([order(orderOf(id, 1, { total: 99 })), bad], { key })
  const count = async () => [(await listRejected(pool, id, 10)).length, (await listWarnings(pool, id, 10)).length > 0]
  const keeping = housekeeping()
  await keeping.run()
  assert.deepEqual(await count(), [1, true])
  forward(7 * dayMs + 60_000)
  await keeping.run()
  assert.deepEqual(await count(), [0, false])
})

test('the latest rejected records and warnings are kept, and none too long', async () => {
  const { id } = await app.addLocation()
  const { id: neighbour } = await app.addLocation()
  const at = (n: number) => new Date(timeOf(n))
  for (const location of [id, neighbour]) {
    for (let n = 0; n < 10; n++) {
      const common = { id: idOf('order', n), receivedAt: at(n), keyId: null, line: n, detail: '' }
      await insertRejected(app.pool, location, [{ ...common, code: 'x', errors: '[]', record: '' }])
      const what = { type: 'order', resourceId: common.id, pointer: '', code: 'total_mismatch' } as const
      await insertWarnings(app.pool, location, [{ ...common, ...what }])
    }
  }
  const left = async (location = id) => [
    (await listRejected(app.pool, location, 100)).map(({ line }) => line),
    (await listWarnings(app.pool, location, 100)).map(({ line }) => line),
  ]
  const prune = async (retention: Retention) => {
    for (const table of ['rejected_records', 'ingest_warnings'] as const)
      await pruneNotices(app.pool, table, id, retention)
  }
  await prune({ latest: 6, before: at(0) })
  assert.deepEqual(await left(), [
    [9, 8, 7, 6, 5, 4],
    [9, 8, 7, 6, 5, 4],
  ])
  await prune({ latest: 6, before: at(8) })
  assert.deepEqual(await left(), [
    [9, 8],
    [9, 8],
  ])
  assert.equal((await left(neighbour))[0]?.length, 10)
})

test('rejected records and warnings are locked oldest first, so that two processes do not block each other', async () => {
  const { id } = await app.addLocation()
  // The warnings were not written in the order of their times.
  for (const n of [3, 1, 2, 4]) {
    const common = { id: idOf('order', n), receivedAt: new Date(timeOf(n)), keyId: null, line: n, detail: '' }
    const what = { type: 'order', resourceId: common.id, pointer: '', code: 'total_mismatch' } as const
    await insertWarnings(pool, id, [{ ...common, ...what }])
  }
  let pruning: Promise<void> | undefined
  await transact(pool, async (tx) => {
    const lock = (n: number) => tx`
      select 1 from ingest_warnings where location_id = ${id} and id = ${idOf('order', n)} for update nowait`
    await lock(1)
    pruning = pruneNotices(pool, 'ingest_warnings', id, { latest: 1, before: new Date(timeOf(0)) })
    // On Citus the statement waits on the node that holds the rows, and here for its response.
    const isAtIt = async () =>
      (await pool`select query from pg_stat_activity where state = 'active'`).some(({ query }) =>
        /delete from .?ingest_warnings/.test(query),
      )
    await eventually(isAtIt, 'it is at the warnings')
    for (const n of [2, 3]) await lock(n)
  })
  await pruning
  const left = await listWarnings(pool, id, 10)
  assert.deepEqual(
    left.map(({ line }) => line),
    [4],
  )
})

test('a push with more rejected records than the limit keeps as many as the limit, although all have one time', async () => {
  const { id } = await app.addLocation()
  const rejected = Array.from({ length: 10 }, (_, n) => {
    const fields = { keyId: null, line: n, detail: '', code: 'x', errors: '[]', record: '' }
    return { ...fields, id: idOf('order', n), receivedAt: new Date(timeOf(1)) }
  })
  await insertRejected(app.pool, id, rejected)
  const before = new Date(timeOf(0))
  for (const latest of [6, 6, 1]) {
    await pruneNotices(app.pool, 'rejected_records', id, { latest, before })
    const left = (await listRejected(app.pool, id, 100)).map(({ line }) => line)
    assert.deepEqual(left, [0, 1, 2, 3, 4, 5].slice(0, latest))
  }
})
