import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { assertProblem } from '../conformance/contract.ts'
import { startApp } from '../../support/app.ts'
import { openEventStream } from '../../support/event-stream.ts'
import { idOf, order, orderOf, smallOrderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const app = await startApp()
const mark = Buffer.from([0xef, 0xbb, 0xbf])
const json = { 'content-type': 'application/json' }

test('a byte order mark before JSON is ignored: in a record, an array, a webhook', async () => {
  const push = (data: unknown) =>
    app.push(Buffer.concat([mark, Buffer.from(JSON.stringify(data))]), { type: 'application/json' })
  assert.equal((await push(order(smallOrderOf(app.location, 1)))).status, 200)
  assert.equal(
    (await push([order(smallOrderOf(app.location, 2)), order(smallOrderOf(app.location, 3))])).json.accepted,
    2,
  )
  const webhook = {
    events: ['order.paid'],
    endpointUrl: 'http://127.0.0.1:9/x',
    locationId: app.location,
    recipientId: app.location,
  }
  const body = Buffer.concat([mark, Buffer.from(JSON.stringify(webhook))])
  assert.equal((await app.request('POST', '/v1/webhooks/', { headers: json, body })).status, 201)
})

test('a URL whose bytes are not UTF-8 is refused, not answered with an empty list', async () => {
  assertProblem(await app.get('/v1/orders/?category=Caf%E9'), { status: 400, code: 'request_malformed' })
  assert.equal((await app.get('/v1/orders/?category=Caf%C3%A9')).status, 200)
  assert.equal((await app.get('/v1/orders/?category=100%')).status, 200)
})

test('orders are found by ids in either case, and by names with composed or decomposed accents', async () => {
  const site = await app.addLocation()
  // The same product, discount and category written by two tills, the second on macOS.
  const tills = [
    [(id: string) => id, 'Entr\u00e9es'],
    [(id: string) => id.toUpperCase(), 'Entre\u0301es'],
  ] as const
  const orders = tills.map(([write, category], n) => {
    const one = orderOf(site.id, 1, { id: idOf('order', 1 + n) })
    return {
      ...one,
      items: one.items.map((item) => ({
        ...item,
        category,
        itemCatalogId: write(item.itemCatalogId),
        discountsApplied: item.discountsApplied.map((of) => ({
          ...of,
          discountCatalogId: write(of.discountCatalogId),
        })),
      })),
    }
  })
  await app.store(orders.map(order), site.key)
  const [{ items }] = orders as [(typeof orders)[number]]
  const product = items.map((item) => item.itemCatalogId)[0] as string
  const discount = items.flatMap((item) => item.discountsApplied)[0]?.discountCatalogId as string
  for (const id of [product, discount]) assert.notEqual(id, id.toUpperCase(), 'it has letters')
  for (const query of [
    ...[product, product.toUpperCase()].map((id) => `productId=${id}`),
    ...[discount, discount.toUpperCase()].map((id) => `discountId=${id}`),
    ...tills.map(([, name]) => `category=${encodeURIComponent(name)}`),
  ]) {
    const answer = await app.get(`/v1/orders/?${query}`, { key: site.key })
    assert.equal(answer.json.meta?.totalCount, 2, `orders found by ${query}`)
  }
})

test('a stream continues after lastEventId in the URL, as polyfills send it; the header takes precedence', async () => {
  const site = await app.addLocation()
  await app.store(
    [1, 2, 3].map((n) => order(orderOf(site.id, n))),
    site.key,
  )
  const { json: feed } = await app.get('/v1/events/?types=order.created', { key: site.key })
  const [first, second] = feed.data as { sequence: number }[]
  const id = (sequence: number) => `${feed.meta.epoch}_${sequence}`
  const pathBy = (name: string) => `${app.url}/v1/events/?types=order.created&${name}=${id(first?.sequence ?? 0)}`
  for (const name of ['lastEventId', 'Last-Event-ID']) {
    const stream = await openEventStream(pathBy(name), { 'x-api-key': site.key })
    await eventually(() => stream.events.length === 2, `two more by ${name}`)
    stream.close()
  }
  const path = pathBy('lastEventId')
  const both = await openEventStream(path, { 'x-api-key': site.key, 'last-event-id': id(second?.sequence ?? 0) })
  await eventually(() => both.events.length === 1, 'one more')
  both.close()
})

test('a page begins after lastEventId or Last-Event-ID as a stream does, and an invalid one is refused in both', async () => {
  const site = await app.addLocation()
  await app.store(
    [1, 2, 3].map((n) => order(orderOf(site.id, n))),
    site.key,
  )
  const read = async (query: string, headers = {}) => {
    const { status, json } = await app.get(`/v1/events/?types=order.created&${query}`, { key: site.key, headers })
    return status === 200 ? json.data.length : json.code
  }
  const { json: feed } = await app.get('/v1/events/?types=order.created', { key: site.key })
  const [first, second] = feed.data as { sequence: number }[]
  const ofFirst = `${feed.meta.epoch}_${first?.sequence}`
  assert.equal(await read(`lastEventId=${ofFirst}`), 2)
  assert.equal(await read(`Last-Event-ID=${ofFirst}&after=0`), 2)
  assert.equal(await read('', { 'last-event-id': ofFirst }), 2)
  assert.equal(await read(`lastEventId=${ofFirst}`, { 'last-event-id': String(second?.sequence) }), 1)
  assert.equal(await read(`lastEventId=00000000_1`), 'epoch_changed')
  assert.equal(await read(`lastEventId=1&epoch=00000000`), 'epoch_changed')
  assert.equal(await read(`lastEventId=999999`), 'sequence_ahead')
  for (const accept of ['application/json', 'text/event-stream']) {
    for (const [query, headers, pointer] of [
      ['lastEventId=nothing', {}, '/lastEventId'],
      ['Last-Event-ID=nothing', {}, '/Last-Event-ID'],
      ['', { 'last-event-id': 'nothing' }, '/last-event-id'],
      ['lastEventId=nothing', { 'last-event-id': '1' }, '/lastEventId'],
    ] as const) {
      const answer = await app.get(`/v1/events/?${query}`, { headers: { accept, ...headers } })
      const problem = assertProblem(answer, { status: 400, code: 'validation_failed' })
      assert.deepEqual([problem.errors[0].code, problem.errors[0].pointer], ['invalid_cursor', pointer])
    }
  }
})

test('a page of another origin can read the headers it needs, also for an unknown path', async () => {
  const origin = { origin: 'https://pos.example' }
  const none = await app.get('/v2/orders/', { headers: origin })
  assert.deepEqual([none.status, none.headers['access-control-allow-origin']], [404, '*'])
  const read = await app.get('/v1/orders/', { headers: origin })
  assert.match(String(read.headers['access-control-expose-headers']), /tillgate-complete-until/)
  const preflight = await app.request('OPTIONS', '/v1/ingest/', {
    key: null,
    headers: { ...origin, 'access-control-request-method': 'POST' },
  })
  for (const name of ['content-encoding', 'cache-control', 'traceparent'])
    assert.ok(String(preflight.headers['access-control-allow-headers']).split(', ').includes(name), name)
})

test('a plain link downloads the sales table as a file for spreadsheets', async () => {
  const { text, headers, bytes } = await app.get('/v1/sales/?since=2026-01-01&until=2026-12-31&by=product&format=csv')
  assert.deepEqual(bytes.subarray(0, 3), mark)
  assert.match(String(headers['content-disposition']), /^attachment; filename="sales-2026-01-01-2026-12-31\.csv"$/)
  const rows = parse(text, { bom: true, columns: true }) as Record<string, string>[]
  const { json: table } = await app.get('/v1/sales/?since=2026-01-01&until=2026-12-31&by=product')
  assert.deepEqual(
    rows.map(({ key, salesInclTax }) => [key, Number(salesInclTax)]),
    table.data.map(({ key, salesInclTax }: { key: string; salesInclTax: number }) => [key, salesInclTax]),
  )
})
