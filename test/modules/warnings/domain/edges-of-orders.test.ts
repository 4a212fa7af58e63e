import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { idsOf, nothingKnown, type KnownIds } from '../../../../src/modules/warnings/domain/known.ts'
import { warnOfRecord } from '../../../../src/modules/warnings/domain/records.ts'
import { Sightings } from '../../../../src/modules/warnings/domain/sightings.ts'
import type { Order, OrderItem } from '../../../../src/core/contract/orders/schema.ts'
import type { RecordType } from '../../../../src/core/contract/resources.ts'
import { idOf, orderOf, productsOf, timeOf } from '../../../support/records.ts'
import { coffee, details, location, nowMs, orderWith, taxed, codesOf, warningsOf } from './edges.ts'

describe('an item', () => {
  test('can have a rate from one percent to one, and zero', () => {
    for (const rate of [0, 0.01, 1]) assert.deepEqual(codesOf('order', taxed(rate), nothingKnown), [], String(rate))
    const over = orderWith([coffee({ tax: { ...coffee().tax, taxRate: 1.1 } })])
    assert.deepEqual(details('order', over, nothingKnown), ['taxRate 1.1 means 110 %'])
    const under = orderWith([coffee({ tax: { ...coffee().tax, taxRate: 0.0055, taxAmount: 0.03 } })])
    assert.deepEqual(details('order', under, nothingKnown), ['taxRate 0.0055 means 0.55 %'])
  })

  test('can have a tax off by five cents and a hundredth, also for a return', () => {
    const of = (taxAmount: number, sign = 1) =>
      codesOf(
        'order',
        orderWith([
          coffee({ quantity: 2 * sign, total: 5 * sign, tax: { ...coffee().tax, taxAmount: taxAmount * sign } }),
        ]),
      )
    // The included tax is 0.4545.
    for (const sign of [1, -1]) {
      for (const amount of [0.41, 0.49]) assert.deepEqual(of(amount, sign), [], `${amount} ${sign}`)
      for (const amount of [0.39, 0.5, 0.52]) {
        assert.deepEqual(of(amount, sign), ['tax_mismatch /items/0/tax/taxAmount'], `${amount} ${sign}`)
      }
    }
    // Added to 1.20 the tax would be 0.07, and each of two would be rounded to the same.
    const cheap = (quantity: number, total: number, taxRate: number, taxAmount: number) =>
      codesOf(
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
    assert.equal(detail, 'taxAmount is 0.3, but 5 contains 0.455 at 10 %')
  })

  test('can have at most a thousand units, sold or returned', () => {
    const of = (quantity: number) =>
      codesOf(
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
  test('can have a discount of zero, and of its whole price', () => {
    assert.deepEqual(codesOf('order', discounted([0])), [])
    assert.deepEqual(codesOf('order', discounted([5])), [])
  })

  test('with discounts above its price, or that add to it, is reported, also for a return', () => {
    const place = ['discount_mismatch /items/0/discountsApplied/0/discountValue']
    assert.deepEqual(codesOf('order', discounted([6], { total: 0, tax: { ...coffee().tax, taxAmount: 0 } })), place)
    const back = { quantity: -2, total: -5, tax: { ...coffee().tax, taxAmount: -0.45 } }
    assert.deepEqual(codesOf('order', discounted([1], back)), place)
    assert.deepEqual(
      codesOf('order', discounted([-6], { ...back, total: 0, tax: { ...coffee().tax, taxAmount: 0 } })),
      place,
    )
    const [detail] = details('order', discounted([1], { total: 5, tax: { ...coffee().tax, taxAmount: 0.45 } }))
    assert.equal(detail, 'total is 5, but 2 at 2.5 minus 1 of discounts make 4')
    const [plain] = details('order', orderWith([coffee({ total: 6, tax: { ...coffee().tax, taxAmount: 0.55 } })]))
    assert.equal(plain, 'total is 6, but 2 at 2.5 make 5')
  })

  test('with a unit price from 1 to below 100 that equals the catalog price in hundredths is reported', () => {
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
    assert.equal(sold(12, [12])[0]?.detail, 'unitPrice 12 equals the price in the catalog, where it means 0.12')
  })
})

describe('an order', () => {
  const pay = (paymentAmount: number, changes: Partial<Order> = {}) =>
    codesOf(
      'order',
      orderWith([coffee()], {
        payments: [{ paymentAmount, paymentName: 'Espèces', paymentCatalogId: idOf('payment', 1).toUpperCase() }],
        ...changes,
      }),
    )

  test('can be paid two cents less or more, in addition to its tips', () => {
    for (const paid of [4.98, 5.02]) assert.deepEqual(pay(paid), [], String(paid))
    for (const paid of [4.97, 5.03]) assert.deepEqual(pay(paid), ['payments_mismatch /payments'], String(paid))
    const tips = [{ amount: 1 }] as Order['tips']
    assert.deepEqual(pay(6.02, { tips }), [])
    assert.deepEqual(pay(6.03, { tips }), ['payments_mismatch /payments'])
  })

  test('can differ by two cents from its items, less from its tax and its discounts, and no more', () => {
    const off = (changes: Partial<Order>) => codesOf('order', orderWith([coffee()], changes))
    for (const cents of [2, -2]) {
      assert.deepEqual(off({ total: 5 + cents / 100 }), [])
      // Two cents of tax are within the difference that sums of rounded numbers may have.
      assert.deepEqual(off({ totalTax: (45 + cents / 2) / 100 }), [])
    }
    for (const cents of [3, -3]) {
      assert.ok(off({ total: (500 + cents) / 100 }).includes('total_mismatch /total'))
      assert.deepEqual(off({ totalTax: (45 + cents) / 100 }), ['tax_mismatch /totalTax'])
    }
    assert.deepEqual(off({ totalDiscount: 0.01 }), [])
    assert.deepEqual(off({ totalDiscount: 0.02 }), ['discount_mismatch /totalDiscount'])
    const [why] = details('order', orderWith([coffee()], { total: 6, tips: [{ amount: 1 }] as Order['tips'] }))
    assert.equal(why, 'total is 6, but the items add up to 5; tips are not part of the total')
    const [plain] = details('order', orderWith([coffee()], { total: 7, tips: [{ amount: 1 }] as Order['tips'] }))
    assert.equal(plain, 'total is 7, but the items add up to 5')
  })

  const inCents = (unitPrice: number, seen: KnownIds, changes: Partial<OrderItem> = {}) => {
    const tax = { ...coffee().tax, taxAmount: Math.round(unitPrice / 11) }
    return codesOf('order', orderWith([coffee({ quantity: 1, unitPrice, total: unitPrice, tax, ...changes })]), seen)
  }
  test('with whole amounts from 100 on is reported as in cents, if its product costs that much or is unknown', () => {
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

  test('can have at most a thousand guests', () => {
    const guests = (count: number) => codesOf('order', orderWith([coffee()], { guests: count }))
    for (const count of [0, 1_000]) assert.deepEqual(guests(count), [])
    for (const count of [-1, 1_001]) assert.deepEqual(guests(count), ['quantity_implausible /guests'])
  })

  test('names its menus in either case; of an unknown one a hundred characters are repeated', () => {
    const menu = { ...orderOf(location, 1).menus[0], id: idOf('menu', 1).toUpperCase() } as Order['menus'][number]
    const item = (comboParentId: string) => orderWith([coffee({ comboParentId })], { menus: [menu] })
    assert.deepEqual(codesOf('order', item(idOf('menu', 1))), [])
    assert.deepEqual(codesOf('order', item(idOf('menu', 2))), ['unknown_menu /items/0/comboParentId'])
    assert.deepEqual(details('order', item('m'.repeat(150))), [`menu ${'m'.repeat(100)} is not in the order`])
  })
})

test('each further item allows a sum to differ by half a cent more', () => {
  const off = (count: number, cents: number) => {
    const order = orderWith(Array.from({ length: count }, () => coffee()))
    const total = order.total + cents / 100
    return codesOf('order', { ...order, total }).filter((one) => one === 'total_mismatch /total')
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

test('a device and its orders match in either case, from one push to the next', () => {
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
