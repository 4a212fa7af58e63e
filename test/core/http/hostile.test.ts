import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isCash } from '../../../src/core/contract/money/payment-kinds.ts'
import { stepProjection } from '../../../src/modules/figures/projections/projection.ts'
import { salesProjection } from '../../../src/modules/figures/projections/sales.ts'
import { isDatetime, isUuid } from '../../../src/core/contract/scalars.ts'
import { createRestaurant } from '../../../simulator/restaurant.ts'
import { sampleRecords, type TillRecord } from '../../../simulator/simulation.ts'
import { startApp } from '../../support/app.ts'

const until = new Date('2026-03-15T12:00:00.000Z')
const app = await startApp({ clock: () => until })
const options = { seed: 'hostile', locationId: app.location, ordersPerDay: 25 }
const records = [...sampleRecords(createRestaurant({ ...options, kind: 'hostile' }), 2, until)]
const attacks = /<script>|<img|javascript:|\u202e|W{1200}|\[31m|\]\]>|drop table|\u0301{80}/

function* textsOf(value: unknown, field = ''): Generator<[string, string]> {
  if (typeof value === 'string') yield [field, value]
  else if (typeof value === 'object' && value !== null) {
    for (const [name, part] of Object.entries(value)) yield* textsOf(part, Array.isArray(value) ? field : name)
  }
}

test('every text in hostile records is an attack, except ids, times and amounts', () => {
  const seen = new Set<string>()
  for (const { data } of records) {
    for (const [field, text] of textsOf(data)) {
      if (text === '' || isUuid(text) || isDatetime(text) || field === 'entryType' || isCash(text)) continue
      const [found] = attacks.exec(text) ?? []
      assert.ok(found, `${field}: ${text}`)
      seen.add(found)
    }
  }
  assert.equal(seen.size, 9)
})

test('hostile records are stored and returned unchanged, to the byte', async () => {
  await app.store(records)
  for (const { type, data } of records) {
    if (type !== 'order' && type !== 'report') continue
    const { json, status } = await app.get(`/v1/${type}s/${data.id}`)
    assert.deepEqual([status, json], [200, data])
  }
})

test('hostile reports agree with their orders, and the figures with the reports', async () => {
  await stepProjection(app.pool, salesProjection, app.location)
  const reports = records.filter((record): record is TillRecord & { type: 'report' } => record.type === 'report')
  let sold = 0
  for (const { data } of reports) {
    const { json } = await app.get(`/v1/reports/${data.id}/reconciliation`)
    assert.deepEqual([json.balanced, json.differences], [true, []])
    sold += data.totalSales
  }
  for (const by of ['category', 'tax', 'channel', 'serviceType', 'operator', 'payment', 'day,product']) {
    const { json, status } = await app.get(`/v1/sales/?since=2026-03-13&until=2026-03-15&by=${by}`)
    assert.deepEqual([status, json.totals.salesInclTax], [200, sold], by)
    if (by === 'payment') continue
    const sum = json.data.reduce((all: number, row: { salesInclTax: number }) => all + row.salesInclTax, 0)
    assert.equal(sum, sold, by)
  }
})

test('the CSV of hostile figures contains no formula', async () => {
  const headers = { accept: 'text/csv' }
  const { text } = await app.get('/v1/sales/?since=2026-03-13&until=2026-03-15&by=product', { headers })
  assert.deepEqual(
    [text.includes(`,"'=HYPERLINK(`), text.includes(',"=HYPERLINK('), text.includes(',=')],
    [true, false, false],
  )
})

test('hostile orders are found by their texts', async () => {
  for (const field of ['orderNumber', 'channel', 'serviceType'] as const) {
    const orders = records.filter((record): record is TillRecord & { type: 'order' } => record.type === 'order')
    const value = orders.map(({ data }) => data[field]).find((text) => text.length <= 100)
    assert.ok(value !== undefined, field)
    const query = new URLSearchParams({
      [field === 'orderNumber' ? 'number' : field]: value,
      size: '100',
      state: 'all',
    })
    const { json } = await app.get(`/v1/orders/?${query.toString()}`)
    assert.equal(json.meta.totalCount, orders.filter(({ data }) => data[field] === value).length, field)
  }
})
