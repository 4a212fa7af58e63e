import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Type } from 'typebox'
import { HistoryEntry } from '../../src/schemas/events.ts'
import { Order } from '../../src/schemas/orders.ts'
import { assertProblem, assertSchema, okay } from '../conformance/contract.ts'
import { startApp } from '../support/app.ts'
import { idOf, order, orderOf, timeOf, versionOf } from '../support/records.ts'

const app = await startApp()
const History = Type.Array(HistoryEntry)

const historyOf = (n: number, key: string) => app.get(`/v1/orders/${idOf('order', n)}/history`, { key })

describe('the history of an order', () => {
  test('is every version, oldest first, as it was, with the events it meant', async () => {
    const site = await app.addLocation()
    const open = orderOf(site.id, 1, { closedAt: null, payments: [] })
    const paid = orderOf(site.id, 1, { updatedAt: timeOf(2) })
    const canceled = orderOf(site.id, 1, { updatedAt: timeOf(3), isCanceled: true, cancelReason: 'Erreur' })
    await app.store([order(open), order(orderOf(site.id, 2))], site.key)
    await app.store([order(paid)], site.key)
    const between = (await app.get(`/v1/orders/${idOf('order', 1)}`, { key: site.key })).json
    await app.store([order(canceled)], site.key)
    const history = okay(await historyOf(1, site.key), History)
    assert.deepEqual(
      history.map(({ sequence, types }: { sequence: number; types: string[] }) => [sequence, types]),
      [
        [1, ['order.created']],
        [3, ['order.updated', 'order.paid']],
        [4, ['order.updated', 'order.canceled']],
      ],
    )
    for (const entry of history) {
      assert.deepEqual(Object.keys(entry), ['sequence', 'timestamp', 'types', 'data'])
      assertSchema(Order, entry.data)
    }
    assert.deepEqual(
      history.map(({ data }: { data: unknown }) => data),
      [open, between, canceled],
    )
  })

  test('shows versions that were pushed together, and no version twice', async () => {
    const site = await app.addLocation()
    const versions = Array.from({ length: 30 }, (_, v) => order(versionOf(site.id, 1, v + 1)))
    await app.store(versions, site.key)
    await app.push(versions, { key: site.key })
    const history = okay(await historyOf(1, site.key), History)
    assert.deepEqual(
      history.map(({ data }: { data: { guests: number } }) => data.guests),
      Array.from({ length: 30 }, (_, v) => v + 1),
    )
  })

  test('is of the latest 1,000 versions', async () => {
    const site = await app.addLocation()
    const versions = Array.from({ length: 1_020 }, (_, v) => order(versionOf(site.id, 1, v + 1)))
    await app.store(versions, site.key)
    const history = okay(await historyOf(1, site.key), History)
    assert.deepEqual([history.length, history[0].data.guests, history.at(-1).data.guests], [1_000, 21, 1_020])
  })

  test('has the versions of a training order, which mean nothing', async () => {
    const site = await app.addLocation()
    await app.store([order(orderOf(site.id, 1, { isTraining: true }))], site.key)
    assert.deepEqual(okay(await historyOf(1, site.key), History)[0].types, [])
  })

  test('is 404 for an order that is not there and for one of another location, 400 for an id that is none', async () => {
    const [site, stranger] = [await app.addLocation(), await app.addLocation()]
    await app.store([order(orderOf(stranger.id, 1))], stranger.key)
    for (const n of [1, 999]) assertProblem(await historyOf(n, site.key), { status: 404, code: 'order_not_found' })
    const wrong = await app.get('/v1/orders/42/history', { key: site.key })
    assertProblem(wrong, { status: 400, code: 'validation_failed', pointers: ['/id'] })
  })

  test('needs a key with the scope read', async () => {
    const path = `/v1/orders/${idOf('order', 1)}/history`
    assertProblem(await app.get(path, { key: null }), { status: 401, code: 'key_missing' })
    assertProblem(await app.get(path, { key: app.keys.webhooks }), { status: 403, code: 'scope_missing' })
  })
})
