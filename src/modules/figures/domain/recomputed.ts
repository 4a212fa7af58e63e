import type { Order, OrderItem } from '../../../core/contract/orders/schema.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import { classOf, isOtherItem, notStated, taxKeyOf, type ItemClass } from '../../../core/contract/money/classes.ts'
import { partedItems, quantityOf } from '../../../core/contract/money/counted.ts'
import { ExactSum, roundedBy } from '../../../core/contract/money/decimal.ts'
import { comparePayments, type MoneyRules } from '../../../core/contract/money/paid.ts'

/** Figures that a report states as lists of rows. */
export const listed = [
  'productSales',
  'productQuantity',
  'taxAmount',
  'taxableAmount',
  'payments',
  'discounts',
] as const

export type Listed = (typeof listed)[number]

/** One figure from the orders, in minor units of the currency or whole numbers. */
export type Sum = {
  name: string | null
  amount: number
  /**
   * The sum plus each combination of amounts that a report may include or not: vouchers, deposits, charges, and amounts
   * at 0 % without a stated tax.
   */
  alternatives: readonly number[]
  /** How far a report may differ because of rounding. */
  within: number
  /**
   * Whether a report must have a row for the figure: not if all items are non-sales or, for taxes, have no stated tax.
   */
  isExpected: boolean
  orderIds: Set<string>
}

/** The sums of the orders of a report. */
export type Recomputed = {
  sales: Sum
  lists: Record<Listed, Map<string, Sum>>
  cash: { amount: number; orderIds: Set<string> }
  orderIds: string[]
}

type Options = { rules: MoneyRules; cashPaymentNames?: readonly string[] | undefined }

/** A class of items that a report may or may not include, such as vouchers, split by whether the tax is stated. */
type Beside = ItemClass | `${ItemClass} ${typeof notStated}`

/** Sums that a report may or may not include, by class. */
class Others {
  readonly #sums = new Map<Beside, ExactSum>()

  at(of: Beside): ExactSum {
    let sum = this.#sums.get(of)
    if (!sum) this.#sums.set(of, (sum = new ExactSum()))
    return sum
  }

  /**
   * Returns `own` plus each non-empty combination of classes, combinations of few classes first. Each sum is rounded
   * once.
   */
  besides(own: ExactSum, toNumber: (sum: ExactSum) => number): number[] {
    const choices: ExactSum[][] = [[]]
    for (const sum of this.#sums.values()) choices.push(...choices.map((choice) => [...choice, sum]))
    return choices
      .slice(1)
      .toSorted((a, b) => a.length - b.length)
      .map((choice) => toNumber(choice.reduce((all, sum) => all.join(sum), new ExactSum().join(own))))
  }
}

/** The exact sums of one figure. `finish` converts them to numbers, once. */
class Adding {
  readonly own = new ExactSum()
  readonly others = new Others()
  readonly orderIds = new Set<string>()
  readonly name: string | null
  /** Number of added lines. Tills may have rounded each. */
  lines = 0
  isExpected = false

  constructor(name: string | null) {
    this.name = name
  }
}

class Additions {
  readonly byKey = new Map<string, Adding>()

  at(key: string, name: string | null): Adding {
    let adding = this.byKey.get(key)
    if (!adding) this.byKey.set(key, (adding = new Adding(name)))
    return adding
  }

  /** Returns the sum to add a line to. `beside` is the class of the line if a report may or may not include it. */
  add(key: string, name: string, orderId: string, beside?: Beside): ExactSum {
    const adding = this.at(key, name)
    adding.orderIds.add(orderId)
    adding.lines += 1
    if (beside === undefined) adding.isExpected = true
    return beside === undefined ? adding.own : adding.others.at(beside)
  }
}

type Lists = Record<Listed, Additions>

/** Returns the key of an item's tax. A report may include items without a stated tax in its row of 0 %, if any. */
function taxKey(item: OrderItem, report: Report): { key: string; isExpected: boolean } {
  const key = taxKeyOf(item)
  if (key !== notStated) return { key, isExpected: true }
  return { key: report.reportTaxes.some(({ taxRate }) => taxRate === 0) ? '0' : notStated, isExpected: false }
}

function addItem(lists: Lists, item: OrderItem, orderId: string, report: Report): void {
  const other = isOtherItem(item) ? classOf(item) : undefined
  const { total, tax, itemCatalogId: id, description } = item
  lists.productSales.add(id, description, orderId, other).add(total)
  lists.productQuantity.add(id, description, orderId, other).units += quantityOf(item)
  const { key, isExpected } = taxKey(item, report)
  const beside: Beside | undefined = isExpected ? other : `${classOf(item)} ${notStated}`
  lists.taxAmount.add(key, tax.taxName, orderId, beside).add(tax.taxAmount)
  lists.taxableAmount.add(key, tax.taxName, orderId, beside).add(total).add(tax.taxAmount, -1)
  for (const { discountCatalogId, discountName, discountValue } of item.discountsApplied) {
    lists.discounts.add(discountCatalogId, discountName, orderId).add(discountValue)
  }
}

/**
 * Adds the payments of an order. If the report has rows for the rounding of cash (`rounding` is the name of the first),
 * all rounding is added under that name, even if no payment states it.
 */
function addPayments(lists: Lists, order: Order, rounding: string | undefined, rules: MoneyRules): void {
  const left = new ExactSum().add(order.total)
  for (const payment of order.payments) {
    const { paymentName: name, paymentAmount } = payment
    left.add(paymentAmount, -1)
    const isRounding = rules.kindOf(payment) === 'rounding'
    if (isRounding && rounding === undefined) continue
    lists.payments.add(isRounding ? (rounding as string) : name, name, order.id).add(paymentAmount)
  }
  if (rounding === undefined || comparePayments(order, rules) !== 'rounded') return
  lists.payments.add(rounding, rounding, order.id).join(left)
}

function finish(additions: Additions, toNumber: (sum: ExactSum) => number, half: number): Map<string, Sum> {
  return new Map(
    [...additions.byKey].map(([key, { own, others, name, lines, isExpected, orderIds }]) => {
      const within = half * lines
      const alternatives = others.besides(own, toNumber)
      return [key, { name, amount: toNumber(own), alternatives, within, isExpected, orderIds }]
    }),
  )
}

const toWhole = (sum: ExactSum) => roundedBy(sum.units, 1000)

/**
 * Adds up counted orders, one after the other. A payment is cash by its kind, or by its name if the request lists cash
 * names.
 */
export class Recomputing {
  readonly #report: Report
  readonly #rules: MoneyRules
  readonly #cashNames: ReadonlySet<string> | undefined
  readonly #rounding: string | undefined
  readonly #lists = Object.fromEntries(listed.map((figure) => [figure, new Additions()])) as Lists
  readonly #own = new ExactSum()
  readonly #others = new Others()
  readonly #cash = new ExactSum()
  readonly #cashIds = new Set<string>()
  readonly #orderIds: string[] = []

  constructor(report: Report, { rules, cashPaymentNames }: Options) {
    this.#report = report
    this.#rules = rules
    this.#cashNames = cashPaymentNames && new Set(cashPaymentNames)
    this.#rounding = report.reportPayments.find((row) => rules.kindOf(row) === 'rounding')?.paymentName
  }

  add(order: Order): void {
    this.#orderIds.push(order.id)
    this.#own.add(order.total)
    const parted = partedItems(order)
    for (const item of parted.other) {
      this.#own.add(item.total, -1)
      this.#others.at(classOf(item)).add(item.total)
    }
    for (const item of [...parted.sold, ...parted.other]) addItem(this.#lists, item, order.id, this.#report)
    addPayments(this.#lists, order, this.#rounding, this.#rules)
    for (const payment of order.payments) {
      const isCash = this.#cashNames?.has(payment.paymentName) ?? this.#rules.kindOf(payment) === 'cash'
      if (!isCash) continue
      this.#cash.add(payment.paymentAmount)
      this.#cashIds.add(order.id)
    }
  }

  sums(): Recomputed {
    const { decimals, stepMinor } = this.#rules.money
    const minor = (sum: ExactSum) => sum.round(decimals)
    const lists = this.#lists
    return {
      sales: {
        name: null,
        amount: minor(this.#own),
        alternatives: this.#others.besides(this.#own, minor),
        within: 0,
        isExpected: true,
        orderIds: new Set(),
      },
      lists: {
        productSales: finish(lists.productSales, minor, 0),
        productQuantity: finish(lists.productQuantity, toWhole, 0),
        taxAmount: finish(lists.taxAmount, minor, stepMinor / 2),
        taxableAmount: finish(lists.taxableAmount, minor, stepMinor / 2),
        payments: finish(lists.payments, minor, 0),
        discounts: finish(lists.discounts, minor, 0),
      },
      cash: { amount: minor(this.#cash), orderIds: this.#cashIds },
      orderIds: this.#orderIds,
    }
  }
}
