import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { reconcile } from '../../../src/modules/figures/domain/reconciliation.ts'
import type { Order } from '../../../src/core/contract/orders/schema.ts'
import { addDays } from '../../../src/core/domain/days/business-time.ts'
import { businessDay } from '../../../simulator/calendar.ts'
import { createRestaurant, restaurantKinds, type Restaurant } from '../../../simulator/restaurant.ts'
import { sampleRecords, simulate, type Span } from '../../../simulator/simulation.ts'
import { assertFits, linesOf, sum, collect, type Generated } from './support.ts'
import { hourMs } from '../../../src/core/domain/days/time-units.ts'
import { runsOf } from '../../support/seed.ts'

const paris = 'Europe/Paris'
const seeds = fc.oneof(fc.string(), fc.integer())
const dates = fc.integer({ min: 0, max: 9000 }).map((days) => addDays('2015-01-01', days))
const restaurants = fc
  .record({
    seed: seeds,
    ordersPerDay: fc.constantFrom(1, 8, 40, 120, 300),
    timeZone: fc.constantFrom(paris, paris, 'America/Martinique', 'Indian/Reunion'),
    kind: fc.constantFrom(...restaurantKinds),
  })
  .map((options) => createRestaurant(options))

/** Returns the range of this many business days, from `date` on. */
function wholeDays(restaurant: Restaurant, date: string, days: number): { from: Date; to: Date } {
  const { startsAt } = businessDay(restaurant.timeZone, date)
  return { from: new Date(startsAt), to: new Date(businessDay(restaurant.timeZone, addDays(date, days)).startsAt) }
}

const generate = (restaurant: Restaurant, span: Span): Generated =>
  collect([...simulate(restaurant, span)].map((occurrence) => occurrence.record))

/** Checks that each report reconciles with the orders that have its id. */
function assertReconciles({ orders, reports }: Generated): void {
  const byReport = Map.groupBy(orders, (order) => order.reportId)
  for (const report of reports) {
    const result = reconcile(report, byReport.get(report.id) ?? [])
    assert.deepEqual(result.differences, [])
    const { counted, canceled, ...others } = result.orders
    assert.deepEqual(Object.values(others).flat(), [])
    assert.equal(counted.length + canceled.length, report.orders.length)
    assert.equal(result.balanced, true)
  }
}

test('for any seed and day every record passes its schema, and each report reconciles with its orders in every figure', () => {
  fc.assert(
    fc.property(restaurants, dates, (restaurant, date) => {
      const records = [...simulate(restaurant, wholeDays(restaurant, date, 1))].map((occurrence) => occurrence.record)
      for (const record of records) assertFits(record)
      const all = collect(records)
      assert.equal(all.reports.length, 1)
      assertReconciles(all)
    }),
    { numRuns: runsOf(5) },
  )
})

test('the same seed gives the same bytes, another seed other orders', () => {
  fc.assert(
    fc.property(seeds, seeds, dates, (seed, other, date) => {
      fc.pre(String(seed) !== String(other))
      const run = (seed: string | number) => {
        const restaurant = createRestaurant({ seed, ordersPerDay: 20 })
        return linesOf(simulate(restaurant, wholeDays(restaurant, date, 1)))
      }
      assert.deepEqual(run(seed), run(seed))
      const known = new Set(run(seed))
      assert.ok(run(other).every((line) => !known.has(line)))
    }),
    { numRuns: runsOf(3) },
  )
})

test('any range equals that part of a longer one', () => {
  const parts = fc.tuple(fc.nat(1000), fc.nat(1000))
  fc.assert(
    fc.property(restaurants, dates, parts, fc.boolean(), fc.boolean(), (restaurant, date, parts, finalOnly, rushed) => {
      const whole = wholeDays(restaurant, date, 3)
      const [first, last] = parts.toSorted((one, other) => one - other) as [number, number]
      const moment = (part: number) => new Date(whole.from.getTime() + (part / 1000) * 3 * 24 * hourMs)
      const rushes = rushed ? [{ from: moment(200), to: moment(230), perMinute: 0.5 }] : []
      const options = { finalOnly, rushes, setup: false }
      const within = ({ at }: { at: Date }) => at >= moment(first) && at < moment(last)
      const longer = [...simulate(restaurant, { ...whole, ...options })].filter(within)
      const span = [...simulate(restaurant, { from: moment(first), to: moment(last), ...options })]
      // The longer span ends on a day of 23 hours before the last part does.
      assert.deepEqual(linesOf(span.filter(({ at }) => at < whole.to)), linesOf(longer))
    }),
    { numRuns: runsOf(3) },
  )
})

test('the final versions alone equal the last versions of the whole', () => {
  const restaurant = createRestaurant({ seed: 'final' })
  const days = wholeDays(restaurant, '2026-02-13', 2)
  const last = new Map<string, string>()
  for (const order of generate(restaurant, days).orders) last.set(order.id, JSON.stringify(order))
  const finals = generate(restaurant, { ...days, finalOnly: true }).orders
  assert.deepEqual(new Set(finals.map((order) => JSON.stringify(order))), new Set(last.values()))
  assert.equal(finals.length, last.size)
})

test('records are in order of time, each at the time of its creation, and each version of an order is newer', () => {
  const restaurant = createRestaurant({ seed: 'order of time' })
  const rushes = [{ from: new Date('2026-02-13T22:00:00Z'), to: new Date('2026-02-14T06:00:00Z'), perMinute: 1 }]
  let previous = 0
  const versions = new Map<string, Order>()
  for (const { at, record } of simulate(restaurant, {
    ...wholeDays(restaurant, '2026-02-13', 2),
    rushes,
    setup: false,
  })) {
    assert.ok(at.getTime() >= previous)
    previous = at.getTime()
    if (record.type !== 'order') continue
    const order = record.data
    assert.equal(order.updatedAt, at.toISOString())
    const before = versions.get(order.id)
    versions.set(order.id, order)
    if (!before) {
      assert.equal(order.createdAt, order.updatedAt)
      continue
    }
    assert.ok(before.updatedAt < order.updatedAt)
    assert.equal(before.closedAt, null)
    assert.deepEqual(
      [before.createdAt, before.orderNumber, before.operatorId],
      [order.createdAt, order.orderNumber, order.operatorId],
    )
  }
})

test('an open order has no report yet, and a training order never has one', () => {
  const restaurant = createRestaurant({ seed: 'states' })
  for (const order of generate(restaurant, wholeDays(restaurant, '2026-02-09', 7)).orders) {
    if (order.closedAt === null || order.isTraining) assert.equal(order.reportId, null)
    else assert.notEqual(order.reportId, null)
    if (order.closedAt !== null) assert.equal(order.closedAt, order.updatedAt)
  }
})

test('reports are numbered without gaps, and sale numbers count up without gaps within the day', () => {
  const restaurant = createRestaurant({ seed: 'numbers', openedOn: '2026-02-01' })
  const { orders, reports } = generate(restaurant, { ...wholeDays(restaurant, '2026-01-25', 14), finalOnly: true })
  assert.deepEqual(
    reports.map((report) => report.reportNumber),
    [1, 2, 3, 4, 5, 6, 7],
  )
  for (const report of reports) {
    const numbers = orders.filter((order) => order.reportId === report.id).map((order) => order.orderNumber)
    const prefix = report.startedAt.slice(2, 10).replaceAll('-', '')
    const expected = numbers.map((_, index) => `${prefix}-${String(index + 1).padStart(3, '0')}`)
    assert.deepEqual(numbers.toSorted(), expected)
  }
})

test('a day continues past midnight and over a clock change, and its report contains all of it', () => {
  const restaurant = createRestaurant({ seed: 'clock' })
  for (const [date, change] of [
    ['2025-03-29', '2025-03-30T01:00:00.000Z'],
    ['2025-10-25', '2025-10-26T01:00:00.000Z'],
  ] as const) {
    const all = generate(restaurant, { ...wholeDays(restaurant, date, 1), finalOnly: true })
    const [report] = all.reports
    assert.ok(report)
    assert.ok(report.startedAt.startsWith(date))
    assert.ok(report.startedAt < change && change < report.finalizedAt, report.finalizedAt)
    assertReconciles(all)
  }
})

test('the drawer opens each day with the amount of the previous close', () => {
  const restaurant = createRestaurant({ seed: 'drawer' })
  const { reports } = generate(restaurant, { ...wholeDays(restaurant, '2026-01-01', 120), finalOnly: true })
  for (const [index, report] of reports.entries()) {
    assert.equal(report.initialCashBalance, reports[index - 1]?.finalCashBalance ?? 20_000)
    assert.ok(report.finalizedAt < (reports[index + 1]?.startedAt ?? '9'))
  }
  const types = new Set(reports.flatMap((report) => report.reportEntries.map((entry) => entry.entryType)))
  const expected = ['opening_float', 'cash_in', 'cash_out', 'bank_deposit', 'expense', 'tip_out', 'no_sale']
  assert.deepEqual([...types].toSorted(), [...expected, 'count_overage', 'count_shortage'].toSorted())
})

test('a rush that is stopped and continued later has the same restaurant: every report reconciles', () => {
  const instants = fc.integer({ min: 0, max: 72 * 60 })
  fc.assert(
    fc.property(seeds, dates, fc.tuple(instants, instants, instants), (seed, date, parts) => {
      const restaurant = createRestaurant({ seed, ordersPerDay: 15 })
      const { from, to } = wholeDays(restaurant, date, 5)
      const [start, stop, again] = parts
        .toSorted((one, other) => one - other)
        .map((minutes) => new Date(from.getTime() + minutes * 60_000)) as [Date, Date, Date]
      const [first, second] = [
        { from: start, perMinute: 0.4 },
        { from: again, perMinute: 0.4 },
      ]
      const stopped = { ...first, to: stop }
      const pieces = [
        generate(restaurant, { from, to: start, finalOnly: true }),
        generate(restaurant, { from: start, to: stop, rushes: [first] }),
        generate(restaurant, { from: stop, to: again, rushes: [stopped], finalOnly: true }),
        generate(restaurant, { from: again, to, rushes: [stopped, second] }),
      ]
      const orders = pieces.flatMap((piece) => piece.orders)
      const reports = pieces.flatMap((piece) => piece.reports)
      // The rush continues at the end, so the last day is still open.
      assert.equal(reports.length, 4)
      const versions = new Set(orders.map((order) => `${order.id} ${order.updatedAt}`))
      assert.equal(versions.size, orders.length)
      assertReconciles({ orders, reports })
    }),
    { numRuns: runsOf(2) },
  )
})

test('a rush sells at any hour, at the requested rate', () => {
  const restaurant = createRestaurant({ seed: 'night' })
  const [from, to] = [new Date('2026-02-10T02:00:00Z'), new Date('2026-02-10T05:00:00Z')]
  const { orders } = generate(restaurant, { from, to, rushes: [{ from, perMinute: 3 }] })
  const opened = orders.filter((order) => order.createdAt === order.updatedAt)
  assert.ok(Math.abs(opened.length - 540) < 100, `${opened.length} orders in three hours`)
  assert.throws(() => [...simulate(restaurant, { from, to, rushes: [{ from, perMinute: 61 }] })], RangeError)
})

test('without an end the simulation continues', () => {
  const from = new Date('2026-02-10T11:00:00Z')
  const stream = simulate(createRestaurant({ seed: 1 }), { from, setup: false })
  const records = stream.take(2000).toArray()
  assert.equal(records.length, 2000)
  assert.ok((records.at(-1)?.at.getTime() ?? 0) > from.getTime() + 48 * hourMs)
})

test('a sample is whole business days: every order is final and in a report of the sample, except training', () => {
  const restaurant = createRestaurant({ seed: 'sample' })
  const records = [...sampleRecords(restaurant, 14, new Date('2026-03-01T12:00:00Z'))]
  const { orders, reports } = collect(records)
  assert.equal(reports.length, 14)
  assert.equal(reports.at(-1)?.startedAt.slice(0, 10), '2026-02-28')
  assertReconciles({ orders, reports })
  const named = new Set(reports.flatMap((report) => report.orders))
  assert.ok(orders.every((order) => named.has(order.id) !== order.isTraining))
  assert.equal(
    sum(reports, (report) => report.orders.length),
    named.size,
  )
  assert.deepEqual(
    records.slice(0, 5).map((record) => record.type),
    ['location', 'catalog.taxes', 'catalog.payments', 'catalog.modifiers', 'catalog.products'],
  )
})
