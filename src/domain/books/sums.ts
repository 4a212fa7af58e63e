import type { BookReason } from '../../schemas/books.ts'
import type { Order, OrderItem } from '../../schemas/orders.ts'
import { countedItems, isOtherItem, notStated, taxKeyOf } from '../money/counted.ts'
import { ExactSum, roundedBy, sumToMinor } from '../money/decimal.ts'
import type { MoneyRules } from '../money/paid.ts'
import { TipSums, type Tips } from './tips.ts'

/** Revenue of one rate, category and service, without tax; `kind` is null for sales. Minor units. */
export type Split = {
  rate: number
  category: string
  serviceType: string
  kind: string | null
  taxable: number
  tax: number
  /** The discounts, without tax. */
  discount: number
}

export type RateRow = { rate: number; taxable: number; tax: number }
export type PaymentRow = { name: string; amount: number }

/** What orders add up to, as far as books ask it. Integers in minor units. */
export type OrderSums = {
  sales: number
  splits: Split[]
  /** The sales whose tax nobody stated. */
  notStated: number
  payments: (PaymentRow & { cash: number })[]
  tips: Tips
  /** What was paid beyond totals and tips; `unpaid` is what is missing. Each names the orders concerned, 100 at most. */
  overpaid: { amount: number; orderIds: string[] }
  unpaid: { amount: number; orderIds: string[] }
  /** What payments and refunds of each canceled order leave, added up without signs: 0 where all was given back. */
  canceledPaid: number
}

/** What is booked of a source: what a Z says, or for a day without one what its orders add up to. */
export type Stated = {
  sales: number
  taxes: RateRow[]
  payments: PaymentRow[]
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
  /** Tells one till's Z from another's, and when it was closed; null for a day. */
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

type Adding = { of: Omit<Split, 'taxable' | 'tax' | 'discount'>; total: ExactSum; tax: ExactSum; discount: number }

const splitOrder = (a: Split, b: Split): number =>
  b.rate - a.rate ||
  (a.kind ?? '').localeCompare(b.kind ?? '', 'en') ||
  (a.category < b.category ? -1 : a.category > b.category ? 1 : 0) ||
  (a.serviceType < b.serviceType ? -1 : 1)

/** Adds up counted orders for the books; amounts are rounded once, when they are added up. */
export class BookAdder {
  readonly #rules: MoneyRules
  readonly #splits = new Map<string, Adding>()
  readonly #payments = new Map<string, { sum: ExactSum; cash: ExactSum }>()
  readonly #sales = new ExactSum()
  readonly #notStated = new ExactSum()
  readonly #tips: TipSums

  constructor(rules: MoneyRules) {
    this.#rules = rules
    this.#tips = new TipSums(rules)
  }

  #addItem(item: OrderItem, serviceType: string): void {
    const key = taxKeyOf(item)
    if (key === notStated) {
      this.#notStated.add(item.total)
      return
    }
    const { decimals } = this.#rules.money
    const of = {
      rate: Number(key),
      category: item.category,
      serviceType,
      kind: isOtherItem(item) ? (item.kind ?? null) : null,
    }
    const name = `${key}\n${of.kind ?? ''}\n${item.category}\n${serviceType}`
    let adding = this.#splits.get(name)
    if (!adding) this.#splits.set(name, (adding = { of, total: new ExactSum(), tax: new ExactSum(), discount: 0 }))
    adding.total.add(item.total)
    adding.tax.add(item.tax.taxAmount)
    if (item.discountsApplied.length === 0) return
    const value = sumToMinor(
      item.discountsApplied.map(({ discountValue }) => discountValue),
      decimals,
    )
    adding.discount += value - roundedBy(value * of.rate, 10_000 + of.rate)
  }

  /** `isRounded` says that the Z has a row for what cash was rounded by, so that this is no difference of the order. */
  add(order: Order, roundingName?: string): void {
    this.#sales.add(order.total)
    for (const item of countedItems(order)) this.#addItem(item, order.serviceType)
    for (const payment of order.payments) {
      const { paymentName, paymentAmount } = payment
      let row = this.#payments.get(paymentName)
      if (!row) this.#payments.set(paymentName, (row = { sum: new ExactSum(), cash: new ExactSum() }))
      row.sum.add(paymentAmount)
      if (this.#rules.kindOf(payment) === 'cash') row.cash.add(paymentAmount)
    }
    this.#tips.add(order, roundingName !== undefined)
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
    return {
      sales: round(this.#sales),
      splits: splits.toSorted(splitOrder),
      notStated: round(this.#notStated),
      payments: [...this.#payments].map(([name, { sum, cash }]) => ({ name, amount: round(sum), cash: round(cash) })),
      ...this.#tips.sums(),
      canceledPaid: paidBack.reduce((sum, amount) => sum + amount, 0),
    }
  }
}

/** Sums of sales by rate, the highest first. */
export function ratesOf(splits: readonly Split[]): RateRow[] {
  const rates = new Map<number, RateRow>()
  for (const { rate, taxable, tax } of splits) {
    const row = rates.get(rate) ?? { rate, taxable: 0, tax: 0 }
    rates.set(rate, { rate, taxable: row.taxable + taxable, tax: row.tax + tax })
  }
  return [...rates.values()].toSorted((a, b) => b.rate - a.rate)
}
