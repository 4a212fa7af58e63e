import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import { salesProjection } from '../../../../src/modules/figures/projections/sales.ts'
import { EReport } from '../../../../src/modules/e-reporting/schemas/e-reporting.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import { defaultLocationSettings } from '../../../../src/core/ingest/write/locations.ts'
import { updateLocationSettings } from '../../../../src/core/contract/location/rows.ts'
import { assertProblem, okay } from '../../../core/conformance/contract.ts'
import { startApp } from '../../../support/app.ts'
import { itemOf, order, orderOf, timeOf } from '../../../support/records.ts'

const app = await startApp({ clock: () => new Date('2026-03-14T20:00:00.000Z') })
const closedAt = '2026-03-14T19:00:00.000Z'

const item = (n: number, total: number, taxRate: number, taxAmount: number) =>
  itemOf(n, { total, tax: { ...itemOf(n).tax, taxName: `TVA ${taxRate * 100} %`, taxRate, taxAmount } })

const pay = (paymentAmount: number) => [{ ...orderOf('', 1).payments[0]!, paymentAmount }]

const sold = (location: string, n: number, changes: Partial<Order>) =>
  order(orderOf(location, n, { openedAt: closedAt, closedAt, ...changes }))

const beer = item(1, 12, 0.2, 2)
const dish = item(2, 11, 0.1, 1)

test('orders are totaled by day, category and rate, with their number; payments for services are separate', async () => {
  const site = await app.addLocation()
  await app.store(
    [
      sold(site.id, 1, { items: [beer, dish], total: 23, payments: pay(25) }),
      sold(site.id, 2, { items: [dish], total: 11, payments: pay(11) }),
      sold(site.id, 3, { items: [dish], total: 11, payments: pay(11), serviceType: 'takeaway' }),
      sold(site.id, 4, { items: [beer, dish], total: 23, payments: pay(10), closedAt: '2026-03-13T19:00:00.000Z' }),
      sold(site.id, 5, { items: [dish], total: 11, isCanceled: true }),
      sold(site.id, 6, { items: [dish], total: 11, isTraining: true }),
      sold(site.id, 7, { items: [dish], total: 11, closedAt: null }),
      sold(site.id, 8, {
        items: [dish, { ...beer, isLoss: true }],
        total: 11,
        payments: pay(11),
        serviceType: 'séance',
      }),
    ],
    site.key,
  )
  const answer = await app.get('/v1/e-reporting/?since=2026-03-13&until=2026-03-14', { key: site.key })
  const { transactions, payments, unmapped, meta } = okay(answer, EReport)
  const currency = 'EUR'
  assert.deepEqual(transactions, [
    {
      date: '2026-03-13',
      category: 'TPS1',
      currency,
      transactions: 1,
      taxable: 2000,
      tax: 300,
      rates: [
        { rate: 1000, taxable: 1000, tax: 100 },
        { rate: 2000, taxable: 1000, tax: 200 },
      ],
      notStated: 0,
      isComplete: true,
    },
    {
      date: '2026-03-14',
      category: 'TLB1',
      currency,
      transactions: 1,
      taxable: 1000,
      tax: 100,
      rates: [{ rate: 1000, taxable: 1000, tax: 100 }],
      notStated: 0,
      isComplete: true,
    },
    {
      date: '2026-03-14',
      category: 'TPS1',
      currency,
      transactions: 2,
      taxable: 3000,
      tax: 400,
      rates: [
        { rate: 1000, taxable: 2000, tax: 200 },
        { rate: 2000, taxable: 1000, tax: 200 },
      ],
      notStated: 0,
      isComplete: true,
    },
  ])
  // 10.00 of 23.00 were paid: 12/23 and 11/23 of the amount. The tip of order 1 is not reported.
  assert.deepEqual(payments, [
    {
      date: '2026-03-13',
      currency,
      rates: [
        { rate: 1000, amount: 478 },
        { rate: 2000, amount: 522 },
      ],
    },
    {
      date: '2026-03-14',
      currency,
      rates: [
        { rate: 1000, amount: 2200 },
        { rate: 2000, amount: 1200 },
      ],
    },
  ])
  assert.deepEqual(unmapped, [{ serviceType: 'séance', transactions: 1, taxable: 1000, tax: 100, notStated: 0 }])
  assert.deepEqual([meta.sequence, meta.categories.takeaway, answer.headers['tillgate-sequence']], [8, 'TLB1', '8'])
  const again = { key: site.key, headers: { 'if-none-match': answer.headers.etag as string } }
  assert.equal((await app.get('/v1/e-reporting/?since=2026-03-13&until=2026-03-14', again)).status, 304)
})

test('the operator sets the category of a type of service', async () => {
  const site = await app.addLocation()
  await app.store(
    ['takeaway', 'séance', '__proto__', 'constructor', 'x'.repeat(150), 'y'.repeat(250)].map((serviceType, i) =>
      sold(site.id, i, { items: [dish], total: 11, serviceType }),
    ),
    site.key,
  )
  const eReportingCategories = { takeaway: 'TPS1', séance: 'TNT1', ['x'.repeat(150)]: 'TMA1' } as const
  await updateLocationSettings(app.pool, site.id, { ...defaultLocationSettings, eReportingCategories })
  const { transactions, unmapped, meta } = okay(await app.get('/v1/e-reporting/', { key: site.key }), EReport)
  assert.deepEqual(
    transactions.map(({ category, transactions: n, taxable }: any) => [category, n, taxable]),
    ['TMA1', 'TNT1', 'TPS1'].map((category) => [category, 1, 1000]),
  )
  // Long names are cut, and their orders keep their amounts.
  assert.deepEqual(
    unmapped.map(({ serviceType, taxable }: any) => [serviceType, taxable]),
    ['__proto__', 'constructor', 'y'.repeat(100)].map((serviceType) => [serviceType, 1000]),
  )
  assert.equal(meta.categories.eat_in, 'TPS1')
  const settings = (await app.get('/v1/locations/own/settings', { key: site.key })).json
  assert.deepEqual(settings.eReportingCategories, eReportingCategories)
})

test('for all sales, changes and refunds, each rate has its sales, and each payment belongs to one rate', async () => {
  const cents = fc.integer({ min: -2_000, max: 5_000 })
  const line = fc.record({ total: cents, rate: fc.constantFrom(0.055, 0.1, 0.2) })
  const version = fc.record({
    n: fc.integer({ min: 1, max: 6 }),
    lines: fc.array(line, { minLength: 1, maxLength: 4 }),
    paid: fc.integer({ min: -3_000, max: 9_000 }),
    service: fc.constantFrom('eat_in', 'takeaway', 'x'.repeat(5_000)),
    canceled: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(version, { minLength: 1, maxLength: 12 }), fc.nat(12), async (versions, folded) => {
      const site = await app.addLocation()
      const latest = new Map<number, (typeof versions)[number]>()
      for (const [v, one] of versions.entries()) {
        latest.set(one.n, one)
        const items = one.lines.map(({ total, rate }, i) =>
          item(i, total / 100, rate, Math.round(total - total / (1 + rate)) / 100),
        )
        const changes = { items, serviceType: one.service, isCanceled: one.canceled, payments: pay(one.paid / 100) }
        await app.store([sold(site.id, one.n, { ...changes, updatedAt: timeOf(v) })], site.key)
        if (v === folded) await stepProjection(app.pool, salesProjection, site.id)
      }
      const sums = new Map<string, number>()
      let paid = 0
      for (const { lines, service, canceled, paid: given } of latest.values()) {
        if (canceled) continue
        for (const { total, rate } of lines) {
          const key = `${service.slice(0, 101)} ${Math.round(rate * 10_000)}`
          sums.set(key, (sums.get(key) ?? 0) + total)
        }
        const whole = lines.reduce((sum, { total }) => sum + total, 0)
        const [low, high] = whole < 0 ? [whole, 0] : [0, whole]
        if (service === 'eat_in') paid += Math.min(Math.max(given, low), high)
      }
      const report = okay(await app.get('/v1/e-reporting/', { key: site.key }), EReport)
      const category = { eat_in: 'TPS1', takeaway: 'TLB1' } as const
      for (const [service, code] of Object.entries(category)) {
        const group = report.transactions.find((one: { category: string }) => one.category === code)
        for (const rate of [550, 1000, 2000]) {
          const found = group?.rates.find((one: { rate: number }) => one.rate === rate) ?? { taxable: 0, tax: 0 }
          assert.equal(found.taxable + found.tax, sums.get(`${service} ${rate}`) ?? 0, `${service} ${rate}`)
        }
      }
      const rates = report.payments.flatMap((one: { rates: { amount: number }[] }) => one.rates)
      assert.equal(
        rates.reduce((sum: number, { amount }: { amount: number }) => sum + amount, 0),
        paid,
      )
    }),
    { numRuns: 15 },
  )
})

test('a reversed range, or one of too many days, is 400', async () => {
  for (const [query, pointer] of [
    ['since=2026-03-14&until=2026-03-13', '/since'],
    ['since=2024-01-01&until=2026-01-01', '/until'],
    ['since=14.3.2026', '/since'],
  ]) {
    const answer = await app.get(`/v1/e-reporting/?${query}`)
    assertProblem(answer, { status: 400, code: 'validation_failed', pointers: [String(pointer)] })
  }
})

test('totals are correct for texts of any length', async () => {
  const site = await app.addLocation()
  const long = (seed: number) =>
    String.fromCodePoint(...Array.from({ length: 4_000 }, (_, i) => 0x4e00 + ((i * seed) % 20_000)))
  const payments = [{ ...pay(11)[0]!, paymentName: long(7_919) }]
  const items = [{ ...dish, category: long(7_907), description: long(7_901) }]
  await app.store(
    [sold(site.id, 1, { items, payments, total: 11, channel: long(7_919), serviceType: long(104_729) })],
    site.key,
  )
  await stepProjection(app.pool, salesProjection, site.id)
  for (const by of ['channel', 'serviceType', 'category', 'payment']) {
    const { json } = await app.get(`/v1/sales/?by=${by}`, { key: site.key })
    assert.deepEqual([json.data.length, json.totals.salesInclTax], [1, 1100], by)
  }
})
