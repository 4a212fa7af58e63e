import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import { documentWriter } from '../../../src/core/domain/documents/serialize.ts'
import { validator } from '../../../src/core/domain/documents/validation.ts'
import { added } from '../../../src/core/schemas/growth.ts'
import { pushedShape } from '../../../src/core/schemas/ingest.ts'
import { Order } from '../../../src/core/contract/orders/schema.ts'
import { Amount, closed, Nullable } from '../../../src/core/contract/scalars.ts'
import { startApp } from '../../support/app.ts'
import { order, orderOf } from '../../support/records.ts'

const app = await startApp()

/** The order of a later release: one more field in the order, and one in each of its items. */
const item = Order.properties.items as unknown as { items: { properties: any; required: string[] } }
const grownItem = Type.Object({ ...item.items.properties, allergens: added('9.9.0', Nullable(Type.String())) }, closed)
const Grown = Type.Object(
  {
    ...Order.properties,
    items: Type.Array(grownItem),
    deposit: added('9.9.0', Nullable(Amount(), { description: 'Paid for bottles.' })),
  },
  closed,
)

const asRead = validator(Grown, 'body')
const asPushed = validator(pushedShape(Grown), 'body')
const { write: writeNow } = documentWriter(Order)
const { write: writeLater } = documentWriter(Grown)

test('an earlier order is valid in the extended schema, as it is stored and as it was pushed', async () => {
  const { data } = order(orderOf(app.location, 1)) as { data: Record<string, any> }
  await app.store([{ type: 'order', data }])
  const stored = (await app.get(`/v1/orders/${data['id']}`)).json
  assert.deepEqual(asRead(stored), [])
  const { transferReason: _, cancelReason: __, ...pushed } = data
  assert.deepEqual(asPushed(pushed), [])
})

test('a record pushed again after the upgrade has the same bytes: no new version, no event, the same ETag', async () => {
  const { data } = order(orderOf(app.location, 2)) as { data: Record<string, any> }
  await app.store([{ type: 'order', data }])
  const { text } = await app.get(`/v1/orders/${data['id']}`)
  assert.equal(writeLater(JSON.parse(text)), writeNow(JSON.parse(text)))
  // Nullable fields of the first release are still filled in.
  const { cancelReason: _, ...without } = JSON.parse(text)
  assert.match(writeLater(without), /"cancelReason":null/)
})

test('a till that sends the new field stores it, also null, and last in its object', () => {
  const { data } = order(orderOf(app.location, 3)) as { data: Record<string, any> }
  assert.deepEqual(asPushed({ ...data, deposit: 1.5 }), [])
  assert.ok(writeLater({ ...data, deposit: 1.5 }).endsWith(',"deposit":1.5}'))
  assert.ok(writeLater({ ...data, deposit: null }).endsWith(',"deposit":null}'))
  const items = [{ ...data['items'][0], allergens: 'nuts' }]
  assert.match(writeLater({ ...data, items }), /"allergens":"nuts"\}/)
})

test('the schema states the version of a field, in its description and as x-since', () => {
  const { deposit, ...rest } = Grown.properties as unknown as Record<string, any>
  assert.equal(deposit['x-since'], '9.9.0')
  assert.match(deposit.description, /^Paid for bottles\. Since 9\.9\.0: absent in earlier records/)
  const { required } = Grown as unknown as { required: string[] }
  assert.ok(!required.includes('deposit'))
  // The only field that an order of the first release may lack.
  const optional = ['refundOf']
  assert.deepEqual([...required, ...optional].toSorted(), Object.keys(rest).toSorted())
})

test('stored documents with and without an optional field are returned unchanged, and the journal stays valid', async () => {
  const { data } = order(orderOf(app.location, 4)) as { data: Record<string, any> }
  const bare = data['items'].map((item: any) => ({ ...item, stockImpactIndicator: undefined }))
  await app.store([{ type: 'order', data: { ...data, items: bare } }])
  const before = await app.get(`/v1/orders/${data['id']}`)
  assert.ok(!before.text.includes('stockImpactIndicator'))
  const push = await app.push([{ type: 'order', data: { ...data, items: bare } }])
  assert.equal(push.json.unchanged, 1)
  const known = { 'if-none-match': String(before.headers['etag']) }
  assert.equal((await app.get(`/v1/orders/${data['id']}`, { headers: known })).status, 304)
  const items = bare.map((one: any) => ({ ...one, stockImpactIndicator: true }))
  await app.store([{ type: 'order', data: { ...data, items } }])
  const history = (await app.get(`/v1/orders/${data['id']}/history`)).json
  const versions = history.map((entry: any) => JSON.stringify(entry.data).includes('stockImpactIndicator'))
  assert.deepEqual(versions.toSorted(), [false, true])
  assert.match((await app.get(`/v1/orders/${data['id']}`)).text, /"stockImpactIndicator":true/)
})
