import type { figureStates } from '../schemas/reconciliation.ts'

/**
 * How each figure is recomputed, in the words that the reader sees (docs/modules/reconciliation.md).
 *
 * A **counted order** is named by the report, has arrived, is closed, not canceled, not moved to another order and not
 * a training order. A **counted item** is an item of a counted order that is neither canceled nor a loss, nor moved to
 * another order. Tips count nowhere. Amounts of orders are added as written decimals, and each sum is rounded once.
 * Non-sales (vouchers sold, deposits, charges) may be in the figures of a report or not.
 */
export const formulas = {
  sales: 'totalSales = Σ total of the counted orders',
  guests: 'guestsNumber = Σ guests of the counted orders',
  productSales: 'productSales = Σ total of the counted items with that itemCatalogId',
  productQuantity:
    'productQuantity = Σ quantity of the counted items with that itemCatalogId, rounded to a whole number',
  taxAmount: 'taxAmount = Σ tax.taxAmount of the counted items with that tax rate',
  taxableAmount: 'taxableAmount = Σ (total − tax.taxAmount) of the counted items with that tax rate',
  payments: 'paymentAmount = Σ paymentAmount of the counted orders with that paymentName',
  discounts: 'discountValue = Σ discountValue on the counted items with that discountCatalogId',
  openingFloat: 'initialCashBalance = Σ of the entries of type opening_float (compared when there are any)',
  cash:
    'finalCashBalance = initialCashBalance + Σ cash payments of the counted orders + Σ of the entries that are not ' +
    'opening_float (compared when the report keeps a drawer: a balance or an entry)',
  orderTotal: 'total of a counted order = Σ total of its counted items',
  orderTax: 'totalTax of a counted order = Σ tax.taxAmount of its counted items',
  orderDiscount: 'totalDiscount of a counted order = Σ discountValue on its counted items',
  orderPayments:
    'Σ paymentAmount of a counted order = its total, or up to its total + its tips if the till includes tips in payments',
} as const

export type FigureName = keyof typeof formulas

/** One compared figure, in the units of the report: minor units of the currency, or a count. */
export type Figure = {
  figure: FigureName
  /** Product or discount id, tax rate in hundredths of a percent, payment name or order id; null: whole report. */
  key: string | null
  name: string | null
  reported: number
  computed: number
  /** reported − computed */
  difference: number
  state: (typeof figureStates)[number]
}

/** A figure of the report and its recomputed value. `key` and `name` are null if a report has the figure only once. */
export type Compared = {
  figure: FigureName
  key?: string | null
  name?: string | null
  reported: number
  computed: number
  /** Tolerated difference because of rounding. */
  within?: number
  orderIds?: Iterable<string>
}

export type Compare = (compared: Compared) => void
