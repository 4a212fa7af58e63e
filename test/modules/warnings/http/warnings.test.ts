import assert from 'node:assert/strict'
import { test } from 'node:test'
import { IngestAnswer, KeptWarnings } from '../../../../src/core/schemas/ingest.ts'
import { warnings } from '../../../../src/modules/warnings/schemas/warnings.ts'
import { openPool } from '../../../../src/core/store/db/database.ts'
import { listRejected } from '../../../../src/core/store/pushes/rejected.ts'
import { assertProblem, assertSchema } from '../../../core/conformance/contract.ts'
import { startApp } from '../../../support/app.ts'
import { atEnd } from '../../../support/database.ts'
import {
  idOf,
  itemOf,
  linesOf,
  order,
  orderOf,
  payments,
  report,
  reportOf,
  taxes,
  timeOf,
} from '../../../support/records.ts'

/** The clock is set to soon after the times in the records, so that none is so old that it causes a warning. */
const app = await startApp({ clock: () => new Date('2026-03-20T12:00:00.000Z') })
const path = '/v1/ingest/warnings/'
const codesOf = (result: { warnings?: { code: string }[] }) => result.warnings?.map(({ code }) => code)

test('a record with warnings is stored; its warnings are in the answer, kept and listed for its location only', async () => {
  const { id, key } = await app.addLocation()
  const answer = await app.push([order(orderOf(id, 1)), order(orderOf(id, 2, { total: 99 }))], { key })
  assert.equal(answer.status, 200)
  assertSchema(IngestAnswer, answer.json)
  assert.deepEqual([answer.json.accepted, answer.json.warned], [2, 1])
  assert.deepEqual(answer.json.results.map(codesOf), [undefined, ['total_mismatch', 'payments_mismatch']])
  assert.equal((await app.get(`/v1/orders/${idOf('order', 2)}`, { key })).json.total, 99)
  const listed = await app.get(path, { key })
  assertSchema(KeptWarnings, listed.json)
  const kept = listed.json.data as Record<string, unknown>[]
  const rows = kept.toSorted((one, other) => String(one['code']).localeCompare(String(other['code'])))
  assert.deepEqual(
    rows.map(({ line, type, id, pointer, code }) => [line, type, id, pointer, code]),
    [
      [2, 'order', idOf('order', 2), '/data/payments', 'payments_mismatch'],
      [2, 'order', idOf('order', 2), '/data/total', 'total_mismatch'],
    ],
  )
  assert.deepEqual((await app.get(path, { key: app.other.key })).json, { data: [], meta: { next: null } })
})

test('the list accepts a limit, needs a key with the scope ingest or read, and refuses unknown parameters', async () => {
  const { id, key } = await app.addLocation()
  const records = [1, 2, 3].map((n) => order(orderOf(id, n, { total: 99, payments: [] })))
  await app.push(records, { key })
  assert.equal((await app.get(path, { key })).json.data.length, 6)
  assert.equal((await app.get(`${path}?limit=4`, { key })).json.data.length, 4)
  assert.equal((await app.get(`${path}?limit=5000`, { key })).status, 200)
  assertProblem(await app.get(`${path}?limit=0`, { key }), { status: 400, code: 'validation_failed' })
  assertProblem(await app.get(`${path}?size=1`, { key }), {
    status: 400,
    code: 'validation_failed',
    pointers: ['/size'],
  })
  assertProblem(await app.get(path, { key: null }), { status: 401, code: 'key_missing' })
  assert.equal((await app.get(path, { key: app.keys.read })).status, 200)
  assertProblem(await app.get(path, { key: app.keys.webhooks }), { status: 403, code: 'scope_missing' })
})

test('of one batch the first hundred warnings are kept, and all are in the answer', async () => {
  const { id, key } = await app.addLocation()
  const records = Array.from({ length: 60 }, (_, n) => order(orderOf(id, n + 1, { total: 99 })))
  const { results, warned } = (await app.push(records, { key })).json as IngestAnswer
  assert.deepEqual([warned, results.flatMap(codesOf).length], [60, 120])
  const kept = (await app.get(`${path}?limit=1000`, { key })).json.data as { line: number }[]
  assert.equal(kept.length, 100)
  assert.ok(kept.every(({ line }) => line <= 50))
})

test('the list is paged by cursor to its end, and filtered by code, type of record and time', async () => {
  const { id, key } = await app.addLocation()
  for (const n of [1, 2, 3]) await app.push([order(orderOf(id, n, { total: 99, payments: [] }))], { key })
  await app.push([{ type: 'catalog.taxes', data: [{ ...taxes[0], percentage: 10 }] }], { key })
  const read = async (query: string) => (await app.get(`${path}?${query}`, { key })).json
  const all = (await read('limit=1000')).data as { receivedAt: string; type: string; code: string }[]
  assert.deepEqual([new Set(all.map(({ type }) => type)).size, all.length > 6], [2, true])
  const pages: unknown[] = []
  for (let next: string | null = ''; next !== null;) {
    const { data, meta } = await read(`limit=2${next && `&cursor=${next}`}`)
    assert.ok(data.length === 2 || meta.next === null)
    pages.push(...data)
    next = meta.next
  }
  assert.deepEqual(pages, all)
  const kept = async (query: string) => (await read(query)).data
  const of = (what: object) => all.filter((one) => Object.entries(what).every(([k, v]) => one[k as 'code'] === v))
  assert.deepEqual(await kept('code=total_mismatch'), of({ code: 'total_mismatch' }))
  assert.equal(of({ code: 'total_mismatch' }).length, 3)
  assert.deepEqual(await kept('type=catalog.taxes'), of({ type: 'catalog.taxes' }))
  const { receivedAt } = all.at(-1) as { receivedAt: string }
  assert.deepEqual(await kept(`until=${receivedAt}`), of({ receivedAt }))
  assert.deepEqual(await kept('since=2100-01-01'), [])
  for (const [query, name] of [
    ['code=total_mismatches', 'code'],
    ['type=orders', 'type'],
    ['cursor=7', 'cursor'],
    ['since=yesterday', 'since'],
  ]) {
    const problem = { status: 400, code: 'validation_failed', pointers: [`/${name}`] }
    assertProblem(await app.get(`${path}?${query}`, { key }), problem)
  }
})

test('the catalog in a push is known to the records after it, and to the next push', async () => {
  const { id, key } = await app.addLocation()
  const lists = [
    { type: 'catalog.taxes', data: [{ ...taxes[0], percentage: 1000, id: idOf('tax', 2) }] },
    { type: 'catalog.payments', data: payments },
  ] as const
  const first = await app.push([order(orderOf(id, 1)), ...lists, order(orderOf(id, 2))], { key })
  const two = ['unknown_tax', 'unknown_tax']
  assert.deepEqual(first.json.results.map(codesOf), [undefined, undefined, undefined, two])
  const next = await app.push([order(orderOf(id, 3))], { key })
  assert.deepEqual(next.json.results.map(codesOf), [two])
  await app.store([{ type: 'catalog.taxes', data: [{ ...taxes[0], percentage: 1000, id: idOf('tax', 1) }] }], key)
  assert.deepEqual((await app.push([order(orderOf(id, 4))], { key })).json.results.map(codesOf), [undefined])
})

test('the catalog is read again after a push that changed it, and after no other', async () => {
  const still = await startApp({ database: app.database, clock: () => new Date(timeOf(9)) })
  const { id, key } = await still.addLocation()
  const tax = (n: number) => ({ type: 'catalog.taxes', data: [{ ...taxes[0], percentage: 1000, id: idOf('tax', n) }] })
  await still.store([tax(1), { type: 'catalog.payments', data: payments }], key)
  let orders = 0
  const warned = async () => (await still.push([order(orderOf(id, (orders += 1)))], { key })).json.results.map(codesOf)
  assert.deepEqual(await warned(), [undefined])
  // The process is not notified, so it notices the change only when it reads again.
  await still.pool`update catalog set document = ${JSON.stringify(tax(2).data)} where location_id = ${id} and list = 'taxes'`
  const status = { deviceId: idOf('device', 1), at: timeOf(5), completeUntil: timeOf(4), lastNumber: null }
  const pushes = [
    { type: 'catalog.payments', data: payments },
    { type: 'device.status', data: status },
  ]
  for (const pushed of pushes) {
    assert.equal((await still.push([pushed], { key })).status, 200)
    assert.deepEqual(await warned(), [undefined], pushed.type)
  }
  await still.store([{ type: 'catalog.payments', data: payments.map((one) => ({ ...one, enabled: false })) }], key)
  assert.deepEqual(await warned(), [['unknown_tax', 'unknown_tax']])
})

const z = (location: string, n: number, orders: string[], changes: object = {}) => {
  const times = { startedAt: timeOf(10 * n), finalizedAt: timeOf(10 * n + 9) }
  const sums = { reportProducts: [], reportTaxes: [], reportPayments: [], totalSales: 2200 * orders.length }
  return report(reportOf(location, n, { ...times, ...sums, orders, ...changes }))
}
const inReport = (location: string, n: number, report: number) =>
  order(orderOf(location, n, { reportId: idOf('report', report) }))

test('a Z is compared with its stored orders and neighboring reports, and a correct one has no warning', async () => {
  const { id, key } = await app.addLocation()
  const both = [idOf('order', 1), idOf('order', 2)]
  // The orders of a report may arrive in the same push, before it.
  const records = [inReport(id, 1, 0), inReport(id, 2, 0), z(id, 0, both)]
  const right = await app.push(records, { key })
  assert.deepEqual(right.json.results.map(codesOf), [undefined, undefined, undefined])
  const answer = await app.push(
    [
      z(id, 0, both, { totalSales: 44 }),
      z(id, 0, [...both, idOf('order', 9)]),
      z(id, 3, [], { totalSales: 4400 }),
      z(id, 2, [], { reportNumber: 3 }),
      z(id, 4, [], { startedAt: timeOf(0) }),
      z(id, 5, both, { startedAt: timeOf(0), finalizedAt: timeOf(9), deviceName: 'Caisse 2' }),
    ],
    { key },
  )
  assert.deepEqual(answer.json.results.map(codesOf), [
    ['report_total_hundredfold', 'reports_overlap'],
    ['unknown_order', 'reports_overlap'],
    ['total_mismatch', 'report_number_twice'],
    ['report_number_twice'],
    ['reports_overlap'],
    ['unknown_device', 'order_of_other_report'],
  ])
  const kept = (await app.get(path, { key })).json.data as { code: string }[]
  assert.equal(kept.filter(({ code }) => code === 'reports_overlap').length, 3)
  const last = z(id, 6, [], { startedAt: '9999-12-31T00:00:00.000Z', finalizedAt: '9999-12-31T23:59:59.999Z' })
  const twice = [last, { ...last, data: { ...(last.data as object), id: idOf('report', 7) } }]
  const late = await app.push(twice, { key })
  for (const result of late.json.results) assert.ok(codesOf(result)?.includes('report_number_twice'))
})

test('in a dry run the orders before a report are known to it, but not to the next push', async () => {
  const { id, key } = await app.addLocation()
  const records = [inReport(id, 1, 0), z(id, 0, [idOf('order', 1), idOf('order', 2)])]
  const headers = { 'content-type': 'application/x-ndjson' }
  const tried = await app.request('POST', '/v1/ingest/?dryRun=true', { key, headers, body: linesOf(records) })
  assert.deepEqual(tried.json.results.map(codesOf), [undefined, ['unknown_order']])
  assert.match(tried.json.results[1].warnings[0].detail, /^1 of the 2 orders/)
  const other = await app.push([order(orderOf(id, 1, { id: idOf('order', 7) }))], { key })
  assert.deepEqual(other.json.results.map(codesOf), [undefined])
  const again = await app.push([order(orderOf(id, 1, { id: idOf('order', 8) }))], { key })
  assert.deepEqual(again.json.results.map(codesOf), [['order_sent_twice']])
})

test('the currency of the location determines the plausible amounts, also after it was changed', async () => {
  let nowMs = Date.parse(timeOf(20))
  const clocked = await startApp({ database: app.database, clock: () => new Date(nowMs) })
  const { id, key } = await clocked.addLocation()
  const half = { quantity: 1, unitPrice: 499.5, total: 499.5, discountsApplied: [], modifiers: [] }
  const tax = { taxName: 'TVA 10 %', taxRate: 0.1, taxAmount: 45.41, taxCatalogId: idOf('tax', 1) }
  const payments = [{ paymentAmount: 499.5, paymentName: 'Carte', paymentCatalogId: idOf('payment', 1) }]
  const totals = {
    total: 499.5,
    totalTax: 45.41,
    totalDiscount: 0,
    items: [itemOf(1, { ...half, tax })],
    payments,
    tips: null,
  }
  const storedCodes = async (n: number) => {
    const answer = await clocked.push([order(orderOf(id, n, totals))], { key })
    return [...new Set(codesOf(answer.json.results[0]))]
  }
  assert.deepEqual(await storedCodes(1), [])
  await app.pool`update locations set currency = 'JPY' where id = ${id}`
  nowMs += 5_000
  assert.deepEqual(await storedCodes(2), ['decimals_beyond_currency'])
})

test('a dry run returns results and warnings and stores nothing', async () => {
  const { id, key } = await app.addLocation()
  await app.store([order(orderOf(id, 1))], key)
  const before = await app.get('/v1/events/', { key })
  const records = [order(orderOf(id, 1)), order(orderOf(id, 2, { total: 99 })), { type: 'order', data: {} }]
  for (const type of ['application/x-ndjson', 'application/json']) {
    const body = type === 'application/json' ? JSON.stringify(records) : linesOf(records)
    const headers = { 'content-type': type }
    const answer = await app.request('POST', '/v1/ingest/?dryRun=true', { key, headers, body })
    assert.equal(answer.status, 207)
    assertSchema(IngestAnswer, answer.json)
    const { unchanged, accepted, rejected, warned, results } = answer.json
    assert.deepEqual([unchanged, accepted, rejected, warned], [1, 1, 1, 1])
    assert.ok(results.every((result: object) => !('sequence' in result)))
  }
  assert.deepEqual((await app.get('/v1/events/', { key })).json, before.json)
  assertProblem(await app.get(`/v1/orders/${idOf('order', 2)}`, { key }), { status: 404, code: 'order_not_found' })
  assert.deepEqual((await app.get(path, { key })).json.data, [])
  assert.equal((await listRejected(app.pool, id, 10)).length, 0)
  const wrong = await app.request('POST', '/v1/ingest/?dryRun=yes', {
    key,
    headers: { 'content-type': 'application/json' },
    body: '[]',
  })
  assertProblem(wrong, { status: 400, code: 'validation_failed', pointers: ['/dryRun'] })
})

test('times in the local zone behind UTC are reported if they continue, by device, until the first correct time', async () => {
  const start = Date.parse(timeOf(0))
  let nowMs = start
  const clocked = await startApp({ database: app.database, clock: () => new Date(nowMs) })
  const { id: location, key } = await clocked.addLocation()
  let n = 0
  const pushed = async (hoursBehind: number, deviceId: string) => {
    n += 1
    const at = new Date(nowMs - hoursBehind * 3_600_000 - 20_000).toISOString()
    const times = { openedAt: at, createdAt: at, updatedAt: at, closedAt: at }
    const answer = await clocked.push([order(orderOf(location, n, { ...times, deviceId }))], { key })
    assert.equal(answer.json.accepted, 1)
    return codesOf(answer.json.results[0])?.includes('times_behind') ?? false
  }
  const [late, right] = [idOf('device', 1), idOf('device', 2)]
  for (const minutes of [0, 4, 8]) {
    nowMs = start + minutes * 60_000
    assert.deepEqual([await pushed(5, late), await pushed(0, right)], [false, false])
  }
  nowMs = start + 12 * 60_000
  assert.deepEqual([await pushed(5, late), await pushed(0, right), await pushed(5, right)], [true, false, false])
  const listed = (await clocked.get(path, { key })).json.data
  const behind = listed.filter(({ code }: { code: string }) => code === 'times_behind')
  assert.deepEqual([behind.length, behind[0].pointer], [1, '/data/updatedAt'])
  assert.match(behind[0].detail, /5 hours old/)
  assert.deepEqual([await pushed(0, late), await pushed(5, late)], [false, false])
})

test('every warning has a page with its cause and remedy', async () => {
  const list = await app.get('/docs/warnings', { key: null })
  for (const [code, [title]] of Object.entries(warnings)) {
    const answer = await app.get(`/docs/warnings/${code}`, { key: null })
    assert.equal(answer.status, 200, code)
    assert.ok(answer.text.includes(title) && answer.text.includes('<h2>When</h2>') && list.text.includes(code))
  }
  assertProblem(await app.get('/docs/warnings/none'), { status: 404, code: 'route_not_found' })
})

test('warnings that cannot be stored are still returned, and logged for the operator', async () => {
  const { id, key } = await app.addLocation()
  // In a cluster only the coordinator changes tables.
  const { direct = app.pool.from } = app.pool.from
  const owner = openPool(direct, { connections: 1, pipelining: true })
  atEnd(() => owner.end({ timeout: 1 }))
  await owner.unsafe(`alter table ingest_warnings add constraint full_disk check (location_id <> '${id}')`)
  const answer = await app.push([order(orderOf(id, 1, { total: 99 }))], { key })
  await owner`alter table ingest_warnings drop constraint full_disk`
  assert.deepEqual([answer.status, answer.json.warned], [200, 1])
  const lines = app.lines.filter(({ level, msg }) => level === 'warn' && /could not be stored/.test(msg))
  assert.match(lines[0]?.err.message, /full_disk/)
  const metric = await app.context.registry.getSingleMetricAsString('tillgate_ingest_unkept_total')
  assert.match(metric, /^tillgate_ingest_unkept_total 1$/m)
})

test('a refund of more than its stored sale is reported, also if the sale is in the same push or in a dry run', async () => {
  const { id, key } = await app.addLocation()
  const refund = (n: number, of: number, total: number) => {
    const items = [itemOf(n, { quantity: -1, unitPrice: -total, total, discountsApplied: [], modifiers: [] })]
    return order(orderOf(id, n, { total, items, refundOf: idOf('order', of).toUpperCase() }))
  }
  const tellsOf = (results: { warnings?: { code: string }[] }[]) =>
    results.map((result) => (codesOf(result) ?? []).includes('refund_over_sale'))
  const records = [order(orderOf(id, 1)), refund(2, 1, -22), refund(3, 1, -61), refund(4, 99, -61)]
  const headers = { 'content-type': 'application/x-ndjson' }
  const tried = await app.request('POST', '/v1/ingest/?dryRun=true', { key, headers, body: linesOf(records) })
  assert.deepEqual(tellsOf(tried.json.results), [false, false, true, false])
  assert.deepEqual(tellsOf((await app.push(records, { key })).json.results), [false, false, true, false])
  assert.deepEqual(tellsOf((await app.push([refund(5, 1, -61)], { key })).json.results), [true])
})

test('refunds of one sale are added up: stored ones, earlier ones in the push, and the latest version of each', async () => {
  const { id, key } = await app.addLocation()
  const refund = (n: number, total: number, changes = {}) => {
    const items = [itemOf(n, { quantity: -1, unitPrice: -total, total, discountsApplied: [], modifiers: [] })]
    return order(orderOf(id, n, { total, items, refundOf: idOf('order', 1).toUpperCase(), ...changes }))
  }
  const pushed = async (...records: ReturnType<typeof order>[]) => {
    const headers = { 'content-type': 'application/x-ndjson' }
    const body = linesOf(records)
    const areReported = (results: { warnings?: { code: string }[] }[]) =>
      results.map((result) => (codesOf(result) ?? []).includes('refund_over_sale'))
    const tried = await app.request('POST', '/v1/ingest/?dryRun=true', { key, headers, body })
    const stored = await app.request('POST', '/v1/ingest/', { key, headers, body })
    assert.deepEqual(areReported(tried.json.results), areReported(stored.json.results), body)
    return areReported(stored.json.results)
  }
  // The sale was of 22.00.
  assert.deepEqual(await pushed(order(orderOf(id, 1)), refund(2, -10), refund(3, -10)), [false, false, false])
  assert.deepEqual(await pushed(refund(4, -2), refund(5, -2)), [false, true])
  assert.deepEqual(await pushed(refund(6, -1, { isTraining: true }), refund(7, -1)), [false, true])
  const later = { updatedAt: new Date(Date.now() - 1_000).toISOString() }
  assert.deepEqual(await pushed(refund(2, -10, { ...later, isCanceled: true }), refund(8, -1)), [false, false])
})

test('a sale from a year ago is reported, unless it is pushed as historical', async () => {
  const { id, key } = await app.addLocation()
  const at = '2025-03-20T12:00:00.000Z'
  const body = linesOf([order(orderOf(id, 1, { createdAt: at, updatedAt: at, openedAt: at, closedAt: at }))])
  const headers = { 'content-type': 'application/x-ndjson' }
  const codes = async (path: string) =>
    codesOf((await app.request('POST', path, { key, headers, body })).json.results[0])
  assert.equal(await codes('/v1/ingest/?dryRun=true&history=true'), undefined)
  assert.deepEqual(await codes('/v1/ingest/'), ['time_long_ago'])
})
