import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announceDays } from '../../../../src/modules/figures/projections/announcements.ts'
import { daysProjection } from '../../../../src/modules/figures/projections/days.ts'
import { catchUpProjection, stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import { salesProjection } from '../../../../src/modules/figures/projections/sales.ts'
import { findFiguresFault } from '../../../../src/modules/operations/projections/verify.ts'
import { ProjectionWorker, waits } from '../../../../src/modules/figures/projections/worker.ts'
import { defaultLocationSettings } from '../../../../src/core/ingest/write/locations.ts'
import type { BusinessDay } from '../../../../src/modules/figures/schemas/business-days.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import { updateLocationSettings } from '../../../../src/core/contract/location/rows.ts'
import { listLagging } from '../../../../src/modules/figures/store/projections.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { crashing } from '../../../support/crashing.ts'
import { idOf, order, orderOf, report } from '../../../support/records.ts'
import { eventually, gate } from '../../../support/waiting.ts'
import { soundOrder, zReportOf } from '../../../support/z-reports.ts'

const now = new Date('2026-03-16T12:00:00.000Z')
const app = await startApp({ clock: () => now })
const { pool } = app
const projections = [salesProjection, daysProjection]

/** Returns orders of 14 March, and the n-th version of the till's Z report on them. */
function evening(site: Site, count: number, version: number) {
  const at = '2026-03-14T19:00:00.000Z'
  const reportId = idOf('report', 1)
  const orders = Array.from({ length: count }, (_, i) =>
    soundOrder(orderOf(site.id, i + 1, { openedAt: at, closedAt: at, deviceId: idOf('device', 1), reportId })),
  )
  const z = zReportOf(site.id, 1, orders, {
    finalizedAt: '2026-03-14T22:30:00.000Z',
    deviceIdentifier: idOf('device', 1),
    updatedAt: new Date(Date.parse('2026-03-14T22:30:00.000Z') + version * 1000).toISOString(),
  })
  return [...orders.map(order), report(z)]
}

/** Returns a process clock that a test advances by more than a location's turn. */
function turningClock() {
  let aheadMs = 0
  return { nowMs: () => performance.now() + aheadMs, turn: () => void (aheadMs += 60) }
}

async function dayEvents(site: Site): Promise<string[]> {
  const { json } = await app.get('/v1/events/?after=0&types=day.completed,day.revised&limit=100', { key: site.key })
  return json.data.map(({ type, data }: { type: string; data: BusinessDay }) => `${type} ${data.date} ${data.revision}`)
}

test('concurrent workers send the event for each state of a day once', async () => {
  const site = await app.addLocation()
  for (let version = 1; version <= 4; version++) {
    await app.store(evening(site, version, version), site.key)
    // Each worker does the complete work of a worker, at the same time as the other workers.
    await Promise.all(
      Array.from({ length: 6 }, async () => {
        for (const projection of projections) await catchUpProjection(pool, projection, site.id)
        while ((await stepProjection(pool, daysProjection, site.id)) === 'behind');
        await announceDays(pool, site.id, now)
      }),
    )
    await announceDays(pool, site.id, now)
    assert.deepEqual(
      await dayEvents(site),
      [
        'day.completed 2026-03-14 0',
        'day.revised 2026-03-14 1',
        'day.revised 2026-03-14 2',
        'day.revised 2026-03-14 3',
      ].slice(0, version),
    )
  }
  assert.equal(await findFiguresFault(pool, site.id, now), undefined)
})

test('a worker that ends at any statement leaves the figures intact, and its pending event is sent once', async () => {
  const site = await app.addLocation()
  let isComplete = false
  for (let at = 1; !isComplete; at++) {
    await app.store(evening(site, at, at), site.key)
    isComplete = true
    const works = [
      ...projections.map((projection) => () => stepProjection(pool, projection, site.id)),
      () => announceDays(pool, site.id, now),
    ]
    for (const [i, work] of works.entries()) {
      if (await crashing(pool, at, work)) isComplete = false
      assert.equal(await findFiguresFault(pool, site.id, now), undefined, `${i} ended at statement ${at}`)
      // The next projection uses all results of the one before.
      const projection = projections[i]
      while (projection && (await stepProjection(pool, projection, site.id)) === 'behind');
    }
    await announceDays(pool, site.id, now)
    const events = await dayEvents(site)
    assert.deepEqual(
      events,
      Array.from({ length: at }, (_, n) => `day.${n === 0 ? 'completed' : 'revised'} 2026-03-14 ${n}`),
    )
    assert.ok(at < 40)
  }
})

test('a day with a report from the future is announced when that time has come, and a day without a scheduled event is found', async () => {
  const site = await app.addLocation()
  const ahead = evening(site, 2, 1).map((record) =>
    record.type === 'report' ? report({ ...(record.data as Report), finalizedAt: '2026-03-16T13:00:00.000Z' }) : record,
  )
  await app.store(ahead, site.key)
  while ((await stepProjection(pool, daysProjection, site.id)) === 'behind');
  assert.equal(await announceDays(pool, site.id, now), 0)
  assert.equal(await announceDays(pool, site.id, new Date('2026-03-16T12:54:00.000Z')), 0)
  const later = new Date('2026-03-16T12:55:00.000Z')
  assert.equal(await findFiguresFault(pool, site.id, later), undefined)
  await pool`update due_days set day = day - 100 where location_id = ${site.id}`
  assert.equal(
    await findFiguresFault(pool, site.id, later),
    'the business day 2026-03-14 is complete, but its event is not scheduled',
  )
  await pool`update due_days set day = day + 100 where location_id = ${site.id}`
  assert.ok((await announceDays(pool, site.id, later)) > 0)
  assert.deepEqual(await dayEvents(site), ['day.completed 2026-03-14 0', 'day.completed 2026-03-15 0'])
})

test('while days are rebuilt for another start of the day, the old ones are served, including new pushes', async () => {
  const site = await app.addLocation()
  const early = (n: number, changes: object = {}) => {
    const at = new Date(Date.parse('2026-03-14T02:00:00.000Z') + n * 1000).toISOString()
    const of = { openedAt: at, closedAt: at, createdAt: at, updatedAt: at, reportId: null, ...changes }
    return order(orderOf(site.id, n, of))
  }
  // More orders than a worker folds in one step.
  const many = Array.from({ length: 1120 }, (_, i) => early(i + 1))
  await app.store(many, site.key)
  const ordersOf = async (day: number) => {
    const days = await app.get(`/v1/business-days/?since=2026-03-${day}&until=2026-03-${day}`, { key: site.key })
    const sales = await app.get(`/v1/sales/?since=2026-03-${day}&until=2026-03-${day}`, { key: site.key })
    assert.deepEqual([days.status, sales.status], [200, 200])
    assert.equal(sales.json.totals.orders, days.json.data[0].sales.orders)
    return [days.json.meta.dayStartsAt, days.json.data[0].sales.orders]
  }
  assert.deepEqual(await ordersOf(13), ['05:00', 1120])
  await updateLocationSettings(pool, site.id, { ...defaultLocationSettings, dayStartsAt: '02:00' })
  for (const projection of projections) assert.equal(await stepProjection(pool, projection, site.id), 'behind')
  assert.deepEqual(await ordersOf(13), ['05:00', 1120])
  // More orders than a read folds: the worker also advances the generation that answers.
  await app.store(
    Array.from({ length: 1200 }, (_, i) => early(2000 + i)),
    site.key,
  )
  await app.store([early(1, { isCanceled: true, updatedAt: '2026-03-15T00:00:00.000Z' })], site.key)
  for (const projection of projections) assert.equal(await stepProjection(pool, projection, site.id), 'behind')
  const generations = await pool`select distinct generation from device_days where location_id = ${site.id}`
  assert.equal(generations.length, 2)
  assert.deepEqual(await ordersOf(13), ['05:00', 2319])
  for (const projection of projections) while ((await stepProjection(pool, projection, site.id)) === 'behind');
  assert.deepEqual(
    [await ordersOf(13), await ordersOf(14)],
    [
      ['02:00', 0],
      ['02:00', 2319],
    ],
  )
  const left = await pool`
    select generation from device_days where location_id = ${site.id}
    union select generation from sales_cells where location_id = ${site.id}`
  assert.equal(left.length, 1)
  assert.equal(await findFiguresFault(pool, site.id, now), undefined)
})

test('a location that receives pushes is processed after a pause, or after five seconds at most', () => {
  const pushed = { firstMs: 10_000, lastMs: 14_900 }
  assert.equal(waits(pushed, 14_999), true)
  assert.equal(waits(pushed, 15_000), false, 'it has waited long enough')
  assert.equal(waits({ ...pushed, lastMs: 14_600 }, 14_900), false, 'nothing came for a while')
})

test('a worker continues with the rest of another location without a further hint', async () => {
  const [site, other] = [await app.addLocation(), await app.addLocation()]
  // More orders than a worker folds in one stretch.
  const many = Array.from({ length: 1001 }, (_, i) => order(orderOf(site.id, i + 1)))
  await app.store(many, site.key)
  await app.store([order(orderOf(other.id, 1))], other.key)
  const folded: string[] = []
  const clock = turningClock()
  const slow = {
    ...daysProjection,
    fold: async (...args: Parameters<typeof daysProjection.fold>) => {
      folded.push(args[1].locationId)
      clock.turn()
      return daysProjection.fold(...args)
    },
  }
  // The worker checks all locations when it starts and not again: no later sweep finds skipped work.
  const { hints } = app.context
  const worker = new ProjectionWorker({ pool, hints, projections: [slow], sweepMs: 2 ** 31 - 1, nowMs: clock.nowMs })
  worker.start()
  try {
    for (const { id } of [site, other]) hints.committed(id)
    await eventually(async () => !(await listLagging(pool, slow.name, slow.rules)).includes(site.id), 'all of it')
  } finally {
    await worker.stop()
  }
  // Other locations of this file may also be due.
  const ours = folded.filter((id) => id === site.id || id === other.id)
  assert.deepEqual(ours, [site.id, other.id, site.id])
})

test('a worker processes a location with continuous pushes in parts, and all of it at the end', async () => {
  const site = await app.addLocation()
  await app.store(
    Array.from({ length: 2200 }, (_, i) => order(orderOf(site.id, i + 1))),
    site.key,
  )
  const other = await app.addLocation()
  await app.store([order(orderOf(other.id, 1))], other.key)
  let isPushed = true
  const folded: string[] = []
  const clock = turningClock()
  const looked = gate()
  // Each step takes longer than a turn, and finds new pushes. The step of the other location lasts until the test has
  // checked the progress of this one.
  const busy = {
    ...daysProjection,
    fold: async (...args: Parameters<typeof daysProjection.fold>) => {
      folded.push(args[1].locationId)
      if (args[1].locationId === other.id) await looked.opened
      if (isPushed && args[1].locationId === site.id) {
        clock.turn()
        app.context.hints.committed(site.id)
      }
      return daysProjection.fold(...args)
    },
  }
  const worker = new ProjectionWorker({ pool, hints: app.context.hints, projections: [busy], nowMs: clock.nowMs })
  worker.start()
  try {
    app.context.hints.committed(site.id)
    app.context.hints.committed(other.id)
    await eventually(() => folded.includes(other.id), 'the turn of another location')
    assert.equal(folded.filter((id) => id === site.id).length, 1, 'after one stretch of this one')
    const [cursor] = await pool<
      { seq: number }[]
    >`select seq from projections where location_id = ${site.id} and name = 'days'`
    assert.ok((cursor?.seq ?? 0) <= 1000)
    isPushed = false
    looked.open()
    await eventually(async () => {
      const [row] = await pool<
        { live: boolean }[]
      >`select live from projections where location_id = ${site.id} and name = 'days'`
      return row?.live === true
    }, 'all of it')
  } finally {
    looked.open()
    await worker.stop()
  }
  assert.equal(await findFiguresFault(pool, site.id, now), undefined)
})
