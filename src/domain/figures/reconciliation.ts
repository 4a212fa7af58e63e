import type { Order } from '../../schemas/orders.ts'
import type { Report } from '../../schemas/reports.ts'
import { toCents } from '../money/amounts.ts'
import { countedItems, quantityOf, rateOf, standingOf } from '../money/counted.ts'

/**
 * How each figure is recomputed, in the words that go to the reader (docs/reconciliation.md).
 *
 * A **counted order** is named by the report, has arrived, is closed, not canceled and not a training order. A **counted
 * item** is an item of a counted order that is neither canceled nor a loss. A transfer changes nothing: an item is on one
 * order only, the one it was moved to. Tips count nowhere. Amounts of orders are rounded to cents one by one, then added
 * as integers.
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
  orderPayments: 'Σ paymentAmount of a counted order = its total (up to its tips more, where the till adds them)',
} as const

export type FigureName = keyof typeof formulas

/** Is one compared figure, in the report's own units: cents, or a number of things. */
export type Figure = {
  figure: FigureName
  /** Product or discount id, tax rate in hundredths of a percent, payment name or order id; null: whole report. */
  key: string | null
  name: string | null
  reported: number
  computed: number
  /** reported − computed */
  difference: number
}

/** A figure that does not agree, with the orders `computed` was added up from, in the report's order. */
export type Difference = Figure & { formula: string; orderIds: string[] }

/**
 * Names what an order is for the report. `open`: named, but the newest version that arrived is still open (its closing
 * is under way or lost), so not counted. `missing`: named, never arrived. `extra`: not named though it carries the
 * report's id, so not counted. `elsewhere`: named, sorted as usual, and carries another report's id.
 */
export const orderKinds = ['counted', 'canceled', 'training', 'open', 'missing', 'extra', 'elsewhere'] as const

/** Holds order ids by kind, each list in the report's order. */
export type ReconciledOrders = Record<(typeof orderKinds)[number], string[]>

export type Reconciliation = {
  /** No difference, and no order open, missing, extra or elsewhere. */
  balanced: boolean
  orders: ReconciledOrders
  /** Every compared figure of the report; the checks within single orders appear among the differences only. */
  figures: Figure[]
  differences: Difference[]
}

export type ReconciliationOptions = {
  /** Payment names that fill the drawer; without it the usual words for cash in the languages around us. */
  cashPaymentNames?: readonly string[]
}

const cashWords = new Set(['especes', 'cash', 'liquide', 'bargeld', 'contanti', 'efectivo', 'contant', 'numerario'])

/** Returns whether a payment of this name fills the cash drawer. Case and accents do not matter. */
export function isCash(paymentName: string): boolean {
  const plain = paymentName.normalize('NFD').replace(/\p{M}/gu, '').trim().toLowerCase()
  return cashWords.has(plain)
}

type Sum = { name: string | null; amount: number; orderIds: Set<string> }

class Sums {
  readonly byKey = new Map<string, Sum>()

  add(key: string, name: string | null, amount: number, orderId: string): void {
    const sum = this.byKey.get(key)
    if (!sum) {
      this.byKey.set(key, { name, amount, orderIds: new Set([orderId]) })
      return
    }
    sum.amount += amount
    sum.orderIds.add(orderId)
  }
}

const sumOf = (amounts: Iterable<number>): number => {
  let sum = 0
  for (const amount of amounts) sum += amount
  return sum
}

/** Returns the newest version of each order, by id. */
function newest(orders: Iterable<Order>): Map<string, Order> {
  const byId = new Map<string, Order>()
  for (const order of orders) {
    const known = byId.get(order.id)
    if (!known || known.updatedAt < order.updatedAt) byId.set(order.id, order)
  }
  return byId
}

function sortOrders(report: Report, byId: Map<string, Order>): { counted: Order[]; ids: ReconciledOrders } {
  const counted: Order[] = []
  const ids = Object.fromEntries(orderKinds.map((kind) => [kind, []])) as unknown as ReconciledOrders
  const named = new Set(report.orders)
  for (const id of named) {
    const order = byId.get(id)
    if (order && order.reportId !== null && order.reportId !== report.id) ids.elsewhere.push(id)
    ids[order ? standingOf(order) : 'missing'].push(id)
    if (order && standingOf(order) === 'counted') counted.push(order)
  }
  for (const [id, order] of byId) if (!named.has(id) && order.reportId === report.id) ids.extra.push(id)
  return { counted, ids }
}

const listed = ['productSales', 'productQuantity', 'taxAmount', 'taxableAmount', 'payments', 'discounts'] as const
type Listed = (typeof listed)[number]

function recompute(orders: readonly Order[]): Record<Listed, Sums> {
  const sums = Object.fromEntries(listed.map((figure) => [figure, new Sums()])) as Record<Listed, Sums>
  for (const order of orders) {
    for (const payment of order.payments) {
      sums.payments.add(payment.paymentName, payment.paymentName, toCents(payment.paymentAmount), order.id)
    }
    for (const item of countedItems(order)) {
      const [total, tax] = [toCents(item.total), toCents(item.tax.taxAmount)]
      const rate = String(rateOf(item))
      sums.productSales.add(item.itemCatalogId, item.description, total, order.id)
      sums.productQuantity.add(item.itemCatalogId, item.description, quantityOf(item), order.id)
      sums.taxAmount.add(rate, item.tax.taxName, tax, order.id)
      sums.taxableAmount.add(rate, item.tax.taxName, total - tax, order.id)
      for (const discount of item.discountsApplied) {
        sums.discounts.add(discount.discountCatalogId, discount.discountName, toCents(discount.discountValue), order.id)
      }
    }
  }
  for (const sum of sums.productQuantity.byKey.values()) sum.amount = Math.round(sum.amount / 1000)
  return sums
}

/** Holds a figure of the report beside what was computed. `key` and `name` are null where a report has one of it. */
type Compared = {
  figure: FigureName
  key?: string | null
  name?: string | null
  reported: number
  computed: number
  orderIds?: Iterable<string>
}

type Compare = (compared: Compared) => void

type Row = readonly [key: string, name: string, amount: number]

/** The rows of the report's lists, by figure. */
function rowsOf(report: Report): Record<Listed, Row[]> {
  const products = (amount: (row: Report['reportProducts'][number]) => number) =>
    report.reportProducts.map((row): Row => [row.productCatalogId, row.productName, amount(row)])
  const taxes = (amount: (row: Report['reportTaxes'][number]) => number) =>
    report.reportTaxes.map((row): Row => [String(row.taxRate), row.taxName, amount(row)])
  return {
    productSales: products((row) => row.productSales),
    productQuantity: products((row) => row.productQuantity),
    taxAmount: taxes((row) => row.taxAmount),
    taxableAmount: taxes((row) => row.taxableAmount),
    payments: report.reportPayments.map((row) => [row.paymentName, row.paymentName, row.paymentAmount]),
    discounts: report.reportDiscounts.map((row) => [row.discountCatalogId, row.discountName, row.discountValue]),
  }
}

/** Rows of the same key are added up; a key on one side only is 0 on the other. */
function compareRows(compare: Compare, figure: Listed, rows: readonly Row[], sums: Sums): void {
  const reported = new Map<string, { name: string; amount: number }>()
  for (const [key, name, amount] of rows) {
    reported.set(key, { name, amount: (reported.get(key)?.amount ?? 0) + amount })
  }
  for (const [key, row] of reported) {
    const sum = sums.byKey.get(key)
    const { name, amount: reported } = row
    compare({ figure, key, name, reported, computed: sum?.amount ?? 0, orderIds: sum?.orderIds ?? [] })
  }
  for (const [key, sum] of sums.byKey) {
    if (reported.has(key) || sum.amount === 0) continue
    compare({ figure, key, name: sum.name, reported: 0, computed: sum.amount, orderIds: sum.orderIds })
  }
}

function compareOrders(compare: Compare, orders: readonly Order[]): void {
  for (const order of orders) {
    const items = countedItems(order)
    const check = (figure: FigureName, reported: number, computed: number) =>
      compare({ figure, key: order.id, name: order.orderNumber, reported, computed, orderIds: [order.id] })
    const total = toCents(order.total)
    check('orderTotal', total, sumOf(items.map((item) => toCents(item.total))))
    check('orderTax', toCents(order.totalTax), sumOf(items.map((item) => toCents(item.tax.taxAmount))))
    const discounts = items.flatMap((item) => item.discountsApplied.map((discount) => toCents(discount.discountValue)))
    check('orderDiscount', toCents(order.totalDiscount), sumOf(discounts))
    const paid = sumOf(order.payments.map((payment) => toCents(payment.paymentAmount)))
    const tips = sumOf((order.tips ?? []).map((tip) => toCents(tip.amount)))
    check('orderPayments', paid, paid > total && paid <= total + tips ? paid : total)
  }
}

const isFloat = (entry: Report['reportEntries'][number]) => entry.entryType === 'opening_float'

function compareDrawer(compare: Compare, report: Report, payments: Sums, isCashName: (name: string) => boolean): void {
  const { initialCashBalance: initial, finalCashBalance: final, reportEntries: entries } = report
  if (entries.length === 0 && initial === 0 && final === 0) return
  const floats = entries.filter(isFloat).map((entry) => entry.entryAmount)
  if (floats.length > 0) compare({ figure: 'openingFloat', reported: initial, computed: sumOf(floats) })
  const moves = sumOf(entries.filter((entry) => !isFloat(entry)).map((entry) => entry.entryAmount))
  const cash = [...payments.byKey].filter(([name]) => isCashName(name)).map(([, sum]) => sum)
  const orderIds = new Set<string>()
  for (const sum of cash) for (const id of sum.orderIds) orderIds.add(id)
  const expected = initial + moves + sumOf(cash.map((sum) => sum.amount))
  compare({ figure: 'cash', reported: final, computed: expected, orderIds })
}

/**
 * Recomputes a report from its orders by {@link formulas}. `orders` are those the report names and those that carry its
 * id, in any order; of several versions of an order the newest counts, and orders that are neither are left out.
 */
export function reconcile(
  report: Report,
  orders: Iterable<Order>,
  options: ReconciliationOptions = {},
): Reconciliation {
  const { counted, ids } = sortOrders(report, newest(orders))
  const sums = recompute(counted)
  const figures: Figure[] = []
  const differences: Difference[] = []
  const compare: Compare = ({ figure, key = null, name = null, reported, computed, orderIds = [] }) => {
    const compared = { figure, key, name, reported, computed, difference: reported - computed }
    if (!figure.startsWith('order')) figures.push(compared)
    if (reported !== computed) differences.push({ ...compared, formula: formulas[figure], orderIds: [...orderIds] })
  }
  const total = sumOf(counted.map((order) => toCents(order.total)))
  compare({ figure: 'sales', reported: report.totalSales, computed: total, orderIds: ids.counted })
  const guests = sumOf(counted.map((order) => order.guests))
  compare({ figure: 'guests', reported: report.guestsNumber, computed: guests, orderIds: ids.counted })
  const rows = rowsOf(report)
  for (const figure of listed) compareRows(compare, figure, rows[figure], sums[figure])
  const cashNames = options.cashPaymentNames && new Set(options.cashPaymentNames)
  compareDrawer(compare, report, sums.payments, cashNames ? (name) => cashNames.has(name) : isCash)
  compareOrders(compare, counted)
  const { open, missing, extra, elsewhere } = ids
  const balanced = differences.length + open.length + missing.length + extra.length + elsewhere.length === 0
  return { balanced, orders: ids, figures, differences }
}
