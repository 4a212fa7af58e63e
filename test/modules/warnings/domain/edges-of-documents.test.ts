import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { usualRules } from '../../../../src/core/contract/money/paid.ts'
import { warnOfReportOrders } from '../../../../src/modules/warnings/domain/report-orders.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import { idOf, orderOf, reportOf, productsOf } from '../../../support/records.ts'
import { at, bare, details, inYen, location, minute, report, codesOf, known } from './edges.ts'
import { idsOf, nothingKnown, type KnownIds } from '../../../../src/modules/warnings/domain/known.ts'
import type { CatalogProduct } from '../../../../src/core/contract/catalog/schema.ts'

describe('a report', () => {
  test('can have no guests, and a discount of zero', () => {
    const discount = { ...reportOf(location, 1).reportDiscounts[0], discountName: 'x', discountValue: 0 }
    assert.deepEqual(codesOf('report', report({ guestsNumber: 0, reportDiscounts: [discount] })), [])
    const less = report({ guestsNumber: -1, reportDiscounts: [{ ...discount, discountValue: -1 }] })
    assert.deepEqual(codesOf('report', less), [
      'quantity_implausible /guestsNumber',
      'discount_mismatch /reportDiscounts/0/discountValue',
    ])
  })

  /** Returns taxes to compare with sales of 2200; rounding may account for a cent per rate and one more. */
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
    test(`of ${count} rates can differ by ${most} cents, and no more`, () => {
      for (const off of [most, -most]) assert.deepEqual(codesOf('report', rates(count, off)), [])
      for (const off of [most + 1, -most - 1]) {
        assert.deepEqual(codesOf('report', rates(count, off)), ['tax_mismatch /reportTaxes'])
      }
    })
  }

  test('in a currency without decimals must have multiples of a hundred', () => {
    const yen = (totalSales: number) => report({ ...bare, totalSales })
    assert.deepEqual(codesOf('report', yen(2200), inYen), [])
    assert.deepEqual(codesOf('report', yen(2201), inYen), ['decimals_beyond_currency /totalSales'])
    assert.deepEqual(details('report', yen(2250), inYen), ['totalSales 2250 means 22.5'])
  })

  const z = reportOf(location, 1, { orders: [idOf('order', 1)], totalSales: 2200 })
  const named = (changes: Partial<Order>) => new Map([[idOf('order', 1), { ...orderOf(location, 1), ...changes }]])
  const codes = (changes: Partial<Order>, totalSales = 2200) =>
    warnOfReportOrders({ ...z, totalSales }, named(changes), usualRules.money).map(({ code }) => code)

  test('can be closed ten minutes before its last order, and begin as long after its first', () => {
    const [start, end] = [Date.parse(z.startedAt), Date.parse(z.finalizedAt)]
    for (const closedAt of [start - 10 * minute, end + 10 * minute])
      assert.deepEqual(codes({ closedAt: at(closedAt) }), [])
    for (const closedAt of [start - 10 * minute - 1, end + 10 * minute + 1]) {
      assert.deepEqual(codes({ closedAt: at(closedAt) }), ['order_outside_report'])
    }
  })

  test('recognizes its id in upper case, and adds up neither canceled nor training orders', () => {
    assert.deepEqual(codes({ reportId: z.id.toUpperCase() }), [])
    assert.deepEqual(codes({ total: 22 }, 22), ['report_total_hundredfold'])
    for (const left of [{ isTraining: true }, { isCanceled: true }]) {
      assert.deepEqual(codes({ total: 22, ...left }, 0), [])
      assert.deepEqual(codes({ total: 22, ...left }, 22), ['total_mismatch'])
    }
  })

  test('must equal the total of its orders to the cent, if none of them is missing or open', () => {
    assert.deepEqual(codes({ total: 22.01 }, 2201), [])
    for (const total of [2200, 2202]) assert.deepEqual(codes({ total: 22.01 }, total), ['total_mismatch'])
    assert.deepEqual(codes({ total: 22, closedAt: null }, 1), ['order_outside_report'])
  })

  test('can have a tax from half to twice its rate, and any tax on small change', () => {
    const of = (taxAmount: number, taxRate = 1000) => {
      const reportTaxes = [{ taxName: 'TVA', taxRate, taxAmount, taxableAmount: 2200 - taxAmount }]
      return codesOf('report', reportOf(location, 1, { reportTaxes }))
    }
    for (const taxAmount of [105, 200, 360]) assert.deepEqual(of(taxAmount), [], `${taxAmount}`)
    for (const taxAmount of [100, 370, -100]) {
      assert.deepEqual(of(taxAmount), ['tax_mismatch /reportTaxes/0/taxAmount'], `${taxAmount}`)
    }
    // 10 % in tenths of a percent, and in thousandths: a rate from 1 % to 100 %.
    for (const rate of [100, 10_000]) assert.deepEqual(of(200, rate), ['tax_mismatch /reportTaxes/0/taxAmount'])
    for (const taxAmount of [101, 99]) assert.deepEqual(of(taxAmount, 0).length, 0)
    assert.deepEqual(of(120, 100), [])
  })
})

describe('a list of the catalog', () => {
  const taxes = (percentages: number[]) =>
    percentages.map((percentage, n) => ({ id: idOf('tax', n + 1), name: `TVA ${n}`, percentage }))

  test('can have rates from one percent to a hundred, and zero', () => {
    assert.deepEqual(codesOf('catalog.taxes', taxes([0, 100, 10_000])), [])
    assert.deepEqual(codesOf('catalog.taxes', taxes([99, 10_001, -1])), [
      'tax_rate_under_one_percent /0/percentage',
      'tax_rate_over_one /1/percentage',
      'tax_rate_under_one_percent /2/percentage',
    ])
    assert.deepEqual(details('catalog.taxes', taxes([55, 20_000])), [
      'percentage 55 means 0.55 %',
      'percentage 20000 means 200 %',
    ])
  })

  test('can lose half of its entries, and all but one of three', () => {
    const stored = (count: number): KnownIds => ({
      ...nothingKnown,
      ...idsOf('catalog.taxes', taxes(Array(count).fill(1000))),
    })
    const pushed = (count: number, before: number) =>
      codesOf('catalog.taxes', taxes(Array(count).fill(1000)), stored(before))
    assert.deepEqual(pushed(2, 4), [])
    assert.deepEqual(pushed(1, 3), [])
    assert.deepEqual(pushed(5, 8), [])
    assert.deepEqual(pushed(1, 4), ['list_shrunk '])
    assert.deepEqual(pushed(2, 5), ['list_shrunk '])
    assert.deepEqual(pushed(0, 3), ['list_shrunk '])
    assert.deepEqual(codesOf('catalog.payments', [], known), ['list_shrunk '])
    assert.deepEqual(details('catalog.taxes', [], stored(3)), [
      '0 entries replace 3: a push must contain the whole list',
    ])
    assert.deepEqual(details('catalog.taxes', [], stored(0)), ['the list is empty: a push must contain the whole list'])
  })

  test('can have a duplicate name, whatever the case of the stored id', () => {
    for (const upper of [false, true]) {
      const pushed = productsOf(5).map((product, n) => ({
        ...product,
        id: upper ? product.id.toUpperCase() : product.id,
        name: n === 0 ? 'Plat 2' : product.name,
      }))
      assert.deepEqual(codesOf('catalog.products', pushed), [])
      const moved = pushed.map((product, n) => (n === 1 ? { ...product, name: 'Plat 9' } : product))
      assert.deepEqual(codesOf('catalog.products', moved), ['id_reused /0/id'])
    }
  })

  const priced = (unitPrices: number[]): CatalogProduct[] =>
    productsOf(unitPrices.length).map((product, n) => ({
      ...product,
      priceList: [{ priceTypeId: 1, priceTypeName: '', unitPrice: unitPrices[n] ?? 0, taxRate: 1000 }],
    }))

  test('with three prices below one unit is reported; zero and a whole unit do not count', () => {
    assert.deepEqual(codesOf('catalog.products', priced([1, 2, 99]), nothingKnown), ['prices_in_units '])
    assert.deepEqual(details('catalog.products', priced([1, 2, 50]), nothingKnown), [
      'the highest unitPrice is 50, which means 0.5',
    ])
    for (const prices of [
      [1, 2],
      [1, 2, 100],
      [0, 0, 0, 5, 6],
    ]) {
      assert.deepEqual(codesOf('catalog.products', priced(prices), nothingKnown), [], String(prices))
    }
  })

  test('with a negative price is reported, and in yen one with a fraction', () => {
    assert.deepEqual(codesOf('catalog.products', priced([0, 300]), nothingKnown), [])
    assert.deepEqual(codesOf('catalog.products', priced([-1, 300]), nothingKnown), [
      'price_negative /0/priceList/0/unitPrice',
    ])
    assert.deepEqual(codesOf('catalog.products', priced([30_000, 50_100]), inYen), [])
    const cents = ['decimals_beyond_currency /1/priceList/0/unitPrice']
    assert.deepEqual(codesOf('catalog.products', priced([30_000, 50_101]), inYen), cents)
    assert.deepEqual(details('catalog.products', priced([30_000, 50_150]), inYen), ['unitPrice 50150 means 501.5'])
  })
})
