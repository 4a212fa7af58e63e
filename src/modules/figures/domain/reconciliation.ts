import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import type { reportSections } from '../schemas/reconciliation.ts'
import { standingOf } from '../../../core/contract/money/counted.ts'
import { usualRules, type MoneyRules } from '../../../core/contract/money/paid.ts'
import { compareOrder } from './reconciled-order.ts'
import { formulas, type Compare, type Figure } from './reconciled-figures.ts'
import { listed, Recomputing, type Listed, type Recomputed, type Sum } from './recomputed.ts'
import { sumOf } from '../../../core/contract/money/amounts.ts'

/**
 * A figure that does not agree. `orderIds` are the orders from which `computed` was calculated, in the order of the
 * report.
 */
export type Difference = Omit<Figure, 'state'> & { formula: string; orderIds: string[] }

/**
 * The kinds of orders of a report. `open`: the report lists the order, but its newest version here is still open (the
 * closed version is on its way, or was lost), so it is not counted. `missing`: the report lists it, but it never
 * arrived. `extra`: the order has the report's id, but the report does not list it, so it is not counted. `elsewhere`:
 * the report lists it, but it has the id of another report; such an order is also in one of the other kinds.
 */
export const orderKinds = ['counted', 'canceled', 'training', 'open', 'missing', 'extra', 'elsewhere'] as const

/** Order ids by kind. Each list is in the order of the report. */
export type ReconciledOrders = Record<(typeof orderKinds)[number], string[]>

export type Reconciliation = {
  /** Whether no figure differs beyond rounding, and no order is open, missing, extra or elsewhere. */
  balanced: boolean
  orders: ReconciledOrders
  /** Every compared figure of the report; the checks within single orders appear among the differences only. */
  figures: Figure[]
  /** Sections that the report leaves empty and that are not compared. */
  notStated: (typeof reportSections)[number][]
  differences: Difference[]
}

export type ReconciliationOptions = {
  /** Currency and kinds of payment of the location; without them, euros and the common names of payments. */
  rules?: MoneyRules
  /** Names of the payments that are cash, instead of those in the rules. */
  cashPaymentNames?: readonly string[]
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
    const standing = order ? standingOf(order) : 'missing'
    ids[standing === 'transferred' ? 'canceled' : standing].push(id)
    if (order && standingOf(order) === 'counted') counted.push(order)
  }
  for (const [id, order] of byId) if (!named.has(id) && order.reportId === report.id) ids.extra.push(id)
  return { counted, ids }
}

type Row = readonly [key: string, name: string, amount: number]

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

const sectionOf = {
  productSales: 'products',
  productQuantity: 'quantities',
  taxAmount: 'taxes',
  taxableAmount: 'taxable',
  payments: 'payments',
  discounts: 'discounts',
} as const satisfies Record<Listed, (typeof reportSections)[number]>

const isEmpty = (rows: readonly Row[]) => rows.every(([, , amount]) => amount === 0)

/**
 * Returns whether a report with sales does not state a figure: it has no row for it, or its rows have no number
 * although the till states other figures of the section.
 */
function isNotStated(report: Report, figure: Listed, rows: Record<Listed, Row[]>): boolean {
  if (report.totalSales === 0) return false
  if (figure === 'productQuantity') return isEmpty(rows.productQuantity)
  if (figure === 'taxableAmount')
    return isEmpty(rows.taxableAmount) && (rows.taxAmount.length === 0 || !isEmpty(rows.taxAmount))
  return rows[figure].length === 0
}

/** Returns the amount to compare: without non-sales, or with the classes of non-sales that make the report agree. */
function closest({ amount, alternatives, within }: Sum, reported: number): number {
  const agrees = (sum: number) => Math.abs(reported - sum) <= within
  return agrees(amount) ? amount : (alternatives.find(agrees) ?? amount)
}

function compareRows(compare: Compare, figure: Listed, rows: readonly Row[], sums: ReadonlyMap<string, Sum>): void {
  const reported = new Map<string, { name: string; amount: number }>()
  for (const [key, name, amount] of rows) {
    reported.set(key, { name, amount: (reported.get(key)?.amount ?? 0) + amount })
  }
  for (const [key, { name, amount }] of reported) {
    const sum = sums.get(key)
    const computed = sum ? closest(sum, amount) : 0
    const { within = 0, orderIds = [] } = sum ?? {}
    compare({ figure, key, name, reported: amount, computed, within, orderIds })
  }
  for (const [key, sum] of sums) {
    if (reported.has(key) || sum.amount === 0 || !sum.isExpected) continue
    const { name, amount: computed, within, orderIds } = sum
    compare({ figure, key, name, reported: 0, computed, within, orderIds })
  }
}

const isFloat = (entry: Report['reportEntries'][number]) => entry.entryType === 'opening_float'

function compareDrawer(compare: Compare, report: Report, cash: Recomputed['cash']): void {
  const { initialCashBalance: initial, finalCashBalance: final, reportEntries: entries } = report
  if (entries.length === 0 && initial === 0 && final === 0) return
  const floats = entries.filter(isFloat).map((entry) => entry.entryAmount)
  if (floats.length > 0) compare({ figure: 'openingFloat', reported: initial, computed: sumOf(floats) })
  const moves = sumOf(entries.filter((entry) => !isFloat(entry)).map((entry) => entry.entryAmount))
  const expected = initial + moves + cash.amount
  compare({ figure: 'cash', reported: final, computed: expected, orderIds: cash.orderIds })
}

/** Compares guests and lists; returns the sections that the report does not state. */
function compareSections(
  compare: Compare,
  report: Report,
  guests: number,
  sums: Recomputed,
): Reconciliation['notStated'] {
  const notStated = new Set<Reconciliation['notStated'][number]>()
  if (guests !== 0 && report.guestsNumber === 0 && report.totalSales !== 0) notStated.add('guests')
  else compare({ figure: 'guests', reported: report.guestsNumber, computed: guests, orderIds: sums.orderIds })
  const rows = rowsOf(report)
  for (const figure of listed) {
    if (!isNotStated(report, figure, rows)) {
      compareRows(compare, figure, rows[figure], sums.lists[figure])
      continue
    }
    const isFilled = [...sums.lists[figure].values()].some(({ amount }) => amount !== 0)
    if (isFilled) notStated.add(sectionOf[figure])
  }
  // `products` implies `quantities`, and `taxes` implies `taxable`: only the first of each pair is returned.
  if (notStated.has('products')) notStated.delete('quantities')
  if (notStated.has('taxes')) notStated.delete('taxable')
  return [...notStated]
}

/**
 * Recomputes a report from its orders by {@link formulas}. `orders` are the orders that the report names and the orders
 * that carry its id, in any order; other orders are ignored. If an order has several versions, the newest counts. Add
 * each order of `counted`, then call `end`.
 */
export class Reconciling {
  readonly counted: readonly Order[]
  readonly #report: Report
  readonly #ids: ReconciledOrders
  readonly #rules: MoneyRules
  readonly #sums: Recomputing
  readonly #figures: Figure[] = []
  readonly #differences: Difference[] = []
  #guests = 0

  constructor(
    report: Report,
    orders: Iterable<Order>,
    { rules = usualRules, cashPaymentNames }: ReconciliationOptions = {},
  ) {
    this.#report = report
    this.#rules = rules
    const { counted, ids } = sortOrders(report, newest(orders))
    this.counted = counted
    this.#ids = ids
    this.#sums = new Recomputing(report, { rules, cashPaymentNames })
  }

  readonly #compare: Compare = ({ figure, key = null, name = null, reported, computed, within = 0, orderIds = [] }) => {
    const difference = reported - computed
    const state = difference === 0 ? 'equal' : Math.abs(difference) <= within ? 'rounding' : 'different'
    const compared = { figure, key, name, reported, computed, difference }
    if (!figure.startsWith('order')) this.#figures.push({ ...compared, state })
    if (state !== 'different') return
    this.#differences.push({ ...compared, formula: formulas[figure], orderIds: [...orderIds] })
  }

  readonly add = (order: Order): void => {
    this.#guests += order.guests
    this.#sums.add(order)
    compareOrder(this.#compare, order, this.#rules)
  }

  end(): Reconciliation {
    const report = this.#report
    const ofOrders = this.#differences.splice(0)
    const sums = this.#sums.sums()
    const computed = closest(sums.sales, report.totalSales)
    this.#compare({ figure: 'sales', reported: report.totalSales, computed, orderIds: this.#ids.counted })
    const notStated = compareSections(this.#compare, report, this.#guests, sums)
    compareDrawer(this.#compare, report, sums.cash)
    const differences = [...this.#differences, ...ofOrders]
    const { open, missing, extra, elsewhere } = this.#ids
    const balanced = differences.length + open.length + missing.length + extra.length + elsewhere.length === 0
    return { balanced, orders: this.#ids, figures: this.#figures, notStated, differences }
  }
}

export function reconcile(
  report: Report,
  orders: Iterable<Order>,
  options: ReconciliationOptions = {},
): Reconciliation {
  const reconciling = new Reconciling(report, orders, options)
  for (const order of reconciling.counted) reconciling.add(order)
  return reconciling.end()
}
