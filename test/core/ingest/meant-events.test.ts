import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import {
  everyRecord,
  idOf,
  locationOf,
  order,
  orderOf,
  productsOf,
  report,
  reportOf,
  taxes,
} from '../../support/records.ts'
import { assertSound } from './soundness.ts'

const now = Date.parse('2026-05-01T10:00:00.000Z')
const app = await startApp({ clock: () => new Date(now) })

const version = (locationId: string, second: number, changes: object = {}) =>
  order({ ...orderOf(locationId, 1), updatedAt: `2026-04-01T10:00:0${second}.000Z`, ...changes })

test('events follow a change: created, updated, paid once, canceled, transferred', async () => {
  const { id, key } = await app.addLocation()
  const unpaid = { closedAt: null, payments: [] }
  await app.store(
    [
      version(id, 1, unpaid),
      version(id, 2, { ...unpaid, isTransferred: true }),
      version(id, 3, { isTransferred: true }),
      version(id, 4, { isTransferred: true, guests: 9 }),
      version(id, 5, { isTransferred: true, isCanceled: true }),
      version(id, 6, { isTransferred: true, guests: 10 }),
    ],
    key,
  )
  const entries = await assertSound(app.pool, id)
  assert.deepEqual(
    entries.map((entry) => entry.types),
    [
      ['order.created'],
      ['order.updated', 'order.transferred'],
      ['order.updated', 'order.paid'],
      ['order.updated'],
      ['order.updated', 'order.canceled'],
      ['order.updated'],
    ],
  )
})

test('an order that arrives paid is created and paid in one sequence; a training order is journaled without an event', async () => {
  const { id, key } = await app.addLocation()
  await app.store([order(orderOf(id, 1)), order(orderOf(id, 2, { isTraining: true }))], key)
  const entries = await assertSound(app.pool, id)
  assert.deepEqual(
    entries.map((entry) => entry.types),
    [['order.created', 'order.paid'], []],
  )
})

test('lists, reports and the location have their events', async () => {
  const { id, key } = await app.addLocation()
  await app.store(
    [
      { type: 'location', data: locationOf(id, { name: 'Neu' }) },
      { type: 'catalog.products', data: productsOf(1) },
      { type: 'catalog.products', data: productsOf(2) },
      { type: 'catalog.taxes', data: taxes },
      report(reportOf(id, 1)),
      report(reportOf(id, 1, { updatedAt: '2027-01-01T00:00:00.000Z', totalSales: 1 })),
    ],
    key,
  )
  const entries = await assertSound(app.pool, id)
  assert.deepEqual(
    entries.map(({ kind, types }) => [kind, ...types]),
    [
      ['location', 'location.updated'],
      ['catalog.products', 'catalog.products.updated'],
      ['catalog.products', 'catalog.products.updated'],
      ['catalog.taxes', 'catalog.taxes.updated'],
      ['report', 'report.created'],
      ['report', 'report.updated'],
    ],
  )
})

test('the journal contains the bytes that a read returned', async () => {
  const { id, key } = await app.addLocation()
  await app.store(
    everyRecord(id).filter(({ type }) => type !== 'location'),
    key,
  )
  await app.store([{ type: 'location', data: locationOf(id, { name: 'Neu' }) }], key)
  const paths: Record<string, string> = {
    order: `/v1/orders/${idOf('order', 1)}`,
    report: `/v1/reports/${idOf('report', 1)}`,
    'catalog.products': '/v1/catalog/',
    'catalog.modifiers': '/v1/catalog/modifiers/',
    'catalog.payments': '/v1/catalog/payments/',
    'catalog.taxes': '/v1/catalog/taxes/',
    location: '/v1/locations/own?devices=true',
  }
  const entries = await assertSound(app.pool, id)
  assert.deepEqual(entries.map(({ kind }) => kind).toSorted(), Object.keys(paths).toSorted())
  for (const { kind, document } of entries) {
    assert.equal((await app.get(paths[kind] ?? '', { key })).text, document)
  }
})
