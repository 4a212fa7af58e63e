import type { Order } from '../../../src/core/contract/orders/schema.ts'
import { simulate, type Occurrence } from '../../../simulator/simulation.ts'
import type { Restaurant } from '../../../simulator/restaurant.ts'
import { FakeSquare } from './fake-square.ts'
import type { VirtualClock } from './faults.ts'

type Json = any

const cents = (amount: number) => Math.round(amount * 100)

/** Square's names for the payment methods of the simulated restaurants; all others are `OTHER` with a note. */
export const tenderTypes: Record<string, string> = {
  Espèces: 'CASH',
  'Carte bancaire': 'CARD',
  'Carte cadeau': 'SQUARE_GIFT_CARD',
}

const money = (amount: number) => ({ amount, currency: 'EUR' })

const taxUid = (rate: number) => `tax-${Math.round(rate * 10_000)}`

function lineOf(item: Order['items'][number], at: number): Json {
  const { discountsApplied, modifiers = [], tax, weight } = item
  return {
    uid: `line-${at}`,
    catalog_object_id: item.itemCatalogId,
    name: item.description,
    quantity: String(item.quantity),
    item_type: 'ITEM',
    ...(weight === null
      ? {}
      : { quantity_unit: { measurement_unit: { weight_unit: 'METRIC_KILOGRAM' }, precision: 3 } }),
    total_money: money(cents(item.total)),
    total_tax_money: money(cents(tax.taxAmount)),
    applied_taxes: [
      { uid: `line-${at}-tax`, tax_uid: taxUid(tax.taxRate), applied_money: money(cents(tax.taxAmount)) },
    ],
    applied_discounts: discountsApplied.map((one, i) => ({
      uid: `line-${at}-${i}`,
      discount_uid: one.discountCatalogId,
      applied_money: money(cents(one.discountValue)),
    })),
    modifiers: modifiers.map(({ modifierId, name }) => ({ uid: modifierId, catalog_object_id: modifierId, name })),
  }
}

/** Returns payments by method; a payment that was returned does not count. A tender includes its tip. */
function tendersOf(order: Order): Json[] {
  const paid = Map.groupBy(order.payments, ({ paymentCatalogId }) => paymentCatalogId)
  return [...paid].map(([id, of]) => {
    const [{ paymentName }] = of as [Order['payments'][number]]
    const amount = of.reduce((sum, one) => sum + cents(one.paymentAmount), 0)
    const tips = (order.tips ?? []).filter((tip) => tip.paymentCatalogId === id)
    const tip = tips.reduce((sum, one) => sum + cents(one.amount), 0)
    const type = tenderTypes[paymentName] ?? 'OTHER'
    return {
      id: `${order.id}-${id}`,
      type,
      ...(type === 'OTHER' ? { note: paymentName } : {}),
      amount_money: money(amount + tip),
      tip_money: money(tip),
    }
  })
}

/** Returns an order as Square does: voided or lost items are in none of its documents. */
function documentOf(order: Order, account: string): Json {
  const items = order.items.filter(({ isCanceled, isLoss }) => !isCanceled && !isLoss)
  const tenders = order.closedAt === null ? [] : tendersOf(order)
  const sum = (of: (item: Order['items'][number]) => number) => items.reduce((all, item) => all + cents(of(item)), 0)
  const tip = tenders.reduce((all: number, one: Json) => all + one.tip_money.amount, 0)
  const total = sum((item) => item.total)
  const rates = [...new Map(items.map(({ tax }) => [taxUid(tax.taxRate), tax])).values()]
  const discounts = items.flatMap(({ discountsApplied }) => discountsApplied)
  return {
    id: order.id,
    location_id: account,
    state: order.isCanceled ? 'CANCELED' : order.closedAt === null ? 'OPEN' : 'COMPLETED',
    created_at: order.openedAt,
    updated_at: order.updatedAt,
    ...(order.closedAt === null ? {} : { closed_at: order.closedAt }),
    ticket_name: order.orderPlace,
    source: { name: 'Square Point of Sale' },
    version: Date.parse(order.updatedAt) % 1_000_000_000,
    line_items: items.map(lineOf),
    taxes: rates.map(({ taxName, taxRate }) => ({
      uid: taxUid(taxRate),
      name: taxName,
      percentage: String(Math.round(taxRate * 10_000) / 100),
      type: 'INCLUSIVE',
      scope: 'LINE_ITEM',
    })),
    discounts: discounts.map(({ discountCatalogId, discountName }) => ({ uid: discountCatalogId, name: discountName })),
    tenders,
    net_amounts: {
      total_money: money(total + tip),
      tax_money: money(sum(({ tax }) => tax.taxAmount)),
      tip_money: money(tip),
    },
    total_money: money(total + tip),
  }
}

/** A simulated restaurant whose till uses Square: an event is in its documents once the clock has passed it. */
export class SimulatedSquare extends FakeSquare {
  readonly #clock: VirtualClock
  readonly #coming: Iterator<Occurrence>
  #next: Occurrence | undefined
  readonly #paid = new Set<string>()
  /** The newest version of each order that was sold. */
  readonly sold = new Map<string, Order>()

  constructor(restaurant: Restaurant, clock: VirtualClock, { seed, to }: { seed: number; to: Date }) {
    super(seed, clock, 'EUR', 100)
    this.#clock = clock
    this.#coming = simulate(restaurant, { from: new Date(clock.ms), to })
    this.#next = this.#coming.next().value as Occurrence | undefined
  }

  override act(): void {
    while (this.#next && this.#next.at.getTime() <= this.#clock.ms) {
      const { record } = this.#next
      // Square has no training mode.
      if (record.type === 'order' && !record.data.isTraining) this.#take(record.data)
      this.#next = this.#coming.next().value as Occurrence | undefined
    }
  }

  #take(order: Order): void {
    this.sold.set(order.id, order)
    const document = documentOf(order, this.account)
    const payments = document.tenders
      .filter(({ id }: Json) => !this.#paid.has(id) && !order.isCanceled)
      .map(({ id, amount_money, tip_money }: Json) => ({
        id,
        order_id: order.id,
        created_at: order.closedAt,
        status: 'COMPLETED',
        amount_money: money(amount_money.amount - tip_money.amount),
        tip_money,
      }))
    for (const { id } of payments) this.#paid.add(id)
    this.put(document, payments)
  }
}
