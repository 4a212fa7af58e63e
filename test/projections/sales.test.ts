import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { stepProjection } from '../../src/projections/projection.ts'
import { readSales } from '../../src/projections/sales-answer.ts'
import { salesProjection } from '../../src/projections/sales.ts'
import type { Order } from '../../src/schemas/orders.ts'
import { updateLocationSettings } from '../../src/store/locations.ts'
import { startApp } from '../support/app.ts'
import { itemOf, orderOf } from '../support/records.ts'
import { plainProducts, plainSales } from './oracle.ts'

const app = await startApp()
const { pool } = app
const now = new Date('2026-04-01T12:00:00.000Z')
const everything = { since: '2026-01-01', until: '2026-12-31' }

type Version = {
  order: number
  day: number
  minute: number
  open: boolean
  canceled: boolean
  training: boolean
  prices: number[]
  loss: boolean
}

const versions = fc.array(
  fc.record({
    order: fc.integer({ min: 1, max: 6 }),
    day: fc.integer({ min: 26, max: 31 }),
    minute: fc.integer({ min: 0, max: 1439 }),
    open: fc.boolean(),
    canceled: fc.boolean(),
    training: fc.boolean(),
    prices: fc.array(fc.integer({ min: -500, max: 5000 }), { minLength: 1, maxLength: 3 }),
    loss: fc.boolean(),
  }),
  { minLength: 1, maxLength: 25 },
)

/** The n-th version that is pushed: later ones are newer. */
function toOrder(location: string, version: Version, n: number): Order {
  const time = `2026-03-${version.day}T${String(Math.floor(version.minute / 60)).padStart(2, '0')}:${String(version.minute % 60).padStart(2, '0')}:00.000Z`
  const items = version.prices.map((cents, i) => ({
    ...itemOf(i + 1),
    total: cents / 100,
    quantity: i + 0.5,
    isLoss: version.loss && i === 0,
    tax: { ...itemOf(i + 1).tax, taxAmount: Math.round(cents / 11) / 100 },
  }))
  const total = items.filter(({ isLoss }) => !isLoss).reduce((sum, item) => sum + Math.round(item.total * 100), 0) / 100
  return orderOf(location, version.order, {
    openedAt: time,
    closedAt: version.open ? null : time,
    isCanceled: version.canceled,
    isTraining: version.training,
    items,
    total,
    guests: version.day,
    updatedAt: new Date(Date.parse('2026-03-01T00:00:00.000Z') + n * 1000).toISOString(),
  })
}

const ask = (location: string, by: string, range = everything) =>
  readSales(pool, location, { ...range, by, compare: undefined }, now)

for (const [timeZone, dayStartsAt, startHour] of [
  ['Europe/Paris', '05:00', 5],
  ['America/Sao_Paulo', '00:00', 0],
  ['Asia/Kathmandu', '06:00', 6],
] as const) {
  test(`in ${timeZone} every history adds up to the sums over its latest documents, wherever the projection stands`, async () => {
    await fc.assert(
      fc.asyncProperty(versions, fc.array(fc.nat(3), { maxLength: 25 }), async (history, steps) => {
        const site = await app.addLocation()
        await updateLocationSettings(pool, site.id, {
          timeZone,
          dayStartsAt,
          currency: 'EUR',
          fiscalYearStarts: '01-01',
          eReportingCategories: {},
        })
        const latest = new Map<string, Order>()
        for (const [n, version] of history.entries()) {
          const order = toOrder(site.id, version, n)
          latest.set(order.id, order)
          await app.store([{ type: 'order', data: order }], site.key)
          // Anything from "never folded" to "folded after each push", and folded again for nothing.
          for (let i = 0; i < (steps[n] ?? 0); i++) await stepProjection(pool, salesProjection, site.id)
        }
        const zone = { timeZone, startHour }
        for (const range of [everything, { since: '2026-03-28', until: '2026-03-29' }]) {
          const { totals, meta } = await ask(site.id, 'total', range)
          const plain = plainSales(latest.values(), zone, range)
          assert.deepEqual(
            [
              totals.orders,
              totals.salesInclTax,
              totals.tax,
              totals.discounts,
              (totals.items ?? 0) * 1000,
              totals.guests,
            ],
            [plain.orders, plain.sales, plain.tax, plain.discounts, plain.items, plain.guests],
          )
          assert.equal(meta.sequence, history.length)
          const days = await ask(site.id, 'day', range)
          assert.equal(
            days.data.reduce((sum, row) => sum + (row.salesInclTax ?? 0), 0),
            plain.sales,
          )
        }
        const products = await ask(site.id, 'product')
        const sums = plainProducts(latest.values())
        for (const { key, salesInclTax } of products.data)
          assert.equal(salesInclTax, sums.get(key ?? ''), `product ${key}`)
      }),
      { numRuns: 20 },
    )
  })
}

test('two workers on one projection count nothing twice', async () => {
  const site = await app.addLocation()
  await app.store(
    Array.from({ length: 40 }, (_, i) => ({ type: 'order', data: orderOf(site.id, i + 1) })),
    site.key,
  )
  await Promise.all(Array.from({ length: 8 }, () => stepProjection(pool, salesProjection, site.id).catch(() => {})))
  while ((await stepProjection(pool, salesProjection, site.id)) === 'behind');
  const [stored] = await pool<{ orders: number }[]>`
    select sum(orders)::bigint as orders from sales_cells where location_id = ${site.id} and kind = 'total'`
  const { totals } = await ask(site.id, 'total')
  assert.equal(totals.orders, stored?.orders)
  assert.ok(totals.orders > 30)
})

test('a step that fails while it writes leaves rows and cursor as they were', async () => {
  const site = await app.addLocation()
  await app.store(
    Array.from({ length: 10 }, (_, i) => ({ type: 'order', data: orderOf(site.id, i + 1) })),
    site.key,
  )
  const before = await ask(site.id, 'total')
  const failing = {
    ...salesProjection,
    fold: async (...args: Parameters<typeof salesProjection.fold>) => {
      const fold = await salesProjection.fold(...args)
      return {
        ...fold,
        write: async (tx: Parameters<typeof fold.write>[0]) => {
          await fold.write(tx)
          throw new Error('the process ends here')
        },
      }
    },
  }
  await app.store(
    Array.from({ length: 10 }, (_, i) => ({ type: 'order', data: orderOf(site.id, i + 11) })),
    site.key,
  )
  await assert.rejects(stepProjection(pool, failing, site.id), /ends here/)
  const after = await ask(site.id, 'total')
  assert.equal(after.totals.orders, before.totals.orders * 2)
  await stepProjection(pool, salesProjection, site.id)
  assert.deepEqual((await ask(site.id, 'total')).totals, after.totals)
})

test('a location whose day starts at another time answers as before until its figures are made anew', async () => {
  const site = await app.addLocation()
  const late = orderOf(site.id, 1, { openedAt: '2026-03-14T02:00:00.000Z', closedAt: '2026-03-14T02:30:00.000Z' })
  await app.store([{ type: 'order', data: late }], site.key)
  const day = async () => (await ask(site.id, 'day')).data[0]?.period
  assert.equal(await day(), '2026-03-13')
  await updateLocationSettings(pool, site.id, {
    timeZone: 'Europe/Paris',
    dayStartsAt: '02:00',
    currency: 'EUR',
    fiscalYearStarts: '01-01',
    eReportingCategories: {},
  })
  assert.equal(await day(), '2026-03-13')
  while ((await stepProjection(pool, salesProjection, site.id)) === 'behind');
  assert.equal(await day(), '2026-03-14')
  const generations = await pool`select distinct generation from sales_cells where location_id = ${site.id}`
  assert.equal(generations.length, 1)
})
