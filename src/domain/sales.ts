import { hash } from 'node:crypto'
import type { Order, OrderItem } from '../schemas/orders.ts'
import { businessTime, type BusinessClock, type BusinessTime } from './business-time.ts'
import { isCountedItem } from './reconciliation.ts'
import { serviceParts, toServiceKey } from './service-parts.ts'

/**
 * What is added up, all integers: amounts in hundredths of the currency, quantities in thousandths. Each amount of an order
 * is rounded once and then added. *Counted orders* and *counted items* are those of the reconciliation of a Z report
 * (docs/reconciliation.md): closed, not canceled, no training; and items neither canceled nor a loss.
 */
export const measures = [
  'orders',
  'guests',
  'items',
  'sales',
  'tax',
  'discounts',
  'tips',
  'refunds',
  'canceledOrders',
  'canceledSales',
  'trainingOrders',
  'trainingSales',
  'lossItems',
  'lossSales',
  'openOrders',
  'openSales',
] as const

export type Measure = (typeof measures)[number]

/** What is told beside the figures: of all orders of a day, and of no part of them. */
export const besideMeasures: ReadonlySet<Measure> = new Set<Measure>([
  'canceledOrders',
  'canceledSales',
  'trainingOrders',
  'trainingSales',
  'lossItems',
  'lossSales',
  'openOrders',
  'openSales',
])

export type Amounts = Record<Measure, number>

/** `total` is the whole day; every other kind parts the day by one property of its orders, items or payments. */
export const cellKinds = [
  'total',
  'hour',
  'product',
  'category',
  'tax',
  'payment',
  'channel',
  'serviceType',
  'operator',
  'device',
  'discount',
  'report',
  // By kind of service and tax rate, for e-reporting: what was sold, and what of it was paid.
  'serviceTax',
  'servicePaid',
] as const

export type CellKind = (typeof cellKinds)[number]

/** One sum: of a business day, a kind and a key of that kind. `label` is what people call the key. */
export type Cell = Amounts & { kind: CellKind; day: string; key: string; label: string }

/** Formulas as they are published in docs/figures.md, word for word. */
export const salesFormulas = {
  orders: 'orders = number of counted orders: closed, not canceled, no training',
  guests: 'guests = Σ guests of the counted orders',
  items: 'items = Σ quantity of the counted items: not canceled, no loss',
  salesInclTax: 'salesInclTax = Σ total of the counted orders; in a part by item, Σ total of its counted items',
  tax: 'tax = Σ tax.taxAmount of the counted items',
  salesExclTax: 'salesExclTax = salesInclTax − tax',
  discounts: 'discounts = Σ discountValue on the counted items',
  listInclTax: 'listInclTax = salesInclTax + discounts',
  tips: 'tips = Σ amount of the tips of the counted orders; in no other figure',
  refunds: 'refunds = −Σ total of the counted orders whose total is negative; they lower salesInclTax as well',
} as const

/** Bump it when a change of these rules changes figures: every projection is then built anew beside the old one. */
export const salesVersion = 3

const cents = (amount: number): number => Math.round(amount * 100)

export const emptyAmounts = (): Amounts =>
  Object.fromEntries(measures.map((measure) => [measure, 0])) as unknown as Amounts

/** Of a longer text this much stands in a key, which is in an index, and its hash after it. */
const keptOfKey = 100

/** A till's text as the key of a cell: equal texts are equal and others differ, however long they are. */
function toKey(text: string): string {
  if (text.length <= 2 * keptOfKey) return text
  return `${text.slice(0, keptOfKey).toWellFormed()} sha256:${hash('sha256', text)}`
}

/** Cells by kind, day and key, into which orders are folded; what is not there counts as nothing. */
class CellSums {
  readonly #cells = new Map<string, Cell>()

  add(place: Pick<Cell, 'kind' | 'day' | 'key' | 'label'>, amounts: Partial<Amounts>, sign: 1 | -1): void {
    const key = toKey(place.key)
    const id = `${place.kind}\n${place.day}\n${key}`
    let cell = this.#cells.get(id)
    if (!cell) {
      cell = { ...place, key, ...emptyAmounts() }
      this.#cells.set(id, cell)
    }
    if (sign === 1) cell.label = place.label
    for (const [measure, amount] of Object.entries(amounts) as [Measure, number][]) cell[measure] += sign * amount
  }

  /** Cells in which at least one measure is not nothing, in no order. */
  changed(): Cell[] {
    return [...this.#cells.values()].filter((cell) => measures.some((measure) => cell[measure] !== 0))
  }
}

type Part = { kind: CellKind; key: string; label: string; amounts: Partial<Amounts> }

function itemAmounts(item: OrderItem): Partial<Amounts> & { sales: number } {
  return {
    items: Math.round(item.quantity * 1000),
    sales: cents(item.total),
    tax: cents(item.tax.taxAmount),
    discounts: item.discountsApplied.reduce((sum, { discountValue }) => sum + cents(discountValue), 0),
  }
}

/** Parts by item: within one order the items of one key are one part, so that it counts as one order there. */
function itemParts(items: readonly OrderItem[]): Part[] {
  const parts = new Map<string, Part>()
  const add = (kind: CellKind, [key, label]: [string, string], amounts: Partial<Amounts>) => {
    const part = parts.get(`${kind}\n${key}`)
    if (!part) {
      parts.set(`${kind}\n${key}`, { kind, key, label, amounts: { orders: 1, ...amounts } })
      return
    }
    for (const [name, amount] of Object.entries(amounts) as [Measure, number][]) {
      part.amounts[name] = (part.amounts[name] ?? 0) + amount
    }
  }
  for (const item of items) {
    const amounts = itemAmounts(item)
    add('product', [item.itemCatalogId, item.description], amounts)
    add('category', [item.category, item.category], amounts)
    add('tax', [String(Math.round(item.tax.taxRate * 10_000)), item.tax.taxName], amounts)
    for (const { discountCatalogId, discountName, discountValue } of item.discountsApplied) {
      add('discount', [discountCatalogId, discountName], { items: amounts.items ?? 0, discounts: cents(discountValue) })
    }
  }
  return [...parts.values()]
}

function paymentParts(order: Order): Part[] {
  const paid = new Map<string, number>()
  for (const { paymentName, paymentAmount } of order.payments) {
    paid.set(paymentName, (paid.get(paymentName) ?? 0) + cents(paymentAmount))
  }
  return [...paid].map(([name, sales]) => ({ kind: 'payment', key: name, label: name, amounts: { orders: 1, sales } }))
}

function taxParts(order: Order, counted: readonly OrderItem[]): Part[] {
  return serviceParts(order, counted).flatMap(({ rate, taxName, sales, tax, paid }) => {
    const place = { key: toServiceKey(order.serviceType, rate), label: taxName }
    return [
      { kind: 'serviceTax', ...place, amounts: { orders: 1, sales, tax } },
      { kind: 'servicePaid', ...place, amounts: { orders: 1, sales: paid } },
    ] satisfies Part[]
  })
}

function wholeAmounts(order: Order, counted: readonly OrderItem[]): Amounts {
  const total = cents(order.total)
  const sum = (of: (item: OrderItem) => number) => counted.reduce((all, item) => all + of(item), 0)
  return {
    ...emptyAmounts(),
    orders: 1,
    guests: order.guests,
    items: sum((item) => Math.round(item.quantity * 1000)),
    sales: total,
    tax: sum((item) => cents(item.tax.taxAmount)),
    discounts: sum((item) => item.discountsApplied.reduce((all, one) => all + cents(one.discountValue), 0)),
    tips: (order.tips ?? []).reduce((all, tip) => all + cents(tip.amount), 0),
    refunds: total < 0 ? -total : 0,
  }
}

/** What an order is for the figures when it is not counted: told beside them, in no sum of them. */
function besideAmounts(order: Order): Partial<Amounts> | undefined {
  const total = cents(order.total)
  if (order.isTraining) return { trainingOrders: 1, trainingSales: total }
  if (order.isCanceled) return { canceledOrders: 1, canceledSales: total }
  return order.closedAt === null ? { openOrders: 1, openSales: total } : undefined
}

/** Folds one version of an order into the sums; sign −1 takes it out again. The day is that of `closedAt`, of an open order that of `openedAt`. */
function foldOrder(sums: CellSums, time: BusinessTime, order: Order, sign: 1 | -1): void {
  const atMs = Date.parse(order.closedAt ?? order.openedAt)
  const day = time.dayOf(atMs)
  const total = { kind: 'total', day, key: '', label: '' } as const
  const beside = besideAmounts(order)
  if (beside) {
    sums.add(total, beside, sign)
    return
  }
  const counted = order.items.filter(isCountedItem)
  const losses = order.items.filter((item) => item.isLoss && !item.isCanceled)
  const whole = wholeAmounts(order, counted)
  whole.lossItems = losses.reduce((sum, item) => sum + Math.round(item.quantity * 1000), 0)
  whole.lossSales = losses.reduce((sum, item) => sum + cents(item.total), 0)
  sums.add(total, whole, sign)
  const { lossItems: _items, lossSales: _sales, ...own } = whole
  const hour = String(time.hourOf(atMs)).padStart(2, '0')
  const byOrder: [CellKind, string, string][] = [
    ['hour', hour, `${hour}:00`],
    ['channel', order.channel, order.channel],
    ['serviceType', order.serviceType, order.serviceType],
    ['operator', order.operatorId, order.operatorName],
    ['device', order.deviceId, order.deviceId],
    ['report', order.reportId ?? '', order.reportId ?? ''],
  ]
  for (const [kind, key, label] of byOrder) sums.add({ kind, day, key, label }, own, sign)
  for (const { kind, key, label, amounts } of [
    ...itemParts(counted),
    ...paymentParts(order),
    ...taxParts(order, counted),
  ]) {
    sums.add({ kind, day, key, label }, amounts, sign)
  }
}

/** One change of an order: the version before, if there was one, and the version that took its place. */
export type OrderChange = { before: Order | undefined; after: Order }

/** The cells that a run of changes moves, and by how much. */
export function foldChanges(clock: BusinessClock, changes: Iterable<OrderChange>): Cell[] {
  const sums = new CellSums()
  const time = businessTime(clock)
  for (const { before, after } of changes) {
    if (before) foldOrder(sums, time, before, -1)
    foldOrder(sums, time, after, 1)
  }
  return sums.changed()
}
