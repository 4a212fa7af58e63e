import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import {
  CatalogModifierGroup,
  CatalogPayment,
  CatalogProduct,
  CatalogTax,
} from '../../../src/core/contract/catalog/schema.ts'
import { startApp } from '../../support/app.ts'
import { idOf, modifiers, payments, productsOf, taxes } from '../../support/records.ts'
import { assertProblem, okay } from './contract.ts'

const app = await startApp()

const lists = [
  { path: '/v1/catalog/', type: 'catalog.products', data: productsOf(3), schema: Type.Array(CatalogProduct) },
  {
    path: '/v1/catalog/modifiers/',
    type: 'catalog.modifiers',
    data: modifiers,
    schema: Type.Array(CatalogModifierGroup),
  },
  { path: '/v1/catalog/payments/', type: 'catalog.payments', data: payments, schema: Type.Array(CatalogPayment) },
  { path: '/v1/catalog/taxes/', type: 'catalog.taxes', data: taxes, schema: Type.Array(CatalogTax) },
]
await app.store(lists.map(({ type, data }) => ({ type, data })))

test('[CAT-1] GET /v1/catalog/, /v1/catalog/modifiers/, /v1/catalog/payments/ and /v1/catalog/taxes/ return the whole list as a plain array', async () => {
  for (const { path, data, schema } of lists) {
    for (const form of [path, path.slice(0, -1)]) assert.deepEqual(okay(await app.get(form), schema), data, form)
  }
})

test('[CAT-2] a list keeps the order configured on the POS and is replaced as a whole', async () => {
  const site = await app.addLocation()
  const [first, second] = productsOf(2)
  await app.store([{ type: 'catalog.products', data: [second, first] }], site.key)
  const read = async () => okay(await app.get('/v1/catalog/', { key: site.key }), Type.Array(CatalogProduct))
  assert.deepEqual(await read(), [second, first])
  await app.store([{ type: 'catalog.products', data: [first] }], site.key)
  assert.deepEqual(await read(), [first])
  await app.store([{ type: 'catalog.products', data: [] }], site.key)
  assert.deepEqual(await read(), [])
})

test('[CAT-3] a list that the POS has not sent is an empty array', async () => {
  for (const { path, schema } of lists) assert.deepEqual(okay(await app.get(path, { key: app.other.key }), schema), [])
})

test('[CAT-4] the catalog is that of the key’s location', async () => {
  const site = await app.addLocation()
  const own = [{ id: idOf('tax', 9), name: 'TVA 20 %', percentage: 2000 }]
  await app.store([{ type: 'catalog.taxes', data: own }], site.key)
  assert.deepEqual(okay(await app.get('/v1/catalog/taxes/', { key: site.key }), Type.Array(CatalogTax)), own)
  assert.deepEqual(okay(await app.get('/v1/catalog/taxes/'), Type.Array(CatalogTax)), taxes)
})

test('[CAT-5] the lists have no parameters: any parameter is a 400 that names it', async () => {
  for (const { path } of lists) {
    for (const name of ['size', 'index', 'since', 'devices', 'x']) {
      const answer = await app.get(`${path}?${name}=1`)
      assertProblem(answer, { status: 400, code: 'validation_failed', pointers: [`/${name}`] })
    }
  }
})

test('[CAT-6] a path below a list is 404', async () => {
  for (const path of ['/v1/catalog/discounts/', `/v1/catalog/${idOf('product', 1)}`, '/v1/catalog/taxes/1']) {
    assertProblem(await app.get(path), { status: 404, code: 'route_not_found' })
  }
})

test('[CAT-7] a list carries an ETag, and a caller that has it gets 304', async () => {
  for (const { path } of lists) {
    const etag = String((await app.get(path)).headers['etag'])
    const again = await app.get(path, { headers: { 'if-none-match': etag } })
    assert.deepEqual([again.status, again.bytes.length], [304, 0])
  }
})

test('[CAT-8] HEAD answers what GET would, without the body', async () => {
  for (const { path } of lists) {
    const [got, head] = [await app.get(path), await app.request('HEAD', path)]
    assert.deepEqual([head.status, head.bytes.length], [200, 0])
    assert.deepEqual(
      [head.headers['etag'], head.headers['content-length']],
      [got.headers['etag'], String(got.bytes.length)],
    )
  }
})
