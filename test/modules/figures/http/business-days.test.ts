import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announceDays } from '../../../../src/modules/figures/projections/announcements.ts'
import { daysProjection } from '../../../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import type { BusinessDay } from '../../../../src/modules/figures/schemas/business-days.ts'
import type { Completeness } from '../../../../src/modules/figures/schemas/completeness.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import { installationId } from '../../../../src/core/domain/accounts/keys.ts'
import { addKey, startApp, type Site } from '../../../support/app.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { idOf, locationOf, order, orderOf, report } from '../../../support/records.ts'
import { soundOrder, zReportOf } from '../../../support/z-reports.ts'

let now = new Date('2026-03-16T12:00:00.000Z')
const app = await startApp({ clock: () => now })
const { pool } = app

const at = (day: number, time: string) => `2026-03-${String(day).padStart(2, '0')}T${time}:00.000Z`
const date = (day: number) => `2026-03-${String(day).padStart(2, '0')}`

/** Returns an order of a day, by default of the first till and in the report of that day. */
const sold = (site: Site, day: number, n: number, changes: Partial<Order> = {}) =>
  soundOrder(
    orderOf(site.id, day * 100 + n, {
      openedAt: at(day, '18:00'),
      closedAt: at(day, '19:00'),
      deviceId: idOf('device', 1),
      reportId: idOf('report', day),
      ...changes,
    }),
  )

const z = (site: Site, day: number, orders: Order[], changes: Parameters<typeof zReportOf>[3] = {}) =>
  zReportOf(site.id, day, orders, { finalizedAt: at(day, '22:30'), deviceIdentifier: idOf('device', 1), ...changes })

/** Updates the projection of days and announces days, as the worker does. */
async function work(site: Site): Promise<void> {
  while ((await stepProjection(pool, daysProjection, site.id)) === 'behind');
  await announceDays(pool, site.id, now)
}

const dayOf = async (site: Site, day: number): Promise<BusinessDay> =>
  (await app.get(`/v1/business-days/${date(day)}`, { key: site.key })).json

const completeness = async (site: Site): Promise<Completeness> =>
  (await app.get('/v1/completeness/', { key: site.key })).json

/** Resolves to types and days of the journal entries about days. */
async function dayEvents(site: Site): Promise<string[]> {
  const { json } = await app.get('/v1/events/?after=0&types=day.completed,day.revised', { key: site.key })
  return json.data.map(({ type, data }: { type: string; data: BusinessDay }) => `${type} ${data.date} ${data.revision}`)
}

test('a day is open, then closed while something is missing, then complete, and revised if it changes later', async () => {
  const site = await app.addLocation()
  const orders = [sold(site, 14, 1), sold(site, 14, 2)]
  now = new Date(at(14, '20:00'))
  await app.store([order(orders[0])], site.key)
  assert.deepEqual([(await dayOf(site, 14)).status, (await dayOf(site, 14)).waitingFor.length], ['open', 1])
  await app.store([report(z(site, 14, orders))], site.key)
  now = new Date(at(15, '06:00'))
  const closed = await dayOf(site, 14)
  assert.deepEqual([closed.status, closed.isComplete, closed.orders.missing], ['closed', false, [orders[1]?.id]])
  await work(site)
  assert.deepEqual(await dayEvents(site), [])

  await app.store([order(orders[1])], site.key)
  const complete = await dayOf(site, 14)
  assert.deepEqual([complete.status, complete.isComplete, complete.balanced], ['complete', true, true])
  assert.equal(complete.sales.salesInclTax, 2 * Math.round((orders[0]?.total ?? 0) * 100))
  assert.deepEqual([complete.startsAt, complete.endsAt], [at(14, '04:00'), at(15, '04:00')])
  await work(site)
  await work(site)
  assert.deepEqual(await dayEvents(site), ['day.completed 2026-03-14 0'])
  const { json } = await app.get('/v1/events/?after=0&types=day.completed', { key: site.key })
  assert.deepEqual(json.data[0].data, complete)
  assert.deepEqual(await dayOf(site, 14), complete)

  await app.store([order(sold(site, 14, 3, { reportId: null }))], site.key)
  const revised = await dayOf(site, 14)
  assert.deepEqual([revised.status, revised.revision, revised.isComplete], ['revised', 1, false])
  assert.equal(revised.orders.unreported, 1)
  await work(site)
  assert.deepEqual(await dayEvents(site), ['day.completed 2026-03-14 0', 'day.revised 2026-03-14 1'])
  assert.deepEqual(await dayOf(site, 14), revised)
})

test('a day that was rewritten after its close states when, by how much and by which orders; a Z states its versions', async () => {
  const site = await app.addLocation()
  const orders = [sold(site, 14, 1), sold(site, 14, 2)]
  now = new Date(at(15, '06:00'))
  await app.store([...orders.map(order), report(z(site, 14, orders))], site.key)
  await work(site)
  const list = async (query = '') =>
    (await app.get(`/v1/business-days/revised?since=2026-03-10&until=2026-03-15${query}`, { key: site.key })).json
  assert.deepEqual((await list()).data, [])
  // Four days later the first order is canceled, and the corrected Z is sent.
  now = new Date(at(18, '10:00'))
  const gone = { ...(orders[0] as Order), isCanceled: true, total: 0, payments: [], updatedAt: at(18, '09:00') }
  const rewritten = { ...z(site, 14, [gone, orders[1] as Order]), updatedAt: at(18, '09:00') }
  await app.store([order(gone), report(rewritten)], site.key)
  await work(site)
  const cents = Math.round((orders[0] as Order).total * 100)
  const [day] = (await list('&orders=true')).data
  assert.deepEqual([day.date, day.revision, day.balanced], ['2026-03-14', 1, true])
  assert.equal(day.before.salesInclTax - day.now.salesInclTax, cents)
  assert.deepEqual([day.before.orders, day.now.orders], [2, 1])
  assert.ok(day.completedAt < day.revisedAt, `${day.completedAt} ${day.revisedAt}`)
  assert.deepEqual(
    day.orders.map(({ orderId, before, now: after }: any) => [orderId, before, after]),
    [[gone.id, cents, null]],
  )
  const sent = (await app.get(`/v1/orders/${gone.id}/history`, { key: site.key })).json.map((one: any) => one.sequence)
  const [{ versions: both }] = day.orders
  assert.deepEqual([both.before.sequence, both.now.sequence], sent)
  assert.deepEqual([both.before.acceptedAt, both.now.acceptedAt], [at(15, '06:00'), at(18, '10:00')])
  assert.equal((await list()).data[0].orders, undefined)
  const wide = await app.get('/v1/business-days/revised?since=2026-03-01&until=2026-03-15&orders=true', {
    key: site.key,
  })
  assertProblem(wide, { status: 400, code: 'validation_failed' })
  const versions = (await app.get(`/v1/reports/${rewritten.id}/history`, { key: site.key })).json
  assert.deepEqual(
    versions.map(({ types, data }: any) => [types[0], data.totalSales]),
    [
      ['report.created', day.before.salesInclTax],
      ['report.updated', day.now.salesInclTax],
    ],
  )
  assertProblem(await app.get(`/v1/reports/${idOf('report', 99)}/history`, { key: site.key }), {
    status: 404,
    code: 'report_not_found',
  })
  assert.deepEqual((await app.get('/v1/business-days/revised', { key: app.other.key })).json.data, [])
  const admin = await addKey(pool, installationId, { scopes: ['admin'] })
  const overview = (await app.get('/v1/admin/overview?troubled=true', { key: admin.key })).json
  const { problems } = overview.data.find(({ locationId }: any) => locationId === site.id)
  assert.deepEqual(
    problems.filter(({ kind }: any) => kind === 'day_revised').map(({ count, since }: any) => [count, since]),
    [[1, day.revisedAt]],
  )
})

test('a day is not complete before its end, and then becomes complete without new records', async () => {
  const site = await app.addLocation()
  const orders = [sold(site, 14, 1)]
  await app.store([...orders.map(order), report(z(site, 14, orders))], site.key)
  now = new Date(at(14, '23:00'))
  await work(site)
  assert.equal((await dayOf(site, 14)).status, 'open')
  assert.deepEqual(await dayEvents(site), [])
  now = new Date(at(15, '04:00'))
  await announceDays(pool, site.id, now)
  assert.deepEqual(await dayEvents(site), ['day.completed 2026-03-14 0'])
})

test('a day waits for an offline till, by name; a missing number and a late report are listed', async () => {
  const site = await app.addLocation()
  const second = { deviceId: idOf('device', 2) }
  const till2 = { deviceIdentifier: idOf('device', 2), deviceName: 'Caisse 2' }
  const both = (day: number, n: number) => {
    const one = [sold(site, day, 1)]
    const two = [sold(site, day, 2, { ...second, reportId: idOf('report', day + 50) })]
    return {
      one: [...one.map(order), report(z(site, day, one, { reportNumber: n }))],
      two: [
        ...two.map(order),
        report(z(site, day, two, { ...till2, id: idOf('report', day + 50), reportNumber: n + 100 })),
      ],
    }
  }
  const days = [10, 11, 12].map((day) => both(day, day))
  now = new Date(at(13, '06:00'))
  await app.store([...(days[0]?.one ?? []), ...(days[0]?.two ?? []), ...(days[1]?.one ?? [])], site.key)
  assert.equal((await dayOf(site, 10)).status, 'complete')
  const waiting = await dayOf(site, 11)
  assert.deepEqual(
    [waiting.status, waiting.waitingFor],
    ['open', [{ deviceId: idOf('device', 2), deviceName: 'Caisse 2' }]],
  )
  assert.equal((await completeness(site)).completeUntil, at(10, '22:30'))
  await work(site)

  // The next report of this till skips a number, so a report is missing.
  await app.store([...(days[2]?.one ?? []), ...(days[2]?.two ?? [])], site.key)
  const gap = await dayOf(site, 11)
  assert.deepEqual([gap.status, gap.missingReports], ['closed', [{ deviceName: 'Caisse 2', reportNumber: 111 }]])
  const before = await completeness(site)
  assert.deepEqual(
    [before.completeUntil, before.devices.map(({ missingReports }) => missingReports)],
    [at(10, '22:30'), [[], [111]]],
  )
  await app.store(days[1]?.two ?? [], site.key)
  assert.equal((await dayOf(site, 11)).status, 'complete')
  assert.equal((await completeness(site)).completeUntil, at(12, '22:30'))
  await work(site)
  assert.deepEqual(
    await dayEvents(site),
    [10, 11, 12].map((day) => `day.completed 2026-03-${day} 0`),
  )
})

test('a skipped Z number is reported for the same days in each answer, whatever range is requested', async () => {
  now = new Date('2026-03-16T12:00:00.000Z')
  const daily = (first: string, numbers: readonly number[]) =>
    numbers.map((number, i) => ({ closedAt: new Date(Date.parse(first) + i * 86_400_000).toISOString(), number }))
  // The Z of today names no device, but the name of its till leads to the device of the earlier Zs.
  const today = [
    ...daily('2026-03-11T22:30:00.000Z', [20, 21, 22, 23, 24]),
    { closedAt: '2026-03-16T11:00:00.000Z', number: 27, deviceIdentifier: null },
  ]
  const tens = daily('2026-03-11T10:00:00.000Z', [10, 20, 30, 40, 50, 60])
  // The numbers are multiples of ten until the till is reconfigured.
  const both = [
    ...daily('2026-01-02T21:00:00.000Z', [10, 20, 30, 40, 50]),
    ...daily('2026-02-20T21:00:00.000Z', [61, 62, 64, 65]),
  ]
  const year = ['2026-01-01', '2026-03-16']
  const cases = [
    {
      zs: today,
      missing: [25, 26],
      ranges: [year, ['2026-03-16', '2026-03-16']],
      without: ['2026-03-11', '2026-03-15'],
    },
    { zs: tens, missing: [], ranges: [year, ['2026-03-13', '2026-03-13']], without: ['2026-03-16', '2026-03-16'] },
    { zs: both, missing: [63], ranges: [year, ['2026-02-22', '2026-02-22']], without: ['2026-01-01', '2026-02-21'] },
  ]
  for (const { zs, missing, ranges, without } of cases) {
    const site = await app.addLocation()
    const toReport = ({ closedAt: time, number, ...changes }: (typeof zs)[number], i: number) => {
      const times = { createdAt: time, updatedAt: time, startedAt: time, finalizedAt: time }
      return report(z(site, 10, [], { ...times, id: idOf('report', 700 + i), reportNumber: number, ...changes }))
    }
    await app.store(zs.map(toReport), site.key)
    const ask = async (path: string) => (await app.get(path, { key: site.key })).json
    const numbersOf = (list: { reportNumber: number }[]) => [...new Set(list.map(({ reportNumber }) => reportNumber))]
    for (const [since, until] of [...ranges, without]) {
      const range = `?since=${since}&until=${until}`
      const days: BusinessDay[] = (await ask(`/v1/business-days/${range}`)).data
      const { meta } = await ask(`/v1/reports/checks/${range}&size=1`)
      const found = [numbersOf(days.flatMap(({ missingReports }) => missingReports)), numbersOf(meta.missingReports)]
      const expected = since === without[0] && until === without[1] ? [] : missing
      assert.deepEqual([range, ...found], [range, expected, expected])
    }
    const { devices } = await completeness(site)
    assert.deepEqual(
      devices.flatMap(({ missingReports }) => missingReports),
      missing,
    )
    if (zs !== today) continue
    const { meta } = await ask('/v1/reports/checks/')
    const between = { previousDay: '2026-03-15', nextDay: '2026-03-16', nextReportId: idOf('report', 705) }
    const named = (reportNumber: number) => ({ deviceName: 'Caisse 1', reportNumber, ...between })
    assert.deepEqual(meta.missingReports, [named(25), named(26)])
  }
})

test('the answer states whether anything closes days: a Z report or a till status does, orders do not', async () => {
  now = new Date('2026-03-16T12:00:00.000Z')
  const closes = async (site: Site) => (await app.get('/v1/business-days/', { key: site.key })).json.meta.closesDays
  const [first, second] = [await app.addLocation(), await app.addLocation()]
  const one = sold(first, 14, 1)
  await app.store([order(one)], first.key)
  assert.equal(await closes(first), false)
  await app.store([report(z(first, 14, [one]))], first.key)
  assert.equal(await closes(first), true)
  // The values stored by the worker give the same answer.
  await work(first)
  assert.equal(await closes(first), true)
  assert.equal(await closes(second), false)
  const status = { deviceId: idOf('device', 1), at: at(15, '06:00'), completeUntil: at(15, '05:00') }
  await app.store([{ type: 'device.status', data: status }], second.key)
  assert.equal(await closes(second), true)
})

test('a device whose orders are in the reports of another till is as current as that till; a silent one is idle', async () => {
  const site = await app.addLocation()
  const deviceList = [
    { id: idOf('device', 1), name: 'Caisse 1', model: 'till' },
    { id: idOf('device', 3), name: 'Terrasse', model: 'pad' },
    { id: idOf('device', 4), name: 'Cuisine', model: 'display' },
  ]
  const orders = [sold(site, 14, 1), sold(site, 14, 2, { deviceId: idOf('device', 3) })]
  now = new Date(at(15, '06:00'))
  await app.store(
    [
      { type: 'location', data: locationOf(site.id, { deviceList }) },
      ...orders.map(order),
      report(z(site, 14, orders)),
    ],
    site.key,
  )
  const { completeUntil, devices } = await completeness(site)
  assert.equal(completeUntil, at(14, '22:30'))
  assert.deepEqual(
    devices.map(({ deviceName, state, completeUntil, basis, reportedBy }) => [
      deviceName,
      state,
      completeUntil,
      basis,
      reportedBy,
    ]),
    [
      ['Caisse 1', 'active', at(14, '22:30'), 'report', null],
      ['Terrasse', 'active', at(14, '22:30'), 'report', 'Caisse 1'],
      ['Cuisine', 'idle', null, null, null],
    ],
  )
  now = new Date(at(31, '06:00'))
  assert.ok((await completeness(site)).devices.every(({ state }) => state === 'idle'))
})

test('a till that makes two reports a day has not closed it with one', async () => {
  const site = await app.addLocation()
  const halves = (day: number) => {
    const noon = sold(site, day, 1, { closedAt: at(day, '13:00') })
    const night = sold(site, day, 2, { reportId: idOf('report', day + 50) })
    return {
      noon: [order(noon), report(z(site, day, [noon], { reportNumber: 2 * day, finalizedAt: at(day, '15:00') }))],
      night: [order(night), report(z(site, day, [night], { id: idOf('report', day + 50), reportNumber: 2 * day + 1 }))],
    }
  }
  const [first, second] = [halves(12), halves(13)]
  now = new Date(at(14, '06:00'))
  await app.store([...first.noon, ...first.night, ...second.noon], site.key)
  assert.deepEqual([(await dayOf(site, 12)).status, (await dayOf(site, 13)).status], ['complete', 'open'])
  await app.store(second.night, site.key)
  assert.equal((await dayOf(site, 13)).status, 'complete')
})

test('a till with a counted order in no report has not closed the day, and an order with only a report’s id keeps it closed', async () => {
  const site = await app.addLocation()
  now = new Date(at(15, '12:00'))
  const [named, extra, forgotten] = [1, 2, 3].map((n) => sold(site, 14, n)) as [Order, Order, Order]
  const unreported = { ...forgotten, reportId: null }
  await app.store([...[named, extra, unreported].map(order), report(z(site, 14, [named]))], site.key)
  const open = await dayOf(site, 14)
  assert.deepEqual([open.status, open.waitingFor.length, open.orders.unreported], ['open', 1, 1])
  const canceled = { ...unreported, isCanceled: true, updatedAt: at(15, '10:00') }
  await app.store([order(canceled)], site.key)
  const closed = await dayOf(site, 14)
  assert.deepEqual([closed.status, closed.isComplete, closed.orders.extra], ['closed', false, [extra.id]])
  await app.store([order({ ...extra, reportId: null, isCanceled: true, updatedAt: at(15, '10:00') })], site.key)
  assert.equal((await dayOf(site, 14)).status, 'complete')
})

test('a report from the future closes no day', async () => {
  const site = await app.addLocation()
  const orders = [sold(site, 14, 1)]
  now = new Date(at(15, '06:00'))
  await app.store(
    [...orders.map(order), report(z(site, 14, orders, { finalizedAt: '2030-01-01T00:00:00.000Z' }))],
    site.key,
  )
  assert.equal((await dayOf(site, 14)).status, 'open')
  assert.equal((await completeness(site)).completeUntil, null)
})

test('a range contains each of its days, and invalid days are refused', async () => {
  const site = await app.addLocation()
  now = new Date(at(16, '12:00'))
  const { json } = await app.get('/v1/business-days/?since=2026-03-28&until=2026-03-30', { key: site.key })
  assert.deepEqual(
    json.data.map(({ date, startsAt, status }: BusinessDay) => [date, startsAt, status]),
    [
      ['2026-03-28', at(28, '04:00'), 'open'],
      ['2026-03-29', at(29, '03:00'), 'open'],
      ['2026-03-30', at(30, '03:00'), 'open'],
    ],
  )
  assert.deepEqual([json.meta.currency, json.meta.timeZone, json.meta.completeUntil], ['EUR', 'Europe/Paris', null])
  assert.equal((await app.get('/v1/business-days/', { key: site.key })).json.data.length, 31)
  for (const path of ['?since=2026-03-02&until=2026-03-01', '?since=2020-01-01', '2026-02-30', 'today']) {
    assertProblem(await app.get(`/v1/business-days/${path}`), { status: 400, code: 'validation_failed' })
  }
  for (const path of ['/v1/business-days/', '/v1/business-days/2026-03-14', '/v1/completeness/']) {
    assertProblem(await app.get(path, { key: app.keys.ingest }), { status: 403, code: 'scope_missing' })
  }
})

test('the first and the last possible time from a till do not damage the figures of its location', async () => {
  const ends = ['0001-01-01T00:00:00.000Z', '9999-12-31T23:59:59.999Z'] as const
  for (const timeZone of ['Pacific/Kiritimati', 'America/Los_Angeles']) {
    const site = await app.addLocation()
    await pool`update locations set time_zone = ${timeZone} where id = ${site.id}`
    const orders = ends.map((time, n) => sold(site, 14, n, { createdAt: time, openedAt: time, closedAt: time }))
    const closing = z(site, 14, orders, { startedAt: ends[0], finalizedAt: ends[1] })
    await app.store([...orders.map((one) => order(one)), report(closing)], site.key)
    await work(site)
    for (const path of [
      '/v1/business-days/?since=9999-12-31',
      '/v1/business-days/?until=0001-01-01',
      '/v1/business-days/9999-12-31',
      '/v1/business-days/0001-01-01',
      '/v1/completeness/',
      '/v1/devices/',
      '/v1/sales/?since=9999-12-31&by=hour',
      '/v1/sales/?since=0001-01-01&until=0001-01-01&by=week&compare=previous',
      '/v1/e-reporting/?since=9999-12-31',
      '/v1/reports/checks/?since=9999-12-31',
    ]) {
      const { status, text } = await app.get(path, { key: site.key })
      assert.equal(status, 200, `${path} in ${timeZone}: ${text}`)
    }
    // Lists, tables and figures agree on both days.
    for (const day of ['0001-01-01', '9999-12-31']) {
      const get = async (path: string) => app.get(path, { key: site.key })
      assert.equal((await get(`/v1/sales/?since=${day}&until=${day}`)).json.totals.orders, 1, day)
      assert.equal((await get(`/v1/sales/?since=${day}&until=${day}&by=hour`)).json.totals.orders, 1, day)
      assert.equal((await get(`/v1/orders/?closedSince=${day}&closedUntil=${day}`)).json.meta.totalCount, 1, day)
      const table = await get(`/v1/exports/orders?month=${day.slice(0, 7)}`)
      assert.equal(table.text.trim().split('\n').length, 2, `${day} in ${timeZone}`)
    }
    for (const month of ['0000-12', '2026-13'])
      assertProblem(await app.get(`/v1/exports/orders?month=${month}`, { key: site.key }), {
        status: 400,
        code: 'validation_failed',
      })
  }
})
