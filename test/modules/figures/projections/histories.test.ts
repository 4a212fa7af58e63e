import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { daysProjection, listChecks, readPendingDays } from '../../../../src/modules/figures/projections/days.ts'
import { readDays } from '../../../../src/modules/figures/projections/days-answer.ts'
import { readExactly } from '../../../../src/modules/figures/projections/exact.ts'
import { stepProjection, type Projection } from '../../../../src/modules/figures/projections/projection.ts'
import { cuts } from '../../../../src/modules/figures/domain/sales-table.ts'
import { readSales } from '../../../../src/modules/figures/projections/sales-answer.ts'
import { salesProjection } from '../../../../src/modules/figures/projections/sales.ts'
import { readOnce } from '../../../../src/modules/figures/projections/stretches.ts'
import { findFiguresFault } from '../../../../src/modules/operations/projections/verify.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import { updateLocationSettings } from '../../../../src/core/contract/location/rows.ts'
import { startApp } from '../../../support/app.ts'
import { crashing } from '../../../support/crashing.ts'
import { idOf, itemOf, orderOf } from '../../../support/records.ts'
import { runsOf } from '../../../support/seed.ts'
import { soundOrder, zReportOf } from '../../../support/z-reports.ts'
import { plainCheck, plainSales, plainTable } from './oracle.ts'

const app = await startApp()
const { pool } = app
const now = new Date('2026-04-20T12:00:00.000Z')
const everything = { since: '2026-01-01', until: '2026-12-31' }
const march = { since: '2026-03-20', until: '2026-04-05' }
const projections = [salesProjection, daysProjection]

/** Most orders count, so the first and most frequent value is false. */
const seldom = fc.constantFrom(false, false, true, false, false, false)

const orders = fc.record({
  kind: fc.constant('order' as const),
  order: fc.integer({ min: 1, max: 6 }),
  // Days of March and April.
  day: fc.integer({ min: 27, max: 33 }),
  minute: fc.integer({ min: 0, max: 1439 }),
  open: seldom,
  canceled: seldom,
  training: seldom,
  linked: fc.boolean(),
  prices: fc.array(fc.integer({ min: -500, max: 5000 }), { minLength: 1, maxLength: 3 }),
  loss: seldom,
})

const reports = fc.record({
  kind: fc.constant('report' as const),
  till: fc.integer({ min: 1, max: 2 }),
  wrong: fc.boolean(),
  early: fc.boolean(),
})

/**
 * The pushes, the steps of the projector after them, the statement at which a step ends, and whether the projector
 * restarts.
 */
const history = fc.array(
  fc.record({
    push: fc.oneof(
      { weight: 4, arbitrary: orders },
      { weight: 2, arbitrary: reports },
      fc.record({ kind: fc.constant('resend' as const) }),
    ),
    steps: fc.nat(2),
    crashAt: fc.option(fc.integer({ min: 1, max: 8 })),
    rebuild: fc.nat(9),
  }),
  { minLength: 4, maxLength: 18 },
)

/** Some of the tables, for days that begin and end inside or at the edge of months. */
const questions = fc.record({
  tables: fc.shuffledSubarray([...cuts], { minLength: 9, maxLength: 9 }),
  since: fc.constantFrom('2026-01-01', '2026-02-15', '2026-03-01', '2026-03-28', '2026-03-29'),
  until: fc.constantFrom('2026-03-29', '2026-03-31', '2026-04-01', '2026-04-30', '2026-12-31'),
})

type Event = typeof history extends fc.Arbitrary<(infer One)[]> ? One : never

type Pushed = Event['push']

const discount = { discountName: 'Fidélité', discountValue: 0.75 }

/** Returns the till of an order. It never changes, so no order is in two reports. */
const tillOf = (order: number) => (order % 2) + 1
const reportId = (till: number) => idOf('report', till)

function toOrder(location: string, pushed: Extract<Pushed, { kind: 'order' }>, n: number): Order {
  const { day, minute, prices, loss } = pushed
  const clock = [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':')
  const date = new Date(Date.UTC(2026, 2, day)).toISOString().slice(0, 10)
  const time = `${date}T${clock}:00.000Z`
  const items = prices.map((cents, i) => ({
    ...itemOf(i + 1),
    // Dishes are renamed occasionally, and tills send older versions later.
    description: `Plat ${i + 1} ${minute % 3 === 0 ? 'du jour' : 'maison'}`,
    total: cents / 100,
    quantity: i + 0.5,
    isLoss: loss && i === 0,
    category: `category ${(i + day) % 2}`,
    discountsApplied: [...itemOf(i + 1).discountsApplied, { ...discount, discountCatalogId: idOf('discount', i + 1) }],
    tax: { ...itemOf(i + 1).tax, taxRate: i % 2 === 0 ? 0.1 : 0.2, taxAmount: Math.round(cents / 11) / 100 },
  }))
  const order = soundOrder(
    orderOf(location, pushed.order, {
      deviceId: idOf('device', tillOf(pushed.order)),
      openedAt: time,
      closedAt: pushed.open ? null : time,
      isCanceled: pushed.canceled,
      isTraining: pushed.training,
      reportId: pushed.linked ? reportId(tillOf(pushed.order)) : null,
      items,
      channel: ['pos', 'kiosk', 'web'][minute % 3] as string,
      serviceType: ['eat_in', 'takeaway'][minute % 2] as string,
      operatorId: idOf('operator', minute % 4),
      guests: day,
      updatedAt: new Date(Date.parse('2026-03-01T00:00:00.000Z') + n * 1000).toISOString(),
    }),
  )
  const [payment] = order.payments as [Order['payments'][number]]
  const inCash = { ...payment, paymentName: 'Espèces', paymentAmount: minute / 100 }
  const byCard = { ...payment, paymentAmount: Math.round(order.total * 100 - minute) / 100 }
  return { ...order, payments: minute % 2 === 0 ? [payment] : [inCash, byCard] }
}

/** What a simple reader knows of all accepted records. */
class World {
  readonly orders = new Map<string, Order>()
  readonly reports = new Map<string, Report>()
  readonly location: string
  last: unknown

  constructor(location: string) {
    this.location = location
  }

  toRecord(pushed: Pushed, n: number): { type: string; data: unknown } | undefined {
    if (pushed.kind === 'resend') return this.last as never
    if (pushed.kind === 'order') return { type: 'order', data: toOrder(this.location, pushed, n) }
    const of = [...this.orders.values()].filter(({ deviceId }) => deviceId === idOf('device', pushed.till))
    // A till may close before its orders have arrived: its report lists one that has not.
    const missing = pushed.early ? [idOf('order', 6 + pushed.till)] : []
    const printed = zReportOf(this.location, pushed.till, of)
    const data = {
      ...printed,
      totalSales: printed.totalSales + (pushed.wrong ? 1 : 0),
      orders: [...printed.orders, ...missing],
      finalizedAt: '2026-03-30T23:30:00.000Z',
      deviceIdentifier: idOf('device', pushed.till),
      updatedAt: new Date(Date.parse('2026-03-01T00:00:00.000Z') + n * 1000).toISOString(),
    }
    return { type: 'report', data }
  }

  accept(record: { type: string; data: unknown }): void {
    this.last = record
    if (record.type === 'order') this.orders.set((record.data as Order).id, record.data as Order)
    else this.reports.set((record.data as Report).id, record.data as Report)
  }
}

const salesOf = async (location: string, range: typeof everything, by: string) =>
  (await readSales(pool, location, { ...range, by, compare: undefined }, now)).sales

async function checksOf(location: string) {
  return readExactly(pool, location, daysProjection, async (tx) => {
    const live = await readPendingDays(tx, location)
    return live && { checks: await listChecks(tx, location, live, everything), reached: live.reached }
  })
}

/** Compares every figure with the simple reader, at the current sequence of the journal. */
async function compare(world: World): Promise<void> {
  const { location } = world
  const { checks } = await checksOf(location)
  const plain = [...world.reports.values()].map((report) => ({ id: report.id, ...plainCheck(report, world.orders) }))
  assert.deepEqual(
    checks
      .map(({ reportId, computedSales, verdict }) => ({ id: reportId, sales: computedSales, verdict }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    plain.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  )
  const named = new Set([...world.reports.values()].flatMap(({ orders }) => orders))
  const zone = { timeZone: 'UTC', startHour: 0 }
  const unnamed = plainSales(
    [...world.orders.values()].filter(({ id }) => !named.has(id)),
    zone,
    everything,
  )
  const { totals: cells } = await salesOf(location, everything, 'total')
  assert.equal(cells.salesInclTax, plainSales(world.orders.values(), zone, everything).sales)
  const ofReports = checks.reduce((sum, { computedSales }) => sum + computedSales, 0)
  assert.equal(cells.salesInclTax, ofReports + unnamed.sales)
}

async function work(location: string, { steps, crashAt, rebuild }: Event): Promise<void> {
  const read = readOnce()
  const step = (projection: Projection) => stepProjection(pool, projection, location, read)
  for (const projection of projections) {
    if (crashAt !== null) await crashing(pool, crashAt, () => stepProjection(pool, projection, location))
    for (let i = 0; i < steps; i++) await step(projection)
    if (rebuild > 0) continue
    const anew = { ...projection, rules: projection.rules + 1_000 }
    while ((await step(anew)) === 'behind');
  }
}

for (const { timeZone, dayStartsAt, startHour, currency } of [
  { timeZone: 'Europe/Paris', dayStartsAt: '05:00', startHour: 5, currency: 'EUR' },
  { timeZone: 'America/Sao_Paulo', dayStartsAt: '00:00', startHour: 0, currency: 'EUR' },
  { timeZone: 'Asia/Kathmandu', dayStartsAt: '06:00', startHour: 6, currency: 'JPY' },
]) {
  test(`in ${timeZone} cells, documents and the reconciliations of all Z reports have the same sum at every sequence, whatever happens to tills and workers`, async () => {
    let rows = 0
    await fc.assert(
      fc.asyncProperty(history, questions, async (events, { tables, ...range }) => {
        const site = await app.addLocation()
        await updateLocationSettings(pool, site.id, {
          timeZone,
          dayStartsAt,
          currency,
          fiscalYearStarts: '01-01',
          eReportingCategories: {},
          retiredDevices: {},
          paymentKinds: {},
          reportNumbers: 'consecutive',
        })
        const world = new World(site.id)
        for (const [n, event] of events.entries()) {
          const record = world.toRecord(event.push, n)
          if (record) {
            await app.store([record], site.key)
            world.accept(record)
          }
          await work(site.id, event)
          await compare(world)
        }
        for (const projection of projections) while ((await stepProjection(pool, projection, site.id)) === 'behind');
        assert.equal(await findFiguresFault(pool, site.id, now), undefined)
        const zone = { timeZone, startHour }
        const days = await salesOf(site.id, march, 'day')
        const read = await readExactly(pool, site.id, daysProjection, async (tx) => {
          const live = await readPendingDays(tx, site.id)
          return live && readDays(tx, site.id, live, { range: march, now })
        })
        for (const { day } of read) {
          const range = { since: day.date, until: day.date }
          const plain = plainSales(world.orders.values(), zone, range)
          const row = days.data.find(({ period }) => period === day.date)
          assert.deepEqual(
            [day.sales.orders, day.sales.salesInclTax, day.sales.tax],
            [plain.orders, plain.sales, plain.tax],
          )
          assert.deepEqual(
            [row?.orders ?? 0, row?.salesInclTax ?? 0, row?.guests ?? 0],
            [plain.orders, plain.sales, plain.guests],
          )
        }
        for (const by of tables) {
          const { data } = await salesOf(site.id, range, by)
          const plain = plainTable(world.orders.values(), by, zone, range)
          const computed = data.map(({ period, key, orders, salesInclTax, tax, discounts, items }) => {
            const figures = [orders, salesInclTax, tax, discounts, items === null ? null : Math.round(items * 1000)]
            return [`${period ?? ''} ${key ?? ''}`, figures] as const
          })
          const expected = computed.map(([id, figures]) => {
            // A figure that such a part cannot have is null.
            return [id, figures.map((figure, i) => (figure === null ? null : plain.get(id)?.[i]))] as const
          })
          assert.deepEqual(computed, expected, `by ${by} from ${range.since} until ${range.until}`)
          rows += computed.length
          assert.equal(computed.length, plain.size, `by ${by} from ${range.since} until ${range.until}`)
        }
      }),
      { numRuns: runsOf(4) },
    )
    assert.ok(rows > 50, 'histories in which something was sold')
  })
}
