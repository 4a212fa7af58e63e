import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { formulas } from '../../src/modules/figures/domain/reconciled-figures.ts'
import { orderKinds } from '../../src/modules/figures/domain/reconciliation.ts'
import type { Order, OrderItem } from '../../src/core/contract/orders/schema.ts'
import { figureNames } from '../../src/modules/figures/schemas/reconciliation.ts'
import { startApp } from '../support/app.ts'
import { idOf, itemOf, orderOf } from '../support/records.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/modules/figures.md'), 'utf8')

const [starter, main, voucher] = [1, 2, 3]

function item(product: number, quantity: number, total: number, tax: number, more: Partial<OrderItem> = {}) {
  return itemOf(product, {
    quantity,
    total,
    tax: { taxName: 'TVA 10 %', taxRate: 0.1, taxAmount: tax, taxCatalogId: idOf('tax', 1) },
    discountsApplied: [],
    ...more,
  })
}

const off = (...values: number[]) => ({
  discountsApplied: values.map((discountValue, n) => ({
    discountName: `Remise ${n}`,
    discountValue,
    discountCatalogId: idOf('discount', n),
  })),
})

const tips = (...amounts: number[]) => ({ tips: amounts.map((amount) => ({ amount })) as Order['tips'] })

/** Returns an order of 14 March with these totals and items, and without a tip. */
function sale(locationId: string, n: number, [total, guests]: [number, number], more: Partial<Order>): Order {
  const at = `2026-03-14T12:0${n}:00.000Z`
  return orderOf(locationId, n, { openedAt: at, closedAt: at, total, guests, tips: null, ...more })
}

/**
 * Returns orders with three decimals, five decimals of tax, a total that differs from the sum of its items, refunds, a
 * voucher, and everything that is not counted.
 */
function sample(locationId: string): Order[] {
  const many = { items: [item(starter, 9, 100, 9, off(9))], ...tips(9) }
  return [
    sale(locationId, 1, [10.005, 2], { items: [item(starter, 1, 10.005, 0.91283, off(1.125))], ...tips(1.5) }),
    sale(locationId, 2, [20.3, 3], {
      items: [
        item(starter, 1.5, 10.1, 0.15283, off(0.1, 0.2)),
        item(main, 0.333, 10.2, 0.15283),
        item(main, 4, 5, 1, { isCanceled: true, ...off(3) }),
        item(starter, 7, 6, 2, { isLoss: true, ...off(4) }),
      ],
      ...tips(0.3, 0.05),
    }),
    sale(locationId, 3, [-10.005, 0], { items: [item(starter, -1, -10.005, -0.91283, off(-1.125))] }),
    sale(locationId, 4, [-2.345, 1], { items: [item(main, -1, -2.345, -0.21318)] }),
    sale(locationId, 5, [7.77, 4], { items: [item(starter, 1, 7.5, 0.68182)], ...tips(0.3) }),
    sale(locationId, 6, [54.95, 2], {
      items: [item(starter, 1, 4.95, 0.45), item(voucher, 1, 50, 0, { kind: 'voucher', ...off(1) })],
    }),
    sale(locationId, 7, [100, 9], { ...many, isCanceled: true }),
    sale(locationId, 8, [100, 9], { ...many, isTraining: true }),
    sale(locationId, 9, [100, 9], { ...many, closedAt: null }),
  ]
}

/** Returns the sum of the decimals, as integers of 10⁻⁶. */
const total = (amounts: readonly number[]) =>
  amounts.reduce((sum, amount) => sum + BigInt(Math.round(amount * 1e6)), 0n)

/** Returns the sum in hundredths, rounded once, half away from zero. */
function cents(...amounts: number[]): number {
  const sum = total(amounts)
  const size = sum < 0n ? -sum : sum
  return Number(((size + 5_000n) / 10_000n) * (sum < 0n ? -1n : 1n))
}

/**
 * Returns the counted orders with the counted items of one product, or of all; vouchers are in neither their totals nor
 * their items.
 */
function counted(orders: readonly Order[], product?: number) {
  const sold = orders
    .filter((order) => order.closedAt !== null && !order.isCanceled && !order.isTraining)
    .map((order) => {
      const all = order.items.filter(({ isCanceled, isLoss }) => !isCanceled && !isLoss)
      const vouchers = all.filter(({ kind }) => kind === 'voucher').map((one) => -one.total)
      const items = all.filter(({ kind }) => kind !== 'voucher')
      return { ...order, total: Number(total([order.total, ...vouchers])) / 1e6, items }
    })
  const items = sold
    .flatMap((order) => order.items)
    .filter(({ itemCatalogId }) => product === undefined || itemCatalogId === idOf('product', product))
  return { orders: sold, items, isPart: product !== undefined }
}

type Counted = ReturnType<typeof counted>

/** Each formula of the page, word for word, and how a reader computes it; null if it does not apply to rows by item. */
const readings: Record<string, [formula: string, reading: (of: Counted) => number | null]> = {
  orders: [
    'orders = number of counted orders',
    ({ orders, items }) => orders.filter((order) => order.items.some((one) => items.includes(one))).length,
  ],
  guests: [
    'guests = Σ guests of the counted orders',
    ({ orders, isPart }) => (isPart ? null : orders.reduce((sum, { guests }) => sum + guests, 0)),
  ],
  items: [
    'items = Σ quantity of the counted items',
    ({ items }) => Number(total(items.map(({ quantity }) => quantity))) / 1e6,
  ],
  salesInclTax: [
    'salesInclTax = Σ total of the counted orders, without their items that are not sales; in a grouping of items, Σ total of the counted items',
    ({ orders, items, isPart }) => cents(...(isPart ? items : orders).map((one) => one.total)),
  ],
  tax: ['tax = Σ tax.taxAmount of the counted items', ({ items }) => cents(...items.map(({ tax }) => tax.taxAmount))],
  salesExclTax: [
    'salesExclTax = salesInclTax − tax',
    (of) => Number(read('salesInclTax', of)) - Number(read('tax', of)),
  ],
  discounts: [
    'discounts = Σ discountValue on the counted items',
    ({ items }) => cents(...items.flatMap((one) => one.discountsApplied.map(({ discountValue }) => discountValue))),
  ],
  listInclTax: [
    'listInclTax = salesInclTax + discounts',
    (of) => Number(read('salesInclTax', of)) + Number(read('discounts', of)),
  ],
  tips: [
    'tips = Σ amount of the tips of the counted orders; in no other figure',
    ({ orders, isPart }) =>
      isPart ? null : cents(...orders.flatMap((order) => (order.tips ?? []).map(({ amount }) => amount))),
  ],
  refunds: [
    'refunds = −Σ of the negative totals among the counted orders, without items that are not sales; refunds also lower salesInclTax',
    ({ orders, isPart }) => (isPart ? null : cents(...orders.map((one) => -one.total).filter((amount) => amount > 0))),
  ],
}

const read = (figure: string, of: Counted): number | null | undefined => readings[figure]?.[1](of)

const inWords = Object.keys(readings)

/** Calculated by hand from the sample and the page. */
const byHand = {
  // 2 + 3 + 0 + 1 + 4 + 2 guests; 1 + 1.5 + 0.333 − 1 − 1 + 1 + 1 items; 10.005 + 20.3 − 10.005 − 2.345 + 7.77 + 4.95 = 30.675;
  // taxes 0.30566 − 0.21318 + 0.68182 + 0.45 = 1.2243; discounts 0.1 + 0.2; tips 1.5 + 0.35 + 0.3; refunds 10.005 + 2.345.
  whole: [6, 12, 2.833, 3068, 122, 2946, 30, 3098, 215, 1235],
  // 10.005 + 10.1 − 10.005 + 7.5 + 4.95 = 22.55; taxes 0.15283 + 0.68182 + 0.45 = 1.28465.
  starter: [5, null, 3.5, 2255, 128, 2127, 30, 2285, null, null],
  // 10.2 − 2.345 = 7.855; taxes 0.15283 − 0.21318 = −0.06035.
  main: [2, null, -0.667, 786, -6, 792, 0, 786, null, null],
}

test('every formula of the page, evaluated from its words alone, gives the result of the program', async () => {
  const app = await startApp()
  const orders = sample(app.location)
  await app.store(orders.map((data) => ({ type: 'order', data })))
  const ask = async (by: string) =>
    (await app.get(`/v1/sales/?since=2026-03-14&until=2026-03-14&by=${by}`)).json as {
      totals: Record<string, number | null>
      data: ({ key: string | null } & Record<string, number | string | null>)[]
    }
  const { totals } = await ask('total')
  const { data } = await ask('product')
  const rowOf = (product: number) => data.find(({ key }) => key === idOf('product', product))
  for (const [answered, product, expected] of [
    [totals, undefined, byHand.whole],
    [rowOf(starter), starter, byHand.starter],
    [rowOf(main), main, byHand.main],
  ] as const) {
    const of = counted(orders, product)
    const figures = (values: readonly unknown[]) => Object.fromEntries(inWords.map((name, n) => [name, values[n]]))
    assert.deepEqual(figures(inWords.map((name) => read(name, of))), figures(expected), 'by the words of the page')
    assert.deepEqual(figures(inWords.map((name) => answered?.[name])), figures(expected), 'by the program')
  }
  assert.equal(data.length, 2, 'a voucher is not a product that was sold')
})

test('the page has the formulas that are evaluated here, word for word, and no others', () => {
  const table = /\| Figure \| Formula \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page)?.[1] ?? ''
  const rows = Object.entries(readings).map(([figure, [formula]]) => `| \`${figure}\` | ${formula} |\n`)
  assert.equal(table, rows.join(''))
})

test('docs/modules/reconciliation.md publishes every formula word for word, and every kind of order', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/modules/reconciliation.md'), 'utf8').replaceAll(
    /\s+/g,
    ' ',
  )
  for (const [figure, formula] of Object.entries(formulas)) {
    assert.ok(text.includes(`\`${figure}\``), figure)
    assert.ok(text.includes(formula), formula)
  }
  for (const kind of orderKinds) assert.ok(text.includes(`\`${kind}\``), kind)
  assert.deepEqual([...figureNames].toSorted(), Object.keys(formulas).toSorted())
})
