import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import { startApp } from '../../../support/app.ts'
import { card, dish, foldAll, soldOn, zOn } from '../../../support/books-site.ts'
import { idOf, order, report } from '../../../support/records.ts'

const app = await startApp({ clock: () => new Date('2026-03-31T12:00:00.000Z') })

const paid = (amount: number) => [{ ...card, paymentAmount: amount }]
const range = 'since=2026-03-02&until=2026-03-02'

/** Stores orders of 2 March and their Z, and reads sales, products, check and entry. */
async function read(made: (siteId: { id: string }) => Partial<Order>[], totalSales: number, tax: number) {
  const site = await app.addLocation()
  const orders = made(site).map((changes, i) => soldOn(site, 2, i + 1, changes))
  const counted = orders.filter(({ payments }) => payments.length > 0)
  const z = report(
    zOn(site, 2, counted, {
      totalSales,
      orders: orders.map(({ id }) => id),
      reportProducts: [],
      reportTaxes: [{ taxName: 'T', taxRate: 1000, taxAmount: tax, taxableAmount: totalSales - tax }],
    }),
  )
  await app.store([...orders.map(order), z], site.key)
  await foldAll(app, site)
  const { key } = site
  const sales = (await app.get(`/v1/sales/?${range}`, { key })).json
  const products = (await app.get(`/v1/sales/?${range}&by=product`, { key })).json
  const checks = (await app.get(`/v1/reports/checks/?${range}`, { key })).json
  const entries = (await app.get(`/v1/books/entries/?${range}`, { key })).json
  const listed = (
    await app.get(`/v1/orders/?isCounted=true&closedSince=2026-03-02&closedUntil=2026-03-02&size=100`, { key })
  ).json
  return { sales, products, checks, entries, listed }
}

test('a sale transferred to another order counts once, in figures, Z, books and the list', async () => {
  const items = [dish(1, 30, 2.73)]
  const all = { items, total: 30, totalTax: 2.73 }
  const found = await read(
    () => [
      { ...all, isTransferred: true, transferReason: 'Table 4 → 7', payments: [] },
      { ...all, payments: paid(30) },
    ],
    3000,
    273,
  )
  assert.equal(found.sales.totals.salesInclTax, 3000)
  assert.equal(found.sales.totals.tax, 273)
  assert.equal(found.checks.data[0].verdict, 'balanced', JSON.stringify(found.checks.data[0]))
  assert.deepEqual([found.entries.refused, found.entries.data[0].totals.debit], [[], 3000])
  assert.equal(found.listed.meta.totalCount, 1)
})

test('an order that moves to another table counts, and its payments are checked', async () => {
  const found = await read(() => [{ isTransferred: true, transferReason: 'Table 4 → 7' }], 1100, 100)
  assert.equal(found.sales.totals.salesInclTax, 1100)
  const site = await app.addLocation()
  const short = soldOn(site, 2, 1, { isTransferred: true, payments: paid(5) })
  const answer = await app.store([order(short)], site.key)
  assert.deepEqual(
    (answer as any).results[0].warnings.map(({ code }: { code: string }) => code),
    ['payments_mismatch'],
  )
})

test('transferred items count in the other order only', async () => {
  const moved = (n: number) => dish(n, 33, 3, { isTransferred: true, itemCatalogId: idOf('product', 2) })
  const found = await read(
    () => [
      { items: [dish(1, 5, 0.45), moved(2)], total: 5, totalTax: 0.45, payments: paid(5) },
      { items: [moved(1)], total: 33, totalTax: 3, payments: paid(33) },
    ],
    3800,
    345,
  )
  const sum = found.products.data.reduce(
    (all: number, { salesInclTax }: { salesInclTax: number }) => all + salesInclTax,
    0,
  )
  assert.deepEqual([found.sales.totals.salesInclTax, sum], [3800, 3800])
  assert.equal(found.checks.data[0].differences, 0)
})

test('a list has as many orders as its figure even with transferred items: by product, category and tax', async () => {
  const site = await app.addLocation()
  const of = (n: number, total: number, taxRate: number, more: object = {}) =>
    dish(n, total, 0, {
      category: `Rayon ${n}`,
      tax: { taxName: `T ${taxRate}`, taxRate, taxAmount: 0, taxCatalogId: idOf('tax', n) },
      ...more,
    })
  const moved = { isTransferred: true, transferReason: 'Table 4 → 7' }
  const unstated = { taxName: 'No tax', taxRate: 0, taxAmount: 0, taxCatalogId: idOf('tax', 9), isStated: false }
  const orders = [
    // Moved away: the total is the sum of the other items; one moved item is canceled, and one is a loss.
    [
      [
        of(1, 5.25, 0.1),
        of(2, 33, 0.2, moved),
        of(3, 7, 0.055, { isCanceled: true }),
        of(3, 8, 0.055, { isLoss: true }),
      ],
      5.25,
    ],
    // Transferred here: the item is included in the total.
    [[of(2, 33, 0.2, moved)], 33],
    // Everything was transferred away.
    [[of(4, 12, 0.021, moved)], 0],
    // First an order whose total equals neither sum, so all items count; then one whose total equals both sums.
    [[of(1, 5, 0.1), of(5, 4, 0.085, moved)], 7],
    [[of(1, 5, 0.1), of(6, 0, 0.13, moved)], 5],
    // A sum with more than four decimals.
    [[of(1, 0.1, 0.1), of(1, 0.2, 0.1), of(7, 1.00005, 0.07, moved)], 0.3],
    // A voucher that was transferred away, and an item without a stated tax, once transferred away and once here.
    [[of(1, 5, 0.1), of(8, 50, 0, { ...moved, kind: 'voucher' }), of(9, 3, 0, { ...moved, tax: unstated })], 5],
    [[of(1, 5, 0.1), of(9, 3, 0, { ...moved, tax: unstated })], 8],
  ].map(([items, total], i) =>
    soldOn(site, 2, i + 1, { items, total, totalTax: 0, payments: paid(total as number) } as Partial<Order>),
  )
  await app.store(orders.map(order), site.key)
  await foldAll(app, site)
  const { key } = site
  const day = 'closedSince=2026-03-02&closedUntil=2026-03-02&isCounted=true'
  const listed = async (filter: string) => (await app.get(`/v1/orders/?${day}&${filter}`, { key })).json.meta.totalCount
  const counts: Record<string, Record<string, number>> = {}
  for (const [by, name, valueOf] of [
    ['product', 'productId', (row: any) => row.key],
    ['category', 'category', (row: any) => row.key],
    ['tax', 'taxRate', (row: any) => Number(row.key)],
  ] as const) {
    counts[by] = {}
    for (const row of (await app.get(`/v1/sales/?${range}&by=${by}`, { key })).json.data) {
      if (row.key === 'not_stated') {
        assert.equal(await listed('isTaxNotStated=true'), row.orders, 'not stated')
        continue
      }
      counts[by][row.key] = row.orders
      assert.equal(await listed(`${name}=${encodeURIComponent(valueOf(row))}`), row.orders, `${by} ${row.key}`)
    }
  }
  // Calculated by hand: each rate belongs to one product.
  assert.deepEqual(counts.category, { 'Rayon 1': 6, 'Rayon 2': 1, 'Rayon 5': 1, 'Rayon 6': 1, 'Rayon 9': 1 })
  for (const gone of ['Rayon 3', 'Rayon 4', 'Rayon 7', 'Rayon 8'])
    assert.equal(await listed(`category=${encodeURIComponent(gone)}`), 0, gone)
})

test('a day without a Z books a transferred sale once', async () => {
  const site = await app.addLocation()
  const all = { items: [dish(1, 30, 2.73)], total: 30, totalTax: 2.73, reportId: null }
  const moved = soldOn(site, 2, 1, { ...all, isTransferred: true, payments: [] })
  const at = '2026-03-31T11:00:00.000Z'
  const promise = { deviceId: moved.deviceId, at, completeUntil: at, lastNumber: 1 }
  await app.store(
    [order(moved), order(soldOn(site, 2, 2, { ...all, payments: paid(30) })), { type: 'device.status', data: promise }],
    site.key,
  )
  await foldAll(app, site)
  const { data, refused } = (await app.get(`/v1/books/entries/?${range}`, { key: site.key })).json
  assert.deepEqual([refused, data[0].totals.debit], [[], 3000])
})
