import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp, type Answer } from '../../../support/app.ts'
import { idOf, itemOf, orderOf } from '../../../support/records.ts'

// Saturday 14 March 2026, 20:07:30 in Paris.
const app = await startApp({ clock: () => new Date('2026-03-14T19:07:30.000Z') })

test('an unfinished day is compared with others up to the same minute: weekday, 52 weeks back, four weeks, by time and by payment', async () => {
  const site = await app.addLocation()
  let n = 0
  const at = (closed: string, total: number, guests = 1) => {
    const made = orderOf(site.id, ++n, { createdAt: closed, openedAt: closed, closedAt: closed, total, guests })
    return {
      type: 'order',
      data: {
        ...made,
        items: [itemOf(n, { total, isCanceled: false, isLoss: false, discountsApplied: [] })],
        payments: [{ ...made.payments[0], paymentName: 'Cash', paymentAmount: total }],
      },
    }
  }
  await app.store(
    [
      at('2026-03-14T18:00:00.000Z', 30),
      at('2026-03-14T19:05:00.000Z', 12),
      // A week before: at 20:06:59 and 20:07:00 in Paris, and after midnight.
      at('2026-03-07T19:06:59.999Z', 20, 3),
      at('2026-03-07T19:07:00.000Z', 100),
      at('2026-03-07T23:30:00.000Z', 200),
      // Two weeks before: everything was sold before 20:07. Three and four weeks before: nothing was sold.
      at('2026-02-28T10:00:00.000Z', 11, 2),
      // Saturday 52 weeks before, and the same date a year before, which was a Friday.
      at('2025-03-15T12:00:00.000Z', 40),
      at('2025-03-15T22:00:00.000Z', 400),
      at('2025-03-14T12:00:00.000Z', 77),
    ],
    site.key,
  )
  const ask = async (query: string) => (await app.get(`/v1/sales/?since=2026-03-14&${query}`, { key: site.key })).json
  const week = await ask('compare=weekday&upToNow=true&by=hour')
  assert.equal(week.meta.firstDay, '2025-03-14')
  assert.equal(week.comparison.upTo, '2026-03-07T19:07:00.000Z')
  assert.equal(week.comparison.totals.salesInclTax, 2000)
  assert.deepEqual(
    week.comparison.data.map((row: any) => [row.period, row.salesInclTax]),
    [['20', 2000]],
  )
  // 42.00 compared with 20.00, 2 orders with 1, 2 guests with 3; per order 21.00 with 20.00, per guest 21.00 with 6.67.
  const { salesInclTax, orders, guests, averagePerOrder, averagePerGuest } = week.comparison.change
  assert.deepEqual([salesInclTax, orders, guests], [1.1, 1, -0.333333])
  assert.deepEqual([averagePerOrder, averagePerGuest], [0.05, 2.15])
  const year = await ask('compare=yearWeekday&upToNow=true')
  assert.deepEqual([year.comparison.since, year.comparison.totals.salesInclTax], ['2025-03-15', 4000])
  assert.equal((await ask('compare=yearWeekday')).comparison.totals.salesInclTax, 44_000)
  assert.equal((await ask('compare=year&upToNow=true')).comparison.totals.salesInclTax, 7700)
  // Two weeks with sales have 31.00 and 5 guests: 2.5 guests each, shown as 3; the change is computed from 2.5.
  const weeks = (await ask('compare=fourWeeks&upToNow=true')).comparison
  assert.deepEqual([weeks.totals.salesInclTax, weeks.totals.guests, weeks.change.guests], [1550, 3, -0.2])
  assert.deepEqual(
    (await ask('compare=weekday&upToNow=true&by=payment')).comparison.data.map((row: any) => [
      row.key,
      row.salesInclTax,
    ]),
    [['Cash', 2000]],
  )
  // In a range, only the last day is cut at that minute.
  const days = await app.get('/v1/sales/?since=2026-03-08&until=2026-03-14&compare=previous&upToNow=true&by=day', {
    key: site.key,
  })
  assert.deepEqual(
    days.json.comparison.data.map((row: any) => [row.period, row.salesInclTax]),
    [['2026-03-07', 2000]],
  )
  // Days that have ended are compared in full.
  const over = await app.get('/v1/sales/?since=2026-03-13&compare=weekday&upToNow=true', { key: site.key })
  assert.equal(over.json.comparison.upTo, undefined)
  for (const wrong of [
    'upToNow=true',
    'compare=year&upToNow=true&before=12:00',
    'compare=year&upToNow=true&by=hour,product',
  ])
    assert.equal((await app.get(`/v1/sales/?${wrong}`, { key: site.key })).status, 400, wrong)
  assert.equal((await app.get('/v1/sales/', { key: app.key })).json.meta.firstDay, null)
})

const okOf = ({ status, json, text }: Answer) => (assert.equal(status, 200, text), json)

test('the list behind a figure has as many orders as it counts, without canceled, lost and non-sale items', async () => {
  const site = await app.addLocation()
  const at = '2026-03-13T12:00:00.000Z'
  const item = (n: number, changes: object = {}) =>
    itemOf(n, { category: 'Plats', total: 10, isCanceled: false, isLoss: false, discountsApplied: [], ...changes })
  const tax = (taxRate: number, changes: object = {}) => ({ ...item(1).tax, taxRate, taxAmount: 1, ...changes })
  const beer = { category: 'Bières', itemCatalogId: idOf('product', 77), tax: tax(0.2) }
  const off = { discountsApplied: [{ discountName: 'Ami', discountValue: 1, discountCatalogId: idOf('discount', 5) }] }
  const orders = [
    [item(1, { tax: tax(0.1) }), item(2, { ...beer, ...off })],
    [item(1, { tax: tax(0.1) }), item(2, { ...beer, ...off, isCanceled: true })],
    [item(1, { tax: tax(0.1) }), item(2, { ...beer, isLoss: true })],
    [item(1, { tax: tax(0.1) }), item(2, { ...beer, kind: 'deposit' })],
    // Texts of an item look like members of its JSON.
    [
      item(1, {
        tax: tax(0.1),
        description: '"category":"Bières","isCanceled":false',
        cancelReason: '{"description":',
      }),
    ],
    [item(1, { tax: tax(0, { taxAmount: 0, taxName: 'No tax' }) })],
    [item(1, { tax: tax(0, { taxAmount: 0, taxName: 'Exonéré' }), category: '' })],
  ]
  await app.store(
    [
      ...orders.map((items, n) => ({
        type: 'order',
        data: { ...orderOf(site.id, n, { createdAt: at, openedAt: at, closedAt: at }), items },
      })),
      {
        type: 'order',
        data: {
          ...orderOf(site.id, 9, { createdAt: at, openedAt: at, closedAt: at, isCanceled: true }),
          items: orders[0],
        },
      },
    ],
    site.key,
  )
  const count = async (query: string) =>
    okOf(await app.get(`/v1/orders/?closedSince=2026-03-13&${query}`, { key: site.key })).meta.totalCount
  const figure = async (by: string, key: string) =>
    (await app.get(`/v1/sales/?since=2026-03-13&by=${by}`, { key: site.key })).json.data.find(
      (row: any) => row.key === key,
    )?.orders ?? 0
  const filters = [
    ['category', 'Bières', 'category=Bi%C3%A8res', 1, 5],
    ['category', 'Plats', 'category=Plats', 6, 7],
    ['category', '', 'category=', 1, 1],
    ['product', idOf('product', 77), `productId=${idOf('product', 77)}`, 1, 5],
    ['discount', idOf('discount', 5), `discountId=${idOf('discount', 5)}`, 1, 3],
    ['tax', '2000', 'taxRate=2000', 1, 5],
    ['tax', '1000', 'taxRate=1000', 5, 6],
    ['tax', '0', 'taxRate=0', 1, 2],
    ['tax', 'not_stated', 'isTaxNotStated=true', 1, 1],
  ] as const
  for (const [by, key, query, counted, any] of filters) {
    assert.equal(await figure(by, key), counted, `figure by ${by} ${key}`)
    assert.equal(await count(`isCounted=true&${query}`), counted, `counted ${query}`)
    assert.equal(await count(query), any, `all ${query}`)
  }
  assert.equal(await count('isCounted=true'), 7)
})
