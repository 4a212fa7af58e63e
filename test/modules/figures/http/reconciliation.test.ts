import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Compile } from 'typebox/compile'
import { formulas } from '../../../../src/modules/figures/domain/reconciled-figures.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import { Reconciliation } from '../../../../src/modules/figures/schemas/reconciliation.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import { createRestaurant } from '../../../../simulator/restaurant.ts'
import { sampleRecords } from '../../../../simulator/simulation.ts'
import { startApp, type Answer } from '../../../support/app.ts'
import { order, report } from '../../../support/records.ts'

const app = await startApp()
const check = Compile(Reconciliation)

/** One week of the simulated restaurant, from which the tests below take their reports. */
const until = new Date('2026-03-02T12:00:00.000Z')
const week = [
  ...sampleRecords(createRestaurant({ seed: 'books', locationId: app.location, ordersPerDay: 25 }), 7, until),
]
const reports = week.filter((record) => record.type === 'report').map((record) => record.data as Report)
const orders = week.filter((record) => record.type === 'order').map((record) => record.data as Order)

const pathOf = (id: string) => `/v1/reports/${id}/reconciliation`

function read(answer: Answer): Reconciliation {
  assert.equal(answer.status, 200, answer.text)
  if (!check.Check(answer.json)) assert.fail(JSON.stringify(check.Errors(answer.json).slice(0, 3)))
  return answer.json
}

const reconciliationOf = async (id: string, query = '') => read(await app.get(pathOf(id) + query))

const noneOf = (reconciliation: Reconciliation) => {
  const { counted: _, canceled: _canceled, training: _training, ...rest } = reconciliation.orders
  return Object.values(rest).flat()
}

/** Creates a location with the first report of the week and its orders, with changes. Also returns a push to it. */
async function siteWithReport(changes: { report?: Partial<Report>; orders?: (orders: Order[]) => Order[] } = {}) {
  const { id: locationId, key } = await app.addLocation()
  const [first] = reports
  assert.ok(first)
  const own = orders.filter(({ reportId }) => reportId === first.id).map((one) => ({ ...one, locationId }))
  const stated = { ...first, locationId, ...changes.report }
  await app.store([...(changes.orders?.(own) ?? own).map(order), report(stated)], key)
  const reconciled = async () => read(await app.get(pathOf(stated.id), { key }))
  return { key, report: stated, orders: own, reconciled }
}

test('every report of a simulated week is balanced, with every order it names counted or listed separately', async () => {
  await app.store(week)
  assert.equal(reports.length, 7)
  for (const { id, reportNumber, totalSales, orders: named } of reports) {
    const answer = await reconciliationOf(id)
    assert.deepEqual([answer.reportId, answer.reportNumber, answer.balanced], [id, reportNumber, true])
    assert.deepEqual([answer.differences, noneOf(answer)], [[], []])
    const sales = answer.figures.find(({ figure }) => figure === 'sales')
    assert.deepEqual([sales?.reported, sales?.computed, sales?.difference], [totalSales, totalSales, 0])
    const { counted, canceled, training } = answer.orders
    assert.deepEqual([...counted, ...canceled, ...training].toSorted(), named.toSorted())
    const shown = new Set(answer.figures.map(({ figure }) => figure))
    for (const name of ['guests', 'productSales', 'taxAmount', 'payments', 'openingFloat', 'cash'] as const) {
      assert.ok(shown.has(name), name)
    }
  }
})

test('a report that is off by ten cents is not balanced: the figure, the formula and the orders are named', async () => {
  const [first] = reports
  assert.ok(first)
  const site = await siteWithReport({ report: { totalSales: first.totalSales + 10 } })
  const answer = await site.reconciled()
  assert.equal(answer.balanced, false)
  assert.deepEqual(answer.differences, [
    {
      figure: 'sales',
      key: null,
      name: null,
      reported: first.totalSales + 10,
      computed: first.totalSales,
      difference: 10,
      formula: formulas.sales,
      orderIds: answer.orders.counted,
    },
  ])
})

test('with only=differences matching figures and counted orders are left out, and the verdict stays', async () => {
  const [first] = reports
  assert.ok(first)
  const {
    report: stated,
    key,
    reconciled,
  } = await siteWithReport({
    report: { totalSales: first.totalSales + 10 },
  })
  const whole = await reconciled()
  const short = read(await app.get(`${pathOf(stated.id)}?only=differences`, { key }))
  assert.deepEqual(
    short.figures.map(({ figure }) => figure),
    ['sales'],
  )
  const { figures: _figures, orders: _orders, ...verdict } = whole
  assert.deepEqual(short, {
    ...verdict,
    figures: short.figures,
    orders: { ...whole.orders, counted: [], canceled: [], training: [] },
  })
  assert.ok(whole.figures.length > 5 && whole.orders.counted.length > 0)
  assert.equal((await app.get(`${pathOf(stated.id)}?only=all`, { key })).status, 400)
})

test('an order that never arrived is missing until it does', async () => {
  const site = await siteWithReport({ orders: ([, ...others]) => others })
  const [late] = site.orders
  assert.ok(late)
  const before = await site.reconciled()
  assert.deepEqual([before.balanced, before.orders.missing], [false, [late.id]])
  assert.ok(before.differences.length > 0)
  await app.store([order(late)], site.key)
  const after = await site.reconciled()
  assert.deepEqual([after.balanced, after.orders.missing], [true, []])
})

test('orders that changed after the report was accepted are listed with both versions; late ones are not', async () => {
  const site = await siteWithReport()
  assert.deepEqual((await site.reconciled()).changed, [])
  const [first, second] = site.orders.filter(
    ({ isCanceled, isTraining, closedAt }) => closedAt && !isCanceled && !isTraining,
  )
  assert.ok(first && second)
  const gone = {
    ...first,
    isCanceled: true,
    operatorName: 'Bo',
    total: 0,
    payments: [],
    updatedAt: until.toISOString(),
  }
  const late = { ...second, id: '0a0a0a0a-0000-4000-8000-00000000fffe' }
  await app.store([order(gone), order(late)], site.key)
  // All versions of the order in the journal.
  const history = (await app.get(`/v1/orders/${first.id}/history`, { key: site.key })).json as any[]
  const sent = ({ sequence, timestamp, data }: any) => ({
    sequence,
    acceptedAt: timestamp,
    deviceId: data.deviceId,
    operatorName: data.operatorName,
  })
  assert.deepEqual((await site.reconciled()).changed, [
    {
      orderId: first.id,
      orderNumber: first.orderNumber,
      operatorName: 'Bo',
      changedAt: history.at(-1).timestamp,
      before: Math.round(first.total * 100),
      now: null,
      versions: { before: sent(history.at(-2)), now: sent(history.at(-1)) },
    },
  ])
})

test('an order with the id of the report that the report does not name is extra, and one of another report is elsewhere', async () => {
  const site = await siteWithReport()
  const [first, second] = site.orders
  const [, other] = reports
  assert.ok(first && second && other)
  const extra = { ...first, id: '0a0a0a0a-0000-4000-8000-00000000ffff' }
  const moved = { ...second, reportId: other.id, updatedAt: '2026-03-02T12:00:00.000Z' }
  await app.store([order(extra), order(moved)], site.key)
  const answer = await site.reconciled()
  assert.deepEqual([answer.orders.extra, answer.orders.elsewhere], [[extra.id], [moved.id]])
  assert.deepEqual([answer.balanced, answer.differences], [false, []])
})

test('an open, canceled or training order is listed separately and not added up', async () => {
  const site = await siteWithReport()
  const sold = site.orders.filter(({ isCanceled, total }) => !isCanceled && total > 0)
  const [open, canceled, training] = sold
  assert.ok(open && canceled && training)
  const updatedAt = '2026-03-02T12:00:00.000Z'
  const changed = [
    { ...open, updatedAt, closedAt: null },
    { ...canceled, updatedAt, isCanceled: true },
    { ...training, updatedAt, isTraining: true },
  ]
  await app.store(changed.map(order), site.key)
  const answer = await site.reconciled()
  assert.deepEqual(answer.orders.open, [open.id])
  assert.ok(answer.orders.canceled.includes(canceled.id))
  assert.deepEqual(answer.orders.training, [training.id])
  const sales = answer.differences.find(({ figure }) => figure === 'sales')
  const cents = [open, canceled, training].reduce((sum, { total }) => sum + Math.round(total * 100), 0)
  assert.equal(sales?.difference, cents)
})

test('an id matches in either case, in the path, in the report and in its orders', async () => {
  const { id: locationId, key } = await app.addLocation()
  const [first] = reports
  assert.ok(first)
  const own = orders.filter(({ reportId }) => reportId === first.id)
  const loud = own.map((one) => {
    const items = one.items.map((item) => ({ ...item, itemCatalogId: item.itemCatalogId.toUpperCase() }))
    return { ...one, locationId, items, id: one.id.toUpperCase(), reportId: first.id.toUpperCase() }
  })
  const reportDiscounts = first.reportDiscounts.map((row) => {
    return { ...row, discountCatalogId: row.discountCatalogId.toUpperCase() }
  })
  const quiet = { ...first, locationId, reportDiscounts }
  await app.store([...loud.map(order), report(quiet)], key)
  const answer = read(await app.get(pathOf(first.id.toUpperCase()), { key }))
  assert.deepEqual([answer.balanced, answer.reportId], [true, first.id])
  assert.deepEqual([...answer.orders.counted, ...answer.orders.canceled].toSorted(), first.orders.toSorted())
})

test('the caller can name the payments that fill the drawer', async () => {
  const { id } = reports[0] as Report
  const cashOf = ({ figures }: Reconciliation) => figures.find(({ figure }) => figure === 'cash')
  const usual = cashOf(await reconciliationOf(id))
  const named = await reconciliationOf(id, `?cash=${encodeURIComponent('Espèces, Nothing else')}`)
  assert.deepEqual([cashOf(named), named.balanced], [usual, true])
  const none = await reconciliationOf(id, '?cash=Coquillages')
  assert.equal(none.balanced, false)
  assert.deepEqual(
    none.differences.map(({ figure, orderIds }) => [figure, orderIds]),
    [['cash', []]],
  )
})

test('the answer has an ETag that is valid until an order changes', async () => {
  const site = await siteWithReport()
  const path = pathOf(site.report.id)
  const { etag } = (await app.get(path, { key: site.key })).headers
  assert.ok(etag)
  const again = () => app.get(path, { key: site.key, headers: { 'if-none-match': etag } })
  assert.equal((await again()).status, 304)
  const sold = site.orders.find(({ isCanceled }) => !isCanceled)
  assert.ok(sold)
  await app.store([order({ ...sold, guests: sold.guests + 1, updatedAt: '2026-03-02T12:00:00.000Z' })], site.key)
  assert.equal((await again()).status, 200)
})

test('an invalid id or an unknown query parameter is refused with a pointer', async () => {
  for (const [path, pointer] of [
    [pathOf('42'), '/id'],
    [`${pathOf((reports[0] as Report).id)}?what=1`, '/what'],
  ] as const) {
    const answer = await app.get(path)
    assert.deepEqual([answer.status, answer.json.code], [400, 'validation_failed'])
    assert.equal(answer.json.errors[0].pointer, pointer)
  }
})

test('an unknown report, or one of another location, is 404', async () => {
  const { id } = reports[0] as Report
  const missing = await app.get(pathOf('0b0b0b0b-0000-4000-8000-00000000ffff'))
  const others = await app.get(pathOf(id), { key: app.other.key })
  for (const answer of [missing, others]) {
    assert.deepEqual([answer.status, answer.json.code], [404, 'report_not_found'])
  }
})

test('orders of another location never count, whatever they contain', async () => {
  const site = await siteWithReport({ orders: () => [] })
  const answer = await site.reconciled()
  assert.deepEqual(answer.orders.counted, [])
  assert.deepEqual(answer.orders.missing.toSorted(), site.report.orders.toSorted())
})

test('the reconciliation needs a key with the scope read', async () => {
  const path = pathOf((reports[0] as Report).id)
  assert.equal((await app.get(path, { key: null })).status, 401)
  assert.equal((await app.get(path, { key: app.keys.revoked })).status, 401)
  const ingestOnly = await app.get(path, { key: app.keys.ingest })
  assert.deepEqual([ingestOnly.status, ingestOnly.json.code], [403, 'scope_missing'])
})

const folder = process.env['TILLGATE_REAL_DATA'] ?? join(import.meta.dirname, '../../../../../shared/data')
const skip = !existsSync(folder) && 'the folder of real order data (TILLGATE_REAL_DATA) is not there'

test('reports of a real pizza shop are balanced over HTTP', { skip }, async () => {
  const { id: locationId, key } = await app.addLocation()
  const lines = gunzipSync(readFileSync(join(folder, 'pizza-2015.ndjson.gz')))
    .toString()
    .trimEnd()
    .split('\n')
  const records = lines
    .slice(0, 1200)
    .map((line) => JSON.parse(line) as { type: string; data: Record<string, unknown> })
  const own = records
    .filter(({ type }) => type === 'order' || type === 'report')
    .map(({ type, data }) => ({ type, data: { ...data, locationId } }))
  await app.store(own, key)
  const ids = own.filter(({ type }) => type === 'report').map(({ data }) => (data as unknown as Report).id)
  assert.ok(ids.length > 5)
  for (const id of ids) {
    const answer = read(await app.get(pathOf(id), { key }))
    assert.deepEqual([answer.balanced, answer.differences], [true, []])
  }
})
