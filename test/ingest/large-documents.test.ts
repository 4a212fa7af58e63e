import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { idOf, itemOf, order, orderOf, reportOf, smallOrderOf } from '../support/records.ts'

const app = await startApp()

test('an order of 1,000 items is stored, read, listed and told whole', async () => {
  const items = Array.from({ length: 1_000 }, (_, n) => itemOf(n))
  const large = orderOf(app.location, 1, { items, total: 11_000, totalTax: 1_000 })
  const { status, json } = await app.push([order(large), order(smallOrderOf(app.location, 2))])
  assert.deepEqual([status, json.accepted], [200, 2], JSON.stringify(json).slice(0, 500))
  const read = await app.get(`/v1/orders/${large.id}`)
  assert.deepEqual(read.json, large)
  assert.equal((await app.get('/v1/orders/')).json.data.length, 2)
  const { data } = (await app.get('/v1/events/?types=order.created')).json
  const [event] = data.filter(({ data: of }: { data: { id: string } }) => of.id === large.id)
  assert.deepEqual(event.data, large)
  // What receivers take by default, with room to spare.
  assert.ok(Buffer.byteLength(JSON.stringify(event)) < 1024 * 1024)
})

test('a Z report of 8,000 orders and 1,500 products is stored, read and reconciled', async () => {
  const site = await app.addLocation()
  const orders = Array.from({ length: 8_000 }, (_, n) => idOf('order', n))
  const base = reportOf(site.id, 1)
  const [product] = base.reportProducts
  assert.ok(product)
  const reportProducts = Array.from({ length: 1_500 }, (_, n) => ({
    ...product,
    productName: `Plat ${n}`,
    productCatalogId: idOf('product', n),
  }))
  const large = { ...base, orders, reportProducts }
  const { status, json } = await app.push([{ type: 'report', data: large }], { key: site.key })
  assert.deepEqual([status, json.accepted], [200, 1], JSON.stringify(json).slice(0, 500))
  assert.deepEqual((await app.get(`/v1/reports/${large.id}`, { key: site.key })).json, large)
  const found = await app.get(`/v1/reports/${large.id}/reconciliation`, { key: site.key })
  assert.equal(found.status, 200, found.text.slice(0, 500))
})
