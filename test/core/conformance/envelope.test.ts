import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Order } from '../../../src/core/contract/orders/schema.ts'
import { PageOf, PageWithoutLinksOf } from '../../../src/core/contract/paging/schema.ts'
import { Report } from '../../../src/core/contract/reports/schema.ts'
import { startApp } from '../../support/app.ts'
import { idOf, order, report, reportOf, smallOrderOf } from '../../support/records.ts'
import { linksOf, okay, pathOf } from './contract.ts'
import { assertFields } from './fields.ts'

const OrderPage = PageOf(Order, 'OrderPage')
const ReportPage = PageWithoutLinksOf(Report, 'ReportPage')

const count = 25
const app = await startApp()
const numbers = Array.from({ length: count }, (_, n) => n)
await app.store(numbers.map((n) => order(smallOrderOf(app.location, n))))
await app.store(numbers.map((n) => report(reportOf(app.location, n))))
const empty = await app.addLocation()

const indexOf = (link: string | null) => (link === null ? null : Number(new URL(link).searchParams.get('index')))

test('[PAG-1] the order list is data, meta and links, and nothing else', async () => {
  const body = okay(await app.get('/v1/orders/?size=7'), OrderPage)
  assertFields('OrderPage', body)
  assert.equal(body.data.length, 7)
})

test('[PAG-2] the report list is data and meta, and nothing else', async () => {
  const body = okay(await app.get('/v1/reports/?size=7'), ReportPage)
  assertFields('ReportPage', body)
  assert.equal(body.data.length, 7)
})

for (const list of ['orders', 'reports'] as const) {
  const schema = list === 'orders' ? OrderPage : ReportPage

  test(`[PAG-3] meta of the ${list} has the number of matches, the requested page, the number of pages and the page size`, async () => {
    const meta = async (query: string) => okay(await app.get(`/v1/${list}/${query}`), schema).meta
    assert.deepEqual(await meta(''), { totalCount: 25, currentPageIndex: 0, totalPage: 3, pageSize: 10 })
    assert.deepEqual(await meta('?index=2&size=5'), { totalCount: 25, currentPageIndex: 2, totalPage: 5, pageSize: 5 })
    assert.deepEqual(await meta('?size=100'), { totalCount: 25, currentPageIndex: 0, totalPage: 1, pageSize: 100 })
    const none = { totalCount: 0, currentPageIndex: 3, totalPage: 0, pageSize: 10 }
    assert.deepEqual(await meta('?index=3&until=1999-12-31'), none)
  })

  test(`[PAG-4] a page of the ${list} past the last one is 200 and empty, and next is null`, async () => {
    for (const index of [3, 4, 1_000, Number.MAX_SAFE_INTEGER]) {
      const answer = await app.get(`/v1/${list}/?index=${index}`)
      const body = okay(answer, schema)
      assert.deepEqual(body.data, [])
      assert.deepEqual(body.meta, { totalCount: 25, currentPageIndex: index, totalPage: 3, pageSize: 10 })
      const { next, prev } = linksOf(answer)
      assert.equal(next, undefined)
      assert.equal(indexOf(prev ?? null), 2)
    }
  })

  test(`[PAG-5] the ${list} send a Link header with first, prev, next and last`, async () => {
    const links = linksOf(await app.get(`/v1/${list}/?index=1&size=5`))
    assert.deepEqual(Object.keys(links), ['first', 'prev', 'next', 'last'])
    assert.deepEqual(Object.values(links).map(indexOf), [0, 0, 2, 4])
    assert.deepEqual(Object.keys(linksOf(await app.get(`/v1/${list}/`))), ['first', 'next', 'last'])
  })

  test(`[PAG-6] following next from the first page of the ${list} returns every resource exactly once`, async () => {
    const seen: string[] = []
    let path: string | undefined = `/v1/${list}/?size=4&since=2026-01-01`
    while (path !== undefined) {
      const answer = await app.get(path)
      for (const { id } of okay(answer, schema).data) seen.push(id)
      const { next } = linksOf(answer)
      path = next === undefined ? undefined : pathOf(next)
    }
    const kind = list === 'orders' ? 'order' : 'report'
    assert.deepEqual(
      seen,
      numbers.map((n) => idOf(kind, n)),
    )
  })
}

test('[PAG-7] body links are absolute URLs of this service that keep every filter', async () => {
  const filters = {
    since: '2026-03-01',
    until: '2026-03-01T23:00:00+01:00',
    reportId: idOf('report', 1),
    state: 'all',
    sort: '-createdAt',
  }
  const query = new URLSearchParams({ ...filters, index: '1', size: '5' })
  const { links } = okay(await app.get(`/v1/orders/?${query.toString()}`), OrderPage)
  for (const [rel, index] of Object.entries({ self: 1, first: 0, last: 4, next: 2, prev: 0 })) {
    const link = new URL(links[rel])
    assert.equal(link.origin, app.url)
    assert.equal(link.pathname, '/v1/orders/')
    const { after, ...query } = Object.fromEntries(link.searchParams)
    assert.deepEqual(query, { ...filters, index: String(index), size: '5' })
    // Decision 0005: `next` continues after the last row of this page.
    assert.equal(after === undefined, rel !== 'next')
  }
})

test('[PAG-7] links name the host that the caller used', async () => {
  const named = await app.get('/v1/orders/', { headers: { host: 'pos.example:8443' } })
  assert.ok(okay(named, OrderPage).links.self.startsWith('http://pos.example:8443/v1/orders/'))
})

test('[PAG-8] next and prev are null if there is no such page', async () => {
  const ends = async (query: string) => {
    const { links } = okay(await app.get(`/v1/orders/?${query}`), OrderPage)
    return [indexOf(links.prev), indexOf(links.next)]
  }
  assert.deepEqual(await ends('index=0&size=10'), [null, 1])
  assert.deepEqual(await ends('index=1&size=10'), [0, 2])
  assert.deepEqual(await ends('index=2&size=10'), [1, null])
  assert.deepEqual(await ends('index=0&size=25'), [null, null])
  assert.deepEqual(await ends('index=7&size=10'), [2, null])
})

test('[PAG-8] the first and last links of an empty list lead to page 0, and next and prev are null', async () => {
  const body = okay(await app.get('/v1/orders/', { key: empty.key }), OrderPage)
  assert.deepEqual(body.data, [])
  assert.deepEqual(body.meta, { totalCount: 0, currentPageIndex: 0, totalPage: 0, pageSize: 10 })
  assert.deepEqual(
    Object.values(body.links).map((link) => indexOf(link as string | null)),
    [0, 0, 0, null, null],
  )
})

test('[PAG-9] every link of a page answers 200', async () => {
  const { links } = okay(await app.get('/v1/orders/?index=1&size=5&state=all'), OrderPage)
  for (const link of Object.values(links)) okay(await app.get(pathOf(link as string)), OrderPage)
})
