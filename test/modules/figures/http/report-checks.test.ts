import assert from 'node:assert/strict'
import { test } from 'node:test'
import { daysProjection } from '../../../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import { startApp } from '../../../support/app.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { idOf, order, orderOf, report } from '../../../support/records.ts'
import { soundOrder, zReportOf } from '../../../support/z-reports.ts'

const app = await startApp({ clock: () => new Date('2026-03-20T12:00:00.000Z') })
const { pool } = app

const closed = (n: number, day: number, changes: object = {}) => {
  const at = `2026-03-${day}T20:00:00.000Z`
  return soundOrder(orderOf(app.location, n, { openedAt: at, closedAt: at, reportId: idOf('report', day), ...changes }))
}

const z = (day: number, orders: Parameters<typeof zReportOf>[2], changes: object = {}) =>
  zReportOf(app.location, day, orders, { finalizedAt: `2026-03-${day}T22:30:00.000Z`, ...changes })

const checks = async (query = '') => (await app.get(`/v1/reports/checks/${query}`)).json
const verdictOf = async (day: number) => {
  const { data } = await checks(`?since=2026-03-${day}&until=2026-03-${day}`)
  return data[0]?.verdict
}

test('each Z report has its verdict, which is updated when the report or one of its orders changes', async () => {
  const orders = [closed(1, 10), closed(2, 10), closed(3, 10)]
  const steps = {
    missing: [order(orders[0]), order(orders[1]), report(z(10, orders))],
    arrived: [order(orders[2])],
    changed: [
      order({ ...closed(1, 10, { items: orders[1]?.items.slice(0, 1) }), updatedAt: '2026-03-10T23:00:00.000Z' }),
    ],
    corrected: [report({ ...z(10, orders), updatedAt: '2026-03-11T08:00:00.000Z', totalSales: 1 })],
  }
  const after: unknown[] = []
  for (const records of Object.values(steps)) {
    await app.store(records)
    // Computed in the request, and again from the values stored by the worker.
    const inRequest = await verdictOf(10)
    while ((await stepProjection(pool, daysProjection, app.location)) === 'behind');
    assert.equal(await verdictOf(10), inRequest)
    after.push(inRequest)
  }
  assert.deepEqual(after, ['waiting', 'balanced', 'unbalanced', 'unbalanced'])
  const { data, meta } = await checks('?since=2026-03-10&until=2026-03-10')
  assert.equal(data[0].salesDifference, 1 - data[0].computedSales)
  assert.deepEqual(meta.verdicts, { balanced: 0, unbalanced: 1, waiting: 0 })
  assert.equal(meta.sequence, 6)
})

test('an order that is linked to the report only by the report’s list changes the verdict too', async () => {
  const adopted = [closed(21, 11, { reportId: null }), closed(22, 11, { reportId: null, closedAt: null })]
  await app.store([...adopted.map(order), report(z(11, [adopted[0], closed(22, 11)] as never))])
  while ((await stepProjection(pool, daysProjection, app.location)) === 'behind');
  assert.equal(await verdictOf(11), 'waiting')
  await app.store([order({ ...closed(22, 11, { reportId: null }), updatedAt: '2026-03-11T23:00:00.000Z' })])
  assert.equal(await verdictOf(11), 'balanced')
  while ((await stepProjection(pool, daysProjection, app.location)) === 'behind');
  assert.equal(await verdictOf(11), 'balanced')
})

test('an order that leaves a report updates the report that it left', async () => {
  const orders = [closed(31, 12), closed(32, 12)]
  await app.store([...orders.map(order), report(z(12, orders.slice(0, 1)))])
  while ((await stepProjection(pool, daysProjection, app.location)) === 'behind');
  assert.equal(await verdictOf(12), 'unbalanced')
  await app.store([order({ ...orders[1], reportId: null, updatedAt: '2026-03-12T23:00:00.000Z' })])
  assert.equal(await verdictOf(12), 'balanced')
})

test('a report belongs to the business day on which its last order was closed, even if the till closed it the next morning', async () => {
  const late = closed(41, 14, { closedAt: '2026-03-14T01:30:00.000Z' })
  await app.store([order(late), report(z(14, [late], { finalizedAt: '2026-03-14T09:00:00.000Z' }))])
  const { data } = await checks('?since=2026-03-13&until=2026-03-13')
  assert.deepEqual(
    data.map(({ businessDay, reportId }: { businessDay: string; reportId: string }) => [businessDay, reportId]),
    [['2026-03-13', idOf('report', 14)]],
  )
})

test('the last 31 days are the default, filtered by verdict, paged and in either order', async () => {
  const { data, meta } = await checks()
  assert.deepEqual([meta.since, meta.until, meta.totalCount], ['2026-02-18', '2026-03-20', 4])
  const days = data.map(({ businessDay }: { businessDay: string }) => businessDay)
  assert.deepEqual(days, ['2026-03-10', '2026-03-11', '2026-03-12', '2026-03-13'])
  const newest = await checks('?sort=-finalizedAt&size=1&index=1&verdict=balanced')
  assert.deepEqual([newest.data[0].businessDay, newest.meta.totalCount, newest.meta.totalPage], ['2026-03-12', 3, 3])
  assert.deepEqual(newest.meta.verdicts, { balanced: 3, unbalanced: 1, waiting: 0 })
})

test('invalid days and verdicts are refused with what to change, and other locations see nothing', async () => {
  for (const [query, pointer] of [
    ['since=2026-03-32', '/since'],
    ['since=2026-03-14&until=2026-03-13', '/since'],
    ['since=2024-01-01', '/until'],
    ['since=2024-01-01&until=2025-03-01', '/until'],
    ['verdict=good', '/verdict'],
    ['sort=day', '/sort'],
  ] as const) {
    const problem = assertProblem(await app.get(`/v1/reports/checks/?${query}`), {
      status: 400,
      code: 'validation_failed',
    })
    assert.equal(problem.errors?.[0]?.pointer, pointer, query)
  }
  assertProblem(await app.get('/v1/reports/checks/', { key: app.keys.ingest }), { status: 403, code: 'scope_missing' })
  assert.equal((await app.get('/v1/reports/checks/', { key: app.other.key })).json.meta.totalCount, 0)
})
