import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RulesOnly } from '../../../src/core/ingest/watching.ts'
import { createDatabase } from '../../support/database.ts'
import { startApp } from '../../support/app.ts'
import { idOf, order, smallOrderOf } from '../../support/records.ts'

const database = await createDatabase()
const app = await startApp({ database, warner: new RulesOnly(database.pool) })

/** Returns an order that ends 2 cents below its total, which is correct only in cash. */
const rounded = (n: number, name: string) =>
  order({
    ...smallOrderOf(app.location, n),
    total: 12.02,
    payments: [{ paymentAmount: 12, paymentName: name, paymentCatalogId: idOf('payment', 9) }],
    tips: null,
  })

const payments = (name: string, kind: string) => ({
  type: 'catalog.payments',
  data: [{ id: idOf('payment', 9), name, enabled: true, kind }],
})

const paid = async () => {
  const { json } = await app.get('/v1/events/?types=order.paid')
  return (json.data as { data: { id: string } }[]).map(({ data }) => data.id)
}

test('without the warnings module, the payment types of this and earlier pushes decide whether an order is paid', async () => {
  await app.push([payments('Monnaie', 'card'), rounded(1, 'Monnaie')])
  assert.deepEqual(await paid(), [])
  await app.push([payments('Monnaie', 'cash'), rounded(2, 'Monnaie')])
  assert.deepEqual(await paid(), [idOf('order', 2)])
  await app.push([rounded(3, 'Monnaie')])
  assert.deepEqual(await paid(), [idOf('order', 2), idOf('order', 3)])
  await app.push([payments('Monnaie', 'card'), rounded(4, 'Monnaie')])
  await app.push([rounded(5, 'Monnaie')])
  assert.deepEqual(await paid(), [idOf('order', 2), idOf('order', 3)])
})
