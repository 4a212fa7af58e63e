import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { formulas, type FigureName } from '../../../../src/modules/figures/domain/reconciled-figures.ts'
import { reconcile } from '../../../../src/modules/figures/domain/reconciliation.ts'
import { isCash } from '../../../../src/core/contract/money/payment-kinds.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import {
  uuid,
  item,
  pay,
  order,
  first,
  second,
  canceled,
  training,
  coffee,
  product,
  wine,
  balanced,
  orders,
} from '../../../core/domain/balanced-report.ts'

const differing = (report: Partial<Report>, of: Order[] = orders) =>
  reconcile({ ...balanced, ...report }, of).differences.map((difference) => [difference.figure, difference.difference])

test('a report that equals its orders has no difference in any figure', () => {
  const result = reconcile(balanced, orders)
  assert.deepEqual(result.differences, [])
  assert.equal(result.balanced, true)
  assert.deepEqual(result.orders.counted, [first.id, second.id])
  assert.deepEqual(result.orders.canceled, [canceled.id])
  const compared = new Set(result.figures.map((figure) => figure.figure))
  const expected = Object.keys(formulas).filter((name) => !name.startsWith('order'))
  assert.deepEqual([...compared].toSorted(), expected.toSorted())
})

test('each figure of the report that differs by a cent, or by one, is reported with the amount', () => {
  const [card, cash] = [{ paymentName: 'Carte bancaire', paymentAmount: 299 }, balanced.reportPayments[0]]
  assert.ok(cash)
  assert.deepEqual(differing({ totalSales: 531 }), [['sales', 1]])
  assert.deepEqual(differing({ guestsNumber: 4 }), [['guests', -1]])
  assert.deepEqual(differing({ reportProducts: [product(coffee, 29, 2), product(wine, 500, 1)] }), [
    ['productSales', -1],
  ])
  assert.deepEqual(differing({ reportProducts: [product(coffee, 30, 3), product(wine, 500, 1)] }), [
    ['productQuantity', 1],
  ])
  assert.deepEqual(differing({ reportPayments: [cash, card] }), [['payments', -1]])
  assert.deepEqual(differing({ reportDiscounts: [{ ...balanced.reportDiscounts[0]!, discountValue: 1 }] }), [
    ['discounts', -99],
  ])
  assert.deepEqual(differing({ finalCashBalance: 14_181 }), [['cash', 1]])
  assert.deepEqual(differing({ initialCashBalance: 15_010 }), [
    ['openingFloat', 10],
    ['cash', -10],
  ])
  const [vat20, vat10] = balanced.reportTaxes
  assert.ok(vat20 && vat10)
  assert.deepEqual(differing({ reportTaxes: [vat20, { ...vat10, taxAmount: 5, taxableAmount: 25 }] }), [
    ['taxAmount', 2],
    ['taxableAmount', -2],
  ])
})

test('a difference contains its formula, its key and the orders in its sum', () => {
  const report = { ...balanced, reportProducts: [product(coffee, 30, 2)] }
  const [difference] = reconcile(report, orders).differences
  assert.deepEqual(difference, {
    figure: 'productSales',
    key: wine,
    name: 'Verre de vin',
    reported: 0,
    computed: 500,
    difference: -500,
    formula: formulas.productSales,
    orderIds: [second.id],
  })
})

test('rows of the same product, rate or payment are added up before they are compared', () => {
  const reportProducts = [product(coffee, 10, 1), product(wine, 500, 1), product(coffee, 20, 1)]
  assert.deepEqual(differing({ reportProducts }), [])
})

test('a named order that never arrived is missing, and what it would have added is a difference', () => {
  const result = reconcile(balanced, [first, canceled])
  assert.deepEqual(result.orders.missing, [second.id])
  assert.equal(result.balanced, false)
  assert.ok(result.differences.some((difference) => difference.figure === 'sales' && difference.difference === 500))
})

test('an order that carries the report id without being named is extra and not counted', () => {
  const late = order(105, { total: 4, items: [item(4, 0.36)], payments: [pay(4)] })
  const result = reconcile(balanced, [...orders, late])
  assert.deepEqual(result.orders.extra, [late.id])
  assert.deepEqual(result.differences, [])
  assert.equal(result.balanced, false)
})

test('an order of another report that is neither named nor marked changes nothing', () => {
  const other = order(106, { reportId: uuid(77), total: 4, items: [item(4, 0.36)], payments: [pay(4)] })
  assert.equal(reconcile(balanced, [...orders, other]).balanced, true)
})

test('a named order with another report id is counted and reported separately', () => {
  const result = reconcile(balanced, [first, { ...second, reportId: uuid(77) }, canceled])
  assert.deepEqual(result.orders.elsewhere, [second.id])
  assert.deepEqual(result.differences, [])
  assert.equal(result.balanced, false)
})

test('training and canceled orders are not counted in any figure, whatever they contain', () => {
  const report = { ...balanced, orders: [...balanced.orders, training.id] }
  const result = reconcile(report, [...orders, training])
  assert.deepEqual(result.orders.training, [training.id])
  assert.deepEqual(result.differences, [])
})

test('a named order that is still open is reported and not counted', () => {
  const result = reconcile(balanced, [first, { ...second, closedAt: null }, canceled])
  assert.deepEqual(result.orders.open, [second.id])
  assert.ok(result.differences.some((difference) => difference.figure === 'guests' && difference.difference === 3))
})

test('of several versions of an order the newest counts, in any order of arrival', () => {
  const older = { ...second, updatedAt: '2026-03-14T08:00:00.000Z', total: 99 }
  assert.equal(reconcile(balanced, [older, ...orders]).balanced, true)
  assert.equal(reconcile(balanced, [...orders, older]).balanced, true)
})

test('an order that does not add up is reported', () => {
  const faults: [Partial<Order>, FigureName, number][] = [
    [{ total: 5.01 }, 'orderTotal', 1],
    [{ totalTax: 0.73 }, 'orderTax', -10],
    [{ totalDiscount: 0 }, 'orderDiscount', -100],
    [{ payments: [pay(2), pay(2.9, 'Carte bancaire')] }, 'orderPayments', -10],
  ]
  for (const [changes, figure, amount] of faults) {
    const { differences } = reconcile(balanced, [first, { ...second, ...changes }, canceled])
    const found = differences.find((difference) => difference.figure === figure)
    assert.deepEqual([found?.difference, found?.orderIds], [amount, [second.id]], figure)
  }
})

const figuresWith = (order: Order) =>
  reconcile(balanced, [first, order, canceled]).differences.map(({ figure }) => figure)

test('payments may include the tips, and no more', () => {
  const withTip = { ...second, payments: [pay(2), pay(4, 'Carte bancaire')] }
  const tooMuch = { ...second, payments: [pay(2), pay(4.1, 'Carte bancaire')] }
  assert.deepEqual(figuresWith(withTip), ['payments'])
  assert.deepEqual(figuresWith(tooMuch), ['payments', 'orderPayments'])
})

test('the cash of a report without a drawer is not checked', () => {
  assert.deepEqual(differing({ initialCashBalance: 0, finalCashBalance: 0, reportEntries: [] }), [])
})

test('the caller can define which payments are cash', () => {
  const result = reconcile({ ...balanced, finalCashBalance: 14_250 }, orders, { cashPaymentNames: ['Carte bancaire'] })
  assert.equal(result.balanced, true)
})

test('cash is recognized by its usual names, in any case and with or without accents', () => {
  for (const name of ['Espèces', 'ESPECES', ' espèces ', 'Cash', 'Bargeld']) assert.equal(isCash(name), true, name)
  for (const name of ['Carte bancaire', 'Chèque', 'Cashback', '']) assert.equal(isCash(name), false, name)
})

const folder = process.env['TILLGATE_REAL_DATA'] ?? join(import.meta.dirname, '../../../../../shared/data')
const skip = !existsSync(folder) && 'the folder of real order data (TILLGATE_REAL_DATA) is not there'

for (const file of ['pizza-2015.ndjson.gz', 'takeaway-2015-2019.ndjson.gz']) {
  test(`every report of ${file} reconciles with its orders`, { skip }, () => {
    const lines = gunzipSync(readFileSync(join(folder, file)))
      .toString()
      .trimEnd()
      .split('\n')
    const records = lines.map((line) => JSON.parse(line) as { type: string; data: unknown })
    const found = records.filter((record) => record.type === 'order').map((record) => record.data as Order)
    const byReport = Map.groupBy(found, (order) => order.reportId)
    const reports = records.filter((record) => record.type === 'report').map((record) => record.data as Report)
    assert.ok(reports.length > 300)
    for (const report of reports) {
      const result = reconcile(report, byReport.get(report.id) ?? [])
      assert.deepEqual(result.differences, [])
      assert.equal(result.balanced, true)
    }
  })
}
