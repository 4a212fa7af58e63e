import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deductionsOf, sumDeductions } from '../../../../src/modules/figures/domain/deductions.ts'
import { businessTime } from '../../../../src/core/domain/days/business-time.ts'
import type { Order, OrderItem } from '../../../../src/core/contract/orders/schema.ts'
import { item, morning, order, uuid } from '../../../core/domain/balanced-report.ts'

// The kinds and values are those of docs/modules/figures.md.

const time = businessTime({ timeZone: 'Europe/Paris', dayStartsAt: '05:00' })
const gone = { isCanceled: true, cancelReason: 'Erreur' }
const lost = { isLoss: true, lossReason: ' ' }
const off = (discountValue: number, discountName: string | null = 'Fidélité') =>
  ({ discountName, discountValue }) as never
const off1 = { discountsApplied: [off(1)] }

/** Returns each deduction as `kind value quantity reason`, in ten-thousandths. */
const taken = (items: OrderItem[], changes: Partial<Order> = {}) =>
  deductionsOf(order(101, { total: 10, items, ...changes }), time).map(
    ({ kind, units, quantity, reason }) => `${kind} ${units} ${quantity} ${reason}`,
  )

test('canceled orders and items, losses and discounts have their value, and each item is in one kind', () => {
  for (const [items, changes, expected] of [
    [[item(10, 1)], {}, []],
    [[item(10, 1, { ...gone, unitPrice: 3 })], {}, ['itemCanceled 100000 1 Erreur']],
    // The till set the total to 0: 3 × 2.50.
    [[item(0, 0, { ...gone, unitPrice: 2.5, quantity: 3 })], {}, ['itemCanceled 75000 3 Erreur']],
    [
      [item(4, 0, lost), item(0, 0, { ...lost, unitPrice: 0.15, quantity: 0.5 })],
      {},
      ['loss 40000 1 null', 'loss 750 0.5 null'],
    ],
    [[item(4, 0, { ...gone, ...lost, ...off1 })], {}, ['itemCanceled 40000 1 Erreur']],
    [[item(4, 0, { ...lost, lossReason: 'Cassé', ...off1 })], {}, ['loss 40000 1 Cassé']],
    [
      [item(10, 1, { discountsApplied: [off(1), off(0.5, '')] })],
      {},
      ['discount 10000 1 Fidélité', 'discount 5000 1 null'],
    ],
    // An item that was moved is in another order; a voucher is not a sale.
    [[item(10, 1), item(3, 0, { ...off1, isTransferred: true })], {}, []],
    [[item(10, 1, { ...off1, kind: 'voucher' }), item(5, 0, { ...gone, kind: 'deposit' })], {}, []],
    // A canceled order is one deduction: 10.00 + 2 × 1.50 + 1.00, whatever its items.
    [
      [
        item(10, 1, off1),
        item(0, 0, { ...gone, unitPrice: 1.5, quantity: 2 }),
        item(1, 0, lost),
        item(9, 0, { kind: 'voucher' }),
      ],
      { isCanceled: true, cancelReason: 'Parti', total: 0 },
      ['orderCanceled 140000 null Parti'],
    ],
    [[item(10, 1, gone)], { closedAt: null }, []],
    [[item(10, 1, gone)], { isTraining: true }, []],
  ] as [OrderItem[], Partial<Order>, string[]][])
    assert.deepEqual(taken(items, changes), expected)
})

test('a deduction has the time at which its order was closed, or else opened, and its business day and hour', () => {
  const of = (changes: Partial<Order>) =>
    deductionsOf(order(101, { isCanceled: true, items: [item(10, 1)], ...changes }), time)[0]
  // Paris is an hour ahead of UTC in March; the day starts at 05:00.
  for (const [closedAt, businessDay, hour] of [
    ['2026-03-15T03:59:59.999Z', '2026-03-14', '04'],
    ['2026-03-15T04:00:00.000Z', '2026-03-15', '05'],
    [null, '2026-03-14', '10'],
  ] as const) {
    const { orderId, orderNumber, at, operatorId, operatorName, description, ...place } =
      of({ closedAt }) ?? assert.fail()
    assert.deepEqual([at, place.businessDay, place.hour], [closedAt ?? morning, businessDay, hour])
    assert.deepEqual(
      [orderId, orderNumber, operatorId, operatorName, description],
      [uuid(101), '101', uuid(10), 'Camille', null],
    )
  }
})

const emptyDeduction = {
  orderId: '',
  orderNumber: '',
  at: '',
  businessDay: '',
  description: null,
  quantity: null,
  kind: 'loss' as const,
  reason: null,
}

test('sums are by type, by operator and reason with the largest first, and by hour from the start of the day', () => {
  const at = (hour: string, units: number, operatorId: string, changes: object = {}) => ({
    ...emptyDeduction,
    hour,
    units,
    operatorId,
    operatorName: operatorId.toUpperCase(),
    ...changes,
  })
  const all = [
    // The list begins with the latest deduction, whose name is used.
    at('01', 10_000, 'a', { operatorName: 'Anna' }),
    at('23', 20_000, 'b', { kind: 'discount', reason: 'Fidélité' }),
    at('05', 15_000, 'a', { kind: 'discount', reason: 'Fidélité' }),
    at('04', 25_049, 'c', { reason: 'Cassé' }),
    // 0.5049 + 2.0001 are 2.51 if they are rounded once.
    at('04', 1, 'c', { reason: 'Cassé' }),
    at('10', 10_000, 'd'),
  ]
  const sums = sumDeductions(all, { decimals: 2, dayStartsAt: '05:00' })
  const text = (row: typeof sums.totals) =>
    `${row.loss.count} ${row.loss.amount} ${row.discount.count} ${row.discount.amount}`
  // 1.00 + 2.505 + 1.00 and 2.00 + 1.50; halves are rounded away from zero.
  assert.equal(text(sums.totals), '4 451 2 350')
  assert.deepEqual(
    [sums.totals.orderCanceled, sums.totals.itemCanceled],
    [
      { count: 0, amount: 0 },
      { count: 0, amount: 0 },
    ],
  )
  assert.deepEqual(
    sums.operators.map((row) => `${row.key} ${row.name} ${text(row)}`),
    ['c C 2 251 0 0', 'a Anna 1 100 1 150', 'b B 0 0 1 200', 'd D 1 100 0 0'],
  )
  assert.deepEqual(
    sums.hours.map(({ key, name }) => `${key} ${name}`),
    ['05 05:00', '10 10:00', '23 23:00', '01 01:00', '04 04:00'],
  )
  assert.deepEqual(
    sums.reasons.map(({ kind, reason, count, amount }) => `${kind} ${reason} ${count} ${amount}`),
    ['discount Fidélité 2 350', 'loss Cassé 2 251', 'loss null 2 200'],
  )
  const none = sumDeductions([], { decimals: 2, dayStartsAt: '05:00' })
  assert.deepEqual([text(none.totals), none.operators, none.hours, none.reasons], ['0 0 0 0', [], [], []])
  // Of equal sums, the one with the lowest key is first.
  const equal = sumDeductions([at('10', 1, 'z'), at('10', 1, 'x'), at('10', 1, 'y')], {
    decimals: 2,
    dayStartsAt: '05:00',
  })
  assert.deepEqual(
    equal.operators.map(({ key }) => key),
    ['x', 'y', 'z'],
  )
})
