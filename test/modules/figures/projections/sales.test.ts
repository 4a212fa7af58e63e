import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import { readSales } from '../../../../src/modules/figures/projections/sales-answer.ts'
import { salesProjection } from '../../../../src/modules/figures/projections/sales.ts'
import { findFiguresFault } from '../../../../src/modules/operations/projections/verify.ts'
import { updateLocationSettings } from '../../../../src/core/contract/location/rows.ts'
import { listLagging } from '../../../../src/modules/figures/store/projections.ts'
import { startApp } from '../../../support/app.ts'
import { idOf, itemOf, orderOf } from '../../../support/records.ts'

const app = await startApp()
const { pool } = app
const now = new Date('2026-04-01T12:00:00.000Z')
const everything = { since: '2026-01-01', until: '2026-12-31' }

const ask = async (location: string, by: string, range = everything) =>
  (await readSales(pool, location, { ...range, by, compare: undefined }, now)).sales

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
  assert.deepEqual([totals.orders, stored?.orders], [40, 40])
})

test('a step that fails during a write leaves rows and cursor unchanged', async () => {
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

test('a location whose day starts at another time serves the old figures until the new ones are built', async () => {
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
    retiredDevices: {},
    paymentKinds: {},
    reportNumbers: 'consecutive',
  })
  assert.equal(await day(), '2026-03-13')
  const lagging = async () => (await listLagging(pool, salesProjection.name, salesProjection.rules)).includes(site.id)
  assert.ok(await lagging(), 'nobody need push anything for it')
  while ((await stepProjection(pool, salesProjection, site.id)) === 'behind');
  assert.equal(await day(), '2026-03-14')
  const generations = await pool`select distinct generation from sales_cells where location_id = ${site.id}`
  assert.equal(generations.length, 1)
  assert.equal(await lagging(), false)
})

test('a range is added up from whole months, whole weeks around them, and days around these', async () => {
  const site = await app.addLocation()
  const days = ['2025-12-31', '2026-01-01', '2026-01-31', '2026-02-15', '2026-03-01', '2026-03-31', '2026-04-01']
  const orders = days.map((day, i) => {
    const at = `${day}T12:00:00.000Z`
    return { type: 'order', data: orderOf(site.id, i + 1, { openedAt: at, closedAt: at }) }
  })
  await app.store(orders, site.key)
  while ((await stepProjection(pool, salesProjection, site.id)) === 'behind');
  // A query of a sum does not read its parts, and a query of days does not read the sums.
  await pool`update sales_cells set orders = 100 where location_id = ${site.id} and kind = 'total'`
  await pool`update sales_cells set orders = 10 where location_id = ${site.id} and kind = 'week total'`
  await pool`update sales_cells set orders = 1000 where location_id = ${site.id} and kind = 'month total'`
  const count = async (since: string, until: string, by = 'total') =>
    (await ask(site.id, by, { since, until })).data.reduce((sum, { orders }) => sum + orders, 0)
  assert.equal(await count('2026-01-01', '2026-03-31'), 3_000)
  assert.equal(await count('2025-12-31', '2026-03-31'), 3_100)
  assert.equal(await count('2026-01-01', '2026-04-01', 'month'), 3_100)
  // 31 January is a Saturday, whose week ends after the range; 15 February is a Sunday.
  assert.equal(await count('2026-01-02', '2026-01-31'), 100)
  assert.equal(await count('2026-01-02', '2026-02-27'), 20)
  assert.equal(await count('2026-02-09', '2026-02-15'), 10)
  assert.equal(await count('2026-02-10', '2026-02-15'), 100)
  assert.equal(await count('2025-12-29', '2026-04-05'), 3_200)
  assert.equal(await count('2026-01-02', '2026-02-27', 'month'), 200)
  assert.equal(await count('2026-01-01', '2026-03-31', 'day'), 500)
  assert.equal(await count('2026-01-01', '2026-03-31', 'weekday'), 500)
  assert.equal(await count('2026-01-01', '2026-03-31', 'week'), 230)
  // Rows that earlier rules made have no months or no weeks.
  const madeBy = (rules: number) =>
    pool`update projections set version = ${`${rules} Europe/Paris 05:00`} where location_id = ${site.id} and name = 'sales'`
  await madeBy(6)
  assert.equal(await count('2026-01-02', '2026-03-31'), 2_100)
  await madeBy(3)
  assert.equal(await count('2026-01-01', '2026-03-31'), 500)
})

test('a row has the name in the last version that contains it, whatever was removed later', async () => {
  const site = await app.addLocation()
  const sold = (n: number, day: string, description: string) => {
    const at = `${day}T12:00:00.000Z`
    const items = [itemOf(1, { description })]
    return { type: 'order', data: orderOf(site.id, n, { openedAt: at, closedAt: at, updatedAt: at, items }) }
  }
  const names = async () => (await ask(site.id, 'product')).data.map(({ name }) => name)
  const push = async (record: { type: string; data: unknown }) => {
    await app.store([record], site.key)
    while ((await stepProjection(pool, salesProjection, site.id)) === 'behind');
  }
  await push(sold(1, '2026-03-14', 'Tarte'))
  await push(sold(2, '2026-03-14', 'Tarte aux pommes'))
  await push({ type: 'order', data: { ...(sold(1, '2026-03-15', '').data as object), items: [] } })
  assert.deepEqual(await names(), ['Tarte aux pommes'])
  assert.equal((await ask(site.id, 'product')).data[0]?.key, idOf('product', 1))
})

test('a product has the name of its latest day, whatever arrives late or again', async () => {
  const site = await app.addLocation()
  const sold = (n: number, day: string, description: string) =>
    orderOf(site.id, n, { closedAt: `2026-03-${day}T12:00:00.000Z`, items: [itemOf(1, { description })] })
  const names = async (by: string, range: typeof everything) => {
    const { data } = await ask(site.id, by, range)
    return data.map(({ name }) => name)
  }
  const march = { since: '2026-03-01', until: '2026-03-31' }
  const store = async (...orders: ReturnType<typeof orderOf>[]) => {
    for (const data of orders) {
      await app.store([{ type: 'order', data }], site.key)
      while ((await stepProjection(pool, salesProjection, site.id)) === 'behind');
    }
  }
  await store(sold(1, '20', 'Plat du chef'), sold(2, '10', 'Plat du jour'))
  assert.deepEqual(await names('product', march), ['Plat du chef'], 'a whole month')
  assert.deepEqual(await names('product', { ...march, until: '2026-03-30' }), ['Plat du chef'], 'its days')
  assert.deepEqual(await names('day,product', march), ['Plat du jour', 'Plat du chef'])
  // The order of the 20th again, with another channel; it follows an order of that day that has the new name.
  await store(sold(3, '20', 'Plat maison'), {
    ...sold(1, '20', 'Plat du chef'),
    channel: 'web',
    updatedAt: '2026-03-21T12:00:00.000Z',
  })
  assert.deepEqual(await names('product', march), ['Plat maison'])
  assert.deepEqual(await names('product', { since: '2026-03-20', until: '2026-03-20' }), ['Plat maison'])
  assert.equal(await findFiguresFault(pool, site.id, now), undefined)
})
