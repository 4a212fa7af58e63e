import assert from 'node:assert/strict'
import { test } from 'node:test'
import { figuresAtOnce } from '../../../../src/modules/figures/projections/figures-at-once.ts'
import { stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import { daysProjection } from '../../../../src/modules/figures/projections/days.ts'
import { salesProjection } from '../../../../src/modules/figures/projections/sales.ts'
import { findFiguresFault } from '../../../../src/modules/operations/projections/verify.ts'
import { defaultLocationSettings } from '../../../../src/core/ingest/write/locations.ts'
import { updateLocationSettings } from '../../../../src/core/contract/location/rows.ts'
import { startApp } from '../../../support/app.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { idOf, itemOf, locationOf, orderOf, reportOf } from '../../../support/records.ts'

const app = await startApp({ clock: () => new Date('2026-03-14T20:00:00.000Z') })
const closedAt = '2026-03-14T19:00:00.000Z'
const order = (n: number, changes: object = {}) => ({
  type: 'order',
  data: orderOf(app.location, n, { openedAt: closedAt, closedAt, ...changes }),
})
await app.store([
  order(1),
  order(2),
  order(3, { isCanceled: true }),
  order(4, { isTraining: true }),
  order(5, { closedAt: null }),
])

test('sales of today are the default, with the excluded orders and the sequence that they include', async () => {
  const { status, json, headers } = await app.get('/v1/sales/')
  assert.equal(status, 200)
  assert.deepEqual([json.meta.since, json.meta.until, json.meta.by], ['2026-03-14', '2026-03-14', 'total'])
  assert.deepEqual([json.meta.currency, json.meta.timeZone, json.meta.dayStartsAt], ['EUR', 'Europe/Paris', '05:00'])
  assert.equal(json.totals.orders, 2)
  assert.equal(
    json.totals.salesInclTax,
    Math.round(orderOf(app.location, 1).total * 100) + Math.round(orderOf(app.location, 2).total * 100),
  )
  assert.equal(json.totals.salesExclTax, json.totals.salesInclTax - json.totals.tax)
  assert.deepEqual([json.excluded.canceled.orders, json.excluded.training.orders, json.open.orders], [1, 1, 1])
  assert.equal(json.meta.sequence, 5)
  assert.equal(headers['tillgate-sequence'], '5')
})

test('each table by a dimension adds up to the total', async () => {
  const { json: whole } = await app.get('/v1/sales/?since=2026-03-01&until=2026-03-31')
  for (const by of [
    'day',
    'week',
    'month',
    'weekday',
    'hour',
    'channel',
    'serviceType',
    'operator',
    'device',
    'report',
    'halfHour',
    'day,channel',
    'day,hour',
    'month,hour',
    'weekday,halfHour',
    'hour,channel',
    'hour,operator',
  ]) {
    const { json, status } = await app.get(`/v1/sales/?since=2026-03-01&until=2026-03-31&by=${by}`)
    assert.equal(status, 200, by)
    const sum = json.data.reduce((all: number, row: { salesInclTax: number }) => all + row.salesInclTax, 0)
    assert.equal(sum, whole.totals.salesInclTax, by)
    assert.deepEqual(json.totals, whole.totals, by)
  }
})

test('devices have the name that the location gives them, and Z reports their number', async () => {
  const site = await app.addLocation()
  const named = { id: idOf('device', 1), name: 'Caisse du bar', model: 'till' }
  const sold = [1, 2].map((n) => ({
    type: 'order',
    data: orderOf(site.id, n, {
      openedAt: closedAt,
      closedAt,
      deviceId: idOf('device', n),
      reportId: idOf('report', n),
    }),
  }))
  const z = { type: 'report', data: reportOf(site.id, 1, { reportNumber: 358 }) }
  await app.store([{ type: 'location', data: locationOf(site.id, { deviceList: [named] }) }, ...sold, z], site.key)
  const namesBy = async (by: string) =>
    (await app.get(`/v1/sales/?by=${by}`, { key: site.key })).json.data
      .map(({ name }: { name: string }) => name)
      .toSorted()
  assert.deepEqual(await namesBy('device'), [idOf('device', 2), 'Caisse du bar'])
  assert.deepEqual(await namesBy('report'), [idOf('report', 2), '358'])
})

test('an ETag avoids a calculation until the journal changes', async (t) => {
  const calculations = t.mock.method(figuresAtOnce, 'run').mock
  const first = await app.get('/v1/sales/?since=2026-03-14&by=product')
  const etag = first.headers.etag as string
  const same = await app.get('/v1/sales/?since=2026-03-14&by=product', { headers: { 'if-none-match': etag } })
  assert.deepEqual(
    [same.status, same.text, same.headers['tillgate-sequence'], calculations.callCount()],
    [304, '', first.headers['tillgate-sequence'], 1],
  )
  const other = await app.get('/v1/sales/?since=2026-03-14&by=category', { headers: { 'if-none-match': etag } })
  assert.equal(other.status, 200)
  await app.store([order(6)])
  const moved = await app.get('/v1/sales/?since=2026-03-14&by=product', { headers: { 'if-none-match': etag } })
  assert.deepEqual([moved.status, calculations.callCount()], [200, 3])
})

test('an ETag ends with a change of the currency', async () => {
  const site = await app.addLocation()
  const path = '/v1/sales/?since=2026-03-14'
  const { etag } = (await app.get(path, { key: site.key })).headers
  const askAgain = () => app.get(path, { key: site.key, headers: { 'if-none-match': etag as string } })
  assert.equal((await askAgain()).status, 304)
  await updateLocationSettings(app.pool, site.id, { ...defaultLocationSettings, currency: 'JPY' })
  const { status, json } = await askAgain()
  assert.deepEqual([status, json.meta?.currency], [200, 'JPY'])
})

test('an ETag is valid for one journal only: a location imported into a new database reuses the sequences', async () => {
  const site = await app.addLocation()
  const ask = (headers: Record<string, string> = {}) => app.get('/v1/sales/', { key: site.key, headers })
  const again = { 'if-none-match': (await ask()).headers.etag as string }
  assert.equal((await ask(again)).status, 304)
  await app.pool`update location_seq set epoch = 'ffffffff' where location_id = ${site.id}`
  assert.equal((await ask(again)).status, 200)
})

test('an ETag ends with a change of the rules of its figures', async () => {
  const site = await app.addLocation()
  const path = '/v1/sales/?since=2026-03-14'
  const ask = (headers: Record<string, string> = {}) => app.get(path, { key: site.key, headers })
  await app.store([{ type: 'order', data: orderOf(site.id, 1, { openedAt: closedAt, closedAt }) }], site.key)
  while ((await stepProjection(app.pool, salesProjection, site.id)) === 'behind');
  // Earlier rules counted guests differently; their figures are returned until the new ones are built.
  await app.pool`update sales_cells set guests = 1000 where location_id = ${site.id} and kind = 'total'`
  await app.pool`update projections set version = '5 Europe/Paris 05:00' where location_id = ${site.id} and name = 'sales'`
  const before = await ask()
  const again = { 'if-none-match': before.headers.etag as string }
  assert.deepEqual([before.json.totals.guests, (await ask(again)).status], [1000, 304])
  while ((await stepProjection(app.pool, salesProjection, site.id)) === 'behind');
  const { status, json } = await ask(again)
  assert.deepEqual([status, json?.totals.guests], [200, orderOf(site.id, 1).guests])
})

test('a range is compared with another', async () => {
  await app.store([order(7, { openedAt: '2026-03-07T19:00:00.000Z', closedAt: '2026-03-07T19:00:00.000Z' })])
  const { json } = await app.get('/v1/sales/?since=2026-03-14&compare=weekday')
  assert.deepEqual(
    [json.comparison.since, json.comparison.until, json.comparison.totals.orders],
    ['2026-03-07', '2026-03-07', 1],
  )
  assert.equal((await app.get('/v1/sales/?since=2026-03-14')).json.comparison, undefined)
})

test('the table is available as CSV, and a name that a spreadsheet would run is escaped', async () => {
  const item = {
    ...itemOf(1),
    description: '=HYPERLINK("http://x")',
    itemCatalogId: '00000000-0000-4000-8000-00000000feed',
  }
  const others = ['@SUM(1)', '＝1+1', '\t=1'].map((description, n) => ({ ...itemOf(n + 70), description }))
  // In French the separator of cells is a semicolon.
  const second = { ...itemOf(80), description: 'Menu; =1+1' }
  await app.store([order(8, { items: [item, second, ...others] })])
  const { text, headers } = await app.get('/v1/sales/?since=2026-03-14&by=product', { headers: { accept: 'text/csv' } })
  assert.match(headers['content-type'] as string, /^text\/csv/)
  const [head, ...lines] = text.trimEnd().split('\r\n')
  assert.match(head as string, /^period,key,name,orders,guests,items,/)
  assert.ok(
    lines.some((line) => line.includes(`"'=HYPERLINK(""http://x"")"`)),
    text,
  )
  // A tab also separates cells when a table is pasted.
  for (const cell of [`,'@SUM(1),`, `,'＝1+1,`, `,'\t'=1,`]) assert.ok(text.includes(cell), cell)
  assert.ok(text.includes(`,"Menu; '=1+1",`), text)
})

test('invalid parameters are refused with what to change', async () => {
  for (const [query, pointer] of [
    ['since=14.03.2026', '/since'],
    ['since=2026-02-30', '/since'],
    ['since=2026-03-14&since=2026-03-15', '/since'],
    ['require=yes', '/require'],
    ['by=product,day', '/by'],
    ['by=halfHour,weekday', '/by'],
    ['by=halfHour,product', '/by'],
    ['by=hour,halfHour', '/by'],
    ['since=2026-03-14&until=2026-03-13', '/since'],
    ['since=1990-01-01&until=2026-03-13', '/until'],
    ['by=hour,product&since=2026-01-01&until=2026-02-15', '/until'],
    ['by=colour', '/by'],
    ['compare=lastyear', '/compare'],
    ['compare=fourWeeks&by=day', '/compare'],
    ['compare=fourWeeks&by=month,product', '/compare'],
    ['before=12:15', '/before'],
    ['before=24:00', '/before'],
    ['before=12:00&by=product', '/before'],
    ['before=12:00&by=weekday,hour', '/before'],
    ['from=12:15', '/from'],
    ['from=12:00&by=product', '/from'],
    ['weekday=8', '/weekday'],
    ['weekday=5&by=hour,product', '/weekday'],
    ['size=10', '/size'],
  ] as const) {
    const { errors } = assertProblem(await app.get(`/v1/sales/?${query}`), { status: 400, code: 'validation_failed' })
    assert.equal(errors?.[0]?.pointer, pointer, query)
  }
})

test('absurdly large amounts do not stop the figures, and verify accepts them', async () => {
  const site = await app.addLocation()
  const most = Number.MAX_SAFE_INTEGER
  const item = { ...itemOf(1), total: most, quantity: most, discountsApplied: [] }
  const tax = { ...item.tax, taxAmount: most }
  const absurd = Array.from({ length: 30 }, (_, i) => ({
    type: 'order',
    data: orderOf(site.id, i + 1, {
      openedAt: closedAt,
      closedAt,
      total: most,
      guests: most,
      items: [{ ...item, tax }],
    }),
  }))
  await app.store(absurd, site.key)
  for (const projection of [salesProjection, daysProjection]) await stepProjection(app.pool, projection, site.id)
  const { json } = await app.get('/v1/sales/?by=product', { key: site.key })
  assert.deepEqual([json.totals.orders, json.totals.salesInclTax], [30, 30 * 10 ** 13])
  assert.equal((await app.get('/v1/business-days/2026-03-14', { key: site.key })).status, 200)
  assert.equal(await findFiguresFault(app.pool, site.id, new Date('2026-03-14T20:00:00.000Z')), undefined)
})

test('sales need a key with the scope read, and are those of its location', async () => {
  assertProblem(await app.get('/v1/sales/', { key: null }), { status: 401, code: 'key_missing' })
  assertProblem(await app.get('/v1/sales/', { key: app.keys.ingest }), { status: 403, code: 'scope_missing' })
  const { json } = await app.get('/v1/sales/', { key: app.other.key })
  assert.equal(json.totals.orders, 0)
})

test('the settings of the figures are readable with the key of the location', async () => {
  const { json } = await app.get('/v1/locations/own/settings')
  assert.deepEqual(json, {
    timeZone: 'Europe/Paris',
    currency: 'EUR',
    dayStartsAt: '05:00',
    fiscalYearStarts: '01-01',
    eReportingCategories: {},
    retiredDevices: {},
    paymentKinds: {},
    reportNumbers: 'consecutive',
  })
  assertProblem(await app.get('/v1/locations/own/settings', { key: null }), { status: 401, code: 'key_missing' })
})
