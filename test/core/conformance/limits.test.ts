import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RateLimiter } from '../../../src/core/http/guard/rate-limit.ts'
import { startApp } from '../../support/app.ts'
import { order, smallOrderOf, idOf, orderOf } from '../../support/records.ts'
import { assertProblem, okay } from './contract.ts'
import { Order } from '../../../src/core/contract/orders/schema.ts'
import { PageOf } from '../../../src/core/contract/paging/schema.ts'

const app = await startApp()
let now = Date.parse('2026-03-01T10:00:00.000Z')
const limited = await startApp({ limiter: new RateLimiter(2, 5), clock: () => new Date(now), database: app.database })
await app.store(Array.from({ length: 120 }, (_, n) => order(smallOrderOf(app.location, n))))

const lists = ['/v1/orders/', '/v1/reports/']

for (const path of lists) {
  test(`[LIM-1] size of ${path} defaults to 10`, async () => {
    assert.equal((await app.get(path)).json.meta.pageSize, 10)
  })

  test(`[LIM-2] any size of ${path} above 100 is capped at 100`, async () => {
    for (const size of ['100', '101', '5000', '9007199254740993', '9'.repeat(400), '00101']) {
      const answer = await app.get(`${path}?size=${size}`)
      assert.equal(answer.status, 200, size)
      assert.equal(answer.json.meta.pageSize, 100)
      assert.ok(answer.json.data.length <= 100)
    }
  })

  test(`[LIM-3] a size of ${path} that is below 1 or not an integer is 400`, async () => {
    for (const size of [
      '0',
      '-1',
      '-99999999999999999999',
      '1.5',
      '1e1',
      '',
      ' 5',
      '+5',
      '0x10',
      'ten',
      'NaN',
      'null',
      '10,',
    ]) {
      const answer = await app.get(`${path}?size=${encodeURIComponent(size)}`)
      assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/size'] })
    }
  })

  test(`[LIM-4] index of ${path} defaults to 0 and has the maximum 9007199254740991`, async () => {
    assert.equal((await app.get(path)).json.meta.currentPageIndex, 0)
    for (const index of [0, 1, 9007199254740991]) {
      const answer = await app.get(`${path}?index=${index}&size=100`)
      assert.deepEqual([answer.status, answer.json.meta.currentPageIndex], [200, index])
    }
  })

  test(`[LIM-5] an index of ${path} that is outside its range or not an integer is 400`, async () => {
    const wrong = ['-1', '9007199254740992', '9007199254740993', '1'.repeat(400), '1.0', '1e3', '', 'x', 'Infinity']
    for (const index of wrong) {
      const answer = await app.get(`${path}?index=${index}`)
      assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/index'] })
    }
  })
}

test('[LIM-2] the links of a capped page have the capped size', async () => {
  const { links, data } = (await app.get('/v1/orders/?size=5000')).json
  assert.equal(data.length, 100)
  assert.equal(new URL(links.next).searchParams.get('size'), '100')
})

test('[LIM-6] a key has a rate limit: every answer states the remainder, and beyond it the answer is 429 with Retry-After', async () => {
  const { key } = limited
  for (let left = 4; left >= 0; left--) {
    const answer = await limited.get('/health/', { key })
    assert.equal(answer.status, 200)
    assert.equal(answer.headers['ratelimit-policy'], '"default";q=5;w=3')
    assert.match(String(answer.headers['ratelimit']), new RegExp(`^"default";r=${left};t=\\d+$`))
  }
  const refused = await limited.get('/v1/orders/', { key })
  assertProblem(refused, { status: 429, code: 'rate_limited' })
  assert.equal(refused.headers['retry-after'], '1')
  assert.match(String(refused.headers['ratelimit']), /^"default";r=0;t=1$/)
  assert.equal((await limited.get('/health/', { key: limited.keys.read })).status, 200)
  now += 1000
  assert.equal((await limited.get('/health/', { key })).status, 200)
  assert.equal((await limited.get('/health/', { key })).status, 200)
  assert.equal((await limited.get('/health/', { key })).status, 429)
})

test('[LIM-6] a push beyond the rate limit is 429, and operations without a key have no rate limit', async () => {
  now += 60_000
  const pushes = Array.from({ length: 7 }, () => limited.push([order(smallOrderOf(limited.location, 1))]))
  const statuses = (await Promise.all(pushes)).map((answer) => answer.status)
  assert.deepEqual(
    statuses.toSorted((a, b) => a - b),
    [200, 200, 200, 200, 200, 429, 429],
  )
  for (let i = 0; i < 10; i++) assert.equal((await limited.get('/livez', { key: null })).status, 200)
})

test('[LIM-7] an order has at most 1,000 KiB, any record 1 MiB, and a longer one does not affect the records next to it', async () => {
  const site = await app.addLocation()
  const line = (n: number, bytes: number) => {
    const text = JSON.stringify(order(smallOrderOf(site.id, n, { customerId: '' })))
    return text.replace('"customerId":""', `"customerId":"${'x'.repeat(bytes - text.length)}"`)
  }
  const lines = [
    line(1, 2000),
    line(2, 1_000 * 1024 + 1),
    line(3, 1_000 * 1024),
    line(4, 3 * 1024 * 1024),
    line(5, 2000),
  ]
  const answer = await app.push(lines.join('\n'), { key: site.key })
  assert.equal(answer.status, 207)
  const verdicts = answer.json.results.map((one: { status: string; code?: string }) => one.code ?? one.status)
  assert.deepEqual(verdicts, ['accepted', 'line_too_long', 'accepted', 'line_too_long', 'accepted'])
})

test('[LIM-8] a JSON push has at most 8 MiB: a longer one is 413, and the server keeps working', async () => {
  for (const megabytes of [9, 40]) {
    const answer = await app.push(Buffer.alloc(megabytes * 1024 * 1024, ' '), { type: 'application/json' })
    assertProblem(answer, { status: 413, code: 'body_too_large' })
  }
  assert.equal((await app.get('/health/')).status, 200)
})

const OrderPage = PageOf(Order, 'OrderPage')

test('[ORD-20] payments, items, discounts and totals are searched in at most 20,000 orders, or in all orders of a report', async () => {
  const site = await app.addLocation()
  await app.store([order(orderOf(site.id, 1, { total: 50, reportId: idOf('report', 7) }))], site.key)
  await app.pool`
    insert into orders select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid(), 'report_id', null))).*
    from orders o, generate_series(1, 19999) where location_id = ${site.id}`
  const count = async (query: string) =>
    okay(await app.get(`/v1/orders/?size=1&${query}`, { key: site.key }), OrderPage).meta.totalCount
  assert.equal(await count('payment=Carte%20bancaire&minTotal=50&maxTotal=50'), 20_000)
  await app.pool`
    insert into orders select (jsonb_populate_record(o, jsonb_build_object('id', gen_random_uuid()))).*
    from orders o where location_id = ${site.id} and report_id is null limit 1`
  const read = ['payment=x', 'category=x', 'minTotal=1', 'maxTotal=1', 'taxRate=1000', 'isCanceled=true']
  for (const query of [...read, `productId=${idOf('product', 1)}`]) {
    const answer = await app.get(`/v1/orders/?${query}`, { key: site.key })
    assertProblem(answer, { status: 400, code: 'validation_failed', pointers: ['/since'] })
    // The problem names the parameter that causes the search.
    const name = query.slice(0, query.indexOf('='))
    const detail = `since: the range has more than 20000 orders, the limit for a search by ${name}; move since and until`
    assert.ok(answer.json.detail.includes(detail), answer.json.detail)
  }
  assert.equal(await count(`payment=Carte%20bancaire&reportId=${idOf('report', 7)}`), 1)
  assert.equal(await count('payment=Carte%20bancaire&since=2020-01-01&until=2020-01-31'), 0)
  for (const query of ['minTotal=x', 'maxTotal=', 'productId=1', 'taxRate=0.1']) {
    const name = query.slice(0, query.indexOf('='))
    assertProblem(await app.get(`/v1/orders/?${query}`), {
      status: 400,
      code: 'validation_failed',
      pointers: [`/${name}`],
    })
  }
})
