import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from 'typebox'
import {
  CatalogModifierGroup,
  CatalogPayment,
  CatalogProduct,
  CatalogTax,
} from '../../../src/core/contract/catalog/schema.ts'
import { Health } from '../../../src/core/contract/health/schema.ts'
import { Location } from '../../../src/core/contract/location/schema.ts'
import { Order } from '../../../src/core/contract/orders/schema.ts'
import { Report } from '../../../src/core/contract/reports/schema.ts'
import { startApp } from '../../support/app.ts'
import { everyRecord, idOf, itemOf, order, orderOf, report, reportOf } from '../../support/records.ts'
import { okay } from './contract.ts'
import { assertFields, nullableFields, type TableName } from './fields.ts'

const app = await startApp()
await app.store(everyRecord(app.location))
let next = 100

/** Stores an order with these changes and reads it back. */
async function readOrder(changes: Record<string, unknown>) {
  const sent = { ...orderOf(app.location, next++), ...changes }
  await app.store([order(sent)])
  const answer = await app.get(`/v1/orders/${sent.id}`)
  return { body: okay(answer, Order), text: answer.text }
}

async function readReport(changes: Record<string, unknown>) {
  const sent = { ...reportOf(app.location, next++), ...changes }
  await app.store([report(sent)])
  return okay(await app.get(`/v1/reports/${sent.id}`), Report)
}

test('[RES-1] an order has the documented fields, in the documented order and of the documented types', async () => {
  const { body } = await readOrder({})
  assertFields('Order', body)
  assert.deepEqual(body, orderOf(app.location, next - 1))
})

test('[RES-2] an order item has the documented fields; modifiers and stockImpactIndicator only if the till sent them', async () => {
  const { modifiers, stockImpactIndicator, ...bare } = itemOf(1)
  const { body } = await readOrder({ items: [itemOf(1), bare, { ...bare, modifiers: [] }] })
  for (const item of body.items) assertFields('OrderItem', item)
  const optional = body.items.map((item: object) => ['modifiers' in item, 'stockImpactIndicator' in item])
  assert.deepEqual(optional, [
    [true, true],
    [false, false],
    [true, false],
  ])
  assert.ok(modifiers && stockImpactIndicator)
})

test('[RES-3] a nullable field that the till omitted or sent as null is returned as null', async () => {
  const fields = nullableFields('Order')
  assert.deepEqual(fields, ['transferReason', 'cancelReason', 'tips', 'externalLocationId', 'externalOrderId'])
  const { id, ...rest } = orderOf(app.location, next++) as Record<string, unknown>
  for (const absent of [false, true]) {
    const sent: Record<string, unknown> = { id, ...rest, orderPlace: String(absent) }
    for (const field of fields) {
      if (absent) delete sent[field]
      else sent[field] = null
    }
    const item: Record<string, unknown> = { ...itemOf(1) }
    for (const field of nullableFields('OrderItem')) {
      if (absent) delete item[field]
      else item[field] = null
    }
    await app.store([order({ ...sent, items: [item] })])
    const body = okay(await app.get(`/v1/orders/${String(id)}`), Order)
    assertFields('Order', body)
    for (const field of fields) assert.equal(body[field], null, field)
    for (const field of nullableFields('OrderItem')) assert.equal(body.items[0][field], null, field)
  }
})

test('[RES-3] a nullable field has a value if the till sent one', async () => {
  const texts = { transferReason: 'a', cancelReason: 'b', externalLocationId: 'c', externalOrderId: 'd' }
  const item = itemOf(1, { weight: 0.355, cancelReason: 'e', transferReason: 'f', lossReason: 'g', comboParentId: 'h' })
  const { body } = await readOrder({ ...texts, items: [item] })
  assertFields('Order', body)
  assert.deepEqual({ ...body, ...texts }, body)
  assert.deepEqual(body.items, [item])
})

test('[RES-4] closedAt of an open order and reportId before a report are null, and nothing else outside the nullable fields', async () => {
  const { body } = await readOrder({ closedAt: null, reportId: null })
  assert.deepEqual([body.closedAt, body.reportId], [null, null])
  assertFields('Order', body)
  for (const field of Object.keys(orderOf(app.location, 1))) {
    if ([...nullableFields('Order'), 'closedAt', 'reportId'].includes(field)) continue
    const answer = await app.push([order({ ...orderOf(app.location, next++), [field]: null })])
    assert.equal(answer.status, 400, `${field} was taken as null`)
  }
})

test('[RES-5] tips are null or a list of amounts apart from the total', async () => {
  const whole = { amount: 2.5, paymentCatalogId: idOf('payment', 1), operatorId: idOf('operator', 1) }
  for (const tips of [null, [], [{ amount: 1 }], [whole, { amount: 1, operatorId: idOf('operator', 2) }]]) {
    const { body } = await readOrder({ tips })
    assert.deepEqual(body.tips, tips)
    assert.equal(body.total, 22)
    assertFields('Order', body)
  }
})

test('[RES-6] a menu has its name and price, and its dishes are items that refer to it', async () => {
  const { body } = await readOrder({})
  assertFields('OrderMenu', body.menus[0])
  const parents = body.items.map((item: { comboParentId: string | null }) => item.comboParentId)
  assert.deepEqual(parents, [null, body.menus[0].id])
})

test('[RES-7] order amounts are decimal numbers that are returned with the digits they arrived with', async () => {
  const id = idOf('order', next)
  const text = JSON.stringify(order(orderOf(app.location, next++, { total: 12345.678, totalTax: 0.5 })))
  const spelled = text.replace('"total":12345.678', '"total":12345.60').replace('"totalTax":0.5', '"totalTax":5e-1')
  assert.notEqual(spelled, text)
  assert.equal((await app.push(spelled)).status, 200)
  const answer = await app.get(`/v1/orders/${id}`)
  assert.match(answer.text, /"total":12345\.60,"totalTax":5e-1,/)
  const page = await app.get(`/v1/orders/?since=${answer.json.createdAt}&until=${answer.json.createdAt}`)
  assert.ok(page.text.includes(answer.text), 'the page holds other bytes than the order')
})

test('[RES-7] the tax rate of an order item is a fraction', async () => {
  const { body } = await readOrder({})
  assert.equal(body.items[0].tax.taxRate, 0.1)
})

test('[RES-8] the catalog lists have the documented fields', async () => {
  const lists: [path: string, table: TableName, schema: Parameters<typeof okay>[1]][] = [
    ['/v1/catalog/', 'CatalogProduct', CatalogProduct],
    ['/v1/catalog/modifiers/', 'CatalogModifierGroup', CatalogModifierGroup],
    ['/v1/catalog/payments/', 'CatalogPayment', CatalogPayment],
    ['/v1/catalog/taxes/', 'CatalogTax', CatalogTax],
  ]
  for (const [path, table, schema] of lists) {
    const list = okay(await app.get(path), Type.Array(schema))
    assert.ok(list.length > 0)
    for (const element of list) assertFields(table, element)
  }
})

test('[RES-9] a location has the documented fields, all strings', async () => {
  assertFields('Location', okay(await app.get('/v1/locations/own'), Location))
  assertFields('Location', okay(await app.get('/v1/locations/own?devices=true'), Location))
})

test('[RES-10] health has the documented fields', async () => {
  assertFields('Health', okay(await app.get('/health/'), Health))
})

test('[RES-11] a report has the documented fields, in the documented order and of the documented types', async () => {
  const body = await readReport({})
  assertFields('Report', body)
  assert.deepEqual(body, reportOf(app.location, next - 1))
})

test('[RES-11] deviceIdentifier, clerkName and clerkId of a report may be null or text', async () => {
  const fields = nullableFields('Report')
  assert.deepEqual(fields, ['deviceIdentifier', 'clerkName', 'clerkId'])
  const empty = await readReport(Object.fromEntries(fields.map((field) => [field, null])))
  for (const field of fields) assert.equal(empty[field], null)
  assertFields('Report', empty)
  const full = await readReport(Object.fromEntries(fields.map((field) => [field, `a ${field}`])))
  for (const field of fields) assert.equal(full[field], `a ${field}`)
})

test('[RES-12] catalog and report amounts are integers: a fraction is refused, 1.0 is returned as 1', async () => {
  const refused = [
    { type: 'catalog.taxes', data: [{ id: idOf('tax', 1), name: 'TVA', percentage: 5.5 }] },
    report({ ...reportOf(app.location, next++), totalSales: 12.5 }),
    report({ ...reportOf(app.location, next++), reportEntries: [{ entryName: '', entryAmount: 0.1, entryType: '' }] }),
  ]
  for (const record of refused) assert.equal((await app.push([record])).status, 400)
  const id = idOf('report', next)
  const text = JSON.stringify(report(reportOf(app.location, next++))).replace(
    '"totalSales":2200',
    '"totalSales":2200.0',
  )
  assert.equal((await app.push(text)).status, 200)
  assert.match((await app.get(`/v1/reports/${id}`)).text, /"totalSales":2200,/)
})

test('[RES-13] a report entry may be negative and its type empty', async () => {
  const entries = [{ entryName: 'Sortie', entryAmount: -500, entryType: '' }]
  assert.deepEqual((await readReport({ reportEntries: entries })).reportEntries, entries)
})

test('[RES-14] channel, serviceType, source, tier and entryType are open sets: an unknown value is stored', async () => {
  const changes = { channel: 'drone', serviceType: 'rooftop', source: 'x-9', items: [itemOf(1, { tier: 'Plage' })] }
  const { body } = await readOrder(changes)
  assert.deepEqual({ ...body, ...changes }, body)
  const entries = [{ entryName: '', entryAmount: 0, entryType: 'gift' }]
  assert.deepEqual((await readReport({ reportEntries: entries })).reportEntries, entries)
})

test('[RES-15] createdAt and updatedAt are those that the till sent; the server sets missing ones', async () => {
  const { body } = await readOrder({ createdAt: '2019-12-31T23:59:59.999Z', updatedAt: '2020-01-01T00:00:00.000Z' })
  assert.deepEqual([body.createdAt, body.updatedAt], ['2019-12-31T23:59:59.999Z', '2020-01-01T00:00:00.000Z'])
  const { createdAt, updatedAt, ...untimed } = orderOf(app.location, next++)
  const before = new Date().toISOString()
  await app.store([order(untimed)])
  const stamped = okay(await app.get(`/v1/orders/${untimed.id}`), Order)
  assert.ok(before <= stamped.createdAt && stamped.createdAt <= new Date().toISOString())
  assert.equal(stamped.updatedAt, stamped.createdAt)
  assert.ok(createdAt && updatedAt)
  assertFields('Order', stamped)
})

test('[RES-16] ids are UUIDs and datetimes UTC with milliseconds: other spellings are refused', async () => {
  const wrong = [
    { id: '123' },
    { deviceId: idOf('device', 1).replaceAll('-', '') },
    { createdAt: '2026-03-01T10:00:00Z' },
    { openedAt: '2026-03-01T10:00:00.000+01:00' },
    { closedAt: '2026-02-30T10:00:00.000Z' },
  ]
  for (const changes of wrong) {
    const answer = await app.push([order({ ...orderOf(app.location, next++), ...changes })])
    assert.equal(answer.status, 400)
    assert.equal(answer.json.errors[0].pointer, `/data/${Object.keys(changes)[0]}`)
  }
})

test('[RES-17] customerId is any text, and empty if there is none', async () => {
  for (const customerId of ['', 'not-a-uuid', 'é 🍕'])
    assert.equal((await readOrder({ customerId })).body.customerId, customerId)
})
