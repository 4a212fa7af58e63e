import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { idsOf, nothingKnown } from '../../../../src/modules/warnings/domain/known.ts'
import { moneyOf } from '../../../../src/core/contract/money/currency.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import { idOf, modifiers, orderOf, payments, productsOf, reportOf, timeOf } from '../../../support/records.ts'
import { at, bare, coffee, details, location, minute, nowMs, orderWith, report, codesOf } from './edges.ts'

describe('a time', () => {
  for (const [what, changes, expected] of [
    ['five minutes ahead is accepted', { updatedAt: at(nowMs + 5 * minute) }, []],
    ['over five minutes ahead is reported', { updatedAt: at(nowMs + 5 * minute + 1) }, ['time_ahead /updatedAt']],
    ['four minutes ahead is accepted', { updatedAt: at(nowMs + 4 * minute) }, []],
    ['on the first day of 2001 is accepted', { openedAt: '2001-01-01T00:00:00.000Z' }, []],
    ['on the last day of 2000 is long past', { openedAt: '2000-12-31T23:59:59.999Z' }, ['time_long_past /openedAt']],
    ['that is the same at both ends is not reversed', { openedAt: timeOf(1), closedAt: timeOf(1) }, []],
  ] as const) {
    test(what, () => assert.deepEqual(codesOf('order', orderWith([coffee()], changes)), expected))
  }

  test('of a till status is checked, both of them', () => {
    const status = (changes: object) => ({
      deviceId: idOf('device', 1).toUpperCase(),
      at: timeOf(5),
      completeUntil: timeOf(4),
      lastNumber: null,
      ...changes,
    })
    assert.deepEqual(codesOf('device.status', status({})), [])
    const ahead = { at: at(nowMs + 11 * minute), completeUntil: '1999-01-01T00:00:00.000Z' }
    assert.deepEqual(codesOf('device.status', status(ahead)), ['time_ahead /at', 'time_long_past /completeUntil'])
  })

  test('is reported with its distance from the clock', () => {
    const [ahead] = details('order', orderWith([coffee()], { updatedAt: at(nowMs + 120 * minute) }))
    assert.match(ahead ?? '', /^updatedAt is 120 minutes ahead of the server's clock/)
    const [past] = details('order', orderWith([coffee()], { openedAt: '1970-01-01T00:00:00.000Z' }))
    assert.match(past ?? '', /^openedAt is in 1970:/)
  })
})

describe('a text', () => {
  const place = (orderPlace: string) => codesOf('order', orderWith([coffee()], { orderPlace }))
  for (const blank of [' ', '\t', '\u00a0', '\u3000', '\ufeff']) {
    test(`with U+${blank.charCodeAt(0).toString(16)} around it is padded, and with one inside it is not`, () => {
      assert.deepEqual(place(`${blank}12`), ['text_padded /orderPlace'])
      assert.deepEqual(place(`12${blank}`), ['text_padded /orderPlace'])
      assert.deepEqual(place(`1${blank}2`), [])
    })
  }

  test('can begin like a placeholder, and be empty if it is optional', () => {
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
    assert.equal(detail, `device “${name.slice(0, 100)}” does not belong to the location`)
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
    test(`is checked in ${what}`, () => assert.deepEqual(codesOf(type, data), [expected]))
  }
})

describe('an id', () => {
  const nothing = '00000000-0000-0000-0000-000000000000'
  test('of only zeros or Fs is reported in a report, an order and a list', () => {
    assert.deepEqual(codesOf('report', report({ id: nothing })), ['id_placeholder /id'])
    assert.deepEqual(codesOf('report', report({ id: nothing.replaceAll('0', 'F') })), ['id_placeholder /id'])
    assert.deepEqual(codesOf('order', orderWith([coffee()], { id: nothing })), ['id_placeholder /id'])
    assert.deepEqual(codesOf('catalog.payments', [{ ...payments[0], id: nothing }]), ['id_placeholder /0/id'])
  })

  test('matches in either case, within a list, in an order and among stored records', () => {
    const [one] = payments
    const twice = [one, { ...one, id: one?.id.toUpperCase() }]
    assert.deepEqual(codesOf('catalog.payments', twice), ['id_twice /1/id'])
    assert.deepEqual(codesOf('catalog.modifiers', [modifiers[0], modifiers[0]]), ['id_twice /1/id'])
    const item = coffee({ comboParentId: idOf('menu', 1).toUpperCase() })
    const upper = {
      ...item,
      itemCatalogId: item.itemCatalogId.toUpperCase(),
      tax: { ...item.tax, taxCatalogId: item.tax.taxCatalogId.toUpperCase() },
    }
    const menus = [{ ...orderOf(location, 1).menus[0], id: idOf('menu', 1) }] as Order['menus']
    assert.deepEqual(codesOf('order', orderWith([upper], { menus })), [])
    const moved = productsOf(5).map((product) => ({ ...product, id: product.id.toUpperCase() }))
    assert.deepEqual(codesOf('catalog.products', moved), [])
    const swapped = moved.map((product, i) => ({ ...product, name: `Plat ${((i + 1) % 5) + 1}` }))
    assert.equal(codesOf('catalog.products', swapped).filter((one) => one.startsWith('id_reused')).length, 5)
  })

  test('of a tax in upper case has the rate of its catalog', () => {
    const item = coffee({
      tax: { ...coffee().tax, taxRate: 0.2, taxAmount: 0.83, taxCatalogId: idOf('tax', 1).toUpperCase() },
    })
    assert.deepEqual(codesOf('order', orderWith([item])), ['tax_rate_mismatch /items/0/tax/taxRate'])
    assert.deepEqual(details('order', orderWith([item])), [
      'taxRate 0.2 means 20 %, but the catalog has 10 % for this tax',
    ])
  })
})

describe('a currency', () => {
  /** Returns the warnings about payments of an order of 100.00 that is overpaid or underpaid by this much. */
  const paid = (currency: string, difference: number) => {
    const tax = { ...coffee().tax, taxAmount: Math.round(2000 / 11) / 20 }
    const order = orderWith([coffee({ quantity: 4, unitPrice: 25, total: 100, tax })])
    const payments = [{ paymentAmount: 100 + difference, paymentName: 'Espèces', paymentCatalogId: idOf('payment', 1) }]
    const seen = { ...nothingKnown, money: moneyOf(currency) }
    return codesOf('order', { ...order, payments }, seen).filter((one) => one.startsWith('payments'))
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
    test(`${currency}: cash can differ from the total by ${rounding}, and not by two hundredths more`, () => {
      for (const off of [rounding, -rounding]) assert.deepEqual(paid(currency, off), [])
      for (const off of [rounding + 0.02, -rounding - 0.02]) {
        assert.deepEqual(paid(currency, off), ['payments_mismatch /payments'])
      }
    })
  }
})

test('a known catalog is indexed by ids in lower case', () => {
  const upper = productsOf(2).map((product) => ({ ...product, id: product.id.toUpperCase() }))
  const known = idsOf('catalog.products', upper).products
  assert.deepEqual(
    [...(known?.keys() ?? [])],
    productsOf(2).map(({ id }) => id.toLowerCase()),
  )
})
