import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import { createRestaurant } from '../../../../simulator/restaurant.ts'
import { sampleRecords } from '../../../../simulator/simulation.ts'
import { startApp } from '../../../support/app.ts'
import { idOf, order, report } from '../../../support/records.ts'

const app = await startApp()

test('a report with more orders than the memory limit is not added up, and never reported as balanced', async () => {
  const site = await app.addLocation()
  const until = new Date('2026-03-02T12:00:00.000Z')
  const records = [
    ...sampleRecords(createRestaurant({ seed: 'books', locationId: site.id, ordersPerDay: 25 }), 1, until),
  ]
  const z = records.find((record) => record.type === 'report')?.data as Report
  const orders = records
    .filter((record) => record.type === 'order')
    .map(({ data }) => data as Order)
    .filter(({ reportId }) => reportId === z.id)
  await app.store([...orders.map(order), report(z)], site.key)
  const verdicts = async () => (await app.get('/v1/reports/checks/?since=2026-02-01&until=2026-03-31', site)).json.data
  assert.deepEqual(
    (await verdicts()).map(({ verdict }: { verdict: string }) => verdict),
    ['balanced'],
  )
  const [like] = orders
  assert.ok(like)
  const customerId = 'x'.repeat(950_000)
  const large = Array.from({ length: 36 }, (_, n) => ({ ...like, id: idOf('order', 90_000 + n), customerId }))
  await app.store(large.map(order), site.key)
  const refused = await app.get(`/v1/reports/${z.id}/reconciliation`, site)
  assert.deepEqual([refused.status, refused.json.errors[0].pointer], [400, '/id'])
  assert.match(refused.json.detail, /^id: the orders of this report exceed 32 MiB and cannot be reconciled/)
  assert.deepEqual(
    (await verdicts()).map(({ verdict }: { verdict: string }) => verdict),
    ['waiting'],
  )
})
