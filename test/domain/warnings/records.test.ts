import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { idsOf, nothingKnown, type KnownIds } from '../../../src/domain/warnings/known.ts'
import { moneyOf } from '../../../src/domain/warnings/money.ts'
import { warnOfRecord } from '../../../src/domain/warnings/records.ts'
import {
  warnOfOtherReports,
  warnOfReportOrders,
  type NamedOrder,
  type OtherReport,
} from '../../../src/domain/warnings/report-orders.ts'
import { warnOfHundredfold } from '../../../src/domain/warnings/report-warnings.ts'
import { Sightings } from '../../../src/domain/warnings/sightings.ts'
import type { Order } from '../../../src/schemas/orders.ts'
import type { Report } from '../../../src/schemas/reports.ts'
import type { RecordType } from '../../../src/schemas/resources.ts'
import { warningCodes } from '../../../src/schemas/warnings.ts'
import { createRestaurant } from '../../../src/simulator/restaurant.ts'
import { simulate } from '../../../src/simulator/simulation.ts'
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
import { hourMs } from '../../../src/domain/time-units.ts'

const location = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'
const nowMs = Date.parse(timeOf(0)) + 365 * 86_400_000

const known: KnownIds = {
  ...nothingKnown,
  ...idsOf('catalog.products', productsOf(5)),
  ...idsOf('catalog.taxes', [{ id: idOf('tax', 1), percentage: 1000 }]),
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
    modifiers: [],
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
/** Five products of which the first has these in its price. */
const productsWith = (price: object, first: object = {}) =>
  productsOf(5).map((product, i) =>
    i > 0 ? product : { ...product, priceList: product.priceList.map((entry) => ({ ...entry, ...price })), ...first },
  )
const priced = (unitPrices: number[]) =>
  productsOf(unitPrices.length).map((product, i) => ({
    ...product,
    priceList: [{ priceTypeId: 1, priceTypeName: 'Sur place', unitPrice: unitPrices[i] ?? 0, taxRate: 1000 }],
  }))
const discounted = (discountValue: number, total: number, item: object = {}) =>
  coffees({
    items: [
      coffee({
        total,
        tax: { ...coffee().tax, taxAmount: total / 11 },
        discountsApplied: [{ discountName: 'Fidélité', discountValue, discountCatalogId: idOf('discount', 1) }],
        ...item,
      }),
    ],
    total,
    totalTax: Math.round((total * 100) / 11) / 100,
    totalDiscount: discountValue,
    payments: paid(total),
  })
const quantified = (item: object) => coffees({ items: [coffee(item)] })
const status = (changes: object = {}) => ({
  deviceId: idOf('device', 1),
  at: timeOf(5),
  completeUntil: timeOf(4),
  lastNumber: null,
  ...changes,
})
const later = (ms: number) => new Date(nowMs + ms).toISOString()

const inYen: KnownIds = { ...nothingKnown, money: moneyOf('JPY') }

const mistakes: [what: string, type: RecordType, data: unknown, warnings: string[], seen?: KnownIds][] = [
  [
    'a tax of 10 in the catalog instead of 1000',
    'catalog.taxes',
    [{ id: idOf('tax', 1), name: 'TVA', percentage: 10 }],
    ['tax_rate_under_one_percent /data/0/percentage'],
  ],
  [
    'a product’s tax of 20 instead of 2000',
    'catalog.products',
    productsWith({ taxRate: 20 }),
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
    { ...inCents(1250, 2500, 227) },
    ['amounts_in_cents /data'],
  ],
  [
    'an order in cents whose taxes were cut instead of rounded',
    'order',
    inCents(650, 1300, 118),
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
    ['total_mismatch /data/totalSales', 'tax_mismatch /data/reportTaxes'],
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
    'tax added on top of two coffees',
    'order',
    { ...taxed({ taxAmount: 0.5 }), totalTax: 0.5 },
    ['tax_mismatch /data/items/0/tax/taxAmount'],
  ],
  [
    'a product with 55 % for 5.5 %, by the taxes of the catalog',
    'catalog.products',
    productsWith({ taxRate: 5500 }),
    ['tax_rate_mismatch /data/0/priceList/0/taxRate'],
  ],
  [
    'a Z with a tax of 100 for 10 %',
    'report',
    reportOf(location, 1, { reportTaxes: [{ taxName: 'TVA', taxRate: 100, taxAmount: 200, taxableAmount: 2000 }] }),
    ['tax_mismatch /data/reportTaxes/0/taxAmount'],
  ],
  [
    'a Z that ends before it begins',
    'report',
    reportOf(location, 1, { startedAt: timeOf(3), finalizedAt: timeOf(2) }),
    ['times_reversed /data/finalizedAt'],
  ],
  [
    'an order in cents whose tax is whole, where nothing is stored',
    'order',
    inCents(1100, 2200, 200),
    ['amounts_in_cents /data'],
    nothingKnown,
  ],
  [
    'an order in cents without any tax, where nothing is stored',
    'order',
    coffees({
      items: [coffee({ unitPrice: 250, total: 500, tax: { ...coffee().tax, taxRate: 0, taxAmount: 0 } })],
      total: 500,
      totalTax: 0,
      payments: paid(500),
    }),
    ['amounts_in_cents /data'],
    nothingKnown,
  ],
  [
    'a tax rate of 0.55 for 5.5 %, by the catalog',
    'order',
    coffees({
      items: [coffee({ tax: { ...coffee().tax, taxRate: 0.55, taxAmount: 1.77 } })],
      totalTax: 1.77,
    }),
    ['tax_rate_mismatch /data/items/0/tax/taxRate'],
  ],
  [
    'a rate of 0.001, a fraction of a fraction',
    'order',
    { ...taxed({ taxRate: 0.001, taxAmount: 0 }), totalTax: 0 },
    ['tax_rate_under_one_percent /data/items/0/tax/taxRate'],
  ],
  [
    'a rate of 1000 % in the catalog',
    'catalog.taxes',
    [{ id: idOf('tax', 1), name: 'TVA', percentage: 100_000 }],
    ['tax_rate_over_one /data/0/percentage'],
  ],
  [
    'a negative rate in the catalog',
    'catalog.taxes',
    [{ id: idOf('tax', 1), name: 'TVA', percentage: -1000 }],
    ['tax_rate_under_one_percent /data/0/percentage'],
  ],
  [
    'a discount with a minus',
    'order',
    discounted(-0.5, 4.5),
    ['discount_mismatch /data/items/0/discountsApplied/0/discountValue'],
  ],
  [
    'a discount in percent',
    'order',
    discounted(10, 4.5),
    ['discount_mismatch /data/items/0/discountsApplied/0/discountValue'],
  ],
  [
    'a discount in percent that is less than the price',
    'order',
    discounted(2, 4.9),
    ['total_mismatch /data/items/0/total'],
  ],
  [
    'a discount in cents',
    'order',
    discounted(50, 4.5),
    ['discount_mismatch /data/items/0/discountsApplied/0/discountValue'],
  ],
  ['a total before its discount', 'order', discounted(0.5, 5), ['total_mismatch /data/items/0/total']],
  [
    'a discount of the whole order that no item has',
    'order',
    coffees({ totalDiscount: 1 }),
    ['discount_mismatch /data/totalDiscount'],
  ],
  [
    'a total discount with a minus',
    'order',
    { ...discounted(0.5, 4.5), totalDiscount: -0.5 },
    ['discount_mismatch /data/totalDiscount'],
  ],
  [
    'a discount of a report with a minus',
    'report',
    reportOf(location, 1, {
      reportDiscounts: [{ discountName: 'Fidélité', discountValue: -300, discountCatalogId: idOf('discount', 1) }],
    }),
    ['discount_mismatch /data/reportDiscounts/0/discountValue'],
  ],
  ['a price of the line as that of one', 'order', quantified({ unitPrice: 5 }), ['total_mismatch /data/items/0/total']],
  ['a price without its tax', 'order', quantified({ unitPrice: 2.27 }), ['total_mismatch /data/items/0/total']],
  [
    'a quantity of nothing',
    'order',
    quantified({ quantity: 0 }),
    ['total_mismatch /data/items/0/total', 'quantity_implausible /data/items/0/quantity'],
  ],
  [
    'a quantity in thousandths',
    'order',
    quantified({ quantity: 2000 }),
    ['total_mismatch /data/items/0/total', 'quantity_implausible /data/items/0/quantity'],
  ],
  ['minus one guest', 'order', coffees({ guests: -1 }), ['quantity_implausible /data/guests']],
  ['a table number as guests', 'order', coffees({ guests: 4711 }), ['quantity_implausible /data/guests']],
  [
    'minus one guest of a report',
    'report',
    reportOf(location, 1, { guestsNumber: -1 }),
    ['quantity_implausible /data/guestsNumber'],
  ],
  [
    'a sum of binary fractions as it stands',
    'order',
    {
      ...quantified({ unitPrice: 0.15, total: 0.1 + 0.2, tax: { ...coffee().tax, taxAmount: 0.03 } }),
      total: 0.1 + 0.2,
      totalTax: 0.03,
      payments: paid(0.1 + 0.2),
    },
    [
      'decimals_beyond_currency /data/total',
      'decimals_beyond_currency /data/payments/0/paymentAmount',
      'decimals_beyond_currency /data/items/0/total',
    ],
  ],
  [
    'half a yen',
    'order',
    coffees({
      items: [coffee({ quantity: 1, unitPrice: 499.5, total: 499.5, tax: { ...coffee().tax, taxAmount: 45 } })],
      total: 499.5,
      totalTax: 45,
      payments: paid(500),
    }),
    ['decimals_beyond_currency /data/total', 'decimals_beyond_currency /data/items/0/total'],
    inYen,
  ],
  [
    'a catalog in yen instead of hundredths of them',
    'catalog.products',
    productsWith({ unitPrice: 550 }),
    [
      'decimals_beyond_currency /data/0/priceList/0/unitPrice',
      ...[1, 2, 3, 4].map((i) => `decimals_beyond_currency /data/${i}/priceList/0/unitPrice`),
    ],
    inYen,
  ],
  [
    'a Z in yen instead of hundredths of them',
    'report',
    reportOf(location, 1, { totalSales: 2250, reportProducts: [], reportTaxes: [], reportPayments: [] }),
    ['decimals_beyond_currency /data/totalSales'],
    inYen,
  ],
  ['a catalog in units', 'catalog.products', priced([2, 3, 12, 14, 9]), ['prices_in_units /data']],
  [
    'an order whose catalog is in units',
    'order',
    inCents(12, 24, 2.18),
    ['prices_in_units /data/items/0/unitPrice'],
    { ...known, ...idsOf('catalog.products', priced([12, 3, 4])) },
  ],
  [
    'an order in yen whose catalog is in yen',
    'order',
    inCents(500, 1000, 91),
    ['prices_in_units /data/items/0/unitPrice'],
    { ...inYen, ...idsOf('catalog.products', priced([500])) },
  ],
  [
    'a modifier in units',
    'catalog.modifiers',
    [{ ...modifiers[0], options: [{ id: idOf('modifier', 2), name: 'Double', price: 0.5 }] }],
    ['prices_in_units /data/0/options/0/price'],
  ],
  [
    'a price below nothing',
    'catalog.products',
    productsWith({ unitPrice: -250 }),
    ['price_negative /data/0/priceList/0/unitPrice'],
  ],
  [
    'tips in the total',
    'order',
    coffees({ total: 7, payments: paid(7), tips: [{ amount: 2 }] }),
    ['total_mismatch /data/total'],
  ],
  ['the note that was handed over', 'order', coffees({ payments: paid(10) }), ['payments_mismatch /data/payments']],
  [
    'a refund whose payment is positive',
    'order',
    coffees({
      items: [coffee({ quantity: -2, total: -5, tax: { ...coffee().tax, taxAmount: -0.45 } })],
      total: -5,
      totalTax: -0.45,
      payments: paid(5),
    }),
    ['payments_mismatch /data/payments'],
  ],
  [
    'seconds for milliseconds',
    'order',
    coffees({ openedAt: '1970-01-21T12:00:00.000Z' }),
    ['time_long_past /data/openedAt'],
  ],
  [
    'a till without a clock',
    'report',
    reportOf(location, 1, { startedAt: '2000-01-01T00:00:12.000Z' }),
    ['time_long_past /data/startedAt'],
  ],
  [
    'a shift that ends before it begins',
    'report',
    reportOf(location, 1, {
      reportClerksShift: [
        { name: 'Camille', id: idOf('operator', 1), clockInDate: timeOf(2), clockOutDate: timeOf(1) },
      ],
    }),
    ['times_reversed /data/reportClerksShift/0/clockOutDate'],
  ],
  [
    'a Z whose taxable amounts include their tax',
    'report',
    reportOf(location, 1, { reportTaxes: [{ taxName: 'TVA', taxRate: 1000, taxAmount: 200, taxableAmount: 2200 }] }),
    ['tax_mismatch /data/reportTaxes'],
  ],
  [
    'a Z of a till that the location does not have',
    'report',
    reportOf(location, 1, { deviceName: 'POS-1' }),
    ['unknown_device /data/deviceName'],
  ],
  [
    'a status of such a till',
    'device.status',
    status({ deviceId: idOf('device', 7) }),
    ['unknown_device /data/deviceId'],
  ],
  [
    'a status that promises what comes after it',
    'device.status',
    status({ completeUntil: timeOf(6) }),
    ['times_reversed /data/at'],
  ],
  [
    'a dish of a menu that the order does not have',
    'order',
    quantified({ comboParentId: idOf('product', 9) }),
    ['unknown_menu /data/items/0/comboParentId'],
  ],
  ['an empty catalog', 'catalog.products', [], ['list_shrunk /data']],
  ['only what changed', 'catalog.products', productsOf(2), ['list_shrunk /data']],
  [
    'a location without its tills',
    'location',
    locationOf(location, { deviceList: [] }),
    ['list_shrunk /data/deviceList'],
  ],
  [
    'a product twice',
    'catalog.products',
    [...productsOf(5), { ...productsOf(1)[0], name: 'Plat' }],
    ['id_twice /data/5/id'],
  ],
  [
    'ids that are places in a list',
    'catalog.products',
    productsOf(5).map((product, i) => ({ ...product, name: ['Nouveau', 'Plat 1', 'Plat 2', 'Plat 3', 'Plat 4'][i] })),
    [1, 2, 3, 4].map((i) => `id_reused /data/${i}/id`),
  ],
  [
    'an order without an id and a device without one',
    'order',
    coffees({ id: '00000000-0000-0000-0000-000000000000', deviceId: 'FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF' }),
    ['id_placeholder /data/id', 'id_placeholder /data/deviceId', 'unknown_device /data/deviceId'],
  ],
  [
    'texts that are none',
    'order',
    coffees({
      operatorName: 'undefined',
      orderPlace: 'null',
      customerId: '[object Object]',
      items: [coffee({ description: '' })],
    }),
    ['orderPlace', 'operatorName', 'customerId', 'items/0/description'].map((name) => `text_placeholder /data/${name}`),
  ],
  [
    'a payment with a blank behind its name',
    'order',
    coffees({ payments: [{ ...paid(5)[0]!, paymentName: 'Carte ' }] }),
    ['text_padded /data/payments/0/paymentName'],
  ],
  [
    'two tills of one name',
    'location',
    locationOf(location, { deviceList: [1, 2].map((n) => ({ id: idOf('device', n), name: 'POS', model: 'till' })) }),
    ['device_name_twice /data/deviceList/1/name'],
  ],
  ['a SIREN for a SIRET', 'location', locationOf(location, { siret: '982974982' }), ['siret_invalid /data/siret']],
]

describe('a till is told of', () => {
  for (const [what, type, data, expected, seen] of mistakes) {
    test(what, () => assert.deepEqual(told(type, data, seen), expected))
  }
})

const stored = (changes: Partial<NamedOrder> = {}): NamedOrder => ({ ...orderOf(location, 1), ...changes })
const other = (changes: Partial<OtherReport>): OtherReport => ({ ...reportOf(location, 2), ...changes })
const ids = (n: number) => Array.from({ length: n }, (_, i) => idOf('order', i + 1))
/** 22.00 an order. */
const z = (orders: string[], changes: Partial<Report> = {}) =>
  reportOf(location, 1, { orders, totalSales: 2200 * orders.length, ...changes })
const named = (...orders: NamedOrder[]) => new Map(orders.map((order, i) => [idOf('order', i + 1), order]))

const besideOthers: [
  what: string,
  warnings: readonly { code: string; pointer: string; detail: string }[],
  expected: string,
][] = [
  [
    'orders that have not arrived',
    warnOfReportOrders(z(ids(3)), named(stored())),
    'unknown_order /data/orders/1 2 of its 3',
  ],
  [
    'an order that was closed in another time',
    warnOfReportOrders(z(ids(2)), named(stored(), stored({ closedAt: timeOf(-20) }))),
    'order_outside_report /data/orders/1 1 of its 2',
  ],
  [
    'an order that was closed hours after',
    warnOfReportOrders(z(ids(1)), named(stored({ closedAt: timeOf(20) }))),
    'order_outside_report /data/orders/0 1 of its 1',
  ],
  [
    'an order that is open',
    warnOfReportOrders(z(ids(1)), named(stored({ closedAt: null }))),
    'order_outside_report /data/orders/0',
  ],
  [
    'an order of another report',
    warnOfReportOrders(z(ids(1)), named(stored({ reportId: idOf('report', 2) }))),
    'order_of_other_report /data/orders/0',
  ],
  [
    'a Z in units',
    warnOfReportOrders(z(ids(1), { totalSales: 22 }), named(stored())),
    'report_total_hundredfold /data/totalSales',
  ],
  [
    'an absurd total',
    warnOfReportOrders(z(ids(2), { totalSales: 99_900 }), named(stored(), stored())),
    'total_mismatch /data/totalSales totalSales is 99900, its stored orders add up to 4400',
  ],
  [
    'sales of a Z that names no orders',
    warnOfReportOrders(z([], { totalSales: 50_000 }), named()),
    'total_mismatch /data/totalSales totalSales is 50000, and it names no orders',
  ],
  [
    'a number that was there',
    warnOfOtherReports(z([]), [other({ reportNumber: 1 })]),
    'report_number_twice /data/reportNumber',
  ],
  [
    'a report that always begins at the same time',
    warnOfOtherReports(z([], { startedAt: timeOf(-200) }), [
      other({ startedAt: timeOf(-200), finalizedAt: timeOf(0) }),
    ]),
    'reports_overlap /data/startedAt',
  ],
]

describe('beside what is stored a till is told of', () => {
  for (const [what, [warning, ...more], expected] of besideOthers) {
    test(what, () => {
      const found = warning ? `${warning.code} ${warning.pointer} ${warning.detail}` : ''
      assert.ok(found.startsWith(expected), found)
      assert.deepEqual(more, [])
    })
  }

  test('nothing where all is right: of one time, of a canceled tab, of another till, of itself and of the report before', () => {
    const right = z([...ids(2), idOf('order', 1).toUpperCase()], { totalSales: 2200 })
    const orders = named(stored(), stored({ closedAt: null, isCanceled: true, reportId: null }))
    assert.deepEqual(warnOfReportOrders(right, orders), [])
    const others = [
      other({ deviceName: 'Caisse 2', reportNumber: 1, startedAt: timeOf(0), finalizedAt: timeOf(9) }),
      other({ id: idOf('report', 1).toUpperCase(), reportNumber: 1, startedAt: timeOf(0), finalizedAt: timeOf(9) }),
      other({ startedAt: timeOf(-3), finalizedAt: timeOf(1) }),
    ]
    assert.deepEqual(warnOfOtherReports(z([]), others), [])
  })
})

/** One record after the other, with the codes of each. */
function pushedInTurn(records: readonly (readonly [RecordType, unknown])[], sightings = new Sightings()): string[][] {
  return records.map(([type, data]) =>
    warnOfRecord(type, data, { known, nowMs, sightings }).map(({ code, pointer }) => `${code} ${pointer}`),
  )
}

const inTurn: [what: string, records: [RecordType, unknown][], expected: string[]][] = [
  [
    'an id that is made for each push',
    [
      ['order', coffees()],
      ['order', coffees({ id: idOf('order', 2) })],
    ],
    ['order_sent_twice /data/id'],
  ],
  [
    'an id that begins again every day',
    [
      ['order', coffees()],
      ['order', coffees({ orderNumber: '7', openedAt: timeOf(-5) })],
    ],
    ['id_reused /data/id'],
  ],
  [
    'a count that begins again every day',
    [
      ['device.status', status({ lastNumber: 120 })],
      ['device.status', status({ lastNumber: 3 })],
    ],
    ['count_restarted /data/lastNumber'],
  ],
]

describe('beside what was pushed before a till is told of', () => {
  for (const [what, records, expected] of inTurn) {
    test(what, () => assert.deepEqual(pushedInTurn(records), [[], expected]))
  }

  test('nothing where an order is sent again, corrected, or one of many without a number', () => {
    const next = { id: idOf('order', 2) }
    const right = [
      coffees(),
      coffees(),
      coffees({ openedAt: timeOf(-1) }),
      coffees({ openedAt: timeOf(-1), orderNumber: '8' }),
      coffees({ ...next, openedAt: timeOf(-2) }),
      coffees({ ...next, openedAt: timeOf(-2), deviceId: idOf('device', 1).toUpperCase(), id: next.id.toUpperCase() }),
      coffees({ id: idOf('order', 3), orderNumber: '' }),
      coffees({ id: idOf('order', 4), orderNumber: '' }),
    ]
    for (const found of pushedInTurn(right.map((order) => ['order', order]))) assert.deepEqual(found, [])
    const counts = [3, 3, 4].map((lastNumber) => ['device.status', status({ lastNumber })] as const)
    assert.deepEqual(pushedInTurn(counts), [[], [], []])
  })

  test('nothing of what was a dry run, which sees what was pushed before it', () => {
    const sightings = new Sightings()
    const again = [['order', coffees({ id: idOf('order', 2) })]] as const
    assert.deepEqual(pushedInTurn([['order', coffees()]], new Sightings(sightings)), [[]])
    assert.deepEqual(pushedInTurn(again, sightings), [[]])
    const third = [['order', coffees({ id: idOf('order', 3) })]] as const
    assert.deepEqual(pushedInTurn(third, new Sightings(sightings)), [['order_sent_twice /data/id']])
  })
})

test('every code of the table is given for one of these mistakes', () => {
  const expected = [
    ...mistakes.flatMap(([, , , warnings]) => warnings),
    ...besideOthers.map(([, , warning]) => warning),
    ...inTurn.flatMap(([, , warnings]) => warnings),
  ]
  const given = expected.map((warning) => String(warning.split(' ')[0]))
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
    // Seven of which two are a tip, and a cent that no coin is left for.
    ['order', coffees({ payments: paid(7), tips: [{ amount: 2 }] })],
    ['order', coffees({ payments: paid(4.98) })],
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
        { id: idOf('tax', 1), name: 'TVA 10 %', percentage: 1000 },
        { id: idOf('tax', 2), name: 'TVA 0 %', percentage: 0 },
      ],
    ],
    ['catalog.products', productsOf(3)],
    ['catalog.modifiers', modifiers],
    ['catalog.modifiers', []],
    ['catalog.payments', payments],
    // A product that gets a new name, and one that is entered under an id of its own beside the old one.
    ['catalog.products', productsWith({}, { name: 'Nouveau' })],
    ['catalog.products', [...productsOf(5), { ...productsOf(1)[0], id: idOf('product', 6) }]],
    ['location', locationOf(location)],
    ['location', locationOf(location, { siret: '', country: 'Suisse' })],
    ['location', locationOf(location, { siret: 'CHE-123.456.789', country: 'Suisse' })],
    ['device.status', status()],
    // Modifiers cost something, a weight has a price of its own, and the dishes of a menu share its price.
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
  for (const [type, data] of right) assert.deepEqual(told(type, data), [], JSON.stringify(data).slice(0, 200))
})

test('in a currency without decimals whole amounts and taxes are right', () => {
  const ramen = inCents(980, 1960, 178)
  assert.deepEqual(told('order', ramen, inYen), [])
  const forints = inCents(1990, 3980, 362)
  assert.deepEqual(told('order', forints, { ...nothingKnown, money: moneyOf('HUF') }), [])
  const dinars = { ...inCents(1.125, 2.25, 0.205), totalTax: 0.205 }
  assert.deepEqual(told('order', dinars, { ...nothingKnown, money: moneyOf('KWD') }), [])
  // A kronor has no smaller coin.
  const kronor = { ...inCents(49.75, 99.5, 9.05), payments: paid(100) }
  assert.deepEqual(told('order', kronor, { ...nothingKnown, money: moneyOf('SEK') }), [])
  // A bottle for 300 in rupees, where nothing is stored.
  assert.deepEqual(told('order', inCents(330, 660, 60), { ...nothingKnown, money: moneyOf('INR') }), [])
})

test('where nothing is stored nothing is unknown', () => {
  const strange = coffees({ deviceId: idOf('device', 9), items: [coffee({ itemCatalogId: idOf('product', 99) })] })
  assert.deepEqual(told('order', strange, nothingKnown), [])
  assert.deepEqual(told('location', locationOf(location, { deviceList: [] }), nothingKnown), [])
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
