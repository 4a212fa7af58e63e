import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { openPool, transact } from '../../../../src/core/store/db/database.ts'
import { ingestLines } from '../../../../src/core/ingest/receive/ingest.ts'
import { RejectedPruner } from '../../../../src/core/ingest/receive/rejected-pruner.ts'
import { Warner } from '../../../../src/modules/warnings/ingest/warner.ts'
import { listRejected } from '../../../../src/core/store/pushes/rejected.ts'
import { startApp } from '../../../support/app.ts'
import { atEnd } from '../../../support/database.ts'
import { idOf, linesOf, order, orderOf } from '../../../support/records.ts'
import { eventually } from '../../../support/waiting.ts'

/** The clock is set to soon after the times in the records, so that none is so old that it causes a warning. */
let nowMs = Date.parse('2026-03-20T12:00:00.000Z')
/** Advances at each call: no two warnings of different pushes have the same time. */
const clock = () => new Date((nowMs += 1))
const app = await startApp({ clock })
/** A separate pool, because pushes may use up the connections of the app. */
const others = openPool(app.pool.from, { connections: 2, pipelining: true })
atEnd(() => others.end({ timeout: 1 }))

test('warnings of pushes that end together are stored by one statement at a time, and none is lost', async () => {
  const { id, key } = await app.addLocation()
  const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = transact(others, async (tx) => {
    await tx`lock table ingest_warnings in exclusive mode`
    locked.resolve()
    await held.promise
  })
  await locked.promise
  const waiting = async () => {
    const sessions = await others`
      select query from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    return sessions.filter(({ query }) => /ingest_warnings/.test(query)).length
  }
  const stored = async () => (await others`select 1 from journal where location_id = ${id}`).length
  const count = 12
  const pushes = Array.from({ length: count }, (_, n) => app.push([order(orderOf(id, n + 1, { total: 99 }))], { key }))
  const isWaiting = async () => (await stored()) === count && (await waiting()) > 0
  const atOnce = await eventually(isWaiting, 'all are stored, and warnings wait').then(waiting).finally(held.resolve)
  await holding
  assert.equal(atOnce, 1)
  for (const { status, json } of await Promise.all(pushes)) assert.deepEqual([status, json.warned], [200, 1])
  const kept = (await app.get('/v1/ingest/warnings/?limit=1000', { key })).json.data as { id: string }[]
  const expected = Array.from({ length: count }, (_, n) => idOf('order', n + 1)).flatMap((one) => [one, one])
  assert.deepEqual(kept.map((one) => one.id).toSorted(), expected.toSorted())
})

/** Returns a function that pushes a record as a process that keeps `noticesKept` notices would. */
function pusher(noticesKept: number, locationId: string) {
  const onFailed = (error: unknown) => assert.fail(String(error))
  const notices = { noticesKept, noticeDays: 30, onFailed }
  const warner = new Warner(app.pool, clock, notices)
  const rejected = new RejectedPruner(app.pool, clock, notices)
  return (record: object) => {
    const body = Readable.from([Buffer.from(linesOf([record]))])
    return ingestLines(app.context.writer, { locationId, keyId: null }, body, { warner, rejected })
  }
}

test('the latest warnings are listed, and older ones are deleted in groups, before there are half as many again', async () => {
  const noticesKept = 10
  const { limits } = app.context
  const few = await startApp({ database: app.database, limits: { ...limits, noticesKept }, clock })
  const { id, key } = await few.addLocation()
  const stored = async () => (await few.pool`select 1 from ingest_warnings where location_id = ${id}`).length
  const listed = async () => {
    const warnings: { id: string }[] = []
    for (let next: string | null = ''; next !== null;) {
      const page = await few.get(`/v1/ingest/warnings/?limit=3${next && `&cursor=${next}`}`, { key })
      warnings.push(...page.json.data)
      next = page.json.meta.next as string | null
    }
    return warnings.map((one) => one.id)
  }
  const sizes: number[] = []
  const push = async (by: ReturnType<typeof pusher>, n: number) => {
    assert.equal((await by(order(orderOf(id, n, { total: 99 })))).warned, 1)
    sizes.push(await stored())
    // Two warnings for each of the newest five orders.
    const newest = Array.from({ length: Math.min(n, 5) }, (_, i) => idOf('order', n - i))
    assert.deepEqual(
      await listed(),
      newest.flatMap((one) => [one, one]),
    )
  }
  const first = pusher(noticesKept, id)
  for (let n = 1; n <= 20; n++) await push(first, n)
  const most = Math.max(...sizes)
  assert.ok(most > noticesKept && most <= 1.5 * noticesKept, `there are ${sizes.join(', ')}`)
  // A new process does not know how many warnings are stored.
  await push(first, 21)
  await push(pusher(noticesKept, id), 22)
  assert.equal(sizes.at(-1), noticesKept)
})

test('records that are rejected during storage are among the stored rejected records', async () => {
  const { id } = await app.addLocation()
  const push = pusher(1, id)
  const named = { source: 'square', externalLocationId: 'L1', externalOrderId: 'A1' }
  assert.equal((await push(order(orderOf(id, 1, named)))).accepted, 1)
  for (const n of [2, 3]) assert.equal((await push(order(orderOf(id, n, named)))).rejected, 1)
  const kept = await listRejected(app.pool, id, 10)
  assert.deepEqual(
    kept.map(({ code, record }) => [code, JSON.parse(record).data.id]),
    [['external_id_taken', idOf('order', 3)]],
  )
})
