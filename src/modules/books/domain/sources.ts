import type { BookReason, BookReasonCode } from '../schemas/books.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import type { BusinessTime } from '../../../core/domain/days/business-time.ts'
import type { FigureName } from '../../figures/domain/reconciled-figures.ts'
import type { Reconciliation } from '../../figures/domain/reconciliation.ts'
import type { ReportCheck } from '../../figures/domain/report-checks.ts'
import type { MoneyRules } from '../../../core/contract/money/paid.ts'
import { itemRules } from '../../../core/contract/money/classes.ts'
import { countedItems, standingOf } from '../../../core/contract/money/counted.ts'
import { sumToMinor } from '../../../core/contract/money/decimal.ts'
import { BookAdder, ratesOf, type BookSums, type OrderSums, type PaymentRow, type Stated } from './sums.ts'
import { sumOf } from '../../../core/contract/money/amounts.ts'

const reason = (code: BookReasonCode, parts: Partial<BookReason> = {}): BookReason => ({
  code,
  key: null,
  reported: null,
  computed: null,
  difference: null,
  orderIds: [],
  ...parts,
})

const namedAtMost = 100

/** Reason codes by figure of a Z. Guests and products are never a reason; discounts only if they are booked gross. */
const ofFigure: Partial<Record<FigureName, BookReasonCode>> = {
  sales: 'sales',
  taxAmount: 'tax_amount',
  taxableAmount: 'taxable_amount',
  payments: 'payments',
  openingFloat: 'opening_float',
  orderTotal: 'order_total',
  orderTax: 'order_tax',
}

type Judged = Pick<Reconciliation['figures'][number], 'figure' | 'key' | 'reported' | 'computed' | 'difference'> & {
  orderIds?: readonly string[]
}

const toReason = (code: BookReasonCode, { key, reported, computed, difference, orderIds = [] }: Judged): BookReason =>
  reason(code, { key, reported, computed, difference, orderIds: orderIds.slice(0, namedAtMost) })

function mergeBy<Row>(rows: readonly Row[], keyOf: (row: Row) => string | number, add: (a: Row, b: Row) => Row): Row[] {
  const merged = new Map<string | number, Row>()
  for (const row of rows) {
    const known = merged.get(keyOf(row))
    merged.set(keyOf(row), known === undefined ? row : add(known, row))
  }
  return [...merged.values()]
}

/** Returns the figures of a Z, with one row per rate or name; null for lists that it does not state. */
function statedOf(
  report: Report,
  notStated: Reconciliation['notStated'],
  orders: OrderSums,
  rules: MoneyRules,
): Stated {
  const taxes = report.reportTaxes.map((row) => ({ rate: row.taxRate, taxable: row.taxableAmount, tax: row.taxAmount }))
  const kinds = new Map(orders.payments.map(({ name, kind }) => [name, kind]))
  const payments = report.reportPayments.map((row): PaymentRow => ({
    name: row.paymentName,
    amount: row.paymentAmount,
    kind: kinds.get(row.paymentName) ?? rules.kindOf(row),
  }))
  return {
    sales: report.totalSales,
    taxes: notStated.includes('taxes')
      ? null
      : mergeBy(
          taxes,
          ({ rate }) => rate,
          (a, b) => ({ rate: a.rate, taxable: a.taxable + b.taxable, tax: a.tax + b.tax }),
        ).toSorted((a, b) => b.rate - a.rate),
    hasTaxable: !notStated.includes('taxable'),
    payments: notStated.includes('payments')
      ? null
      : mergeBy(
          payments,
          ({ name }) => name,
          (a, b) => ({ ...a, amount: a.amount + b.amount }),
        ),
    entries: report.reportEntries.map(({ entryType, entryAmount }) => ({ entryType, amount: entryAmount })),
    initial: report.initialCashBalance,
    final: report.finalCashBalance,
  }
}

/** Returns the reasons for orders that do not match the report. */
function orderReasons(ids: Reconciliation['orders']): BookReason[] {
  return (['missing', 'open', 'extra', 'elsewhere'] as const).flatMap((kind) =>
    ids[kind].length > 0 ? [reason(kind, { orderIds: ids[kind].slice(0, namedAtMost) })] : [],
  )
}

/**
 * Returns the reasons for figures of the Z that differ from its orders by more than rounding, and for orders that
 * differ from their items; empty if the check is balanced.
 */
function figureReasons({ figures, differences }: Reconciliation): BookReason[] {
  const found = figures.flatMap((figure) => {
    const code = ofFigure[figure.figure]
    if (code === undefined || figure.state !== 'different') return []
    const { orderIds } = differences.find(({ figure: name, key }) => name === figure.figure && key === figure.key) ?? {}
    return [toReason(code, orderIds ? { ...figure, orderIds } : figure)]
  })
  const single = differences.flatMap((difference) =>
    difference.figure === 'orderTotal' || difference.figure === 'orderTax'
      ? [toReason(ofFigure[difference.figure] as BookReasonCode, difference)]
      : [],
  )
  return [...found, ...single]
}

function discountReasons({ differences }: Reconciliation): BookReason[] {
  return differences.flatMap((difference) =>
    difference.figure === 'discounts' || difference.figure === 'orderDiscount'
      ? [toReason('discounts', difference)]
      : [],
  )
}

/** Returns a reason if the two sides use different units: one amount is exactly a hundred times the other. */
function unitReason({ reported, computed }: { reported: number; computed: number }): BookReason[] {
  const isHundredfold = reported !== 0 && (reported === computed * 100 || reported * 100 === computed)
  return isHundredfold ? [reason('units', { reported, computed, difference: reported - computed })] : []
}

/**
 * Compares the total of a Z with its own taxes. Untaxed items and non-sales may be in only one of them, so a difference
 * counts only if the Z also differs from its orders.
 */
function selfReasons({ sales, taxes, hasTaxable }: Stated, { balanced }: Reconciliation): BookReason[] {
  if (taxes === null || !hasTaxable || balanced) return []
  const computed = sumOf(taxes.map(({ taxable, tax }) => taxable + tax))
  return sales === computed
    ? []
    : [reason('taxes_and_sales', { reported: sales, computed, difference: sales - computed })]
}

function attachedOf(orders: readonly Order[], { dayOf }: BusinessTime): BookSums['attached'] {
  const days = new Map<string, number>()
  for (const { closedAt } of orders) {
    if (closedAt === null) continue
    const day = dayOf(Date.parse(closedAt))
    days.set(day, (days.get(day) ?? 0) + 1)
  }
  return [...days].map(([day, n]) => ({ day, orders: n })).toSorted((a, b) => (a.day < b.day ? -1 : 1))
}

type Made = { time: BusinessTime; rules: MoneyRules }

/**
 * Computes the sums of a Z. `orders` has the latest version of each order that the Z names or that carries its id.
 * `isComplete` is false if there were too many orders to read.
 */
export function reportSums(
  { report, sequence, isComplete }: { report: Report; sequence: number; isComplete: boolean },
  orders: readonly Order[],
  { reconciliation, check }: { reconciliation: Reconciliation; check: ReportCheck },
  { time, rules }: Made,
): BookSums {
  const byId = new Map(orders.map((order) => [order.id, order]))
  const counted = reconciliation.orders.counted.flatMap((id) => byId.get(id) ?? [])
  const canceled = reconciliation.orders.canceled.flatMap((id) => byId.get(id) ?? [])
  const rounding = report.reportPayments.find((row) => rules.kindOf(row) === 'rounding')?.paymentName
  const adder = new BookAdder(rules)
  for (const order of counted) adder.add(order, rounding !== undefined)
  const sums = adder.sums(canceled)
  const stated = statedOf(report, reconciliation.notStated, sums, rules)
  const sales = { reported: check.totalSales, computed: check.computedSales }
  return {
    source: {
      type: 'report',
      id: report.id,
      reportNumber: report.reportNumber,
      deviceName: report.deviceName,
      sequence,
    },
    day: check.businessDay,
    till: check.till,
    finalizedAt: report.finalizedAt,
    severalDays: check.severalDays,
    stated,
    orders: sums,
    reasons: [
      ...(isComplete ? [] : [reason('too_large')]),
      ...orderReasons(reconciliation.orders),
      ...figureReasons(reconciliation),
      ...selfReasons(stated, reconciliation),
      ...unitReason(sales),
    ],
    discountReasons: discountReasons(reconciliation),
    attached: attachedOf(
      orders.filter((order) => standingOf(order) === 'counted'),
      time,
    ),
  }
}

/** Returns the figures of a day without a Z: the sums of its orders. */
function statedOfOrders({ splits, payments }: OrderSums): Stated {
  const sold = splits.filter(({ of }) => itemRules[of].isSale)
  return {
    sales: sumOf(sold.map(({ taxable, tax }) => taxable + tax)),
    taxes: ratesOf(splits),
    hasTaxable: true,
    payments: payments.map(({ name, amount, kind }) => ({ name, amount, kind })),
    entries: [],
    initial: 0,
    final: 0,
  }
}

/** Computes the sums of a business day from its counted orders that no Z names. `orders` must be sorted by id. */
export function daySums(
  {
    day,
    orders,
    sequence,
    isComplete,
  }: { day: string; orders: readonly Order[]; sequence: number; isComplete: boolean },
  rules: MoneyRules,
): BookSums {
  const adder = new BookAdder(rules)
  const minor = rules.money.decimals
  for (const order of orders) adder.add(order, false)
  const sums = adder.sums([])
  sums.payments.sort((a, b) => (a.name < b.name ? -1 : 1))
  const stated = statedOfOrders(sums)
  const single = orders.flatMap((order) => singleReasons(order, minor))
  return {
    source: { type: 'day', id: day, reportNumber: null, deviceName: null, sequence },
    day,
    till: null,
    finalizedAt: null,
    severalDays: false,
    stated,
    orders: sums,
    reasons: [...(isComplete ? [] : [reason('too_large')]), ...single],
    discountReasons: [],
    attached: [],
  }
}

/** Returns a reason if the total of an order is not the sum of its items. */
function singleReasons(order: Order, decimals: number): BookReason[] {
  const reported = sumToMinor([order.total], decimals)
  const computed = sumToMinor(
    countedItems(order).map(({ total }) => total),
    decimals,
  )
  if (reported === computed) return []
  return [
    reason('order_total', {
      key: order.id,
      reported,
      computed,
      difference: reported - computed,
      orderIds: [order.id],
    }),
  ]
}
