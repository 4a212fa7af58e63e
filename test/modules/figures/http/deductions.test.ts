import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Deductions } from '../../../../src/modules/figures/schemas/deductions.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import { assertProblem, okay } from '../../../core/conformance/contract.ts'
import { startApp } from '../../../support/app.ts'
import { idOf, itemOf, order, orderOf } from '../../../support/records.ts'

const app = await startApp({ clock: () => new Date('2026-03-14T20:00:00.000Z') })

const item = (n: number, changes: object = {}) =>
  itemOf(n, {
    quantity: 1,
    unitPrice: 10,
    total: 10,
    isCanceled: false,
    isLoss: false,
    discountsApplied: [],
    ...changes,
  })

const off = (discountName: string, discountValue: number) => ({
  discountsApplied: [{ discountName, discountValue, discountCatalogId: idOf('discount', 1) }],
})

test('deductions from a bill have their value, even if the order says 0, with operator, reason and hour', async () => {
  const site = await app.addLocation()
  let n = 0
  const sold = (closedAt: string | null, operator: 'Ada' | 'Bo', items: object[], changes: Partial<Order> = {}) => {
    const at = closedAt ?? '2026-03-13T11:00:00.000Z'
    const made = orderOf(site.id, ++n, { createdAt: at, openedAt: at, updatedAt: at, closedAt, menus: [], tips: null })
    const operatorId = idOf('operator', operator === 'Ada' ? 1 : 2)
    return order({ ...made, orderNumber: `N${n}`, operatorId, operatorName: operator, items, ...changes } as Order)
  }
  const canceled = { isCanceled: true, total: 0, totalTax: 0, payments: [] }
  await app.store(
    [
      // A complete order of 10.00 + 2 × 12.50, canceled by Ada at 20:00 in Paris; one item has the total 0.
      sold('2026-03-13T19:30:00.000Z', 'Ada', [item(1), item(2, { total: 0, unitPrice: 12.5, quantity: 2 })], {
        ...canceled,
        cancelReason: 'Erreur',
      }),
      // An order that was never closed, opened at 12:00 on the same day.
      sold(null, 'Bo', [item(1, { total: 7.77 })], { ...canceled, cancelReason: ' ' }),
      // After midnight, which is still the 13th: one canceled item, one lost item, two discounts on a counted item.
      sold('2026-03-14T00:15:00.000Z', 'Bo', [
        item(1, { isCanceled: true, total: 4, cancelReason: 'Client parti', ...off('Ami', 1) }),
        item(2, { isLoss: true, total: 3.5, lossReason: 'Offert' }),
        item(3, { discountsApplied: [...off('Ami', 2).discountsApplied, ...off('Happy hour', 0.5).discountsApplied] }),
        item(4, { kind: 'deposit', isCanceled: true, total: 99 }),
      ]),
      // Not listed: a canceled order of another day, an open order, and a training order.
      sold('2026-03-14T12:00:00.000Z', 'Ada', [item(1)], canceled),
      sold(null, 'Ada', [item(1, { isCanceled: true })]),
      sold('2026-03-13T12:00:00.000Z', 'Ada', [item(1)], { ...canceled, isTraining: true }),
    ],
    site.key,
  )
  const answer = okay(await app.get('/v1/deductions/?since=2026-03-13&until=2026-03-13', { key: site.key }), Deductions)
  assert.deepEqual(answer.totals, {
    orderCanceled: { count: 2, amount: 3500 + 777 },
    itemCanceled: { count: 1, amount: 400 },
    loss: { count: 1, amount: 350 },
    discount: { count: 2, amount: 250 },
  })
  assert.deepEqual(
    answer.data.map(({ kind, orderNumber, operatorName, reason, amount, description }: any) => [
      kind, orderNumber, operatorName, reason, amount, description === null,
    ]), // prettier-ignore
    [
      ['itemCanceled', 'N3', 'Bo', 'Client parti', 400, false],
      ['loss', 'N3', 'Bo', 'Offert', 350, false],
      ['discount', 'N3', 'Bo', 'Ami', 200, false],
      ['discount', 'N3', 'Bo', 'Happy hour', 50, false],
      ['orderCanceled', 'N1', 'Ada', 'Erreur', 3500, true],
      ['orderCanceled', 'N2', 'Bo', null, 777, true],
    ],
  )
  assert.deepEqual(
    answer.operators.map(({ name, orderCanceled, itemCanceled }: any) => [
      name,
      orderCanceled.amount,
      itemCanceled.amount,
    ]),
    [
      ['Ada', 3500, 0],
      ['Bo', 777, 400],
    ],
  )
  assert.deepEqual(
    answer.hours.map(({ key, orderCanceled, loss }: any) => [key, orderCanceled.amount, loss.count]),
    [
      ['12', 777, 0],
      ['20', 3500, 0],
      ['01', 0, 1],
    ],
  )
  assert.deepEqual(
    answer.reasons.map(({ kind, reason, count, amount }: any) => [kind, reason, count, amount]),
    [
      ['orderCanceled', 'Erreur', 1, 3500],
      ['orderCanceled', null, 1, 777],
      ['itemCanceled', 'Client parti', 1, 400],
      ['loss', 'Offert', 1, 350],
      ['discount', 'Ami', 1, 200],
      ['discount', 'Happy hour', 1, 50],
    ],
  )
  assert.equal(answer.meta.totalCount, 6)
  const elsewhere = await app.get('/v1/deductions/?since=2026-03-13&until=2026-03-13')
  assert.deepEqual(elsewhere.json.data, [])
  assertProblem(await app.get('/v1/deductions/?since=2026-01-01&until=2026-03-13'), {
    status: 400,
    code: 'validation_failed',
  })
})
