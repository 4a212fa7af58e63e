/**
 * The values that are summed, all integers: amounts in ten-thousandths of the currency, quantities in thousandths. The part
 * of an amount beyond ten-thousandths is in the sums whose name ends in `Rest`, in 10⁻¹² of the currency, so a sum is exact
 * and is rounded once, in the answer (`decimal.ts`). *Counted orders* and *counted items* are those of the reconciliation
 * of a Z report (docs/modules/reconciliation.md).
 */
export const measures = [
  'orders',
  'guests',
  'items',
  'sales',
  'salesRest',
  'tax',
  'taxRest',
  'discounts',
  'discountsRest',
  'tips',
  'refunds',
  'canceledOrders',
  'canceledSales',
  'trainingOrders',
  'trainingSales',
  'lossItems',
  'lossSales',
  'openOrders',
  'openSales',
  'otherItems',
  'otherSales',
] as const

export type Measure = (typeof measures)[number]

/** Amounts reported in addition to the figures, for all orders of a day rather than for parts of them. */
export const besideMeasures: ReadonlySet<Measure> = new Set<Measure>([
  'canceledOrders',
  'canceledSales',
  'trainingOrders',
  'trainingSales',
  'lossItems',
  'lossSales',
  'openOrders',
  'openSales',
  'otherItems',
  'otherSales',
])

export type Amounts = Record<Measure, number>

/** Returns amounts of 0. Written out: building an object from a list of names costs more than all additions to it. */
export const emptyAmounts = (): Amounts => ({
  orders: 0,
  guests: 0,
  items: 0,
  sales: 0,
  salesRest: 0,
  tax: 0,
  taxRest: 0,
  discounts: 0,
  discountsRest: 0,
  tips: 0,
  refunds: 0,
  canceledOrders: 0,
  canceledSales: 0,
  trainingOrders: 0,
  trainingSales: 0,
  lossItems: 0,
  lossSales: 0,
  openOrders: 0,
  openSales: 0,
  otherItems: 0,
  otherSales: 0,
})

/** Adds amounts to a sum, or subtracts them. Written out: a loop over names takes five times as long. */
export function addAmounts(sum: Amounts, amounts: Amounts, sign: 1 | -1 = 1): void {
  sum.orders += sign * amounts.orders
  sum.guests += sign * amounts.guests
  sum.items += sign * amounts.items
  sum.sales += sign * amounts.sales
  sum.salesRest += sign * amounts.salesRest
  sum.tax += sign * amounts.tax
  sum.taxRest += sign * amounts.taxRest
  sum.discounts += sign * amounts.discounts
  sum.discountsRest += sign * amounts.discountsRest
  sum.tips += sign * amounts.tips
  sum.refunds += sign * amounts.refunds
  sum.canceledOrders += sign * amounts.canceledOrders
  sum.canceledSales += sign * amounts.canceledSales
  sum.trainingOrders += sign * amounts.trainingOrders
  sum.trainingSales += sign * amounts.trainingSales
  sum.lossItems += sign * amounts.lossItems
  sum.lossSales += sign * amounts.lossSales
  sum.openOrders += sign * amounts.openOrders
  sum.openSales += sign * amounts.openSales
  sum.otherItems += sign * amounts.otherItems
  sum.otherSales += sign * amounts.otherSales
}

export const isNothing = (amounts: Amounts): boolean => measures.every((measure) => amounts[measure] === 0)

/** Adds up integers of minor units. */
export const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)
