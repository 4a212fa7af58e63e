import { businessTime } from '../../../core/domain/days/business-time.ts'
import { reconcile } from '../../figures/domain/reconciliation.ts'
import { partedItems, standingOf } from '../../../core/contract/money/counted.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import { sumToMinor } from '../../../core/contract/money/decimal.ts'
import { usualRules } from '../../../core/contract/money/paid.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import type { Ticket } from '../schemas/tickets.ts'

/**
 * A business day and the source's own figures for it. Amounts are in minor units, and null if the source has no such
 * figure.
 */
export type SourceDay = {
  day: string
  orders: number
  salesHere: number
  salesThere: number | null
  /** VAT of the source minus VAT of the orders; null if the source has none. */
  vat: number | null
  /** Closings of the day: number, and whether they agree with their orders. */
  closings: { number: number; state: 'balanced' | 'differs'; salesDifference: number }[]
  refused: number
}

/**
 * The sums of a day. `sales` counts its sales; `said` and `taxed` count the sales whose source states the total and the
 * tax.
 */
type Sums = {
  orders: number
  refused: number
  here: number
  taxHere: number
  sales: number
  said: number
  there: number
  taxed: number
  taxThere: number
  closings: SourceDay['closings']
}

const noSums = (): Sums => ({
  orders: 0,
  refused: 0,
  here: 0,
  taxHere: 0,
  sales: 0,
  said: 0,
  there: 0,
  taxed: 0,
  taxThere: 0,
  closings: [],
})

function toDay([day, sums]: [string, Sums]): SourceDay {
  const isSaid = sums.said > 0 && sums.said === sums.sales
  return {
    day,
    orders: sums.orders,
    salesHere: sums.here,
    salesThere: isSaid ? sums.there : null,
    vat: isSaid && sums.taxed === sums.sales ? sums.taxThere - sums.taxHere : null,
    closings: sums.closings,
    refused: sums.refused,
  }
}

/** Adds up days as the figures do, and the sums that tickets state, including refused tickets. */
export class Days {
  readonly #money: ReturnType<typeof moneyOf>
  readonly #dayOf: (ms: number) => string
  readonly #sums = new Map<string, Sums>()

  constructor(profile: { timeZone: string; currency: string; dayStartsAt: string }) {
    this.#money = moneyOf(profile.currency)
    this.#dayOf = businessTime(profile).dayOf
  }

  #of(ms: number): Sums {
    const day = this.#dayOf(ms)
    const known = this.#sums.get(day)
    if (known) return known
    const made = noSums()
    this.#sums.set(day, made)
    return made
  }

  /** Adds a ticket; `order` is undefined if the ticket was refused. */
  addTicket({ opened, closed, state = 'sale', said }: Ticket, order: Order | undefined): void {
    const sums = this.#of(Date.parse(closed ?? opened))
    const { decimals } = this.#money
    if (order) sums.orders += 1
    else sums.refused += 1
    if (order && standingOf(order) === 'counted') {
      const items = Object.values(partedItems(order)).flat()
      sums.here += sumToMinor([order.total], decimals)
      sums.taxHere += sumToMinor(
        items.map(({ tax }) => tax.taxAmount),
        decimals,
      )
    }
    if (state !== 'sale' || !closed) return
    sums.sales += 1
    if (said?.total !== undefined) {
      sums.said += 1
      sums.there += said.total
    }
    if (said?.tax !== undefined) {
      sums.taxed += 1
      sums.taxThere += said.tax
    }
  }

  /** Compares a closing with those of its orders that arrived. */
  addClosing(report: Report, orders: readonly Order[]): void {
    const { balanced, figures } = reconcile(report, orders, { rules: { ...usualRules, money: this.#money } })
    const last = orders.reduce((at, { closedAt }) => (closedAt && closedAt > at ? closedAt : at), '')
    this.#of(Date.parse(last || report.finalizedAt)).closings.push({
      number: report.reportNumber,
      state: balanced ? 'balanced' : 'differs',
      salesDifference: figures.find(({ figure }) => figure === 'sales')?.difference ?? 0,
    })
  }

  list(): SourceDay[] {
    return [...this.#sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(toDay)
  }
}
