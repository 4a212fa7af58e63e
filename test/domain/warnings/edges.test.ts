import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { idsOf, nothingKnown, type KnownIds } from '../../../src/domain/warnings/known.ts'
import { moneyOf } from '../../../src/domain/warnings/money.ts'
import { warnOfRecord } from '../../../src/domain/warnings/records.ts'
import { warnOfReportOrders } from '../../../src/domain/warnings/report-orders.ts'
import { Sightings } from '../../../src/domain/warnings/sightings.ts'
import type { CatalogProduct } from '../../../src/schemas/catalog.ts'
import type { Order, OrderItem } from '../../../src/schemas/orders.ts'
import type { RecordType } from '../../../src/schemas/resources.ts'
import {
  idOf,
  itemOf,
  locationOf,
  modifiers,
  orderOf,
  payments,
  productsOf,
  reportOf,
  timeOf,
} from '../../support/records.ts'

const location = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'
const nowMs = Date.parse('2027-01-01T00:00:00.000Z')
const minute = 60_000
const at = (ms: number) => new Date(ms).toISOString()

const known: KnownIds = {
  ...nothingKnown,
  ...idsOf('catalog.products', productsOf(5)),
  ...idsOf('catalog.taxes', [{ id: idOf('tax', 1), percentage: 1000 }]),
  ...idsOf('catalog.payments', payments),
  ...idsOf('location', locationOf(location)),
}
const inYen: KnownIds = { ...nothingKnown, money: moneyOf('JPY') }

const warningsOf = (type: RecordType, data: unknown, seen: KnownIds) => warnOfRecord(type, data, { known: seen, nowMs })
const told = (type: RecordType, data: unknown, seen: KnownIds = known) =>
  warningsOf(type, data, seen).map(({ code, pointer }) => `${code} ${pointer.replace('/data', '')}`)
const details = (type: RecordType, data: unknown, seen: KnownIds = known) =>
  warningsOf(type, data, seen).map(({ detail }) => detail)

const report = (changes: object) => reportOf(location, 1, changes)
const bare = { reportProducts: [], reportTaxes: [], reportPayments: [] }

const coffee = (changes: Partial<OrderItem> = {}): OrderItem =>
  itemOf(1, {
    quantity: 2,
    unitPrice: 2.5,
    total: 5,
    discountsApplied: [],
    modifiers: [],
    tax: { taxName: '10 %', taxRate: 0.1, taxAmount: 0.45, taxCatalogId: idOf('tax', 1) },
    ...changes,
  })

/** An order of these items, whose sums are theirs. */
const orderWith = (items: OrderItem[], changes: Partial<Order> = {}) => {
  const sum = (of: (item: OrderItem) => number) =>
    Math.round(items.reduce((all, item) => all + of(item), 0) * 100) / 100
  const total = sum((item) => item.total)
  return orderOf(location, 1, {
    items,
    menus: [],
    tips: null,
    total,
    totalTax: sum((item) => item.tax.taxAmount),
    totalDiscount: sum(({ discountsApplied }) => discountsApplied.reduce((all, one) => all + one.discountValue, 0)),
    payments: [{ paymentAmount: total, paymentName: 'Carte', paymentCatalogId: idOf('payment', 1) }],
    ...changes,
  })
}
const taxed = (taxRate: number, total = 5) =>
  orderWith([
    coffee({
      quantity: 1,
      unitPrice: total,
      total,
      tax: { ...coffee().tax, taxRate, taxAmount: Math.round(((total * taxRate) / (1 + taxRate)) * 100) / 100 },
    }),
  ])

describe('a time', () => {
  for (const [what, changes, expected] of [
    ['ten minutes ahead is a clock', { updatedAt: at(nowMs + 10 * minute) }, []],
    ['a moment more is not', { updatedAt: at(nowMs + 10 * minute + 1) }, ['time_ahead /updatedAt']],
    ['nine minutes ahead is one too', { updatedAt: at(nowMs + 9 * minute) }, []],
    ['of the first day of 2001 is old', { openedAt: '2001-01-01T00:00:00.000Z' }, []],
    ['of the last of 2000 is long past', { openedAt: '2000-12-31T23:59:59.999Z' }, ['time_long_past /openedAt']],
    ['that is the same at both ends is not reversed', { openedAt: timeOf(1), closedAt: timeOf(1) }, []],
  ] as const) {
    test(what, () => assert.deepEqual(told('order', orderWith([coffee()], changes)), expected))
  }

  test('of a status is looked at, both of them', () => {
    const status = (changes: object) => ({
      deviceId: idOf('device', 1).toUpperCase(),
      at: timeOf(5),
      completeUntil: timeOf(4),
      lastNumber: null,
      ...changes,
    })
    assert.deepEqual(told('device.status', status({})), [])
    const ahead = { at: at(nowMs + 11 * minute), completeUntil: '1999-01-01T00:00:00.000Z' }
    assert.deepEqual(told('device.status', status(ahead)), ['time_ahead /at', 'time_long_past /completeUntil'])
  })

  test('and how far it lies is said', () => {
    const [ahead] = details('order', orderWith([coffee()], { updatedAt: at(nowMs + 120 * minute) }))
    assert.match(ahead ?? '', /^updatedAt is 120 minutes ahead of now/)
    const [past] = details('order', orderWith([coffee()], { openedAt: '1970-01-01T00:00:00.000Z' }))
    assert.match(past ?? '', /^openedAt is in 1970:/)
  })
})

describe('a text', () => {
  const place = (orderPlace: string) => told('order', orderWith([coffee()], { orderPlace }))
  for (const blank of [' ', '\t', '\u00a0', '\u3000', '\ufeff']) {
    test(`with U+${blank.charCodeAt(0).toString(16)} around it is padded, and with one inside it is not`, () => {
      assert.deepEqual(place(`${blank}12`), ['text_padded /orderPlace'])
      assert.deepEqual(place(`12${blank}`), ['text_padded /orderPlace'])
      assert.deepEqual(place(`1${blank}2`), [])
    })
  }

  test('may begin as a placeholder does, and be empty where it need not say anything', () => {
    for (const text of ['', 'nullité', 'None de Paris', 'stringent', '[a', '(b', 'UNDEFINED'])
      assert.deepEqual(place(text), [])
    for (const text of [
      'undefined',
      'null',
      'None',
      'NaN',
      'nil',
      'string',
      '(null)',
      '[object Object]',
      'null null',
    ]) {
      assert.deepEqual(place(text), ['text_placeholder /orderPlace'], text)
    }
  })

  test('is quoted up to a hundred characters', () => {
    const name = 'x'.repeat(101)
    const [detail] = details('report', report({ deviceName: name }))
    assert.equal(detail, `there is no device “${name.slice(0, 100)}” at the location`)
  })

  for (const [what, type, data, expected] of [
    [
      'the device of a report',
      'report',
      report({ deviceName: '', deviceIdentifier: idOf('device', 1) }),
      'text_placeholder /deviceName',
    ],
    [
      'a payment of a report',
      'report',
      report({ ...bare, reportPayments: [{ paymentName: '', paymentAmount: 2200 }] }),
      'text_placeholder /reportPayments/0/paymentName',
    ],
    [
      'a product of a report',
      'report',
      report({ reportProducts: [{ ...reportOf(location, 1).reportProducts[0], productName: 'NaN' }] }),
      'text_placeholder /reportProducts/0/productName',
    ],
    ['a group of modifiers', 'catalog.modifiers', [{ ...modifiers[0], name: ' Cuisson' }], 'text_padded /0/name'],
    ['a means of payment', 'catalog.payments', [{ ...payments[0], name: 'undefined' }], 'text_placeholder /0/name'],
    ['a tax', 'catalog.taxes', [{ id: idOf('tax', 1), name: '', percentage: 1000 }], 'text_placeholder /0/name'],
  ] as const) {
    test(`is looked at in ${what}`, () => assert.deepEqual(told(type, data), [expected]))
  }
})

describe('an id', () => {
  const nothing = '00000000-0000-0000-0000-000000000000'
  test('of nothing is told in a report, an order and a list', () => {
    assert.deepEqual(told('report', report({ id: nothing })), ['id_placeholder /id'])
    assert.deepEqual(told('report', report({ id: nothing.replaceAll('0', 'F') })), ['id_placeholder /id'])
    assert.deepEqual(told('order', orderWith([coffee()], { id: nothing })), ['id_placeholder /id'])
    assert.deepEqual(told('catalog.payments', [{ ...payments[0], id: nothing }]), ['id_placeholder /0/id'])
  })

  test('is the same in either case, within a list, in an order and beside what is stored', () => {
    const [one] = payments
    const twice = [one, { ...one, id: one?.id.toUpperCase() }]
    assert.deepEqual(told('catalog.payments', twice), ['id_twice /1/id'])
    assert.deepEqual(told('catalog.modifiers', [modifiers[0], modifiers[0]]), ['id_twice /1/id'])
    const item = coffee({ comboParentId: idOf('menu', 1).toUpperCase() })
    const upper = {
      ...item,
      itemCatalogId: item.itemCatalogId.toUpperCase(),
      tax: { ...item.tax, taxCatalogId: item.tax.taxCatalogId.toUpperCase() },
    }
    const menus = [{ ...orderOf(location, 1).menus[0], id: idOf('menu', 1) }] as Order['menus']
    assert.deepEqual(told('order', orderWith([upper], { menus })), [])
    const moved = productsOf(5).map((product) => ({ ...product, id: product.id.toUpperCase() }))
    assert.deepEqual(told('catalog.products', moved), [])
    const swapped = moved.map((product, i) => ({ ...product, name: `Plat ${((i + 1) % 5) + 1}` }))
    assert.equal(told('catalog.products', swapped).filter((one) => one.startsWith('id_reused')).length, 5)
  })

  test('of a tax in upper case has the rate of its catalog', () => {
    const item = coffee({
      tax: { ...coffee().tax, taxRate: 0.2, taxAmount: 0.83, taxCatalogId: idOf('tax', 1).toUpperCase() },
    })
    assert.deepEqual(told('order', orderWith([item])), ['tax_rate_mismatch /items/0/tax/taxRate'])
    assert.deepEqual(details('order', orderWith([item])), ['taxRate 0.2 is 20 %, the catalog has 10 % for this tax'])
  })
})

describe('a report', () => {
  test('may have no guests, and a discount of nothing', () => {
    const discount = { ...reportOf(location, 1).reportDiscounts[0], discountName: 'x', discountValue: 0 }
    assert.deepEqual(told('report', report({ guestsNumber: 0, reportDiscounts: [discount] })), [])
    const less = report({ guestsNumber: -1, reportDiscounts: [{ ...discount, discountValue: -1 }] })
    assert.deepEqual(told('report', less), [
      'quantity_implausible /guestsNumber',
      'discount_mismatch /reportDiscounts/0/discountValue',
    ])
  })

  /** Beside 2200 of sales; a cent for each rate and one more may be lost to rounding. */
  const rates = (count: number, off: number) =>
    report({
      ...bare,
      reportTaxes: Array.from({ length: count }, (_, n) => ({
        taxName: `${n}`,
        taxRate: 1000,
        taxAmount: n === 0 ? 200 : 0,
        taxableAmount: n === 0 ? 2000 + off : 0,
      })),
    })
  for (const [count, most] of [
    [1, 2],
    [3, 4],
  ] as const) {
    test(`of ${count} rates may be ${most} cents off, and no more`, () => {
      for (const off of [most, -most]) assert.deepEqual(told('report', rates(count, off)), [])
      for (const off of [most + 1, -most - 1]) {
        assert.deepEqual(told('report', rates(count, off)), ['tax_mismatch /reportTaxes'])
      }
    })
  }

  test('in a currency without decimals has hundreds, and nothing between them', () => {
    const yen = (totalSales: number) => report({ ...bare, totalSales })
    assert.deepEqual(told('report', yen(2200), inYen), [])
    assert.deepEqual(told('report', yen(2201), inYen), ['decimals_beyond_currency /totalSales'])
    assert.deepEqual(details('report', yen(2250), inYen), ['totalSales 2250 is 22.5'])
  })

  const z = reportOf(location, 1, { orders: [idOf('order', 1)], totalSales: 2200 })
  const named = (changes: Partial<Order>) => new Map([[idOf('order', 1), { ...orderOf(location, 1), ...changes }]])
  const codes = (changes: Partial<Order>, totalSales = 2200) =>
    warnOfReportOrders({ ...z, totalSales }, named(changes)).map(({ code }) => code)

  test('may be closed ten minutes before its last order, and begin as long after its first', () => {
    const [start, end] = [Date.parse(z.startedAt), Date.parse(z.finalizedAt)]
    for (const closedAt of [start - 10 * minute, end + 10 * minute])
      assert.deepEqual(codes({ closedAt: at(closedAt) }), [])
    for (const closedAt of [start - 10 * minute - 1, end + 10 * minute + 1]) {
      assert.deepEqual(codes({ closedAt: at(closedAt) }), ['order_outside_report'])
    }
  })

  test('knows its id in upper case, and adds up neither canceled nor training orders', () => {
    assert.deepEqual(codes({ reportId: z.id.toUpperCase() }), [])
    assert.deepEqual(codes({ total: 22 }, 22), ['report_total_hundredfold'])
    for (const left of [{ isTraining: true }, { isCanceled: true }]) {
      assert.deepEqual(codes({ total: 22, ...left }, 0), [])
      assert.deepEqual(codes({ total: 22, ...left }, 22), ['total_mismatch'])
    }
  })

  test('has the total of its orders to the cent, once none of them is missing or open', () => {
    assert.deepEqual(codes({ total: 22.01 }, 2201), [])
    for (const total of [2200, 2202]) assert.deepEqual(codes({ total: 22.01 }, total), ['total_mismatch'])
    assert.deepEqual(codes({ total: 22, closedAt: null }, 1), ['order_outside_report'])
  })

  test('may have a tax from half to twice what its rate says, and of small change any', () => {
    const of = (taxAmount: number, taxRate = 1000) => {
      const reportTaxes = [{ taxName: 'TVA', taxRate, taxAmount, taxableAmount: 2200 - taxAmount }]
      return told('report', reportOf(location, 1, { reportTaxes }))
    }
    for (const taxAmount of [105, 200, 360]) assert.deepEqual(of(taxAmount), [], `${taxAmount}`)
    for (const taxAmount of [100, 370, -100]) {
      assert.deepEqual(of(taxAmount), ['tax_mismatch /reportTaxes/0/taxAmount'], `${taxAmount}`)
    }
    // 10 % in tenths of a percent, and in thousandths: of 1 % at least and of 100 % at most.
    for (const rate of [100, 10_000]) assert.deepEqual(of(200, rate), ['tax_mismatch /reportTaxes/0/taxAmount'])
    for (const taxAmount of [101, 99]) assert.deepEqual(of(taxAmount, 0).length, 0)
    assert.deepEqual(of(120, 100), [])
  })
})

describe('a list of the catalog', () => {
  const taxes = (percentages: number[]) =>
    percentages.map((percentage, n) => ({ id: idOf('tax', n + 1), name: `TVA ${n}`, percentage }))

  test('has rates from one percent to a hundred, or none', () => {
    assert.deepEqual(told('catalog.taxes', taxes([0, 100, 10_000])), [])
    assert.deepEqual(told('catalog.taxes', taxes([99, 10_001, -1])), [
      'tax_rate_under_one_percent /0/percentage',
      'tax_rate_over_one /1/percentage',
      'tax_rate_under_one_percent /2/percentage',
    ])
    assert.deepEqual(details('catalog.taxes', taxes([55, 20_000])), [
      'percentage 55 is 0.55 %',
      'percentage 20000 is 200 %',
    ])
  })

  test('may lose half of its entries, and all but one of three', () => {
    const stored = (count: number): KnownIds => ({
      ...nothingKnown,
      ...idsOf('catalog.taxes', taxes(Array(count).fill(1000))),
    })
    const pushed = (count: number, before: number) =>
      told('catalog.taxes', taxes(Array(count).fill(1000)), stored(before))
    assert.deepEqual(pushed(2, 4), [])
    assert.deepEqual(pushed(1, 3), [])
    assert.deepEqual(pushed(5, 8), [])
    assert.deepEqual(pushed(1, 4), ['list_shrunk '])
    assert.deepEqual(pushed(2, 5), ['list_shrunk '])
    assert.deepEqual(pushed(0, 3), ['list_shrunk '])
    assert.deepEqual(told('catalog.payments', [], known), ['list_shrunk '])
  })

  test('may have one name twice, under whichever id it is stored', () => {
    for (const upper of [false, true]) {
      const pushed = productsOf(5).map((product, n) => ({
        ...product,
        id: upper ? product.id.toUpperCase() : product.id,
        name: n === 0 ? 'Plat 2' : product.name,
      }))
      assert.deepEqual(told('catalog.products', pushed), [])
      const moved = pushed.map((product, n) => (n === 1 ? { ...product, name: 'Plat 9' } : product))
      assert.deepEqual(told('catalog.products', moved), ['id_reused /0/id'])
    }
  })

  const priced = (unitPrices: number[]): CatalogProduct[] =>
    productsOf(unitPrices.length).map((product, n) => ({
      ...product,
      priceList: [{ priceTypeId: 1, priceTypeName: '', unitPrice: unitPrices[n] ?? 0, taxRate: 1000 }],
    }))

  test('of three prices below one unit is in units; nothing and a whole unit are no such price', () => {
    assert.deepEqual(told('catalog.products', priced([1, 2, 99]), nothingKnown), ['prices_in_units '])
    assert.deepEqual(details('catalog.products', priced([1, 2, 50]), nothingKnown), [
      'the highest unitPrice is 50, which is 0.5',
    ])
    for (const prices of [
      [1, 2],
      [1, 2, 100],
      [0, 0, 0, 5, 6],
    ]) {
      assert.deepEqual(told('catalog.products', priced(prices), nothingKnown), [], String(prices))
    }
  })

  test('has prices of nothing and none below it, and in yen whole ones', () => {
    assert.deepEqual(told('catalog.products', priced([0, 300]), nothingKnown), [])
    assert.deepEqual(told('catalog.products', priced([-1, 300]), nothingKnown), [
      'price_negative /0/priceList/0/unitPrice',
    ])
    assert.deepEqual(told('catalog.products', priced([30_000, 50_100]), inYen), [])
    const cents = ['decimals_beyond_currency /1/priceList/0/unitPrice']
    assert.deepEqual(told('catalog.products', priced([30_000, 50_101]), inYen), cents)
    assert.deepEqual(details('catalog.products', priced([30_000, 50_150]), inYen), ['unitPrice 50150 is 501.5'])
  })
})

describe('an item', () => {
  test('has a rate from one percent to one, or none', () => {
    for (const rate of [0, 0.01, 1]) assert.deepEqual(told('order', taxed(rate), nothingKnown), [], String(rate))
    const over = orderWith([coffee({ tax: { ...coffee().tax, taxRate: 1.1 } })])
    assert.deepEqual(details('order', over, nothingKnown), ['taxRate 1.1 is 110 %'])
    const under = orderWith([coffee({ tax: { ...coffee().tax, taxRate: 0.0055, taxAmount: 0.03 } })])
    assert.deepEqual(details('order', under, nothingKnown), ['taxRate 0.0055 is 0.55 %'])
  })

  test('has a tax within five cents and a hundredth, also where it is given back', () => {
    const of = (taxAmount: number, sign = 1) =>
      told(
        'order',
        orderWith([
          coffee({ quantity: 2 * sign, total: 5 * sign, tax: { ...coffee().tax, taxAmount: taxAmount * sign } }),
        ]),
      )
    // Contained are 0.4545.
    for (const sign of [1, -1]) {
      for (const amount of [0.41, 0.49]) assert.deepEqual(of(amount, sign), [], `${amount} ${sign}`)
      for (const amount of [0.39, 0.5, 0.52]) {
        assert.deepEqual(of(amount, sign), ['tax_mismatch /items/0/tax/taxAmount'], `${amount} ${sign}`)
      }
    }
    // On top of 1.20 they would be 0.07, and each of two would be rounded to as much.
    const cheap = (quantity: number, total: number, taxRate: number, taxAmount: number) =>
      told(
        'order',
        orderWith([
          coffee({ quantity, unitPrice: total / quantity, total, tax: { ...coffee().tax, taxRate, taxAmount } }),
        ]),
        nothingKnown,
      )
    assert.deepEqual(cheap(1, 1.2, 0.055, 0.07), [])
    assert.deepEqual(cheap(10, 5, 0.1, 0.5), [])
    assert.deepEqual(cheap(1, 5, 0.1, 0.5), ['tax_mismatch /items/0/tax/taxAmount'])
    const [detail] = details('order', orderWith([coffee({ tax: { ...coffee().tax, taxAmount: 0.3 } })]))
    assert.equal(detail, 'taxAmount is 0.3; 5 contains 0.455 at 10 %')
  })

  test('is of a thousand units at most, in both directions', () => {
    const of = (quantity: number) =>
      told(
        'order',
        orderWith([
          coffee({ quantity, unitPrice: 1, total: quantity, tax: { ...coffee().tax, taxAmount: quantity / 11 } }),
        ]),
        {
          ...nothingKnown,
        },
      ).filter((one) => one.startsWith('quantity'))
    for (const quantity of [1_000, -1_000]) assert.deepEqual(of(quantity), [])
    for (const quantity of [1_001, -1_001]) assert.deepEqual(of(quantity), ['quantity_implausible /items/0/quantity'])
  })

  const discounted = (values: number[], changes: Partial<OrderItem> = {}) => {
    const discountsApplied = values.map((discountValue, n) => ({
      discountName: 'Fidélité',
      discountValue,
      discountCatalogId: idOf('discount', n + 1),
    }))
    const total = 5 - values.reduce((all, one) => all + one, 0)
    const tax = { ...coffee().tax, taxAmount: Math.round((total / 11) * 100) / 100 }
    return orderWith([coffee({ discountsApplied, total, tax, ...changes })])
  }
  test('may be discounted by nothing, and by all of it', () => {
    assert.deepEqual(told('order', discounted([0])), [])
    assert.deepEqual(told('order', discounted([5])), [])
  })

  test('whose discounts are more than its price, or add to it, is told so, where it is given back too', () => {
    const place = ['discount_mismatch /items/0/discountsApplied/0/discountValue']
    assert.deepEqual(told('order', discounted([6], { total: 0, tax: { ...coffee().tax, taxAmount: 0 } })), place)
    const back = { quantity: -2, total: -5, tax: { ...coffee().tax, taxAmount: -0.45 } }
    assert.deepEqual(told('order', discounted([1], back)), place)
    assert.deepEqual(
      told('order', discounted([-6], { ...back, total: 0, tax: { ...coffee().tax, taxAmount: 0 } })),
      place,
    )
    const [detail] = details('order', discounted([1], { total: 5, tax: { ...coffee().tax, taxAmount: 0.45 } }))
    assert.equal(detail, 'total is 5, 2 at 2.5 less 1 of discounts are 4')
    const [plain] = details('order', orderWith([coffee({ total: 6, tax: { ...coffee().tax, taxAmount: 0.55 } })]))
    assert.equal(plain, 'total is 6, 2 at 2.5 are 5')
  })

  test('at a price that its product has in hundredths is in units, from one to below a hundred', () => {
    const sold = (unitPrice: number, prices: number[]) => {
      const product = {
        ...productsOf(1)[0],
        priceList: prices.map((price) => ({ priceTypeId: 1, priceTypeName: '', unitPrice: price, taxRate: 1000 })),
      }
      const seen = { ...nothingKnown, ...idsOf('catalog.products', [product]) }
      const item = coffee({ quantity: 1, unitPrice, total: unitPrice, itemCatalogId: idOf('product', 1) })
      const order = orderWith([{ ...item, tax: { ...item.tax, taxAmount: Math.round((unitPrice / 11) * 100) / 100 } }])
      return warningsOf('order', order, seen)
    }
    const codes = (unitPrice: number, prices: number[]) => sold(unitPrice, prices).map(({ code }) => code)
    assert.deepEqual(codes(1, [1]), ['prices_in_units'])
    assert.deepEqual(codes(99.5, [99.5]), ['prices_in_units'])
    assert.deepEqual(codes(0.5, [0.5]), [])
    assert.deepEqual(codes(12, [12, 1200]), [])
    assert.deepEqual(codes(12, [11]), [])
    assert.equal(sold(12, [12])[0]?.detail, 'unitPrice is 12, and so is the catalog’s, which is 0.12 there')
  })
})

describe('an order', () => {
  const pay = (paymentAmount: number, changes: Partial<Order> = {}) =>
    told(
      'order',
      orderWith([coffee()], {
        payments: [{ paymentAmount, paymentName: 'Carte', paymentCatalogId: idOf('payment', 1).toUpperCase() }],
        ...changes,
      }),
    )

  test('may be paid two cents less or more, and its tips besides', () => {
    for (const paid of [4.98, 5.02]) assert.deepEqual(pay(paid), [], String(paid))
    for (const paid of [4.97, 5.03]) assert.deepEqual(pay(paid), ['payments_mismatch /payments'], String(paid))
    const tips = [{ amount: 1 }] as Order['tips']
    assert.deepEqual(pay(6.02, { tips }), [])
    assert.deepEqual(pay(6.03, { tips }), ['payments_mismatch /payments'])
  })

  test('may be two cents off its item, less off its tax and its discounts, and no more', () => {
    const off = (changes: Partial<Order>) => told('order', orderWith([coffee()], changes))
    for (const cents of [2, -2]) {
      assert.deepEqual(off({ total: 5 + cents / 100 }), [])
      // Two cents of tax lie within what sums of numbers differ by.
      assert.deepEqual(off({ totalTax: (45 + cents / 2) / 100 }), [])
    }
    for (const cents of [3, -3]) {
      assert.ok(off({ total: (500 + cents) / 100 }).includes('total_mismatch /total'))
      assert.deepEqual(off({ totalTax: (45 + cents) / 100 }), ['tax_mismatch /totalTax'])
    }
    assert.deepEqual(off({ totalDiscount: 0.01 }), [])
    assert.deepEqual(off({ totalDiscount: 0.02 }), ['discount_mismatch /totalDiscount'])
    const [why] = details('order', orderWith([coffee()], { total: 6, tips: [{ amount: 1 }] as Order['tips'] }))
    assert.equal(why, 'total is 6, the items add up to 5, without the tips, which are no part of it')
    const [plain] = details('order', orderWith([coffee()], { total: 7, tips: [{ amount: 1 }] as Order['tips'] }))
    assert.equal(plain, 'total is 7, the items add up to 5')
  })

  const inCents = (unitPrice: number, seen: KnownIds, changes: Partial<OrderItem> = {}) => {
    const tax = { ...coffee().tax, taxAmount: Math.round(unitPrice / 11) }
    return told('order', orderWith([coffee({ quantity: 1, unitPrice, total: unitPrice, tax, ...changes })]), seen)
  }
  test('is in cents from a hundred on, where its product costs as much or nothing is known', () => {
    const product = {
      ...productsOf(1)[0],
      priceList: [{ priceTypeId: 1, priceTypeName: '', unitPrice: 100, taxRate: 1000 }],
    }
    const stored = { ...nothingKnown, ...idsOf('catalog.products', [product]) }
    const itemCatalogId = idOf('product', 1).toUpperCase()
    assert.deepEqual(inCents(100, stored, { itemCatalogId }), ['amounts_in_cents '])
    assert.deepEqual(inCents(100, nothingKnown), ['amounts_in_cents '])
    const tax = { ...coffee().tax, taxAmount: 9 }
    assert.deepEqual(inCents(99, nothingKnown, { tax }), [])
    assert.deepEqual(inCents(100.5, nothingKnown, { tax: { ...coffee().tax, taxAmount: 9.14 } }), [])
  })

  test('has a thousand guests at most', () => {
    const guests = (count: number) => told('order', orderWith([coffee()], { guests: count }))
    for (const count of [0, 1_000]) assert.deepEqual(guests(count), [])
    for (const count of [-1, 1_001]) assert.deepEqual(guests(count), ['quantity_implausible /guests'])
  })

  test('names its menus in either case, and of one that is not there a hundred characters are repeated', () => {
    const menu = { ...orderOf(location, 1).menus[0], id: idOf('menu', 1).toUpperCase() } as Order['menus'][number]
    const item = (comboParentId: string) => orderWith([coffee({ comboParentId })], { menus: [menu] })
    assert.deepEqual(told('order', item(idOf('menu', 1))), [])
    assert.deepEqual(told('order', item(idOf('menu', 2))), ['unknown_menu /items/0/comboParentId'])
    assert.deepEqual(details('order', item('m'.repeat(150))), [`there is no menu ${'m'.repeat(100)} in the order`])
  })
})

describe('a currency', () => {
  /** Orders of `units` that are paid with so much more or less. */
  const paid = (currency: string, difference: number) => {
    const tax = { ...coffee().tax, taxAmount: Math.round(2000 / 11) / 20 }
    const order = orderWith([coffee({ quantity: 4, unitPrice: 25, total: 100, tax })])
    const payments = [{ paymentAmount: 100 + difference, paymentName: 'Espèces', paymentCatalogId: idOf('payment', 1) }]
    const seen = { ...nothingKnown, money: moneyOf(currency) }
    return told('order', { ...order, payments }, seen).filter((one) => one.startsWith('payments'))
  }
  for (const [currency, rounding] of [
    ['CZK', 0.5],
    ['DKK', 0.25],
    ['HKD', 0.05],
    ['NOK', 0.5],
    ['NZD', 0.05],
    ['SEK', 0.5],
    ['THB', 0.12],
    ['TWD', 0.5],
    ['ZAR', 0.05],
    ['EUR', 0.02],
    ['CHF', 0.02],
  ] as const) {
    test(`${currency}: cash may be ${rounding} off the total, and two hundredths more may not`, () => {
      for (const off of [rounding, -rounding]) assert.deepEqual(paid(currency, off), [])
      for (const off of [rounding + 0.02, -rounding - 0.02]) {
        assert.deepEqual(paid(currency, off), ['payments_mismatch /payments'])
      }
    })
  }
})

test('of each item more a sum may be half a cent further off', () => {
  const off = (count: number, cents: number) => {
    const order = orderWith(Array.from({ length: count }, () => coffee()))
    const total = order.total + cents / 100
    return told('order', { ...order, total }).filter((one) => one === 'total_mismatch /total')
  }
  for (const [count, most] of [
    [2, 2],
    [4, 3],
    [10, 6],
  ] as const) {
    assert.deepEqual(off(count, most), [])
    assert.deepEqual(off(count, most + 1), ['total_mismatch /total'])
  }
})

test('what is known of a catalog is known by ids in lower case', () => {
  const upper = productsOf(2).map((product) => ({ ...product, id: product.id.toUpperCase() }))
  const known = idsOf('catalog.products', upper).products
  assert.deepEqual(
    [...(known?.keys() ?? [])],
    productsOf(2).map(({ id }) => id.toLowerCase()),
  )
})

test('a device and its orders are the same in either case, from one push to the next', () => {
  const sightings = new Sightings()
  const push = (type: RecordType, data: unknown) =>
    warnOfRecord(type, data, { known: nothingKnown, nowMs, sightings }).map(({ code }) => code)
  const deviceId = idOf('device', 1)
  const order = (changes: Partial<Order>) => orderWith([coffee()], { deviceId, orderNumber: '12', ...changes })
  assert.deepEqual(push('order', order({})), [])
  const again = order({ id: idOf('order', 2), deviceId: deviceId.toUpperCase(), locationId: location.toUpperCase() })
  assert.deepEqual(push('order', again), ['order_sent_twice'])
  const status = (lastNumber: number, id: string) => ({
    deviceId: id,
    at: timeOf(5),
    completeUntil: timeOf(4),
    lastNumber,
  })
  assert.deepEqual(push('device.status', status(120, deviceId)), [])
  assert.deepEqual(push('device.status', status(3, deviceId.toUpperCase())), ['count_restarted'])
})
