import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Order } from '../../../src/core/contract/orders/schema.ts'
import { PageOf } from '../../../src/core/contract/paging/schema.ts'
import { startApp } from '../../support/app.ts'
import { idOf, order, orderOf, smallOrderOf } from '../../support/records.ts'
import { assertProblem, okay } from './contract.ts'
import { assertFields } from './fields.ts'

const OrderPage = PageOf(Order, 'OrderPage')
const app = await startApp()
const { location } = app

const rows: [n: number, createdAt: string][] = [
  [1, '2026-02-28T23:59:59.999Z'],
  [2, '2026-03-01T00:00:00.000Z'],
  [3, '2026-03-01T12:00:00.000Z'],
  [4, '2026-03-01T12:00:00.001Z'],
  [5, '2026-03-01T23:59:59.999Z'],
  [6, '2026-03-02T00:00:00.000Z'],
]
await app.store([
  ...rows.map(([n, createdAt]) => order(smallOrderOf(location, n, { createdAt, reportId: idOf('report', n % 2) }))),
  order(smallOrderOf(location, 7, { createdAt: '2026-03-05T10:00:00.000Z', closedAt: null, reportId: null })),
  order(smallOrderOf(location, 8, { createdAt: '2026-03-05T11:00:00.000Z', isTraining: true, reportId: null })),
  order(smallOrderOf(location, 9, { createdAt: '2026-03-05T12:00:00.000Z', isCanceled: true, reportId: null })),
])
await app.store([order(orderOf(app.other.id, 50)), order(orderOf(app.other.id, 2))], app.other.key)

const numberOf = (id: string) => Number.parseInt(id.slice(-12), 16)

/** Resolves to the numbers of the orders on a page, in order. */
async function list(query: string, key?: string): Promise<number[]> {
  const body = okay(await app.get(`/v1/orders/?size=100&${query}`, key === undefined ? {} : { key }), OrderPage)
  assert.equal(body.meta.totalCount, body.data.length)
  return body.data.map((one: { id: string }) => numberOf(one.id))
}

const encode = encodeURIComponent

test('[ORD-1] GET /v1/orders/{id} returns the order, with or without a trailing slash, with an id in upper or lower case', async () => {
  const id = idOf('order', 3)
  for (const path of [`/v1/orders/${id}`, `/v1/orders/${id}/`, `/v1/orders/${id.toUpperCase()}`]) {
    const body = okay(await app.get(path), Order)
    assertFields('Order', body)
    assert.equal(body.id, id)
  }
})

test('[ORD-2] an id without an order is 404 order_not_found', async () => {
  const answer = await app.get(`/v1/orders/${idOf('order', 999)}`)
  assertProblem(answer, { status: 404, code: 'order_not_found' })
})

test('[ORD-3] an id that is not a UUID is a 400 that points to it', async () => {
  for (const id of ['1', 'x'.repeat(200), '%00', '..%2F', idOf('order', 1).slice(1), `${idOf('order', 1)}%20`]) {
    assertProblem(await app.get(`/v1/orders/${id}`), { status: 400, code: 'validation_failed', pointers: ['/id'] })
  }
})

test('[ORD-4] an order of another location is 404, and its own key reads it', async () => {
  const path = `/v1/orders/${idOf('order', 50)}`
  assertProblem(await app.get(path), { status: 404, code: 'order_not_found' })
  assert.equal(okay(await app.get(path, { key: app.other.key }), Order).locationId, app.other.id)
})

test('[ORD-4] locations that use the same order id each read their own', async () => {
  const path = `/v1/orders/${idOf('order', 2)}`
  assert.equal(okay(await app.get(path), Order).locationId, location)
  assert.equal(okay(await app.get(path, { key: app.other.key }), Order).locationId, app.other.id)
})

test('[ORD-5] GET /v1/orders/ lists the orders of the key’s location only', async () => {
  assert.deepEqual(await list('', app.other.key), [2, 50])
  assert.deepEqual(await list(''), [1, 2, 3, 4, 5, 6, 8, 9])
})

test('[ORD-6] the list is ordered by creation date, ties by id', async () => {
  const site = await app.addLocation()
  const createdAt = '2026-03-01T12:00:00.000Z'
  const tied = [5, 3, 9, 1].map((n) => order(smallOrderOf(site.id, n, { createdAt })))
  const later = order(smallOrderOf(site.id, 0, { createdAt: '2026-03-01T12:00:00.001Z' }))
  await app.store([later, ...tied], site.key)
  assert.deepEqual(await list('', site.key), [1, 3, 5, 9, 0])
})

test('[ORD-7] sort=-createdAt lists the newest first, sort=createdAt is the default', async () => {
  assert.deepEqual(await list('sort=-createdAt'), [9, 8, 6, 5, 4, 3, 2, 1])
  assert.deepEqual(await list('sort=createdAt'), await list(''))
})

test('[ORD-8] since and until with dates include the whole first and last day, in UTC', async () => {
  assert.deepEqual(await list('since=2026-03-01&until=2026-03-01'), [2, 3, 4, 5])
  assert.deepEqual(await list('since=2026-03-02'), [6, 8, 9])
  assert.deepEqual(await list('until=2026-02-28'), [1])
  assert.deepEqual(await list('until=2026-02-27'), [])
})

test('[ORD-9] since and until with datetimes are inclusive to the millisecond', async () => {
  assert.deepEqual(await list('since=2026-03-01T12:00:00.000Z&until=2026-03-01T12:00:00.000Z'), [3])
  assert.deepEqual(await list('since=2026-03-01T12:00:00.001Z&until=2026-03-01T23:59:59.998Z'), [4])
  assert.deepEqual(await list('since=2026-03-01T23:59:59.999Z&until=2026-03-02T00:00:00.000Z'), [5, 6])
  assert.deepEqual(await list('since=2026-02-28T23:59:59.999Z&until=2026-03-01T00:00:00Z'), [1, 2])
  assert.deepEqual(await list('since=2026-03-01T12:00&until=2026-03-01T12:00:00'), [3])
})

test('[ORD-9] the offset of a datetime is applied', async () => {
  const moment = encode('2026-03-01T13:00:00.000+01:00')
  assert.deepEqual(await list(`since=${moment}&until=${moment}`), [3])
  assert.deepEqual(await list(`since=${encode('2026-03-01T18:59:59.999-05:00')}&until=2026-03-02`), [5, 6])
})

test('[ORD-9] a date and a datetime can be mixed', async () => {
  assert.deepEqual(await list('since=2026-03-01T12:00:00.001Z&until=2026-03-02'), [4, 5, 6])
  assert.deepEqual(await list('since=2026-03-01&until=2026-03-01T12:00:00.000Z'), [2, 3])
})

test('[ORD-10] since after until is 400', async () => {
  for (const query of ['since=2026-03-02&until=2026-03-01', 'since=2026-03-01T00:00:00.001Z&until=2026-03-01T00:00Z']) {
    const answer = await app.get(`/v1/orders/?${query}`)
    assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/since'] })
  }
})

test('[ORD-11] a value that is neither a date nor a datetime is a 400 that points to it', async () => {
  for (const text of [
    '',
    'x',
    '2026-02-30',
    '2026-3-1',
    '01/03/2026',
    '2026-03-01T25:00Z',
    '1772323200',
    '2026-03-01 10:00',
  ]) {
    for (const name of ['since', 'until']) {
      const answer = await app.get(`/v1/orders/?${name}=${encode(text)}`)
      assertProblem(answer, { status: 400, code: 'validation_failed', pointers: [`/${name}`] })
    }
  }
  const both = await app.get('/v1/orders/?since=a&until=b')
  assertProblem(both, { status: 400, code: 'validation_failed', pointers: ['/since', '/until'] })
})

test('[ORD-12] reportId filters on the report, alone and with the other filters', async () => {
  assert.deepEqual(await list(`reportId=${idOf('report', 1)}`), [1, 3, 5])
  assert.deepEqual(await list(`reportId=${idOf('report', 1)}&since=2026-03-01&sort=-createdAt`), [5, 3])
  assert.deepEqual(await list(`reportId=${idOf('report', 77)}`), [])
  const page = okay(await app.get(`/v1/orders/?reportId=${idOf('report', 1)}&size=2&index=1`), OrderPage)
  assert.deepEqual([page.data.length, page.meta.totalCount, page.meta.totalPage], [1, 3, 2])
  assert.deepEqual(await list(`reportId=${idOf('report', 1)}`, app.other.key), [2, 50])
})

test('[ORD-12] a reportId that is not a UUID is 400', async () => {
  for (const id of ['', 'x', '1']) {
    const answer = await app.get(`/v1/orders/?reportId=${id}`)
    assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/reportId'] })
  }
})

test('[ORD-13] open orders are listed only on request; state is open, closed or all', async () => {
  assert.deepEqual(await list('state=open'), [7])
  assert.deepEqual(await list('state=closed'), await list(''))
  assert.deepEqual(await list('state=all&since=2026-03-05'), [7, 8, 9])
  const answer = await app.get('/v1/orders/?state=shut')
  assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/state'] })
})

test('[ORD-14] an open order is read by its id, with closedAt null', async () => {
  const body = okay(await app.get(`/v1/orders/${idOf('order', 7)}`), Order)
  assertFields('Order', body)
  assert.equal(body.closedAt, null)
})

test('[ORD-15] canceled and training orders are listed like others', async () => {
  const { data } = okay(await app.get('/v1/orders/?since=2026-03-05'), OrderPage)
  const flags = data.map((one: { isTraining: boolean; isCanceled: boolean }) => [one.isTraining, one.isCanceled])
  assert.deepEqual(flags, [
    [true, false],
    [false, true],
  ])
})

test('[ORD-16] an order that is closed appears in the list, and one whose creation date changes moves to its new place', async () => {
  const site = await app.addLocation()
  const push = (n: number, second: number, changes: object) =>
    app.store(
      [order({ ...smallOrderOf(site.id, n), updatedAt: `2026-04-01T10:00:0${second}.000Z`, ...changes })],
      site.key,
    )
  await push(1, 0, { createdAt: '2026-03-01T10:00:00.000Z', closedAt: null })
  await push(2, 0, { createdAt: '2026-03-02T10:00:00.000Z' })
  assert.deepEqual(await list('', site.key), [2])
  await push(1, 1, { createdAt: '2026-03-01T10:00:00.000Z' })
  assert.deepEqual(await list('', site.key), [1, 2])
  assert.deepEqual(await list('state=open', site.key), [])
  await push(1, 2, { createdAt: '2026-03-03T10:00:00.000Z' })
  assert.deepEqual(await list('', site.key), [2, 1])
  assert.deepEqual(await list('until=2026-03-01', site.key), [])
  assert.deepEqual(await list('since=2026-03-03', site.key), [1])
})

test('[ORD-17] unknown, repeated and misspelled parameters are a 400 that names them', async () => {
  const wrong: [query: string, pointers: string[]][] = [
    ['limit=5', ['/limit']],
    ['Size=5', ['/Size']],
    ['page=1&foo=2', ['/foo', '/page']],
    ['size=5&size=6', ['/size']],
    ['since=2026-03-01&since=2026-03-02', ['/since']],
    ['sort=total', ['/sort']],
    ['sort=', ['/sort']],
    ['__proto__=1', ['/__proto__']],
    ['constructor=1', ['/constructor']],
    ['index=x&size=y', ['/index', '/size']],
  ]
  for (const [query, pointers] of wrong) {
    assertProblem(await app.get(`/v1/orders/?${query}`), { status: 400, code: 'validation_failed', pointers })
  }
  const named = await app.get(`/v1/orders/${idOf('order', 1)}?foo=1`)
  assertProblem(named, { status: 400, code: 'validation_failed', pointers: ['/foo'] })
})

test('[ORD-18] an order carries an ETag over its bytes, and a caller that has it gets 304 without a body', async () => {
  const path = `/v1/orders/${idOf('order', 4)}`
  const first = await app.get(path)
  const etag = String(first.headers['etag'])
  assert.match(etag, /^"[^"]+"$/)
  for (const header of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const again = await app.get(path, { headers: { 'if-none-match': header } })
    assert.deepEqual([again.status, again.bytes.length, again.headers['etag']], [304, 0, etag], header)
  }
  assert.equal((await app.get(path, { headers: { 'if-none-match': '"other"' } })).status, 200)
  await app.store([
    order(
      smallOrderOf(location, 4, { createdAt: rows[3]?.[1] ?? '', guests: 9, updatedAt: '2027-01-01T00:00:00.000Z' }),
    ),
  ])
  const changed = await app.get(path, { headers: { 'if-none-match': etag } })
  assert.equal(okay(changed, Order).guests, 9)
  assert.notEqual(changed.headers['etag'], etag)
})

test('[ORD-19] HEAD answers what GET would, without the body', async () => {
  for (const path of ['/v1/orders/?size=2', `/v1/orders/${idOf('order', 1)}`]) {
    const [got, head] = [await app.get(path), await app.request('HEAD', path)]
    assert.deepEqual([head.status, head.bytes.length], [200, 0])
    for (const name of ['content-type', 'content-length', 'etag', 'link']) {
      assert.equal(head.headers[name], got.headers[name], name)
    }
  }
  assert.equal((await app.request('HEAD', `/v1/orders/${idOf('order', 999)}`)).status, 404)
})

test('[STA-1] no transition is refused: an order may be closed and reopened, and its canceled and transferred flags set and cleared', async () => {
  const site = await app.addLocation()
  const closedAt = '2026-03-01T12:00:00.000Z'
  const states = [
    { closedAt: null, isCanceled: false, isTransferred: false },
    { closedAt, isCanceled: false, isTransferred: true },
    { closedAt: null, isCanceled: true, isTransferred: false },
    { closedAt, isCanceled: true, isTransferred: true },
    { closedAt, isCanceled: false, isTransferred: false },
  ]
  for (const [i, state] of states.entries()) {
    const updatedAt = `2026-04-01T10:00:0${i}.000Z`
    const answer = await app.push([order({ ...smallOrderOf(site.id, 1), updatedAt, ...state })], { key: site.key })
    assert.equal(answer.json.accepted, 1)
    const body = okay(await app.get(`/v1/orders/${idOf('order', 1)}`, { key: site.key }), Order)
    assert.deepEqual({ ...body, ...state }, body)
    assert.deepEqual(await list('', site.key), state.closedAt === null ? [] : [1])
    assert.deepEqual(await list('state=open', site.key), state.closedAt === null ? [1] : [])
  }
})
