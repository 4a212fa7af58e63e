import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import { salesProjection } from '../../../../src/modules/figures/projections/sales.ts'
import { startApp } from '../../../support/app.ts'
import { eventually } from '../../../support/waiting.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { itemOf, orderOf } from '../../../support/records.ts'
import { transact } from '../../../../src/core/store/db/database.ts'

const app = await startApp({ clock: () => new Date('2026-03-14T20:00:00.000Z') })
const closedAt = '2026-03-14T19:00:00.000Z'
const order = (n: number, changes: object = {}) => ({
  type: 'order',
  data: orderOf(app.location, n, { openedAt: closedAt, closedAt, ...changes }),
})

test('half hours are in local time, by weekday of the business day, and older sums are rebuilt', async () => {
  const site = await app.addLocation()
  const at = (n: number, closed: string, total: number) => ({
    type: 'order',
    data: orderOf(site.id, n, { openedAt: closed, closedAt: closed, total }),
  })
  await app.store(
    [
      // Friday 13 March at 19:29 and 19:30 in Paris, and after midnight, which still belongs to Friday.
      at(1, '2026-03-13T18:29:59.999Z', 10),
      at(2, '2026-03-13T18:30:00.000Z', 20),
      at(3, '2026-03-14T00:15:00.000Z', 40),
      // Friday 20 March.
      at(4, '2026-03-20T18:45:00.000Z', 80),
      // Sunday 29 March, when the clock changes from 02:00 to 03:00: 03:10 belongs to Saturday.
      at(5, '2026-03-29T01:10:00.000Z', 160),
    ],
    site.key,
  )
  const ask = (by: string) => app.get(`/v1/sales/?since=2026-03-01&until=2026-03-31&by=${by}`, { key: site.key })
  const table = async (by: string) =>
    (await ask(by)).json.data.map((row: any) => [row.period, row.key, row.name, row.salesInclTax])
  const expected = [
    ['5', '01:00', '01:00', 4000],
    ['5', '19:00', '19:00', 1000],
    ['5', '19:30', '19:30', 10000],
    ['6', '03:00', '03:00', 16000],
  ]
  assert.deepEqual(await table('weekday,halfHour'), expected)
  assert.deepEqual(await table('halfHour'), [
    ['01:00', null, null, 4000],
    ['03:00', null, null, 16000],
    ['19:00', null, null, 1000],
    ['19:30', null, null, 10000],
  ])
  assert.deepEqual((await table('weekday,hour')).at(1), ['5', '19', '19:00', 11000])
  // The state that a server of the previous version leaves.
  await stepProjection(app.pool, salesProjection, site.id)
  await app.pool`delete from sales_cells where location_id = ${site.id} and kind = 'halfHour'`
  await app.pool`update projections set version = '4 Europe/Paris 05:00' where location_id = ${site.id} and name = 'sales'`
  assert.equal((await ask('hour')).json.totals.orders, 5)
  assert.deepEqual(await table('weekday,halfHour'), expected)
})

test('sales before a time of day are compared with the average of the four weeks before', async () => {
  const site = await app.addLocation()
  let n = 0
  const at = (closed: string, total: number, guests: number) => ({
    type: 'order',
    data: orderOf(site.id, ++n, { openedAt: closed, closedAt: closed, total, guests }),
  })
  await app.store(
    [
      // Saturday 14 March in Paris: at 11:59, 12:00, and after midnight.
      at('2026-03-14T10:59:59.999Z', 10, 1),
      at('2026-03-14T11:00:00.000Z', 20, 2),
      at('2026-03-14T23:30:00.000Z', 40, 4),
      // One and two weeks before; three weeks before nothing was sold; four weeks before, only in the evening.
      at('2026-03-07T09:00:00.000Z', 30, 2),
      at('2026-03-07T10:30:00.000Z', 11, 1),
      at('2026-03-07T19:00:00.000Z', 7, 1),
      at('2026-02-28T10:30:00.000Z', 60, 1),
      at('2026-02-14T19:00:00.000Z', 9, 3),
    ],
    site.key,
  )
  const ask = async (query: string) => (await app.get(`/v1/sales/?since=2026-03-14&${query}`, { key: site.key })).json
  const { data, totals, comparison, meta } = await ask('before=12:00&compare=fourWeeks&by=hour')
  assert.equal(meta.before, '12:00')
  assert.deepEqual([totals.orders, totals.salesInclTax, totals.guests], [1, 1000, 1])
  assert.deepEqual(
    data.map((row: any) => [row.period, row.salesInclTax]),
    [['11', 1000]],
  )
  // 30 + 11 + 60 in three weeks with sales, one of which has no sales before noon.
  assert.deepEqual([comparison.since, comparison.until], ['2026-02-14', '2026-03-07'])
  assert.deepEqual([comparison.totals.orders, comparison.totals.salesInclTax], [1, 3367])
  assert.deepEqual([comparison.totals.averagePerOrder, comparison.totals.averagePerGuest], [3367, 2525])
  assert.equal(comparison.totals.salesExclTax, comparison.totals.salesInclTax - comparison.totals.tax)
  assert.deepEqual(
    comparison.data.map((row: any) => [row.period, row.orders, row.salesInclTax]),
    [
      ['10', 0, 1000],
      ['11', 1, 2367],
    ],
  )
  // The hours after midnight are the end of the business day.
  assert.equal((await ask('before=00:30')).totals.salesInclTax, 3000)
  assert.equal((await ask('before=01:00')).totals.salesInclTax, 7000)
  assert.equal((await ask('before=05:00')).totals.orders, 0)
  assert.equal((await ask('compare=fourWeeks')).comparison.totals.salesInclTax, 3900)
  assert.equal((await ask('before=12:00&by=weekday')).data[0].salesInclTax, 1000)
  assert.deepEqual(
    (await ask('compare=fourWeeks&by=channel')).comparison.data.map((row: any) => [row.key, row.salesInclTax]),
    [['pos', 3900]],
  )
})

test('sales of one weekday and of some hours are the sums of the orders closed then', async () => {
  const site = await app.addLocation()
  let n = 0
  const at = (closed: string, total: number) => ({
    type: 'order',
    data: orderOf(site.id, ++n, { openedAt: closed, closedAt: closed, total, guests: 1 }),
  })
  await app.store(
    [
      // Friday 6 March in Paris at 11:59, 12:00, 14:29 and 14:30, and after midnight, which still belongs to Friday.
      at('2026-03-06T10:59:59.999Z', 1),
      at('2026-03-06T11:00:00.000Z', 2),
      at('2026-03-06T13:29:59.999Z', 4),
      at('2026-03-06T13:30:00.000Z', 8),
      at('2026-03-06T23:30:00.000Z', 16),
      // Saturday 7 March and Friday 13 March at noon.
      at('2026-03-07T11:00:00.000Z', 32),
      at('2026-03-13T11:00:00.000Z', 64),
    ],
    site.key,
  )
  const ask = async (query: string) =>
    (await app.get(`/v1/sales/?since=2026-03-01&until=2026-03-14&${query}`, { key: site.key })).json
  const answers = async () => ({
    friday: (await ask('weekday=5')).totals.salesInclTax,
    sunday: (await ask('weekday=7')).totals.salesInclTax,
    noon: (await ask('from=12:00&before=14:30')).totals.salesInclTax,
    late: (await ask('from=00:30')).totals.salesInclTax,
    fridayNoon: (await ask('weekday=5&from=12:00&before=14:30&by=day')).data.map((row: any) => [
      row.period,
      row.salesInclTax,
    ]),
    byChannel: (await ask('weekday=5&by=channel')).data.map((row: any) => row.salesInclTax),
  })
  const expected = {
    friday: 9500,
    sunday: 0,
    noon: 10200,
    late: 1600,
    fridayNoon: [
      ['2026-03-06', 600],
      ['2026-03-13', 6400],
    ],
    byChannel: [9500],
  }
  assert.deepEqual(await answers(), expected)
  // The answer is the same when the worker has stored the figures.
  await stepProjection(app.pool, salesProjection, site.id)
  assert.deepEqual(await answers(), expected)
  const compared = await app.get('/v1/sales/?since=2026-03-13&weekday=5&compare=weekday', { key: site.key })
  assert.equal(compared.json.comparison.totals.salesInclTax, 3100)
  assert.deepEqual([compared.json.meta.weekday, compared.json.meta.from], [5, undefined])
})

test('a table by hour and dimension with too many orders is refused with their number, and others are not', async () => {
  const site = await app.addLocation()
  await app.store([{ type: 'order', data: orderOf(site.id, 1, { openedAt: closedAt, closedAt }) }], site.key)
  await stepProjection(app.pool, salesProjection, site.id)
  const ask = (by: string) => app.get(`/v1/sales/?by=${by}`, { key: site.key })
  assert.equal((await ask('hour,product')).status, 200)
  await app.pool`update sales_cells set orders = 20001 where location_id = ${site.id} and kind = 'total'`
  const refused = await ask('hour,product')
  assertProblem(refused, { status: 400, code: 'validation_failed' })
  assert.match(refused.json.detail, /at most 20000 orders, and the range has 20001 orders; choose a shorter range/)
  for (const by of ['hour', 'day,product']) assert.equal((await ask(by)).status, 200, by)
})

test('a table by hour and dimension adds up to the hours and to the dimension, including orders of long ago', async () => {
  const site = await app.addLocation()
  const at = (n: number, closed: string, changes: object = {}) => ({
    type: 'order',
    data: orderOf(site.id, n, { openedAt: closed, closedAt: closed, createdAt: closed, ...changes }),
  })
  await app.store(
    [
      at(1, '2026-03-14T19:00:00.000Z'),
      at(2, '2026-03-14T19:30:00.000Z', { channel: 'kiosk' }),
      at(3, '2026-03-15T02:30:00.000Z'),
      at(4, '2026-03-15T05:00:00.000Z'),
      at(5, '2026-03-14T12:00:00.000Z', { createdAt: '2025-01-01T12:00:00.000Z' }),
      at(6, '2026-03-14T12:00:00.000Z', { isCanceled: true }),
    ],
    site.key,
  )
  const table = async (by: string) => (await app.get(`/v1/sales/?since=2026-03-14&by=${by}`, { key: site.key })).json
  const { data, totals } = await table('hour,channel')
  assert.deepEqual(
    data.map(({ period, key, orders }: { period: string; key: string; orders: number }) => [period, key, orders]),
    [
      ['03', 'pos', 1],
      ['13', 'pos', 1],
      ['20', 'kiosk', 1],
      ['20', 'pos', 1],
    ],
  )
  assert.equal(totals.orders, 4)
  const sumBy = (rows: any[], by: 'period' | 'key') =>
    Object.fromEntries(
      [...Map.groupBy(rows, (row) => row[by])].map(([key, of]) => [
        key,
        of.reduce((all, row) => all + row.salesInclTax, 0),
      ]),
    )
  const crossed = (await table('hour,product')).data
  assert.deepEqual(sumBy(crossed, 'period'), sumBy((await table('hour')).data, 'period'))
  assert.deepEqual(sumBy(crossed, 'key'), sumBy((await table('product')).data, 'key'))
})

test('tables by hour and dimension of a location are built one after another, independently of other locations', async () => {
  const path = '/v1/sales/?since=2026-03-01&until=2026-03-14&by=hour,product'
  const [locked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = transact(app.pool, async (tx) => {
    await tx`lock table orders in access exclusive mode`
    locked.resolve()
    await held.promise
  })
  await locked.promise
  // Autovacuum is excluded, because it waits for the table too.
  const waiting = () => app.pool<{ query: string }[]>`
    select query from pg_stat_activity
    where wait_event_type = 'Lock' and datname = current_database() and backend_type = 'client backend'`
  const requests = [...Array.from({ length: 5 }, () => app.get(path)), app.get(path, { key: app.other.key })]
  try {
    await eventually(async () => (await waiting()).length >= 2, 'one of each location waits for its orders')
    const queries = (await waiting()).map(({ query }) => query)
    assert.equal(queries.length, 2, queries.join('\n'))
  } finally {
    held.resolve()
    await holding
  }
  for (const { status, text } of await Promise.all(requests)) assert.equal(status, 200, text)
})

test('the orders behind each row are found by days, time of day and rate, across clock changes, with the same number', async () => {
  const site = await app.addLocation()
  const hourMs = 3_600_000
  // Orders around both clock changes and at the ends of business days, created seconds to days before they were closed.
  const starts = ['2026-03-27T02:30:00.000Z', '2026-10-24T01:10:00.000Z'].map((text) => Date.parse(text))
  const records = starts.flatMap((start, part) =>
    Array.from({ length: 60 }, (_, n) => {
      const closedMs = start + n * 0.75 * hourMs
      const at = new Date(closedMs).toISOString()
      const createdAt = new Date(closedMs - (n % 7) * 23 * hourMs).toISOString()
      const items = [itemOf(1), itemOf(2, { tax: { ...itemOf(2).tax, taxRate: n % 3 === 0 ? 0.055 : 0.2 } })]
      const flags = { isCanceled: n % 11 === 3, isTraining: n % 13 === 4, channel: n % 2 === 0 ? 'pos' : 'kiosk' }
      const closedAt = n % 17 === 5 ? null : at
      return {
        type: 'order',
        data: orderOf(site.id, part * 100 + n, { ...flags, items, createdAt, openedAt: createdAt, closedAt }),
      }
    }),
  )
  await app.store(records, site.key)
  const get = async (path: string) => {
    const { status, json, text } = await app.get(path, { key: site.key })
    assert.equal(status, 200, `${path} ${text}`)
    return json
  }
  const countOf = async (filters: Record<string, string>) => {
    const query = new URLSearchParams({ isTraining: 'false', isCanceled: 'false', size: '1', ...filters })
    return (await get(`/v1/orders/?${query.toString()}`)).meta.totalCount as number
  }
  for (const [since, until] of [
    ['2026-03-27', '2026-03-29'],
    ['2026-10-24', '2026-10-26'],
  ] as const) {
    const days = { closedSince: since, closedUntil: until }
    const behind: Record<string, (row: any) => Record<string, string>> = {
      total: () => days,
      day: ({ period }) => ({ closedSince: period }),
      weekday: ({ period }) => ({ ...days, weekday: period }),
      hour: ({ period }) => ({ ...days, hour: period }),
      halfHour: ({ period }) => ({ ...days, halfHour: period }),
      'weekday,halfHour': ({ period, key }) => ({ ...days, weekday: period, halfHour: key }),
      'day,hour': ({ period, key }) => ({ closedUntil: period, hour: key }),
      tax: ({ key }) => ({ ...days, taxRate: key }),
      channel: ({ key }) => ({ ...days, channel: key }),
    }
    for (const [by, filtersOf] of Object.entries(behind)) {
      const { data } = await get(`/v1/sales/?since=${since}&until=${until}&by=${by}`)
      assert.ok(data.length > 0, by)
      for (const row of data) assert.equal(await countOf(filtersOf(row)), row.orders, `${by} ${row.period} ${row.key}`)
    }
  }
  // An order that was open for a month is included; by creation date it is not.
  const late = { createdAt: '2026-01-01T10:00:00.000Z', openedAt: '2026-01-01T10:00:00.000Z' }
  await app.store([order(500, { ...late, locationId: site.id, closedAt: '2026-02-01T12:00:00.000Z' })], site.key)
  assert.equal(await countOf({ closedSince: '2026-02-01' }), 1)
  assert.equal(await countOf({ closedSince: '2026-02-01', since: '2026-01-25' }), 0)
  for (const [query, ...pointers] of [
    ['hour=19&weekday=2', '/weekday', '/hour'],
    ['halfHour=19:30', '/halfHour'],
    ['closedSince=2026-03-02&closedUntil=2026-03-01', '/closedSince'],
    ['closedSince=2025-01-01&closedUntil=2026-03-01', '/closedUntil'],
    ['closedSince=2026-02-30', '/closedSince'],
    ['closedSince=2026-03-01&hour=7', '/hour'],
  ] as const) {
    const answer = await app.get(`/v1/orders/?${query}`, { key: site.key })
    assertProblem(answer, { status: 400, code: 'validation_failed', pointers: [...pointers] })
  }
})
