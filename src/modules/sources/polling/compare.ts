import { sumToMinor } from '../../../core/contract/money/decimal.ts'
import { usualKinds } from '../../../core/contract/money/payment-kinds.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Pull, Said } from '../adapters/pull.ts'

/** The payments or sales of a day's orders, and the source's own figures; amounts in minor units. */
export type DayTotals = {
  day: string
  orders: number
  here: number
  there: number
  /** Keys of the documents whose tickets differ. */
  documents: string[]
}

type OfShop = {
  source: string
  account: string
  decimals: number
  states: Pull['states']
  dayOf: (atMs: number) => string
}

/** Returns the sales of an order, or its payments including tips, as the system of the source counts them. */
function amountOf({ total, payments, tips, isCanceled, isTraining }: Order, { states, decimals }: OfShop): number {
  if (isCanceled || isTraining) return 0
  if (states === 'sales') return sumToMinor([total], decimals)
  // Tillgate adds payments for rounding and for the reversal of a paid debt: the source does not list them.
  const isOwn = ({ paymentName, paymentAmount }: Order['payments'][number]) =>
    paymentName === 'Rounding' || (total >= 0 && paymentAmount < 0 && usualKinds({ paymentName }) === 'account')
  const paid = payments.filter((one) => !isOwn(one)).map((one) => one.paymentAmount)
  return sumToMinor([...paid, ...(tips ?? []).map(({ amount }) => amount)], decimals)
}

/**
 * Compares orders with their source's totals, ticket by ticket, so that a difference names its documents. A ticket
 * counts on the business day of its close; a missing ticket on the day of its payment.
 */
export function compareTotals(orders: readonly Order[], said: readonly Said[], shop: OfShop): Map<string, DayTotals> {
  const { source, account, dayOf } = shop
  const days = new Map<string, DayTotals>()
  const dayNamed = (day: string): DayTotals => {
    const known = days.get(day) ?? { day, orders: 0, here: 0, there: 0, documents: [] }
    days.set(day, known)
    return known
  }
  const own = orders.filter((order) => order.source === source && order.externalLocationId === account)
  const byKey = Map.groupBy(said, ({ key }) => key)
  for (const order of own) {
    const key = order.externalOrderId ?? ''
    const here = amountOf(order, shop)
    const stated = byKey.get(key) ?? []
    byKey.delete(key)
    const there = stated.reduce((sum, { amount }) => sum + amount, 0)
    const day = dayNamed(dayOf(Date.parse(order.closedAt ?? order.openedAt)))
    day.orders += 1
    day.here += here
    day.there += there
    if (here !== there) day.documents.push(stated[0]?.document ?? key)
  }
  for (const stated of byKey.values()) {
    const [first] = stated as [Said, ...Said[]]
    const there = stated.reduce((sum, { amount }) => sum + amount, 0)
    if (there === 0) continue
    const day = dayNamed(dayOf(Date.parse(first.at)))
    day.there += there
    day.documents.push(first.document)
  }
  return days
}
