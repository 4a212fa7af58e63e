import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { idsOf, nothingKnown, type KnownIds } from '../../../../src/modules/warnings/domain/known.ts'
import { moneyOf } from '../../../../src/core/contract/money/currency.ts'
import { warnOfRecord } from '../../../../src/modules/warnings/domain/records.ts'
import { warnOfHundredfold } from '../../../../src/modules/warnings/domain/report-warnings.ts'
import type { RecordType } from '../../../../src/core/contract/resources.ts'
import { warningCodes } from '../../../../src/modules/warnings/schemas/warnings.ts'
import { createRestaurant } from '../../../../simulator/restaurant.ts'
import { simulate } from '../../../../simulator/simulation.ts'
import { idOf, locationOf, modifiers, payments, productsOf, reportOf } from '../../../support/records.ts'
import { besideOthers, inTurn } from './beside-others.ts'
import {
  location,
  codesOf,
  coffee,
  paid,
  coffees,
  inCents,
  productsWith,
  discounted,
  quantified,
  status,
  later,
  inYen,
} from './examples.ts'
import { mistakenAmounts } from './mistaken-amounts.ts'
import { mistakenDocuments } from './mistaken-documents.ts'
import { mistakenOrders } from './mistaken-orders.ts'

const mistakes = [...mistakenAmounts, ...mistakenOrders, ...mistakenDocuments]

describe('a till is warned of', () => {
  for (const [what, type, data, expected, seen] of mistakes) {
    test(what, () => assert.deepEqual(codesOf(type, data, seen), expected))
  }
})

test('every warning code is covered by one of these mistakes', () => {
  const expected = [
    ...mistakes.flatMap(([, , , warnings]) => warnings),
    ...besideOthers.map(([, , warning]) => warning),
    ...inTurn.flatMap(([, , warnings]) => warnings),
    // Only for records that are pushed as current (beside-others.test.ts).
    'time_long_ago',
  ]
  const given = expected.map((warning) => String(warning.split(' ')[0]))
  assert.deepEqual([...new Set(given)].toSorted(), warningCodes.toSorted())
})

test('correct records cause no warning', () => {
  const right: [RecordType, unknown][] = [
    ['order', coffees()],
    ['order', coffees({ closedAt: null, payments: [] })],
    ['order', coffees({ isCanceled: true, payments: [] })],
    ['order', coffees({ isTransferred: true, payments: [] })],
    ['order', coffees({ isTraining: true, payments: [] })],
    ['order', coffees({ items: [], total: 0, totalTax: 0, payments: [] })],
    // Whole units with a whole tax.
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
    // For a total of 5.00: 7.00 including a tip of 2.00, and 4.98 in cash.
    ['order', coffees({ payments: paid(7), tips: [{ amount: 2 }] })],
    ['order', coffees({ payments: paid(4.98) })],
    // A payment that was given back.
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
        { id: idOf('tax', 1), name: 'TVA 10 %', percentage: 1000 },
        { id: idOf('tax', 2), name: 'TVA 0 %', percentage: 0 },
      ],
    ],
    ['catalog.products', productsOf(3)],
    ['catalog.modifiers', modifiers],
    ['catalog.modifiers', []],
    ['catalog.payments', payments],
    // A renamed product, and one that was entered again under another id.
    ['catalog.products', productsWith({}, { name: 'Nouveau' })],
    ['catalog.products', [...productsOf(5), { ...productsOf(1)[0], id: idOf('product', 6) }]],
    ['location', locationOf(location)],
    ['location', locationOf(location, { siret: '', country: 'Suisse' })],
    ['location', locationOf(location, { siret: 'CHE-123.456.789', country: 'Suisse' })],
    ['device.status', status()],
    // Modifiers cost something, a weight has its own price, and the dishes of a menu share its price.
    [
      'order',
      quantified({
        unitPrice: 2,
        modifiers: [{ modifierGroupId: idOf('modifier', 1), modifierId: idOf('modifier', 2), name: 'Lait' }],
      }),
    ],
    ['order', quantified({ quantity: 0, unitPrice: 14.3, weight: 0.35 })],
    ['order', discounted(0.5, 4.5)],
    ['report', reportOf(location, 1)],
    ['report', reportOf(location, 1, { deviceName: 'Kasse', deviceIdentifier: idOf('device', 1).toUpperCase() })],
    ['report', reportOf(location, 1, { totalSales: 0, reportProducts: [], reportTaxes: [], reportPayments: [] })],
  ]
  for (const [type, data] of right) assert.deepEqual(codesOf(type, data), [], JSON.stringify(data).slice(0, 200))
})

test('in a currency without decimals whole amounts and taxes are correct', () => {
  const ramen = inCents(980, 1960, 178)
  assert.deepEqual(codesOf('order', ramen, inYen), [])
  const forints = inCents(1990, 3980, 362)
  assert.deepEqual(codesOf('order', forints, { ...nothingKnown, money: moneyOf('HUF') }), [])
  const dinars = { ...inCents(1.125, 2.25, 0.205), totalTax: 0.205 }
  assert.deepEqual(codesOf('order', dinars, { ...nothingKnown, money: moneyOf('KWD') }), [])
  // The krona has no smaller coin.
  const kronor = { ...inCents(49.75, 99.5, 9.05), payments: paid(100) }
  assert.deepEqual(codesOf('order', kronor, { ...nothingKnown, money: moneyOf('SEK') }), [])
  // A bottle for 300 in rupees, without stored data.
  assert.deepEqual(codesOf('order', inCents(330, 660, 60), { ...nothingKnown, money: moneyOf('INR') }), [])
})

test('if nothing is stored nothing is reported as unknown', () => {
  const strange = coffees({ deviceId: idOf('device', 9), items: [coffee({ itemCatalogId: idOf('product', 99) })] })
  assert.deepEqual(codesOf('order', strange, nothingKnown), [])
  assert.deepEqual(codesOf('location', locationOf(location, { deviceList: [] }), nothingKnown), [])
  assert.deepEqual(codesOf('order', strange, { ...nothingKnown, ...idsOf('catalog.products', []) }), [])
})

test('an id is known in either case', () => {
  const upper = coffees({ deviceId: idOf('device', 1).toUpperCase() })
  assert.deepEqual(codesOf('order', upper), [])
})

test('a report is compared with its stored orders, whichever of the two has the wrong unit', () => {
  assert.equal(warnOfHundredfold(2480, 248_000, 100)?.code, 'report_total_hundredfold')
  assert.equal(warnOfHundredfold(248_000, 2480, 100)?.code, 'report_total_hundredfold')
  for (const cents of [0, 2480, 248_001, -248_000]) assert.equal(warnOfHundredfold(2480, cents, 100), undefined)
})

test('a record has at most twenty warnings', () => {
  const items = Array.from({ length: 50 }, () => coffee({ itemCatalogId: idOf('product', 99) }))
  assert.equal(codesOf('order', coffees({ items, total: 250, totalTax: 22.5, payments: paid(250) })).length, 20)
})

test('two weeks of a simulated restaurant cause no warning', () => {
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
