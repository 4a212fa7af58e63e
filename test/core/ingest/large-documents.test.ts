import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { idOf, itemOf, order, orderOf, reportOf, smallOrderOf } from '../../support/records.ts'

const app = await startApp()

test('an order of 1,000 items is stored, read, listed and delivered whole', async () => {
  const items = Array.from({ length: 1_000 }, (_, n) => itemOf(n))
  const large = orderOf(app.location, 1, { items, total: 11_000, totalTax: 1_000 })
  const { status, json } = await app.push([order(large), order(smallOrderOf(app.location, 2))])
  assert.deepEqual([status, json.accepted], [200, 2], JSON.stringify(json).slice(0, 500))
  const read = await app.get(`/v1/orders/${large.id}`)
  assert.deepEqual(read.json, large)
  assert.equal((await app.get('/v1/orders/')).json.data.length, 2)
  const { data } = (await app.get('/v1/events/?types=order.created')).json
  const [event] = data.filter(({ data: of }: { data: { id: string } }) => of.id === large.id)
  assert.deepEqual(event.data, large)
  // Receivers accept this size by default, with a margin.
  assert.ok(Buffer.byteLength(JSON.stringify(event)) < 1024 * 1024)
})

test('a Z report of 8,000 orders and 1,500 products is stored, read and reconciled', async () => {
  const site = await app.addLocation()
  const orders = Array.from({ length: 8_000 }, (_, n) => idOf('order', n))
  const base = reportOf(site.id, 1)
  const [product] = base.reportProducts
  assert.ok(product)
  const reportProducts = Array.from({ length: 1_500 }, (_, n) => ({
    ...product,
    productName: `Plat ${n}`,
    productCatalogId: idOf('product', n),
  }))
  const large = { ...base, orders, reportProducts }
  const { status, json } = await app.push([{ type: 'report', data: large }], { key: site.key })
  assert.deepEqual([status, json.accepted], [200, 1], JSON.stringify(json).slice(0, 500))
  assert.deepEqual((await app.get(`/v1/reports/${large.id}`, { key: site.key })).json, large)
  const found = await app.get(`/v1/reports/${large.id}/reconciliation`, { key: site.key })
  assert.equal(found.status, 200, found.text.slice(0, 500))
})

/** Returns as many products as a large shop has: 2.9 MB of text, where a record of another type may have 1 MiB. */
const productsOf = (count: number, name: string) =>
  Array.from({ length: count }, (_, n) => ({
    id: idOf('product', n),
    name: `${name} ${n} « à l’ancienne »`,
    category: 'Plats',
    categoryId: idOf('category', 1),
    subCategories: [{ name: 'Viandes', id: idOf('category', 2) }],
    priceList: [{ priceTypeId: 1, priceTypeName: 'Sur place', unitPrice: 1_250 + n, taxRate: 1000 }],
  }))

test('a catalog of 5,000 products is stored, read, delivered and compared whole, in each format of a push', async () => {
  const site = await app.addLocation()
  const { key } = site
  const headers = { 'content-type': 'application/json' }
  const forms: [string, (record: object) => [string, Record<string, string>]][] = [
    ['lines', (record) => [`${JSON.stringify(record)}\n`, { 'content-type': 'application/x-ndjson' }]],
    ['one record', (record) => [JSON.stringify(record).replace('{"type":', '{\n  "type" : '), headers]],
    ['an array', (record) => [JSON.stringify([record]), headers]],
  ]
  for (const [version, [name, write]] of forms.entries()) {
    const data = productsOf(5_000, name)
    const [body, headersOf] = write({ type: 'catalog.products', data })
    assert.ok(Buffer.byteLength(body) > 2 ** 20)
    const pushed = await app.request('POST', '/v1/ingest/', { key, headers: headersOf, body })
    assert.deepEqual([pushed.status, pushed.json.accepted], [200, 1], pushed.text.slice(0, 500))
    assert.deepEqual((await app.get('/v1/catalog/', { key })).json, data)
    const { data: events } = (await app.get(`/v1/events/?after=${version}`, { key })).json
    assert.deepEqual(events[0].data, data)
    assert.ok(Buffer.byteLength(JSON.stringify(events[0])) < 4 * 1024 * 1024)
  }
  const changes = await app.get('/v1/catalog/changes/?size=1', { key })
  const [latest] = changes.json.data
  assert.deepEqual([latest.added, latest.changed, latest.removed], [0, 5_000, 0])
  const taken = smallOrderOf(site.id, 1)
  const { json } = await app.push(
    [order({ ...taken, items: [{ ...itemOf(1), itemCatalogId: '00000000-0000-4000-8000-00000000dead' }] })],
    {
      key,
    },
  )
  assert.match(JSON.stringify(json), /unknown_product/)
})

test('a long list is refused at its first invalid entry, and a long value that is not a list by its length', async () => {
  const { key } = await app.addLocation()
  const headers = { 'content-type': 'application/x-ndjson' }
  const push = async (...lines: string[]) => {
    const { status, json } = await app.request('POST', '/v1/ingest/', { key, headers, body: lines.join('\n') })
    assert.equal(status, 400)
    return json.results.map(({ code, detail }: { code: string; detail: string }) => `${code}: ${detail}`)
  }
  const text = JSON.stringify({ type: 'catalog.products', data: productsOf(5_000, 'Plat') })
  assert.ok(text.length > 1024 * 1024)
  const cut = (from: string, to: string) => {
    assert.ok(text.includes(from))
    return text.replace(from, to)
  }
  const emptyObjects = `{"type":"catalog.products","data":[${'{},'.repeat(1_300_000)}{}]}`
  const oneLong = `{"type":"catalog.taxes","data":[{"name":"${'x'.repeat(1_100_000)}"}]}`
  const results = await push(
    cut('Plat 4999 ', '\\ud800'),
    cut('"unitPrice":6249', '"unitPrice":"6249"'),
    cut('"unitPrice":6249', '"unitPrice":6249,"unitPrice":1'),
    `${text.slice(0, -1)},"more":1}`,
    `${text.slice(0, -2)},]}`,
    text.replace('"type":"catalog.products","data"', '"data"').replace(/\}$/, ',"type":"catalog.products"}'),
    text.replace('catalog.products', 'catalog.nothing'),
    emptyObjects,
    oneLong,
    `{"type":"catalog.products","data":[${JSON.stringify(productsOf(5_000, 'y'.repeat(500))).slice(1, -1)}]}`,
  )
  const long =
    'line_too_long: the record is longer than 1 MiB; only a catalog list may have up to 4000 KiB, and must begin with {"type":"catalog.…","data":['
  assert.deepEqual(results, [
    'invalid_text: text must not contain NUL characters or lone surrogates',
    'invalid_type: 4999.priceList.0.unitPrice must be a whole number',
    'duplicate_key: the key "unitPrice" is repeated: send it once',
    'invalid_json: a list of more than 1 MiB has text after data: send only type and data',
    'invalid_json: the text is not valid JSON: element 5001 of the array is missing',
    long,
    long,
    'missing: 0.id is required',
    'line_too_long: an entry of a list must be at most 1 MiB',
    long,
  ])
  assert.deepEqual((await app.get('/v1/catalog/', { key })).json, [])
})
