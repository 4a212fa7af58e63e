import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { idsOf, nothingKnown, type KnownIds } from '../../../src/domain/warnings/known.ts'
import { warnOfRecord } from '../../../src/domain/warnings/records.ts'
import { warnOfHundredfold } from '../../../src/domain/warnings/report-warnings.ts'
import type { Order } from '../../../src/schemas/orders.ts'
import type { RecordType } from '../../../src/schemas/resources.ts'
import { warningCodes } from '../../../src/schemas/warnings.ts'
import { createRestaurant } from '../../../src/simulator/restaurant.ts'
import { simulate } from '../../../src/simulator/simulation.ts'
import { idOf, itemOf, locationOf, orderOf, payments, productsOf, reportOf, timeOf } from '../../support/records.ts'
import { hourMs } from '../../../src/domain/time-units.ts'

const location = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'
const nowMs = Date.parse(timeOf(0)) + 365 * 86_400_000

const known: KnownIds = {
  ...nothingKnown,
  ...idsOf('catalog.products', productsOf(5)),
  ...idsOf('catalog.taxes', [{ id: idOf('tax', 1) }]),
  ...idsOf('catalog.payments', payments),
  ...idsOf('location', locationOf(location)),
}

/** All devices were five hours late so far, in enough pushes. */
const fiveHours = { halfHours: 10, sinceMs: nowMs - 600_000, pushes: 3 }

const told = (type: RecordType, data: unknown, seen: KnownIds = known) =>
  warnOfRecord(type, data, { known: seen, nowMs, delayOf: () => fiveHours }).map(
    ({ pointer, code }) => `${code} ${pointer}`,
  )

/** Two coffees of 2.50 at 10 %, as they should be sent. */
const coffee = (changes: object = {}) =>
  itemOf(1, {
    quantity: 2,
    unitPrice: 2.5,
    total: 5,
    discountsApplied: [],
    tax: { taxName: '10 %', taxRate: 0.1, taxAmount: 0.45, taxCatalogId: idOf('tax', 1) },
    ...changes,
  })
const paid = (paymentAmount: number) => [{ paymentAmount, paymentName: 'Carte', paymentCatalogId: idOf('payment', 1) }]
const coffees = (changes: Partial<Order> = {}) =>
  orderOf(location, 1, {
    items: [coffee()],
    menus: [],
    tips: null,
    total: 5,
    totalTax: 0.45,
    totalDiscount: 0,
    payments: paid(5),
    ...changes,
  })
const taxed = (tax: object) => coffees({ items: [coffee({ tax: { ...coffee().tax, ...tax } })] })
const inCents = (unitPrice: number, total: number, taxAmount: number) =>
  coffees({
    items: [coffee({ unitPrice, total, tax: { ...coffee().tax, taxAmount } })],
    total,
    totalTax: taxAmount,
    payments: paid(total),
  })
const inUnits = reportOf(location, 1, {
  totalSales: 22,
  reportProducts: [],
  reportPayments: [{ paymentName: 'Carte', paymentAmount: 2200 }],
})
const later = (ms: number) => new Date(nowMs + ms).toISOString()

const mistakes: [what: string, type: RecordType, data: unknown, warnings: string[]][] = [
  [
    'a tax of 10 in the catalog instead of 1000',
    'catalog.taxes',
    [{ id: idOf('tax', 1), name: '', percentage: 10 }],
    ['tax_rate_under_one_percent /data/0/percentage'],
  ],
  [
    'a product’s tax of 20 instead of 2000',
    'catalog.products',
    [{ ...productsOf(1)[0], priceList: [{ priceTypeId: 1, priceTypeName: '', unitPrice: 250, taxRate: 20 }] }],
    ['tax_rate_under_one_percent /data/0/priceList/0/taxRate'],
  ],
  ['a tax rate of 10 in an order', 'order', taxed({ taxRate: 10 }), ['tax_rate_over_one /data/items/0/tax/taxRate']],
  [
    'a tax rate of 1000 in an order',
    'order',
    taxed({ taxRate: 1000 }),
    ['tax_rate_over_one /data/items/0/tax/taxRate'],
  ],
  ['an order wholly in cents', 'order', inCents(250, 500, 45), ['amounts_in_cents /data']],
  [
    'an order in cents whose tax happens to be whole, by its catalog',
    'order',
    { ...inCents(1250, 2200, 200) },
    ['amounts_in_cents /data'],
  ],
  [
    'an order in cents whose taxes were cut instead of rounded',
    'order',
    inCents(1300, 1300, 118),
    ['amounts_in_cents /data'],
  ],
  [
    'items in cents beside a total in units, by the catalog',
    'order',
    coffees({ items: [coffee({ unitPrice: 1250, total: 2500, tax: { ...coffee().tax, taxAmount: 227.27 } })] }),
    ['amounts_in_cents /data', 'total_mismatch /data/total', 'tax_mismatch /data/totalTax'],
  ],
  [
    'tax added on top of a whole amount, which is no order in cents',
    'order',
    inCents(25, 50, 5),
    ['tax_mismatch /data/items/0/tax/taxAmount'],
  ],
  [
    'a negative quantity whose total is positive',
    'order',
    coffees({ items: [coffee({ quantity: -2 })] }),
    ['total_mismatch /data/items/0/total'],
  ],
  [
    'payments in cents beside a total in units',
    'order',
    coffees({
      items: [coffee({ quantity: 5, total: 12.5, tax: { ...coffee().tax, taxAmount: 1.14 } })],
      total: 12.5,
      totalTax: 1.14,
      payments: paid(1250),
    }),
    ['payments_mismatch /data/payments'],
  ],
  [
    'a change that was made before its order',
    'order',
    coffees({ createdAt: timeOf(5), updatedAt: timeOf(4) }),
    ['times_reversed /data/updatedAt'],
  ],
  ['a total that is not the sum', 'order', coffees({ total: 6, payments: paid(6) }), ['total_mismatch /data/total']],
  ['a total tax that is not the sum', 'order', coffees({ totalTax: 1 }), ['tax_mismatch /data/totalTax']],
  [
    'tax added on top instead of contained',
    'order',
    { ...taxed({ taxAmount: 0.6 }), totalTax: 0.6 },
    ['tax_mismatch /data/items/0/tax/taxAmount'],
  ],
  ['a closed order without payments', 'order', coffees({ payments: [] }), ['payments_missing /data/payments']],
  [
    'payments that are less than the total',
    'order',
    coffees({ payments: paid(4) }),
    ['payments_mismatch /data/payments'],
  ],
  [
    'a product that is not in the catalog',
    'order',
    coffees({ items: [coffee({ itemCatalogId: idOf('product', 77) })] }),
    ['unknown_product /data/items/0/itemCatalogId'],
  ],
  [
    'a tax that is not in the catalog',
    'order',
    taxed({ taxCatalogId: idOf('tax', 77) }),
    ['unknown_tax /data/items/0/tax/taxCatalogId'],
  ],
  [
    'a payment that is not in the catalog',
    'order',
    coffees({ payments: [{ ...paid(5)[0]!, paymentCatalogId: idOf('payment', 7) }] }),
    ['unknown_payment /data/payments/0/paymentCatalogId'],
  ],
  [
    'a device that the location does not have',
    'order',
    coffees({ deviceId: idOf('device', 7) }),
    ['unknown_device /data/deviceId'],
  ],
  [
    'local time sent as UTC',
    'order',
    coffees({
      createdAt: later(2 * hourMs),
      openedAt: later(2 * hourMs),
      updatedAt: later(2 * hourMs),
      closedAt: later(2 * hourMs),
    }),
    ['openedAt', 'createdAt', 'updatedAt', 'closedAt'].map((name) => `time_ahead /data/${name}`),
  ],
  [
    'an end before its beginning',
    'order',
    coffees({ openedAt: timeOf(5), closedAt: timeOf(4) }),
    ['times_reversed /data/closedAt'],
  ],
  ['a Z in units beside payments in cents', 'report', inUnits, ['report_total_hundredfold /data/totalSales']],
  [
    'a Z whose total is another than that of its products',
    'report',
    reportOf(location, 1, { totalSales: 99_900 }),
    ['total_mismatch /data/totalSales'],
  ],
  [
    'a Z with a tax of 10 instead of 1000',
    'report',
    reportOf(location, 1, { reportTaxes: [{ taxName: '', taxRate: 10, taxAmount: 200, taxableAmount: 2000 }] }),
    ['tax_rate_under_one_percent /data/reportTaxes/0/taxRate'],
  ],
  [
    'a Z of this evening in local time',
    'report',
    reportOf(location, 1, { finalizedAt: later(hourMs) }),
    ['time_ahead /data/finalizedAt'],
  ],
  [
    'a local time of a zone behind UTC, in each of its pushes',
    'order',
    coffees({ updatedAt: later(-5 * hourMs - 20_000) }),
    ['times_behind /data/updatedAt'],
  ],
  [
    'a Z that ends before it begins',
    'report',
    reportOf(location, 1, { startedAt: timeOf(3), finalizedAt: timeOf(2) }),
    ['times_reversed /data/finalizedAt'],
  ],
]

describe('a till is told of', () => {
  for (const [what, type, data, expected] of mistakes) {
    test(what, () => assert.deepEqual(told(type, data), expected))
  }
})

test('every code of the table is given for one of these mistakes', () => {
  const given = mistakes.flatMap(([, , , expected]) => expected.map((warning) => String(warning.split(' ')[0])))
  assert.deepEqual([...new Set(given)].toSorted(), warningCodes.toSorted())
})

test('what is right is not warned of', () => {
  const right: [RecordType, unknown][] = [
    ['order', coffees()],
    ['order', coffees({ closedAt: null, payments: [] })],
    ['order', coffees({ isCanceled: true, payments: [] })],
    ['order', coffees({ isTransferred: true, payments: [] })],
    ['order', coffees({ isTraining: true, payments: [] })],
    ['order', coffees({ items: [], total: 0, totalTax: 0, payments: [] })],
    // Whole units of which the tax is whole too.
    [
      'order',
      coffees({
        items: [coffee({ unitPrice: 11, total: 22, tax: { ...coffee().tax, taxAmount: 2 } })],
        total: 22,
        totalTax: 2,
        payments: paid(22),
      }),
    ],
    ['order', coffees({ items: [coffee(), coffee({ isCanceled: true }), coffee({ isLoss: true })] })],
    ['order', coffees({ payments: paid(10) })],
    // A note of 500 for 5.
    ['order', coffees({ payments: paid(500) })],
    // Given back.
    [
      'order',
      coffees({
        items: [coffee({ quantity: -2, total: -5, tax: { ...coffee().tax, taxAmount: -0.45 } })],
        total: -5,
        totalTax: -0.45,
        payments: paid(-5),
      }),
    ],
    ['order', coffees({ updatedAt: later(60_000) })],
    [
      'catalog.taxes',
      [
        { id: idOf('tax', 1), name: '', percentage: 1000 },
        { id: idOf('tax', 2), name: '', percentage: 0 },
      ],
    ],
    ['catalog.products', productsOf(3)],
    ['report', reportOf(location, 1)],
    ['report', reportOf(location, 1, { totalSales: 0, reportProducts: [], reportPayments: [] })],
  ]
  for (const [type, data] of right) assert.deepEqual(told(type, data), [], JSON.stringify(data).slice(0, 200))
})

test('where nothing is stored nothing is unknown', () => {
  const strange = coffees({ deviceId: idOf('device', 9), items: [coffee({ itemCatalogId: idOf('product', 99) })] })
  assert.deepEqual(told('order', strange, nothingKnown), [])
  assert.deepEqual(told('order', strange, { ...nothingKnown, ...idsOf('catalog.products', []) }), [])
})

test('an id is known in either case', () => {
  const upper = coffees({ deviceId: idOf('device', 1).toUpperCase() })
  assert.deepEqual(told('order', upper), [])
})

test('a report is compared with its stored orders, whichever of the two is in the wrong unit', () => {
  assert.equal(warnOfHundredfold(2480, 248_000)?.code, 'report_total_hundredfold')
  assert.equal(warnOfHundredfold(248_000, 2480)?.code, 'report_total_hundredfold')
  for (const cents of [0, 2480, 248_001, -248_000]) assert.equal(warnOfHundredfold(2480, cents), undefined)
})

test('of one record twenty warnings are told at most', () => {
  const items = Array.from({ length: 50 }, () => coffee({ itemCatalogId: idOf('product', 99) }))
  assert.equal(told('order', coffees({ items, total: 250, totalTax: 22.5, payments: paid(250) })).length, 20)
})

test('a simulated restaurant is warned of nothing, in two weeks', () => {
  const from = new Date('2026-03-02T00:00:00.000Z')
  const to = new Date('2026-03-16T00:00:00.000Z')
  const seen: KnownIds = { ...nothingKnown }
  let orders = 0
  for (const { at, record } of simulate(createRestaurant({ seed: 'warnings' }), { from, to })) {
    Object.assign(seen, idsOf(record.type, record.data))
    if (record.type === 'order') orders += 1
    const found = warnOfRecord(record.type, record.data, { known: seen, nowMs: at.getTime() })
    assert.deepEqual(found, [], `${record.type} ${JSON.stringify(record.data).slice(0, 1500)}`)
  }
  assert.ok(orders > 1000)
})
