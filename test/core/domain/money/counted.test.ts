import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countedItems, partedItems, quantityOf, standingOf } from '../../../../src/core/contract/money/counted.ts'

const closed = { closedAt: '2026-03-14T19:00:00.000Z', isCanceled: false, isTraining: false, isTransferred: false }
const paid = [{ paymentAmount: 10 }]

test('an order counts if it is closed, not canceled, not training and not moved to another order', () => {
  for (const [standing, of] of [
    ['counted', {}],
    ['open', { closedAt: null }],
    ['canceled', { isCanceled: true, closedAt: null }],
    ['training', { isTraining: true, isCanceled: true }],
    ['transferred', { isTransferred: true, payments: [] }],
    // The order continues at another table, was paid here, or has no amount.
    ['counted', { isTransferred: true }],
    ['counted', { payments: [] }],
    ['counted', { isTransferred: true, payments: [], total: 0 }],
  ] as const) {
    assert.equal(standingOf({ ...closed, payments: paid, total: 10, ...of }), standing, JSON.stringify(of))
  }
})

type Item = { total: number; isCanceled?: boolean; isLoss?: boolean; isTransferred?: boolean; kind?: string }

const order = (total: number, items: Item[]) => ({
  total,
  items: items.map((item) => ({
    isCanceled: false,
    isLoss: false,
    isTransferred: false,
    quantity: 1,
    tax: { taxRate: 0.1, taxAmount: 1, taxName: 'VAT' },
    ...item,
  })) as never,
})

const totals = (items: { total: number }[]) => items.map(({ total }) => total)

test('canceled items, losses and transferred items do not count', () => {
  const moved = { total: 4, isTransferred: true }
  for (const [total, items, counted] of [
    [10, [{ total: 6 }, { total: 4 }], [6, 4]],
    [6, [{ total: 6 }, { total: 4, isCanceled: true }], [6]],
    [6, [{ total: 6 }, { total: 4, isLoss: true }], [6]],
    // The order from which the item was moved: its total is that of the remaining items.
    [6, [{ total: 6 }, moved], [6]],
    // The order that received it.
    [10, [{ total: 6 }, moved], [6, 4]],
    // If the total agrees with neither sum, all items count.
    [9, [{ total: 6 }, moved], [6, 4]],
    // An item without an amount stays in the order whose total has it.
    [6, [{ total: 6 }, { total: 0, isTransferred: true }], [6, 0]],
    [0.3, [{ total: 0.1 }, { total: 0.2 }, moved], [0.1, 0.2]],
  ] as [number, Item[], number[]][]) {
    assert.deepEqual(totals(countedItems(order(total, items))), counted, JSON.stringify([total, items]))
  }
})

test('counted items are sales or others; quantities are in thousandths, at most ten billion pieces', () => {
  const { sold, other } = partedItems(order(15, [{ total: 10 }, { total: 5, kind: 'voucher' }]))
  assert.deepEqual([totals(sold), totals(other)], [[10], [5]])
  const quantities = [1, 0.5, 0.0005, -2, 1e12].map((quantity) => quantityOf({ quantity } as never))
  assert.deepEqual(quantities, [1000, 500, 1, -2000, 10 ** 13])
})
