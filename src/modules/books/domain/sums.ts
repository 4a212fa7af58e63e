import type { BookReason } from '../schemas/books.ts'
import type { Order, OrderItem } from '../../../core/contract/orders/schema.ts'
import type { PaymentKind } from '../../../core/contract/money/payment-kinds-schema.ts'
import { classOf, rateOf, type ItemClass } from '../../../core/contract/money/classes.ts'
import { countedItems } from '../../../core/contract/money/counted.ts'
import { ExactSum, roundedBy, sumToMinor } from '../../../core/contract/money/decimal.ts'
import type { MoneyRules } from '../../../core/contract/money/paid.ts'
import { TipSums, type Tips } from './tips.ts'

/** Items of one class, rate, category and service, without tax; `rate` is null where none is stated. Minor units. */
export type Split = {
  of: ItemClass
  rate: number | null
  category: string
  serviceType: string
  taxable: number
  tax: number
  /** The discounts, without tax. */
  discount: number
}

export type RateRow = { rate: number; taxable: number; tax: number }
export type PaymentRow = { name: string; amount: number; kind: PaymentKind | null }

/** What orders add up to, as far as books ask it. Integers in minor units. */
export type OrderSums = {
  count: number
  sales: number
  splits: Split[]
  payments: (PaymentRow & { cash: number })[]
  tips: Tips
  /** What was paid beyond totals and tips; `unpaid` is what is missing. Each names the orders concerned, 100 at most. */
  overpaid: { amount: number; orderIds: string[] }
  unpaid: { amount: number; orderIds: string[] }
  /** What was paid beyond totals because cash was rounded, where no payment of the source has it. */
  rounding: number
  /** What payments and refunds of each canceled order leave, added up without signs: 0 where all was given back. */
  canceledPaid: number
}

/** What is booked of a source: what a Z says, or for a day without one what its orders add up to. */
export type Stated = {
  sales: number
  /** Null where the Z states no taxes. */
  taxes: RateRow[] | null
  /** Whether the rows of taxes have taxable amounts. */
  hasTaxable: boolean
  /** Null where the Z states no payments. */
  payments: PaymentRow[] | null
  /** Moves of the drawer, `opening_float` and `no_sale` with them; never their names, which are free text. */
  entries: { entryType: string; amount: number }[]
  initial: number
  final: number
}

/** A Z, or a business day without one: one source of booking entries. */
export type BookSource = {
  type: 'report' | 'day'
  /** The id of the report; for a day without one its date. */
  id: string
  reportNumber: number | null
  deviceName: string | null
  /** Number in the journal of the version of the Z, or of the last order. */
  sequence: number
}

/** All that booking entries of one source are made of, whatever the accounts are. */
export type BookSums = {
  source: BookSource
  day: string
  /** The till of a Z, and when it was closed; null for a day. */
  till: string | null
  finalizedAt: string | null
  severalDays: boolean
  stated: Stated
  orders: OrderSums
  /** Why it cannot be booked, whatever the accounts are. */
  reasons: BookReason[]
  /** Counts only where `discounts` is `gross`. */
  discountReasons: BookReason[]
  /** Counted orders that it has, by the business day on which they were closed. */
  attached: { day: string; orders: number }[]
}

type Key = Omit<Split, 'taxable' | 'tax' | 'discount'>

type Adding = { of: Key; total: ExactSum; tax: ExactSum; discount: number }

const splitOrder = (a: Split, b: Split): number =>
  (b.rate ?? -1) - (a.rate ?? -1) ||
  a.of.localeCompare(b.of, 'en') ||
  (a.category < b.category ? -1 : a.category > b.category ? 1 : 0) ||
  (a.serviceType < b.serviceType ? -1 : 1)

/** Adds up counted orders for the books; amounts are rounded once, when they are added up. */
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

  /** `isRoundingStated`: the payments of the source have what cash was rounded by; else it is added up apart. */
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

/** Sums by rate, the highest first; what has no stated rate is in none. */
export function ratesOf(splits: readonly Pick<Split, 'rate' | 'taxable' | 'tax'>[]): RateRow[] {
  const rates = new Map<number, RateRow>()
  for (const { rate, taxable, tax } of splits) {
    if (rate === null) continue
    const row = rates.get(rate) ?? { rate, taxable: 0, tax: 0 }
    rates.set(rate, { rate, taxable: row.taxable + taxable, tax: row.tax + tax })
  }
  return [...rates.values()].toSorted((a, b) => b.rate - a.rate)
}
