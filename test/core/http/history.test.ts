import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Type } from 'typebox'
import { HistoryEntry } from '../../../src/core/schemas/events.ts'
import { CatalogVersionPage } from '../../../src/core/contract/catalog/schema.ts'
import { Order } from '../../../src/core/contract/orders/schema.ts'
import { assertProblem, assertSchema, okay } from '../conformance/contract.ts'
import { startApp } from '../../support/app.ts'
import { idOf, modifiers, order, orderOf, productsOf, timeOf, versionOf } from '../../support/records.ts'

const app = await startApp()
const History = Type.Array(HistoryEntry)

const historyOf = (n: number, key: string) => app.get(`/v1/orders/${idOf('order', n)}/history`, { key })

describe('the history of an order', () => {
  test('lists every version, oldest first, unchanged, with its events', async () => {
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

  test('lists versions that were pushed together, each once', async () => {
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

  test('is limited to the latest 1,000 versions', async () => {
    const site = await app.addLocation()
    const versions = Array.from({ length: 1_020 }, (_, v) => order(versionOf(site.id, 1, v + 1)))
    await app.store(versions, site.key)
    const history = okay(await historyOf(1, site.key), History)
    assert.deepEqual([history.length, history[0].data.guests, history.at(-1).data.guests], [1_000, 21, 1_020])
  })

  test('lists the versions of a training order, which have no events', async () => {
    const site = await app.addLocation()
    await app.store([order(orderOf(site.id, 1, { isTraining: true }))], site.key)
    assert.deepEqual(okay(await historyOf(1, site.key), History)[0].types, [])
  })

  test('is 404 for an unknown order or one of another location, 400 for an invalid id', async () => {
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

describe('the changes of the catalog', () => {
  const changesOf = async (key: string, query = '') =>
    okay(await app.get(`/v1/catalog/changes/${query}`, { key }), CatalogVersionPage)

  test('compare each version of a list with the one before, newest first, and name prices', async () => {
    const site = await app.addLocation()
    const push = (type: string, data: unknown) => app.store([{ type: `catalog.${type}`, data }], site.key)
    assert.deepEqual(await changesOf(site.key), { data: [], meta: { next: null } })
    const [first, second] = productsOf()
    await push('products', [first, second])
    await push('modifiers', modifiers)
    const [price] = first?.priceList ?? []
    const takeaway = { ...price, priceTypeId: 2, priceTypeName: 'À emporter', unitPrice: 1100 }
    // The order of the prices changes, which does not count as a change.
    await push('products', [{ ...first, priceList: [takeaway, { ...price, unitPrice: 1300 }] }, productsOf(3)[2]])
    await push('products', [{ ...first, name: 'Plat du jour', priceList: [{ ...price, unitPrice: 1300 }, takeaway] }])
    const { data, meta } = await changesOf(site.key)
    assert.equal(meta.next, null)
    assert.deepEqual(
      data.map(({ sequence, added, changed, removed }: any) => [sequence, added, changed, removed]),
      [
        [4, 0, 1, 1],
        [3, 1, 1, 1],
        [1, 2, 0, 0],
      ],
    )
    assert.deepEqual(data[0].changes, [
      {
        kind: 'changed',
        id: idOf('product', 1),
        name: 'Plat du jour',
        fields: [{ field: 'name', of: null, before: 'Plat 1', after: 'Plat du jour' }],
      },
      { kind: 'removed', id: idOf('product', 3), name: 'Plat 3', fields: [] },
    ])
    assert.deepEqual(data[1].changes[0].fields, [
      { field: 'priceList.unitPrice', of: 'Sur place', before: '1250', after: '1300' },
      { field: 'priceList', of: 'À emporter', before: null, after: JSON.stringify(takeaway) },
    ])
    const groups = await changesOf(site.key, '?list=modifiers')
    assert.deepEqual(
      groups.data.map(({ sequence, added }: any) => [sequence, added]),
      [[2, modifiers.length]],
    )
    assert.deepEqual(await changesOf(app.other.key), { data: [], meta: { next: null } })
  })

  test('are paged, show 200 changes of a version and count all', async () => {
    const site = await app.addLocation()
    for (const count of [1, 2, 250]) {
      await app.store([{ type: 'catalog.products', data: productsOf(count) }], site.key)
    }
    await app.store([order(orderOf(site.id, 1))], site.key)
    const pages: any[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: any = await changesOf(site.key, `?size=1${cursor && `&cursor=${cursor}`}`)
      pages.push(...page.data.map(({ sequence, added, changes }: any) => [sequence, added, changes.length]))
      cursor = page.meta.next
      assert.ok(pages.length <= 3)
    }
    assert.deepEqual(pages, [
      [3, 248, 200],
      [2, 1, 1],
      [1, 1, 1],
    ])
    // Sequence 4 is that of an order, not of a version of the list.
    assert.deepEqual((await changesOf(site.key, '?cursor=4')).data, [])
    for (const query of ['cursor=x', 'cursor=0', 'list=orders', 'size=0']) {
      const answer = await app.get(`/v1/catalog/changes/?${query}`, { key: site.key })
      assertProblem(answer, { status: 400, code: 'validation_failed', pointers: [`/${query.split('=', 1)[0]}`] })
    }
    assertProblem(await app.get('/v1/catalog/changes/', { key: app.keys.ingest }), {
      status: 403,
      code: 'scope_missing',
    })
  })
})
