import { idsOf, nothingKnown, type KnownIds } from '../../../../src/modules/warnings/domain/known.ts'
import { moneyOf } from '../../../../src/core/contract/money/currency.ts'
import { warnOfRecord } from '../../../../src/modules/warnings/domain/records.ts'
import type { Order, OrderItem } from '../../../../src/core/contract/orders/schema.ts'
import type { RecordType } from '../../../../src/core/contract/resources.ts'
import { idOf, itemOf, locationOf, orderOf, payments, productsOf, reportOf } from '../../../support/records.ts'

export const location = '272461e9-4fd9-5db0-b95b-cc91735b6bf6'
export const nowMs = Date.parse('2027-01-01T00:00:00.000Z')
export const minute = 60_000
export const at = (ms: number) => new Date(ms).toISOString()

export const known: KnownIds = {
  ...nothingKnown,
  ...idsOf('catalog.products', productsOf(5)),
  ...idsOf('catalog.taxes', [{ id: idOf('tax', 1), percentage: 1000 }]),
  ...idsOf('catalog.payments', payments),
  ...idsOf('location', locationOf(location)),
}
export const inYen: KnownIds = { ...nothingKnown, money: moneyOf('JPY') }

export const warningsOf = (type: RecordType, data: unknown, seen: KnownIds) =>
  warnOfRecord(type, data, { known: seen, nowMs })
export const codesOf = (type: RecordType, data: unknown, seen: KnownIds = known) =>
  warningsOf(type, data, seen).map(({ code, pointer }) => `${code} ${pointer.replace('/data', '')}`)
export const details = (type: RecordType, data: unknown, seen: KnownIds = known) =>
  warningsOf(type, data, seen).map(({ detail }) => detail)

export const report = (changes: object) => reportOf(location, 1, changes)
export const bare = { reportProducts: [], reportTaxes: [], reportPayments: [] }

export const coffee = (changes: Partial<OrderItem> = {}): OrderItem =>
  itemOf(1, {
    quantity: 2,
    unitPrice: 2.5,
    total: 5,
    discountsApplied: [],
    modifiers: [],
    tax: { taxName: '10 %', taxRate: 0.1, taxAmount: 0.45, taxCatalogId: idOf('tax', 1) },
    ...changes,
  })

/** Returns an order of these items, with their sums. */
export const orderWith = (items: OrderItem[], changes: Partial<Order> = {}) => {
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
    payments: [{ paymentAmount: total, paymentName: 'Espèces', paymentCatalogId: idOf('payment', 1) }],
    ...changes,
  })
}
export const taxed = (taxRate: number, total = 5) =>
  orderWith([
    coffee({
      quantity: 1,
      unitPrice: total,
      total,
      tax: { ...coffee().tax, taxRate, taxAmount: Math.round(((total * taxRate) / (1 + taxRate)) * 100) / 100 },
    }),
  ])
