import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { daysProjection } from '../../../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import { findFiguresFault } from '../../../../src/modules/operations/projections/verify.ts'
import type { LocationSettings } from '../../../../src/core/contract/location/schema.ts'
import type { Order, OrderItem } from '../../../../src/core/contract/orders/schema.ts'
import { defaultLocationSettings } from '../../../../src/core/ingest/write/locations.ts'
import { updateLocationSettings } from '../../../../src/core/contract/location/rows.ts'
import { addKey, addLocation, startApp } from '../../../support/app.ts'
import { idOf, itemOf, order, orderOf, payments, report } from '../../../support/records.ts'
import { zReportOf } from '../../../support/z-reports.ts'

const app = await startApp({ clock: () => new Date('2026-07-20T12:00:00.000Z') })
const { pool } = app

const siteWith = async (settings: Partial<LocationSettings>, id?: string) => {
  const location = await addLocation(pool, id, settings)
  return { id: location, key: (await addKey(pool, location)).key }
}

type Site = Awaited<ReturnType<typeof siteWith>>

const read = async (site: Site, path: string) => {
  const answer = await app.get(path, { key: site.key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

const at = '2026-03-14T19:00:00.000Z'

/** Returns an order with these items, paid completely by card unless stated otherwise. */
function sale(site: Site, n: number, items: OrderItem[], changes: Partial<Order> = {}) {
  const sum = (of: (item: OrderItem) => number) =>
    Math.round(items.reduce((all, item) => all + of(item), 0) * 1000) / 1000
  const total = changes.total ?? sum((item) => item.total)
  const card = { paymentAmount: total, paymentName: 'Carte', paymentCatalogId: idOf('payment', 1) }
  return order(
    orderOf(site.id, n, {
      openedAt: at,
      closedAt: at,
      items,
      menus: [],
      total,
      tips: null,
      reportId: null,
      totalTax: sum((item) => item.tax.taxAmount),
      totalDiscount: 0,
      payments: [card],
      ...changes,
    }),
  )
}

const line = (total: number, taxAmount: number, taxRate = 0.1, changes: Partial<OrderItem> = {}) =>
  itemOf(1, {
    quantity: 1,
    unitPrice: total,
    total,
    discountsApplied: [],
    modifiers: [],
    tax: { taxName: `TVA ${taxRate * 100} %`, taxRate, taxAmount, taxCatalogId: idOf('tax', 1) },
    ...changes,
  })

/** Reads the records that another system's documents must become, computed by hand (test/modules/sources/shops). */
const shopOf = (name: string) =>
  readFileSync(join(import.meta.dirname, `../../sources/shops/${name}/expected.ndjson`), 'utf8')
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => JSON.parse(text) as { type: string; data: { id: string; locationId: string } })

for (const [name, notStated] of [
  ['dsfinvk', ['products']],
  ['loyverse', ['products', 'taxes', 'discounts']],
] as const) {
  test(`the Z of ${name} is balanced, and lists what it does not state`, async () => {
    const records = shopOf(name).filter(({ type }) => type === 'order' || type === 'report')
    const site = await siteWith({ timeZone: 'Europe/Berlin' }, records[0]?.data.locationId)
    await app.store(records, site.key)
    const { data } = await read(site, '/v1/reports/checks/?since=2026-07-01&until=2026-07-05')
    assert.deepEqual(
      data.map(({ verdict, salesDifference, severalDays }: any) => [verdict, salesDifference, severalDays]),
      [['balanced', 0, false]],
    )
    const z = records.find(({ type }) => type === 'report')
    const answer = await read(site, `/v1/reports/${z?.data.id}/reconciliation`)
    assert.deepEqual([answer.balanced, answer.notStated, answer.differences], [true, notStated, []])
  })
}

test('for ten beers of 5.50 at 20 %, 9.20 by line and 9.17 by day is rounding, and a cent more than five is not', async () => {
  const site = await siteWith({})
  const orders = Array.from({ length: 10 }, (_, i) => sale(site, i + 1, [line(5.5, 0.92, 0.2)]))
  await app.store(orders, site.key)
  // 55.00 × 20 ÷ 120 = 9.1666…; the bound is 10 × half a cent.
  for (const [tax, state] of [
    [917, 'rounding'],
    [915, 'rounding'],
    [920, 'equal'],
    [925, 'rounding'],
    [914, 'different'],
    [926, 'different'],
  ] as const) {
    const taxes = [{ taxName: 'TVA 20 %', taxRate: 2000, taxAmount: tax, taxableAmount: 5500 - tax }]
    const stated = orders.map(({ data }) => data as Order)
    const z = zReportOf(site.id, tax, stated, { reportTaxes: taxes, reportNumber: tax, finalizedAt: at, startedAt: at })
    await app.store([report(z)], site.key)
    const { figures, balanced } = await read(site, `/v1/reports/${z.id}/reconciliation`)
    const row = figures.find(({ figure }: any) => figure === 'taxAmount')
    assert.deepEqual([row.reported, row.computed, row.state], [tax, 920, state])
    assert.equal(balanced, state !== 'different')
  }
})

test('unrounded taxes are added exactly and rounded once', async () => {
  const site = await siteWith({})
  // 2.70 contains 0.1528301886… at 6 %; a hundred of them contain 15.28, and not 100 × 0.15.
  await app.store(
    Array.from({ length: 100 }, (_, i) => sale(site, i + 1, [line(2.7, 0.15283, 0.06)])),
    site.key,
  )
  const { totals } = await read(site, '/v1/sales/?since=2026-03-14')
  assert.deepEqual([totals.salesInclTax, totals.tax, totals.salesExclTax], [27_000, 1_528, 25_472])
  const { data } = await read(site, '/v1/business-days/?since=2026-03-14&until=2026-03-14')
  assert.equal(data[0].sales.tax, 1_528)
  const { transactions } = await read(site, '/v1/e-reporting/?since=2026-03-14')
  assert.deepEqual(transactions[0].rates, [{ rate: 600, taxable: 25_472, tax: 1_528 }])
})

test('cash is a setting, of the location by name and of the catalog by type, and the checks follow it', async () => {
  const site = await siteWith({})
  const paid = { paymentAmount: 11, paymentName: 'Liquide bar', paymentCatalogId: idOf('payment', 1) }
  const one = sale(site, 1, [line(11, 1)], { payments: [paid] })
  const z = zReportOf(site.id, 1, [one.data as Order], {
    initialCashBalance: 10_000,
    finalCashBalance: 11_100,
    reportEntries: [],
    finalizedAt: at,
  })
  await app.store([one, report(z)], site.key)
  const verdict = async () => {
    while ((await stepProjection(pool, daysProjection, site.id)) === 'behind');
    const { data } = await read(site, '/v1/reports/checks/?since=2026-03-14&until=2026-03-14')
    const { balanced } = await read(site, `/v1/reports/${z.id}/reconciliation`)
    assert.equal(balanced, data[0].verdict === 'balanced')
    return data[0].verdict
  }
  assert.equal(await verdict(), 'unbalanced')
  const override = await read(site, `/v1/reports/${z.id}/reconciliation?cash=Liquide%20bar`)
  assert.equal(override.balanced, true)
  await updateLocationSettings(pool, site.id, { ...defaultLocationSettings, paymentKinds: { 'LIQUIDE BAR': 'cash' } })
  assert.equal(await verdict(), 'balanced')
  await updateLocationSettings(pool, site.id, defaultLocationSettings)
  assert.equal(await verdict(), 'unbalanced')
  const [first] = payments
  await app.store([{ type: 'catalog.payments', data: [{ ...first, id: idOf('payment', 1), kind: 'cash' }] }], site.key)
  assert.equal(await verdict(), 'balanced')
  assert.equal(await findFiguresFault(pool, site.id, new Date(at)), undefined)
})

test('an item without a stated tax is in no rate: it is listed separately, and the day is incomplete', async () => {
  const site = await siteWith({})
  const unknown = { taxName: '', taxRate: 0, taxAmount: 0, taxCatalogId: idOf('tax', 1), isStated: false }
  const free = line(20, 0, 0, { tax: { ...unknown, taxName: 'Exonéré', isStated: true } })
  const dish = line(11, 1)
  await app.store(
    [
      sale(site, 1, [line(150, 0, 0, { tax: unknown }), dish]),
      sale(site, 2, [free], { openedAt: '2026-03-15T19:00:00.000Z', closedAt: '2026-03-15T19:00:00.000Z' }),
    ],
    site.key,
  )
  const { transactions, payments } = await read(site, '/v1/e-reporting/?since=2026-03-14&until=2026-03-15')
  const groups = transactions.map(({ date, rates, taxable, notStated, isComplete }: any) => ({
    date,
    rates,
    taxable,
    notStated,
    isComplete,
  }))
  assert.deepEqual(groups, [
    {
      date: '2026-03-14',
      rates: [{ rate: 1000, taxable: 1000, tax: 100 }],
      taxable: 1000,
      notStated: 15_000,
      isComplete: false,
    },
    {
      date: '2026-03-15',
      rates: [{ rate: 0, taxable: 2000, tax: 0 }],
      taxable: 2000,
      notStated: 0,
      isComplete: true,
    },
  ])
  assert.deepEqual(payments[0].rates, [{ rate: 1000, amount: 1100 }])
  const { data } = await read(site, '/v1/sales/?since=2026-03-14&by=tax')
  assert.deepEqual(data.map(({ key, salesInclTax, tax }: any) => [key, salesInclTax, tax]).toSorted(), [
    ['1000', 1100, 100],
    ['not_stated', 15_000, 0],
  ])
})

test('vouchers, deposits and charges are in the total and in no sales, and a Z may include them in its total or not', async () => {
  const site = await siteWith({})
  const voucher = line(25, 0, 0, { kind: 'voucher', itemCatalogId: idOf('product', 9), description: 'Bon cadeau' })
  const charge = line(2.2, 0.2, 0.1, { kind: 'charge', itemCatalogId: idOf('product', 8), description: 'Service' })
  const one = sale(site, 1, [line(22, 2), voucher, charge])
  await app.store([one], site.key)
  const { totals, excluded } = await read(site, '/v1/sales/?since=2026-03-14')
  assert.deepEqual([totals.salesInclTax, totals.tax, totals.items], [2200, 200, 1])
  assert.deepEqual(excluded.notSales, { items: 2, amount: 2720 })
  // The service charge is part of a supply and is taxed; the voucher is not a supply yet.
  const { transactions } = await read(site, '/v1/e-reporting/?since=2026-03-14')
  assert.deepEqual(
    [transactions[0].rates, transactions[0].isComplete],
    [[{ rate: 1000, taxable: 2200, tax: 220 }], true],
  )
  const sold = one.data as Order
  for (const [n, totalSales] of [2200, 4920].entries()) {
    const z = zReportOf(site.id, n + 1, [sold], { totalSales, reportProducts: [], reportTaxes: [], finalizedAt: at })
    await app.store([report(z)], site.key)
    const answer = await read(site, `/v1/reports/${z.id}/reconciliation`)
    assert.deepEqual([answer.balanced, answer.differences], [true, []], String(totalSales))
  }
})

test('thousandths of a dinar are exact: sales, Z and business day of eight coffees of 0.125', async () => {
  const site = await siteWith({ currency: 'KWD', timeZone: 'Asia/Kuwait' })
  const coffees = line(1, 0, 0, { quantity: 8, unitPrice: 0.125 })
  const [one, other] = [sale(site, 1, [coffees]), sale(site, 2, [line(0.125, 0, 0)])]
  const orders = [one, other].map(({ data }) => data as Order)
  const z = zReportOf(site.id, 1, orders, {
    totalSales: 1125,
    reportPayments: [{ paymentName: 'Carte', paymentAmount: 1125 }],
    finalizedAt: at,
    reportProducts: [],
    reportTaxes: [{ taxName: 'TVA 0 %', taxRate: 0, taxAmount: 0, taxableAmount: 1125 }],
  })
  const { results } = await app.store([one, other, report(z)], site.key)
  assert.deepEqual(
    results
      .flatMap(({ warnings = [] }) => warnings.map(({ code }) => code))
      .filter((code) => /mismatch|decimals|hundred/.test(code)),
    [],
  )
  const { totals } = await read(site, '/v1/sales/?since=2026-03-14')
  assert.deepEqual([totals.salesInclTax, totals.averagePerOrder], [1125, 563])
  const answer = await read(site, `/v1/reports/${z.id}/reconciliation`)
  assert.deepEqual([answer.balanced, answer.differences], [true, []])
})

test('a Z over the start of a day belongs to the day with most of it, and states this', async () => {
  const site = await siteWith({ timeZone: 'Europe/Paris', dayStartsAt: '05:00' })
  const late = { openedAt: '2026-03-15T04:30:00.000Z', closedAt: '2026-03-15T04:30:00.000Z' }
  const orders = [sale(site, 1, [line(60, 5.45)]), sale(site, 2, [line(40, 3.64)], late)]
  const z = zReportOf(
    site.id,
    1,
    orders.map(({ data }) => data as Order),
    { finalizedAt: '2026-03-15T05:00:00.000Z' },
  )
  await app.store([...orders, report(z)], site.key)
  const { data } = await read(site, '/v1/reports/checks/?since=2026-03-13&until=2026-03-16')
  assert.deepEqual(
    data.map(({ businessDay, severalDays }: any) => [businessDay, severalDays]),
    [['2026-03-14', true]],
  )
})

test('a counter that several tills share does not make a day incomplete; the counter of one till does if a number is missing', async () => {
  const numbers = { shared: [11, 13, 15, 17], own: [11, 12, 14], any: [11, 12, 14] }
  for (const [name, of] of Object.entries(numbers)) {
    const site = await siteWith({ reportNumbers: name === 'any' ? 'any' : 'consecutive' })
    const days = of.map((reportNumber, i) => {
      const closedAt = `2026-03-1${i}T20:00:00.000Z`
      const one = sale(site, i + 1, [line(11, 1)], { openedAt: closedAt, closedAt })
      const z = zReportOf(site.id, i + 1, [one.data as Order], {
        reportNumber,
        finalizedAt: `2026-03-1${i}T21:00:00.000Z`,
      })
      return [one, report({ ...z, startedAt: closedAt })]
    })
    await app.store(days.flat(), site.key)
    const { data } = await read(site, '/v1/business-days/?since=2026-03-10&until=2026-03-13')
    const missing = data.flatMap((day: any) => day.missingReports.map((one: any) => one.reportNumber))
    assert.deepEqual([...new Set(missing)], name === 'own' ? [13] : [], name)
  }
})
