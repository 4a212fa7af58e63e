import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Ticket } from '../../../src/modules/sources/schemas/tickets.ts'
import { assembleTicket } from '../../../src/modules/sources/adapters/ticket/assemble.ts'
import { idOf } from '../../../src/modules/sources/adapters/ticket/ids.ts'

const place = { locationId: '272461e9-4fd9-5db0-b95b-cc91735b6bf6', decimals: 2 }
const at = '2026-03-14T19:00:00.000Z'

const ticket = (changes: Partial<Ticket>): Ticket => ({
  source: 'mytill',
  account: 'shop-1',
  key: '1',
  version: at,
  opened: at,
  closed: at,
  items: [],
  payments: [],
  ...changes,
})

const order = (changes: Partial<Ticket>) => {
  const made = assembleTicket(ticket(changes), place)
  assert.ok('order' in made, JSON.stringify(made))
  return made.order
}

const refusal = (changes: Partial<Ticket>) => {
  const made = assembleTicket(ticket(changes), place)
  return 'refusal' in made ? made.refusal.detail : undefined
}

const vat = (amount: number, rate = 0.1) => ({
  name: 'TVA',
  key: String(rate),
  rate,
  amount,
  mode: 'included' as const,
})

test('ids are the UUIDv5 of source, account, kind and key, as Python’s uuid computes them', () => {
  const square = { source: 'square', account: 'LLONDONTEST7' }
  assert.equal(idOf(square, 'order', 'ordS1'), 'ca20f39f-a9d4-5f3d-ad78-2d94340719b4')
  assert.equal(idOf(square, 'device', ''), '76325f8b-57b7-538e-abe0-83cc34a3210e')
  const csv = { source: 'csv', account: 'gastropub' }
  assert.equal(idOf(csv, 'product', 'Café / crème'), '3e53fc70-62a2-5362-88dd-51f1a1f194e2')
  assert.equal(idOf({ source: 'dsfinvk', account: 'imbiss' }, 'operator', '3'), '470d87d7-4758-5f59-bb49-60359f54ab79')
})

test('a ticket whose items do not add up to the total of its system is refused, with the difference', () => {
  const items = [{ name: 'Plat', quantity: 1, amount: 1600 }]
  assert.equal(
    refusal({ items, said: { total: 1800 } }),
    'said.total is 18.00, but the items add up to 16.00: a difference of 2.00',
  )
  const charge = { name: 'Service', quantity: 1, amount: 200, kind: 'charge' as const }
  assert.equal(refusal({ items: [...items, charge], said: { total: 1800 } }), undefined)
  assert.equal(
    refusal({ items, said: { total: 1600, tips: 100 } }),
    'said.tips is 1.00, but the tips of the payments add up to 0.00: a difference of 1.00',
  )
  const taxed = [{ name: 'Plat', quantity: 1, amount: 1600, taxes: [vat(145)] }]
  assert.equal(refusal({ items: taxed, said: { tax: 145 } }), undefined)
  assert.equal(
    refusal({ items: taxed, said: { tax: 147 } }),
    'said.tax is 1.47, but the taxes of the items add up to 1.45: a difference of 0.02',
  )
  assert.equal(refusal({ items }), undefined)
})

test('a discount on the whole is split among rates and then items, the largest remainders first', () => {
  // 10.00 off 60.00 at 10 % and 40.00 at 20 %: 6.00 and 4.00; 6.00 among 33.33, 20.00 and 6.67: 3.33, 2.00, 0.67.
  const items = [
    { name: 'a', quantity: 1, amount: 3333, taxes: [vat(0)] },
    { name: 'b', quantity: 1, amount: 2000, taxes: [vat(0)] },
    { name: 'c', quantity: 1, amount: 667, taxes: [vat(0)] },
    { name: 'd', quantity: 2, amount: 4000, taxes: [vat(0, 0.2)] },
    { name: 'e', quantity: 1, amount: 900, state: 'canceled' as const },
  ]
  const made = order({ items, discounts: [{ name: 'Fidélité', amount: 1000 }], said: { total: 9000 } })
  assert.deepEqual(
    made.items.map(({ total, discountsApplied }) => [
      total,
      discountsApplied.map(({ discountValue }) => discountValue),
    ]),
    [
      [30, [3.33]],
      [18, [2]],
      [6, [0.67]],
      [36, [4]],
      [9, []],
    ],
  )
  assert.deepEqual([made.total, made.totalDiscount, made.items[3]?.unitPrice], [90, 10, 20])
})

test('taxes on top are part of the total, several taxes are combined, and a missing tax is not stated', () => {
  const added = (name: string, rate: number, amount: number) => ({
    name,
    key: name,
    rate,
    amount,
    mode: 'added' as const,
  })
  const items = [
    { name: 'Ale', quantity: 2, amount: 1400, taxes: [added('GST', 0.05, 70), added('PST', 0.1, 140)] },
    { name: 'Gift', quantity: 1, amount: 2500 },
  ]
  const { items: made, total, totalTax } = order({ items })
  assert.deepEqual([total, totalTax, made[0]?.total, made[0]?.unitPrice], [41.1, 2.1, 16.1, 8.05])
  assert.deepEqual([made[0]?.tax.taxName, made[0]?.tax.taxRate, made[0]?.tax.taxAmount], ['GST + PST', 0.15, 2.1])
  assert.equal(made[0]?.tax.taxCatalogId, idOf(ticket({}), 'tax', 'GST+PST'))
  assert.deepEqual([made[1]?.tax.taxName, made[1]?.tax.taxRate], ['No tax', 0])
})

test('a sale and its refund are mirror images, and the refund names the sale', () => {
  const lines = (sign: 1 | -1) => [
    {
      name: 'Latte',
      quantity: sign * 3,
      amount: sign * 1166,
      taxes: [vat(sign * 86, 0.08)],
      discounts: [{ name: 'd', amount: sign * 120 }],
    },
  ]
  const sold = order({
    items: lines(1),
    payments: [{ name: 'Card', key: 'card', amount: 1166, tip: 50 }],
    rounding: -1,
  })
  const back = order({
    key: '2',
    refundOf: '1',
    items: lines(-1),
    payments: [{ name: 'Card', key: 'card', amount: -1166, tip: -50 }],
    rounding: 1,
  })
  assert.equal(back.refundOf, sold.id)
  for (const of of [
    (one: typeof sold) => one.total,
    (one: typeof sold) => one.totalTax,
    (one: typeof sold) => one.totalDiscount,
  ]) {
    assert.equal(of(sold) + of(back), 0)
  }
  assert.equal(sold.items[0]?.unitPrice, back.items[0]?.unitPrice)
  assert.deepEqual(
    sold.payments.map(({ paymentAmount }) => paymentAmount),
    [11.66, 0.01],
  )
  assert.deepEqual(
    back.payments.map(({ paymentAmount }) => paymentAmount),
    [-11.66, -0.01],
  )
})

test('thousandths are exact, and weighed items have a weight', () => {
  const made = assembleTicket(ticket({ items: [{ name: 'Dates', quantity: 0.375, unit: 'kg', amount: 1125 }] }), {
    ...place,
    decimals: 3,
  })
  assert.ok('order' in made)
  assert.deepEqual([made.order.total, made.order.items[0]?.unitPrice, made.order.items[0]?.weight], [1.125, 3, 0.375])
})
