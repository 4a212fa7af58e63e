import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPool, transact } from '../../src/store/db/database.ts'
import { startApp } from '../support/app.ts'
import { atEnd } from '../support/database.ts'
import { idOf, order, orderOf } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'

const app = await startApp()
/** Apart from the connections that pushes may use up. */
const others = openPool(app.pool.from, { connections: 2, pipelining: true })
atEnd(() => others.end({ timeout: 1 }))

test('warnings of pushes that end together are kept by one statement at a time, and none is lost', async () => {
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
