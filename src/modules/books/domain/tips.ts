import type { Order } from '../../../core/contract/orders/schema.ts'
import { sumToMinor } from '../../../core/contract/money/decimal.ts'
import { comparePayments, type MoneyRules } from '../../../core/contract/money/paid.ts'

/**
 * Tips of orders in minor units. Inside tips are the part of the payments beyond the total; all other tips are outside
 * tips. Outside tips that are not in cash are booked with their payment; outside tips in cash were never in the drawer.
 */
export type Tips = {
  inside: number
  outside: { name: string; amount: number }[]
  outsideCash: { name: string; amount: number }[]
  withoutPayment: number
  /** The part of tips that is missing from the payments, for orders whose payments contain only part of their tips. */
  partlyInside: number
}

type Kept = { amount: number; orderIds: string[] }

const namedAtMost = 100

/** Adds up the tips of orders, in minor units, by comparing the payments of each with its total and tips. */
export class TipSums {
  readonly #rules: MoneyRules
  #inside = 0
  #withoutPayment = 0
  #partlyInside = 0
  readonly #outside = new Map<string, number>()
  readonly #outsideCash = new Map<string, number>()
  readonly #over: Kept = { amount: 0, orderIds: [] }
  readonly #under: Kept = { amount: 0, orderIds: [] }
  #rounding = 0

  constructor(rules: MoneyRules) {
    this.#rules = rules
  }

  #keep(kept: Kept, amount: number, orderId: string): void {
    kept.amount += amount
    if (kept.orderIds.length < namedAtMost) kept.orderIds.push(orderId)
  }

  /** Adds an order; with `isRoundingStated`, the Z has a row for the rounding of cash, which is then not a difference. */
  add(order: Order, isRoundingStated: boolean): void {
    const { decimals } = this.#rules.money
    const tips = (order.tips ?? []).map((tip) => ({ ...tip, minor: sumToMinor([tip.amount], decimals) }))
    const paid = sumToMinor(
      order.payments.map(({ paymentAmount }) => paymentAmount),
      decimals,
    )
    const tipped = tips.reduce((sum, { minor }) => sum + minor, 0)
    const difference = paid - sumToMinor([order.total], decimals)
    if (difference === 0 && tipped === 0) return
    // In a refund everything is mirrored: a refunded tip is inside the payments of the refund.
    const sign = order.total < 0 ? -1 : 1
    const over = sign * difference
    const inside = Math.max(Math.min(over, sign * tipped), 0)
    if (comparePayments(order, this.#rules) === 'rounded') {
      if (!isRoundingStated) this.#rounding += sign * (over - inside)
    } else if (over > inside) this.#keep(this.#over, sign * (over - inside), order.id)
    else if (over < 0) this.#keep(this.#under, sign * -over, order.id)
    this.#inside += sign * inside
    if (inside > 0 && inside < sign * tipped) this.#partlyInside += tipped - sign * inside
    this.#addOutside(order, tips, inside, sign)
  }

  #nameOf(order: Order, id: string | undefined): string | undefined {
    if (id === undefined) return undefined
    const paid = order.payments.find(({ paymentCatalogId }) => paymentCatalogId.toLowerCase() === id.toLowerCase())
    return paid?.paymentName ?? this.#rules.nameOf?.(id)
  }

  /** Adds up outside tips. The inside part is subtracted first from tips that are not in cash. */
  #addOutside(
    order: Order,
    tips: readonly { minor: number; paymentCatalogId?: string | undefined }[],
    inside: number,
    sign: 1 | -1,
  ): void {
    const named = tips.map(({ minor, paymentCatalogId }) => {
      const name = this.#nameOf(order, paymentCatalogId)
      const isCash =
        name !== undefined &&
        this.#rules.kindOf({ paymentName: name, paymentCatalogId: paymentCatalogId as string }) === 'cash'
      return { name, isCash, left: minor }
    })
    let taken = inside
    for (const tip of [...named.filter(({ isCash }) => !isCash), ...named.filter(({ isCash }) => isCash)]) {
      const part = Math.max(Math.min(taken, sign * tip.left), 0)
      taken -= part
      tip.left -= sign * part
      if (tip.left === 0) continue
      if (tip.name === undefined) {
        this.#withoutPayment += tip.left
        continue
      }
      const sums = tip.isCash ? this.#outsideCash : this.#outside
      sums.set(tip.name, (sums.get(tip.name) ?? 0) + tip.left)
    }
  }

  /** Returns the sums; `rounding` is the amount paid beyond totals because cash was rounded, unless the Z states it. */
  sums(): { tips: Tips; overpaid: Kept; unpaid: Kept; rounding: number } {
    const sorted = (sums: ReadonlyMap<string, number>) =>
      [...sums].map(([name, amount]) => ({ name, amount })).toSorted((a, b) => (a.name < b.name ? -1 : 1))
    return {
      tips: {
        inside: this.#inside,
        outside: sorted(this.#outside),
        outsideCash: sorted(this.#outsideCash),
        withoutPayment: this.#withoutPayment,
        partlyInside: this.#partlyInside,
      },
      overpaid: this.#over,
      unpaid: this.#under,
      rounding: this.#rounding,
    }
  }
}
