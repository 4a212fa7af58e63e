import { idsOf, nothingKnown, type KnownIds } from '../../../../src/modules/warnings/domain/known.ts'
import { moneyOf } from '../../../../src/core/contract/money/currency.ts'
import { warnOfRecord } from '../../../../src/modules/warnings/domain/records.ts'
import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import type { RecordType } from '../../../../src/core/contract/resources.ts'
import { idOf, itemOf, locationOf, orderOf, payments, productsOf, reportOf, timeOf } from '../../../support/records.ts'

export const location = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'
export const nowMs = Date.parse(timeOf(0)) + 365 * 86_400_000

export const known: KnownIds = {
  ...nothingKnown,
  ...idsOf('catalog.products', productsOf(5)),
  ...idsOf('catalog.taxes', [{ id: idOf('tax', 1), percentage: 1000 }]),
  ...idsOf('catalog.payments', payments),
  ...idsOf('location', locationOf(location)),
}

/** All devices have been five hours late so far, in enough pushes. */
const fiveHours = { halfHours: 10, sinceMs: nowMs - 600_000, pushes: 3 }

export const codesOf = (type: RecordType, data: unknown, seen: KnownIds = known) =>
  warnOfRecord(type, data, { known: seen, nowMs, delayOf: () => fiveHours }).map(
    ({ pointer, code }) => `${code} ${pointer}`,
  )

/** Returns two coffees of 2.50 at 10 %, as they should be sent. */
export const coffee = (changes: object = {}) =>
  itemOf(1, {
    quantity: 2,
    unitPrice: 2.5,
    total: 5,
    discountsApplied: [],
    modifiers: [],
    tax: { taxName: '10 %', taxRate: 0.1, taxAmount: 0.45, taxCatalogId: idOf('tax', 1) },
    ...changes,
  })
export const paid = (paymentAmount: number) => [
  { paymentAmount, paymentName: 'Espèces', paymentCatalogId: idOf('payment', 1) },
]
export const coffees = (changes: Partial<Order> = {}) =>
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
export const taxed = (tax: object) => coffees({ items: [coffee({ tax: { ...coffee().tax, ...tax } })] })
export const inCents = (unitPrice: number, total: number, taxAmount: number) =>
  coffees({
    items: [coffee({ unitPrice, total, tax: { ...coffee().tax, taxAmount } })],
    total,
    totalTax: taxAmount,
    payments: paid(total),
  })
export const inUnits = reportOf(location, 1, {
  totalSales: 22,
  reportProducts: [],
  reportPayments: [{ paymentName: 'Carte', paymentAmount: 2200 }],
})
/** Returns five products, the first one with this price. */
export const productsWith = (price: object, first: object = {}) =>
  productsOf(5).map((product, i) =>
    i > 0 ? product : { ...product, priceList: product.priceList.map((entry) => ({ ...entry, ...price })), ...first },
  )
export const priced = (unitPrices: number[]) =>
  productsOf(unitPrices.length).map((product, i) => ({
    ...product,
    priceList: [{ priceTypeId: 1, priceTypeName: 'Sur place', unitPrice: unitPrices[i] ?? 0, taxRate: 1000 }],
  }))
export const discounted = (discountValue: number, total: number, item: object = {}) =>
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
export const quantified = (item: object) => coffees({ items: [coffee(item)] })
export const status = (changes: object = {}) => ({
  deviceId: idOf('device', 1),
  at: timeOf(5),
  completeUntil: timeOf(4),
  lastNumber: null,
  ...changes,
})
export const later = (ms: number) => new Date(nowMs + ms).toISOString()

export const inYen: KnownIds = { ...nothingKnown, money: moneyOf('JPY') }

/** The mistake, its record, and the expected warnings with their pointers. */
export type Mistake = [what: string, type: RecordType, data: unknown, warnings: string[], seen?: KnownIds]
