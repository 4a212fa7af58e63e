import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Order } from '../../../src/core/contract/orders/schema.ts'
import { findFiguresFault } from '../../../src/modules/operations/projections/verify.ts'
import { startApp } from '../../support/app.ts'
import { order, orderOf } from '../../support/records.ts'

const app = await startApp()

const paidOrder = (location: string, n: number, changes: Partial<Order> = {}) => {
  const whole = orderOf(location, n, { closedAt: '2026-03-14T19:00:00.000Z', ...changes })
  return order({ ...whole, payments: [{ ...whole.payments[0]!, paymentAmount: whole.total }] })
}

const eventsOf = async (key: string) =>
  (await app.get('/v1/events/?after=0', { key })).json.data.map(({ type }: { type: string }) => type)

test('historical records are stored, journaled and counted in figures without events, in short pushes and long', async () => {
  for (const count of [1, 400]) {
    const site = await app.addLocation()
    await app.store([paidOrder(site.id, 9_000)], site.key)
    const before = await eventsOf(site.key)
    const records = Array.from({ length: count }, (_, n) => paidOrder(site.id, n + 1))
    const headers = { 'content-type': 'application/x-ndjson' }
    const body = records.map((record) => JSON.stringify(record)).join('\n')
    const { json } = await app.request('POST', '/v1/ingest/?history=true', { key: site.key, headers, body })
    assert.equal(json.accepted, count)
    assert.deepEqual(await eventsOf(site.key), before)
    const { totals } = (await app.get('/v1/sales/?since=2026-03-14', { key: site.key })).json
    assert.equal(totals.orders, count + 1)
    const [first] = records as { data: Order }[]
    const id = first?.data.id
    assert.equal((await app.get(`/v1/orders/${id}/history`, { key: site.key })).json.length, 1)
    assert.equal(await findFiguresFault(app.context.pool, site.id, new Date()), undefined)
  }
})

test('a later record without history=true has events', async () => {
  const site = await app.addLocation()
  const first = paidOrder(site.id, 1)
  const headers = { 'content-type': 'application/x-ndjson' }
  await app.request('POST', '/v1/ingest/?history=true', { key: site.key, headers, body: JSON.stringify(first) })
  const later = order({ ...(first.data as Order), updatedAt: '2026-12-01T00:00:00.000Z', guests: 9 })
  await app.store([later], site.key)
  assert.deepEqual(await eventsOf(site.key), ['order.updated', 'order.paid'])
})
