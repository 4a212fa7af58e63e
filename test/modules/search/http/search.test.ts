import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SearchAnswer } from '../../../../src/modules/search/schemas/search.ts'
import { assertProblem, okay } from '../../../core/conformance/contract.ts'
import { startApp } from '../../../support/app.ts'
import { idOf, order, orderOf, productsOf, report, reportOf } from '../../../support/records.ts'

const app = await startApp()
const named = (n: number, name: string) => ({ ...productsOf(n).at(-1), name })
await app.store([
  ...['42', '420', '4', '042', '4200', 'A-42'].map((orderNumber, n) =>
    order(orderOf(app.location, n, { orderNumber, orderPlace: `T${n}` })),
  ),
  order(orderOf(app.location, 9, { orderNumber: '42', closedAt: null })),
  report(reportOf(app.location, 42)),
  report(reportOf(app.location, 420)),
  { type: 'catalog.products', data: [named(1, 'Café crème'), named(2, 'Crème brûlée'), named(3, '42 Ale')] },
])
await app.store([order(orderOf(app.location, 1, { orderNumber: '42' }))], app.other.key).catch(() => {})

const find = async (q: string, more = '') => {
  const { data } = okay(await app.get(`/v1/search/?q=${encodeURIComponent(q)}${more}`), SearchAnswer)
  return data.map(({ kind, label, detail }: { kind: string; label: string; detail: string }) =>
    [kind, label, detail].join(' '),
  )
}

test('a number finds orders with it, then those that begin with it, the newest first; and reports and products', async () => {
  assert.deepEqual(await find('42'), [
    'order 42 12',
    'order 42 T0',
    'order 4200 T4',
    'order 420 T1',
    'report 42 Caisse 1',
    'product 42 Ale Plats',
  ])
  assert.deepEqual(await find('42', '&limit=1'), ['order 42 12', 'report 42 Caisse 1', 'product 42 Ale Plats'])
  assert.deepEqual(await find('a-42'), [])
  assert.deepEqual(await find('A-42'), ['order A-42 T5'])
})

test('an id is found by its first digits, with or without hyphens, in either case', async () => {
  assert.deepEqual(await find(idOf('order', 2)), ['order 4 T2'])
  assert.deepEqual(await find(idOf('report', 420).toUpperCase()), ['report 420 Caisse 1'])
  assert.deepEqual(await find(idOf('product', 2).replaceAll('-', '')), ['product Crème brûlée Plats'])
  assert.equal((await find(idOf('order', 0).slice(0, 13))).length, 7)
  assert.deepEqual(await find(idOf('order', 0).slice(0, 7)), [])
})

test('words find products without case and accents, each at the beginning of a word', async () => {
  assert.deepEqual(await find('creme'), ['product Café crème Plats', 'product Crème brûlée Plats'])
  assert.deepEqual(await find('BRU cr'), ['product Crème brûlée Plats'])
  assert.deepEqual(await find('rème'), [])
})

test('the query is plain text: no character has a special meaning', async () => {
  for (const q of ['%', '_', "'", '\\', '42%', '((((', '🙂', '  ', '\u202e', '99999999999999999999']) {
    assert.deepEqual(await find(q), [], q)
  }
})

test('a Z number as people write it, a journal sequence, an event id and the end of an order number are found', async () => {
  const site = await app.addLocation()
  await app.store(
    [order(orderOf(site.id, 1, { orderNumber: '261124-054' })), report(reportOf(site.id, 4346))],
    site.key,
  )
  const ask = async (q: string) =>
    (await app.get(`/v1/search/?q=${encodeURIComponent(q)}`, { key: site.key })).json.data.map(
      ({ kind, label, url }: { kind: string; label: string; url: string }) =>
        `${kind} ${label}${kind === 'entry' ? ` ${url}` : ''}`,
    )
  for (const q of ['Z 4346', 'z4346', 'Z n° 4346', '4346']) assert.deepEqual(await ask(q), ['report 4346'], q)
  assert.deepEqual(await ask('054'), ['order 261124-054'])
  const { data } = (await app.get('/v1/events/', { key: site.key })).json
  const { id, sequence } = data.at(-1)
  assert.ok(id.length > 50)
  assert.deepEqual(await ask(id), [`entry #${sequence} /v1/events/${sequence}`])
  assert.deepEqual(await ask(`#${sequence}`), [`entry #${sequence} /v1/events/${sequence}`])
  assert.deepEqual(await ask('#999999'), [])
})

test('a search returns its journal sequence, and needs a query of a valid length', async () => {
  const { json, headers } = await app.get('/v1/search/?q=42')
  assert.equal(String(json.meta.sequence), headers['tillgate-sequence'])
  assert.deepEqual(
    json.data.map(({ url }: { url: string }) => url.split('/')[2]),
    ['orders', 'orders', 'orders', 'orders', 'reports', 'catalog'],
  )
  assert.equal((await app.get(json.data[0].url)).json.orderNumber, '42')
  for (const query of ['', '?q=', `?q=${'x'.repeat(201)}`, '?q=4&limit=0']) {
    assertProblem(await app.get(`/v1/search/${query}`), { status: 400, code: 'validation_failed' })
  }
  const other = await app.addLocation()
  assert.deepEqual((await app.get('/v1/search/?q=42', { key: other.key })).json.data, [])
})
