import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeDue, closePeriods } from '../../../../src/modules/proofs/projections/closings.ts'
import { findClosingsFault } from '../../../../src/modules/proofs/projections/verify-closings.ts'
import type { Closing } from '../../../../src/modules/proofs/schemas/closings.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { findLocation, type LocationRow } from '../../../../src/core/contract/location/rows.ts'
import { startApp, type Answer, type Site } from '../../../support/app.ts'
import { cash, date, foldAll, soldOn, storeDays, zOn } from '../../../support/books-site.ts'
import { crashing } from '../../../support/crashing.ts'
import { idOf, order, report } from '../../../support/records.ts'

let now = new Date('2026-03-31T12:00:00.000Z')
const app = await startApp({ clock: () => now })
const { pool } = app

const close = (site: Site, input: object): Promise<Answer> =>
  app.request('POST', '/v1/closings/', {
    key: site.key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })

const closed = async (site: Site, until: string, after: number): Promise<Closing[]> => {
  const answer = await close(site, { until, after })
  assert.equal(answer.status, 201, answer.text)
  return answer.json.data
}

const listOf = async (site: Site, period = 'day'): Promise<Closing[]> =>
  (await app.get(`/v1/closings/?period=${period}&size=100`, { key: site.key })).json.data

test('a closing adds up what arrived since the previous one, and the perpetual totals continue', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1), soldOn(site, 2, 2)] })
  const [first, ...none] = await closed(site, date(2), 0)
  assert.deepEqual(none, [])
  assert.deepEqual(first?.totals, {
    orders: 2,
    salesInclTax: 2200,
    tax: 200,
    salesExclTax: 2000,
    discounts: 0,
    tips: 0,
    refunds: 0,
    canceledSales: 0,
  })
  assert.deepEqual(first?.taxes, [{ rate: 1000, taxable: 2000, tax: 200 }])
  assert.deepEqual(first?.payments, [{ name: 'Carte bancaire', amount: 2200 }])
  assert.deepEqual(first?.days, [{ date: date(2), salesInclTax: 2200, tax: 200 }])
  assert.deepEqual(first?.reports, [
    { id: idOf('report', 2), number: 2, deviceName: zOn(site, 2, []).deviceName, totalSales: 2200 },
  ])
  assert.deepEqual(first?.perpetual, { orders: 2, salesInclTax: 2200, tax: 200 })
  assert.deepEqual([first?.number, first?.date, first?.fromSequence, first?.previous], [1, date(2), 1, null])
  // Everything that the only till closed up to its Z has arrived; later orders may be missing.
  assert.deepEqual([first?.complete, first?.completeUntil], [true, '2026-03-02T22:30:00.000Z'])
  // An order of the 2nd arrives late, paid in cash; another order of the 2nd is canceled; and there is an order of the
  // 3rd.
  const late = soldOn(site, 2, 3, { payments: [{ ...cash, paymentAmount: 11 }] })
  const gone = soldOn(site, 2, 1, { isCanceled: true, cancelReason: 'x', updatedAt: `${date(3)}T10:00:00.000Z` })
  await app.store([order(late), order(gone), order(soldOn(site, 3, 1))], site.key)
  const [second] = await closed(site, date(3), 1)
  assert.deepEqual([second?.totals.orders, second?.totals.salesInclTax, second?.totals.canceledSales], [1, 1100, 1100])
  assert.deepEqual(second?.payments, [{ name: 'Espèces', amount: 1100 }])
  assert.deepEqual(second?.days, [{ date: date(3), salesInclTax: 1100, tax: 100 }])
  assert.deepEqual(second?.perpetual, { orders: 3, salesInclTax: 3300, tax: 300 })
  assert.equal(second?.fromSequence, (first?.toSequence ?? 0) + 1)
  assert.equal(second?.previous, first?.id)
  const sales = (await app.get(`/v1/sales/?since=2026-01-01&until=${date(30)}`, { key: site.key })).json.totals
  assert.deepEqual([sales.orders, sales.salesInclTax, sales.tax], [3, 3300, 300])
  // A business day has the closing that closed it. The 3rd of March is in the second closing, and later days are in
  // none.
  const closedBy = async (day: number) =>
    (await app.get(`/v1/closings/?date=${date(day)}`, { key: site.key })).json.data.map((one: Closing) => one.number)
  assert.deepEqual([await closedBy(1), await closedBy(2), await closedBy(3), await closedBy(4)], [[1], [1], [2], []])
  // The first closing does not change, byte for byte.
  const read = await app.get('/v1/closings/day/1', { key: site.key })
  assert.deepEqual(JSON.parse(read.text), first)
  assert.match(String(read.headers['cache-control']), /immutable/)
  assert.equal(await findClosingsFault(pool, site.id), undefined)
})

test('the first closing has the last version of each order and Z, the Zs in order of arrival', async () => {
  const site = await app.addLocation()
  const [kept, changed] = [soldOn(site, 2, 1), soldOn(site, 2, 2)]
  await storeDays(app, site, { 2: [kept, changed], 3: [soldOn(site, 3, 1)] })
  // Figures are built from the data so far, so later data is not in them yet.
  assert.equal((await app.get(`/v1/sales/?since=${date(1)}&until=${date(4)}`, { key: site.key })).status, 200)
  const gone = { ...changed, isCanceled: true, cancelReason: 'x', updatedAt: `${date(4)}T10:00:00.000Z` }
  await app.store([order(gone), report(zOn(site, 2, [kept], { updatedAt: `${date(4)}T10:00:00.000Z` }))], site.key)
  const [first] = await closed(site, date(4), 0)
  assert.deepEqual([first?.totals.orders, first?.totals.salesInclTax, first?.totals.canceledSales], [2, 2200, 1100])
  assert.deepEqual(first?.days, [
    { date: date(2), salesInclTax: 1100, tax: 100 },
    { date: date(3), salesInclTax: 1100, tax: 100 },
  ])
  const reports = first?.reports.map(({ number, totalSales }) => [number, totalSales])
  assert.deepEqual(reports, [
    [3, 1100],
    [2, 1100],
  ])
  const { last_seq: head } =
    (await pool`select last_seq::int from location_seq where location_id = ${site.id}`)[0] ?? {}
  assert.equal(first?.toSequence, (head as number) - 1)
  assert.equal(await findClosingsFault(pool, site.id), undefined)
})

test('an empty range, a repeated request, and a day that is not over create no closing', async () => {
  const site = await app.addLocation()
  assert.deepEqual((await close(site, { until: date(2), after: 0 })).json, { data: [] })
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  assertProblem(await close(site, { until: '2026-03-31', after: 0 }), { status: 400, code: 'validation_failed' })
  await closed(site, date(2), 0)
  const again = await close(site, { until: date(2), after: 0 })
  assertProblem(again, { status: 409, code: 'closing_exists' })
  assert.equal(again.json.number, 1)
  assert.equal(
    (await close(site, { until: date(2), after: 9 })).json.detail,
    'the last daily closing is 1, not 9: set after to 1',
  )
  assert.deepEqual((await close(site, { until: date(2), after: 1 })).json, { data: [] })
  assert.deepEqual((await close(site, { until: date(9), after: 1 })).json, { data: [] })
  assertProblem(await app.get('/v1/closings/day/2', { key: site.key }), { status: 404, code: 'closing_not_found' })
})

test('eight concurrent requests close a day once', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  const answers = await Promise.all(Array.from({ length: 8 }, () => close(site, { until: date(2), after: 0 })))
  const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
  assert.deepEqual(statuses, [201, ...Array.from({ length: 7 }, () => 409)])
})

test('a month and a fiscal year add up their days, and are closed with the first day after them', async () => {
  const site = await app.addLocation()
  await pool`update locations set fiscal_year_starts = '04-01' where id = ${site.id}`
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)], 3: [soldOn(site, 3, 1), soldOn(site, 3, 2)] })
  await closed(site, date(2), 0)
  await app.store([order(soldOn(site, 3, 3))], site.key)
  await closed(site, date(3), 1)
  now = new Date('2026-04-03T12:00:00.000Z')
  const april = soldOn(site, 9, 9, {
    createdAt: '2026-04-01T18:00:00.000Z',
    updatedAt: '2026-04-01T19:00:00.000Z',
    openedAt: '2026-04-01T18:00:00.000Z',
    closedAt: '2026-04-01T19:00:00.000Z',
    reportId: null,
  })
  await app.store([order(april)], site.key)
  const made = await closed(site, '2026-04-01', 2)
  assert.deepEqual(
    made.map(({ period, number, date: of, first, last }) => [period, number, of, first, last]),
    [
      ['month', 1, '2026-03-31', 1, 2],
      ['year', 1, '2026-03-31', 1, 2],
      ['day', 3, '2026-04-01', null, null],
    ],
  )
  const [month] = made
  assert.deepEqual([month?.totals.orders, month?.totals.salesInclTax, month?.totals.tax], [4, 4400, 400])
  assert.deepEqual(month?.days, [
    { date: date(2), salesInclTax: 1100, tax: 100 },
    { date: date(3), salesInclTax: 3300, tax: 300 },
  ])
  assert.deepEqual(month?.perpetual, { orders: 4, salesInclTax: 4400, tax: 400 })
  const days = (await listOf(site)).toReversed()
  assert.equal(month?.completeUntil, days[1]?.completeUntil)
  assert.deepEqual(made[2]?.perpetual, { orders: 5, salesInclTax: 5500, tax: 500 })
  assert.equal((await listOf(site, 'year')).length, 1)
  assert.equal(await findClosingsFault(pool, site.id), undefined)
  now = new Date('2026-03-31T12:00:00.000Z')
})

test('after the first closing the server closes complete days, and other days 36 hours after their end', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  assert.deepEqual(await closeDue(pool, site.id, now), [], 'nobody began')
  await closed(site, date(2), 0)
  await storeDays(app, site, { 3: [soldOn(site, 3, 1)] })
  const complete = await closeDue(pool, site.id, new Date(`${date(4)}T12:00:00.000Z`))
  assert.deepEqual(
    complete.map(({ closing }) => [closing.date, closing.complete]),
    [[date(3), true]],
  )
  // An order of the fourth arrived, but no Z.
  await app.store([order(soldOn(site, 4, 1))], site.key)
  await foldAll(app, site)
  const early = new Date(`${date(6)}T14:59:00.000Z`)
  assert.deepEqual(await closeDue(pool, site.id, early), [])
  // The business day ends at 05:00 in Paris, which is 04:00 in UTC, on the 5th; 36 hours later it is 16:00 on the 6th.
  const late = await closeDue(pool, site.id, new Date(`${date(6)}T16:01:00.000Z`))
  assert.deepEqual(
    late.map(({ closing }) => [closing.date, closing.complete, closing.totals.salesInclTax]),
    [[date(4), false, 1100]],
  )
  assert.deepEqual(await closeDue(pool, site.id, new Date(`${date(6)}T17:00:00.000Z`)), [])
  // No day follows in the month, so it is closed by time.
  const month = await closeDue(pool, site.id, new Date('2026-04-02T20:00:00.000Z'))
  assert.deepEqual(
    month.map(({ closing }) => [closing.period, closing.date, closing.totals.salesInclTax]),
    [['month', '2026-03-31', 3300]],
  )
  // By hand the year is closed right after its end.
  const location = (await findLocation(pool, site.id)) as LocationRow
  const year = await closePeriods(pool, location, { upTo: '2026-12-31', now: new Date('2027-01-01T06:00:00.000Z') })
  assert.deepEqual(
    year.map(({ closing }) => [closing.period, closing.date]),
    [['year', '2026-12-31']],
  )
})

test('a process that ends at any statement of a closing closes nothing twice and nothing partly', async () => {
  const site = await app.addLocation()
  let [last, crashes] = [0, 0]
  let at = 1
  for (let isCrashed = true; isCrashed; at++) {
    const { closeUpTo } = await import('../../../../src/modules/proofs/projections/closings.ts')
    const until = new Date(Date.parse('2026-01-01') + at * 86_400_000).toISOString().slice(0, 10)
    const [openedAt, closedAt] = [`${until}T18:00:00.000Z`, `${until}T19:00:00.000Z`]
    const times = { openedAt, createdAt: openedAt, closedAt, updatedAt: closedAt }
    await app.store([order(soldOn(site, 1, 100 + at, times))], site.key)
    const work = () => closeUpTo(pool, site.id, { until, after: last, now, seen: 0 })
    isCrashed = await crashing(pool, at, work)
    if (isCrashed) {
      crashes += 1
      assert.equal((await work()).at(-1)?.closing.number, last + 1)
    }
    last += 1
  }
  assert.ok(crashes > 10, `${crashes} statements`)
  const closings = await listOf(site)
  assert.deepEqual(
    closings.map(({ number }) => number),
    Array.from({ length: last }, (_, i) => last - i),
  )
  const sales = (await app.get('/v1/sales/?since=2026-01-01&until=2026-12-31', { key: site.key })).json.totals
  assert.equal(closings[0]?.perpetual.salesInclTax, sales.salesInclTax)
  assert.equal(await findClosingsFault(pool, site.id), undefined)
})

test('verify finds a changed or missing closing, and a month that differs from its days', async () => {
  const site = await app.addLocation()
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  await closed(site, date(2), 0)
  await storeDays(app, site, { 3: [soldOn(site, 3, 1)] })
  await closed(site, date(3), 1)
  const made = await closeDue(pool, site.id, new Date('2026-04-02T20:00:00.000Z'))
  assert.equal(made.length, 1)
  const changed = async (kind: string, from: string, to: string, expected: RegExp) => {
    const change = (a: string, b: string) => pool`
      update journal set document = replace(document, ${a}, ${b})
      where location_id = ${site.id} and kind = 'closing' and document like ${`%"period":"${kind}"%`}`
    await change(from, to)
    assert.match((await findClosingsFault(pool, site.id)) ?? '', expected)
    await change(to, from)
    assert.equal(await findClosingsFault(pool, site.id), undefined)
  }
  await changed(
    'day',
    '"salesInclTax":1100,"tax":100,"salesExclTax"',
    '"salesInclTax":1200,"tax":100,"salesExclTax"',
    /closing of day 1 differs from the journal in totals/,
  )
  await changed(
    'day',
    '"perpetual":{"orders":2',
    '"perpetual":{"orders":3',
    /closing of day 2 has wrong perpetual totals/,
  )
  await changed(
    'month',
    '"perpetual":{"orders":2',
    '"perpetual":{"orders":3',
    /closing of month 1 differs from the sum of its days in perpetual/,
  )
  await pool`update closings set to_seq = to_seq + 1 where location_id = ${site.id} and period = 'day' and number = 1`
  assert.match((await findClosingsFault(pool, site.id)) ?? '', /closing of day 1 differs from entry/)
  await pool`delete from closings where location_id = ${site.id} and period = 'day' and number = 1`
  assert.match((await findClosingsFault(pool, site.id)) ?? '', /the closing at journal entry \d+ is not stored/)
})

test('closings are readable by their location only; closing needs the scope books and is in the access log', async () => {
  const [site, other] = [await app.addLocation(), await app.addLocation()]
  await storeDays(app, site, { 2: [soldOn(site, 2, 1)] })
  const { key: reader } = await app.addKey(site.id, { scopes: ['read'] })
  assertProblem(await close({ ...site, key: reader }, { until: date(2), after: 0 }), {
    status: 403,
    code: 'scope_missing',
  })
  const { key: accountant } = await app.addKey(site.id, { scopes: ['books'] })
  assert.equal((await close({ ...site, key: accountant }, { until: date(2), after: 0 })).status, 201)
  assertProblem(await app.get('/v1/closings/', { key: accountant }), { status: 403, code: 'scope_missing' })
  assert.deepEqual(await listOf(other), [])
  assertProblem(await app.get('/v1/closings/day/1', { key: other.key }), { status: 404, code: 'closing_not_found' })
  await app.context.access.flush(true)
  const { data } = (await app.get('/v1/access/', { key: site.key })).json
  const acts = data.filter(({ kind }: any) => kind === 'act').map(({ act, subject }: any) => [act, subject])
  assert.deepEqual(acts, [['closing.made', '1']])
  const [event] = (await app.get('/v1/events/?types=closing.created', { key: site.key })).json.data
  assert.deepEqual([event.type, event.data.period, event.data.number], ['closing.created', 'day', 1])
})

/** Returns one order of 11.00 for each of these days, in their order. */
const history = (site: Site, days: readonly string[]) =>
  days.map((day, i) => {
    const [openedAt, closedAt] = [`${day}T18:00:00.000Z`, `${day}T19:00:00.000Z`]
    return order(
      soldOn(site, 1, 500 + i, { openedAt, createdAt: openedAt, closedAt, updatedAt: closedAt, reportId: null }),
    )
  })

const months = (closings: readonly Closing[]) =>
  closings.map(({ period, date: of, totals, perpetual }) => [period, of, totals.orders, perpetual.orders])

test('a closing of January contains January, and records of later days are in the next closings', async () => {
  const site = await app.addLocation()
  await app.store(history(site, ['2025-03-05', '2025-01-10', '2026-02-01', '2025-01-31', '2025-02-20']), site.key)
  const january = await closed(site, '2025-01-31', 0)
  assert.deepEqual(months(january), [['day', '2025-01-31', 2, 2]])
  assert.deepEqual(
    january[0]?.days.map(({ date: of }) => of),
    ['2025-01-10', '2025-01-31'],
  )
  assert.deepEqual(january[0]?.left, { orders: 3, salesInclTax: 3300, tax: 300, reports: 0 })
  // A late order of January is in the next closing, with February.
  await app.store(
    history(site, ['2025-01-12']).map((one) => order({ ...(one.data as object), id: idOf('order', 9_000) })),
    site.key,
  )
  const february = await closed(site, '2025-02-28', 1)
  assert.deepEqual(months(february), [
    ['month', '2025-01-31', 2, 2],
    ['day', '2025-02-28', 2, 4],
  ])
  assert.equal(await findClosingsFault(pool, site.id), undefined)
})

test('a whole history closed at once has a closing for each month, with the records of that month only', async () => {
  const site = await app.addLocation()
  const reports = (day: string, n: number) =>
    report(
      zOn(site, n, [], {
        createdAt: `${day}T22:30:00.000Z`,
        finalizedAt: `${day}T22:30:00.000Z`,
        updatedAt: `${day}T22:30:00.000Z`,
        totalSales: 0,
      }),
    )
  await app.store(
    [
      ...history(site, ['2025-11-30', '2025-01-10', '2025-02-01', '2026-01-05', '2025-01-31']),
      reports('2025-02-01', 8),
      reports('2025-01-31', 7),
    ],
    site.key,
  )
  const made = await closed(site, '2026-01-20', 0)
  assert.deepEqual(months(made), [
    ['day', '2025-01-31', 2, 2],
    ['month', '2025-01-31', 2, 2],
    ['day', '2025-02-28', 1, 3],
    ['month', '2025-02-28', 1, 3],
    ['day', '2025-11-30', 1, 4],
    ['month', '2025-11-30', 1, 4],
    ['year', '2025-12-31', 4, 4],
    ['day', '2026-01-20', 1, 5],
  ])
  assert.deepEqual(
    made.filter(({ period }) => period === 'day').map(({ reports: of }) => of.map(({ number }) => number)),
    [[7], [8], [], []],
  )
  assert.equal(await findClosingsFault(pool, site.id), undefined)
})

test('the orders of a till that believed it was the year 1 have their closing, and the centuries since cost nothing', async () => {
  const site = await app.addLocation()
  await app.store(history(site, ['0001-01-01', '2026-01-05']), site.key)
  assert.deepEqual(months(await closed(site, '2026-01-20', 0)), [
    ['day', '0001-01-31', 1, 1],
    ['month', '0001-01-31', 1, 1],
    ['year', '0001-12-31', 1, 1],
    ['day', '2026-01-20', 1, 2],
  ])
  assert.equal(await findClosingsFault(pool, site.id), undefined)
})

test('after a change of the start of the day each order is in one closing, and none claims more than its days', async () => {
  const site = await app.addLocation()
  const night = (day: number, n: number) => {
    const closedAt = `${date(day + 1)}T02:00:00.000Z`
    return soldOn(site, day, n, { closedAt, updatedAt: closedAt, reportId: null })
  }
  const starts = (at: string) => pool`update locations set day_starts_at = ${at} where id = ${site.id}`
  await storeDays(app, site, { 2: [night(2, 1)], 3: [soldOn(site, 3, 2)], 4: [soldOn(site, 4, 3)] })
  const [first] = await closed(site, date(2), 0)
  // The Z of the 3rd has arrived too, but its orders are left for the next closing.
  assert.deepEqual([first?.totals.orders, first?.completeUntil], [1, `${date(3)}T04:00:00.000Z`])
  await starts('00:00')
  await app.store([order(night(3, 4))], site.key)
  await foldAll(app, site)
  const [second] = await closed(site, date(3), 1)
  assert.deepEqual([second?.totals.orders, second?.left?.orders], [1, 2])
  await starts('06:00')
  await foldAll(app, site)
  const [third] = await closed(site, date(5), 2)
  assert.deepEqual([third?.totals.orders, third?.perpetual.orders, third?.left?.orders], [2, 4, 0])
  assert.equal(await findClosingsFault(pool, site.id), undefined)
})
