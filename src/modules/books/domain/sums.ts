import type { BookReason } from '../schemas/books.ts'
import type { Order, OrderItem } from '../../../core/contract/orders/schema.ts'
import type { PaymentKind } from '../../../core/contract/money/payment-kinds-schema.ts'
import { classOf, rateOf, type ItemClass } from '../../../core/contract/money/classes.ts'
import { countedItems } from '../../../core/contract/money/counted.ts'
import { ExactSum, roundedBy, sumToMinor } from '../../../core/contract/money/decimal.ts'
import type { MoneyRules } from '../../../core/contract/money/paid.ts'
import { TipSums, type Tips } from './tips.ts'

/** Sums of the items of one class, rate, category and service, in minor units; `rate` is null if not stated. */
export type Split = {
  of: ItemClass
  rate: number | null
  category: string
  serviceType: string
  taxable: number
  tax: number
  discount: number
}

export type RateRow = { rate: number; taxable: number; tax: number }
export type PaymentRow = { name: string; amount: number; kind: PaymentKind | null }

/** The sums of orders that books need. Integers in minor units. */
export type OrderSums = {
  count: number
  sales: number
  splits: Split[]
  payments: (PaymentRow & { cash: number })[]
  tips: Tips
  /** The amount paid beyond totals and tips; `unpaid` is the missing amount. Each names at most 100 of its orders. */
  overpaid: { amount: number; orderIds: string[] }
  unpaid: { amount: number; orderIds: string[] }
  /** The amount paid beyond totals because cash was rounded, unless a payment of the source states it. */
  rounding: number
  /** Sum of the absolute difference of payments and refunds of each canceled order: 0 if everything was refunded. */
  canceledPaid: number
}

/** The figures of a source to book: those of the Z, or the sums of the orders for a day without one. */
export type Stated = {
  sales: number
  /** Null if the Z states no taxes. */
  taxes: RateRow[] | null
  hasTaxable: boolean
  /** Null if the Z states no payments. */
  payments: PaymentRow[] | null
  /** Drawer entries, including `opening_float` and `no_sale`; without their names, which are free text. */
  entries: { entryType: string; amount: number }[]
  initial: number
  final: number
}

/** A Z, or a business day without one: one source of booking entries. */
export type BookSource = {
  type: 'report' | 'day'
  /** The id of the report, or the date of a day without one. */
  id: string
  reportNumber: number | null
  deviceName: string | null
  /** Sequence of the version of the Z, or of the last order. */
  sequence: number
}

/** Everything that the entries of one source are made from, independent of the accounts. */
export type BookSums = {
  source: BookSource
  day: string
  /** The till and closing time of a Z; null for a day. */
  till: string | null
  finalizedAt: string | null
  severalDays: boolean
  stated: Stated
  orders: OrderSums
  /** Reasons against booking that do not depend on the accounts. */
  reasons: BookReason[]
  /** Further reasons that apply only if `discounts` is `gross`. */
  discountReasons: BookReason[]
  /** How many of its counted orders were closed on each business day. */
  attached: { day: string; orders: number }[]
}

type Key = Omit<Split, 'taxable' | 'tax' | 'discount'>

type Adding = { of: Key; total: ExactSum; tax: ExactSum; discount: number }

const splitOrder = (a: Split, b: Split): number =>
  (b.rate ?? -1) - (a.rate ?? -1) ||
  a.of.localeCompare(b.of, 'en') ||
  (a.category < b.category ? -1 : a.category > b.category ? 1 : 0) ||
  (a.serviceType < b.serviceType ? -1 : 1)

/** Adds up counted orders. Each sum is rounded once, at the end; discounts are rounded per item, tips per order. */
export class BookAdder {
  readonly #rules: MoneyRules
  readonly #splits = new Map<string, Adding>()
  readonly #payments = new Map<string, { sum: ExactSum; cash: ExactSum; kind: PaymentKind | null }>()
  #count = 0
  readonly #sales = new ExactSum()
  readonly #rounding = new ExactSum()
  readonly #tips: TipSums

  constructor(rules: MoneyRules) {
    this.#rules = rules
    this.#tips = new TipSums(rules)
  }

  #addItem(item: OrderItem, serviceType: string): void {
    const { decimals } = this.#rules.money
    const of: Key = { of: classOf(item), rate: rateOf(item), category: item.category, serviceType }
    const name = `${of.of}\n${of.rate}\n${item.category}\n${serviceType}`
    let adding = this.#splits.get(name)
    if (!adding) this.#splits.set(name, (adding = { of, total: new ExactSum(), tax: new ExactSum(), discount: 0 }))
    adding.total.add(item.total)
    adding.tax.add(item.tax.taxAmount)
    if (item.discountsApplied.length === 0) return
    const value = sumToMinor(
      item.discountsApplied.map(({ discountValue }) => discountValue),
      decimals,
    )
    const rate = of.rate ?? 0
    adding.discount += value - roundedBy(value * rate, 10_000 + rate)
  }

  /**
   * Adds an order. If not `isRoundingStated` by the payments of the source, the rounding of cash is added up
   * separately.
   */
  add(order: Order, isRoundingStated: boolean): void {
    this.#count += 1
    this.#sales.add(order.total)
    for (const item of countedItems(order)) this.#addItem(item, order.serviceType)
    for (const payment of order.payments) {
      const { paymentName, paymentAmount } = payment
      const kind = this.#rules.kindOf(payment)
      if (kind === 'rounding' && !isRoundingStated) {
        this.#rounding.add(paymentAmount, -1)
        continue
      }
      let row = this.#payments.get(paymentName)
      if (!row) this.#payments.set(paymentName, (row = { sum: new ExactSum(), cash: new ExactSum(), kind }))
      row.sum.add(paymentAmount)
      if (kind === 'cash') row.cash.add(paymentAmount)
    }
    this.#tips.add(order, isRoundingStated)
  }

  sums(canceled: readonly Order[]): OrderSums {
    const { decimals } = this.#rules.money
    const round = (sum: ExactSum) => sum.round(decimals)
    const splits = [...this.#splits.values()].map(({ of, total, tax, discount }): Split => {
      const taxed = round(tax)
      return { ...of, taxable: round(total) - taxed, tax: taxed, discount }
    })
    const paidBack = canceled.map(({ payments }) =>
      Math.abs(
        sumToMinor(
          payments.map(({ paymentAmount }) => paymentAmount),
          decimals,
        ),
      ),
    )
    const tips = this.#tips.sums()
    return {
      count: this.#count,
      sales: round(this.#sales),
      splits: splits.toSorted(splitOrder),
      payments: [...this.#payments].map(([name, { sum, cash, kind }]) => ({
        name,
        amount: round(sum),
        cash: round(cash),
        kind,
      })),
      ...tips,
      rounding: tips.rounding + round(this.#rounding),
      canceledPaid: paidBack.reduce((sum, amount) => sum + amount, 0),
    }
  }
}

/** Adds up splits by rate, without amounts that have no stated rate; the highest rate comes first. */
export function ratesOf(splits: readonly Pick<Split, 'rate' | 'taxable' | 'tax'>[]): RateRow[] {
  const rates = new Map<number, RateRow>()
  for (const { rate, taxable, tax } of splits) {
    if (rate === null) continue
    const row = rates.get(rate) ?? { rate, taxable: 0, tax: 0 }
    rates.set(rate, { rate, taxable: row.taxable + taxable, tax: row.tax + tax })
  }
  return [...rates.values()].toSorted((a, b) => b.rate - a.rate)
}
