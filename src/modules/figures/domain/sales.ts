import { hash } from 'node:crypto'
import type { Order, OrderItem } from '../../../core/contract/orders/schema.ts'
import { addAmounts, emptyAmounts, isNothing, type Amounts } from '../../../core/contract/money/amounts.ts'
import { businessTime, type BusinessClock, type BusinessTime } from '../../../core/domain/days/business-time.ts'
import { isOtherItem, taxKeyOf } from '../../../core/contract/money/classes.ts'
import { partedItems, quantityOf, standingOf } from '../../../core/contract/money/counted.ts'
import { boundedCount, restOf, unitsOf } from '../../../core/contract/money/decimal.ts'
import { serviceParts, toServiceKey } from './service-parts.ts'

/** `total` is the whole day; every other kind parts the day by one property of its orders, items or payments. */
export const cellKinds = [
  'total',
  'hour',
  'halfHour',
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

/**
 * These periods have sums of their own, so that years are read month by month, and what is left of a range week by
 * week.
 */
export type Period = 'month' | 'week'

/** Names the sums of a kind by business day, or by a period. */
export type StoredKind = CellKind | `${Period} ${CellKind}`

/**
 * One sum: of a business day, a kind and a key of that kind. `label` is what people call the key: what the last
 * version called it that came into the sum, or came to call it otherwise, in the order of the journal; empty where
 * nothing did so in what was folded. The `day` of a sum by month or week is its first, and it is called what the last
 * of its days that calls it anything does: `namedOn`.
 */
export type Cell<Kind extends StoredKind = CellKind> = Amounts & {
  kind: Kind
  day: string
  key: string
  label: string
  namedOn?: string | null
}

/** The key of the sum of all names without a row of their own. No readable text of a till equals it. */
export const othersKey = '\u0001'

/** The `name` of the row with that sum; the `key` of the row is null. */
export const othersName = 'others'

/** The version of these rules. Raise it with every change of a sum: all sums are then rebuilt, and the old ones are used meanwhile. */
export const salesVersion = 10

/** The characters of a long text that a key keeps; its hash follows them. Keys are in an index, so they must be short. */
const keptOfKey = 100

/** Turns a till's text into the key of a cell: equal texts are equal and others differ, however long they are. */
function toKey(text: string): string {
  if (text.length <= 2 * keptOfKey) return text
  return `${text.slice(0, keptOfKey).toWellFormed()} sha256:${hash('sha256', text)}`
}

/**
 * `version` is the number of the last version of an order, by which it counts as one order, however many of its items are in it. `left` is
 * the last change that removed something, with its name then.
 */
type Part = { key: string; label: string; amounts: Amounts; version: number; left?: { change: number; label: string } }

/**
 * Parts by their keys, in one map for each kind: what is looked up for each item of each order has a key of its
 * own nowhere.
 */
class Parts {
  readonly #byKind = new Map<CellKind, Map<string, Part>>()

  /** The part of a kind and a key, made where it is not there. */
  at(kind: CellKind, key: string): Part {
    let parts = this.#byKind.get(kind)
    if (!parts) this.#byKind.set(kind, (parts = new Map()))
    let part = parts.get(key)
    if (!part) parts.set(key, (part = { key, label: '', amounts: emptyAmounts(), version: 0 }))
    return part
  }

  *all(): Generator<readonly [CellKind, Iterable<Part>]> {
    for (const [kind, parts] of this.#byKind) yield [kind, parts.values()]
  }
}

/** Sums by day, kind and key, into which orders are folded; what is not there counts as nothing. */
class DaySums {
  readonly #days = new Map<string, Parts>()
  /** The numbers of the change that is folded now, and of the version that it puts in or takes out. */
  change = 0
  version = 0

  of(day: string): Parts {
    let parts = this.#days.get(day)
    if (!parts) this.#days.set(day, (parts = new Parts()))
    return parts
  }

  /** Cells that are more or less by something, or are called something, in no order. */
  changed(): Cell[] {
    const cells: Cell[] = []
    for (const [day, sums] of this.#days) {
      for (const [kind, parts] of sums.all()) {
        for (const { key, label, amounts } of parts) {
          if (label !== '' || !isNothing(amounts)) cells.push({ ...amounts, kind, day, key, label })
        }
      }
    }
    return cells
  }
}

type PartAmounts = Pick<Amounts, 'items' | 'sales' | 'salesRest' | 'tax' | 'taxRest' | 'discounts' | 'discountsRest'>

const nothing: PartAmounts = {
  items: 0,
  sales: 0,
  salesRest: 0,
  tax: 0,
  taxRest: 0,
  discounts: 0,
  discountsRest: 0,
}

/** Returns what each discount took off an item; one that is there twice is one. */
function discountsOf({
  discountsApplied,
}: OrderItem): Map<string, { name: string; discounts: number; discountsRest: number }> {
  const byId = new Map<string, { name: string; discounts: number; discountsRest: number }>()
  for (const { discountCatalogId, discountName, discountValue } of discountsApplied) {
    const { discounts = 0, discountsRest = 0 } = byId.get(discountCatalogId) ?? {}
    byId.set(discountCatalogId, {
      name: discountName,
      discounts: discounts + unitsOf(discountValue),
      discountsRest: discountsRest + restOf(discountValue),
    })
  }
  return byId
}

function itemAmounts(item: OrderItem): PartAmounts {
  const { total, tax, discountsApplied } = item
  const amounts = { ...nothing }
  amounts.items = quantityOf(item)
  amounts.sales = unitsOf(total)
  amounts.salesRest = restOf(total)
  amounts.tax = unitsOf(tax.taxAmount)
  amounts.taxRest = restOf(tax.taxAmount)
  for (const { discountValue } of discountsApplied) {
    amounts.discounts += unitsOf(discountValue)
    amounts.discountsRest += restOf(discountValue)
  }
  return amounts
}

/** Returns the payment with which a tip came: the one that it names, or the only one of the order. */
function meansOfTip({ payments }: Order, paymentCatalogId: string | undefined): string | undefined {
  const named = payments.find((payment) => payment.paymentCatalogId === paymentCatalogId)
  const names = new Set(payments.map(({ paymentName }) => paymentName))
  return named?.paymentName ?? (names.size === 1 ? payments[0]?.paymentName : undefined)
}

/** Adds something to the part of a kind and a key of the day of an order, or takes it out. */
type Into = (kind: CellKind, key: string, label: string, amounts: PartAmounts) => Amounts

/** Folds an order by its items, its payments and its e-reporting rates. */
function foldParts(into: Into, sign: 1 | -1, order: Order, { sold, other }: PartedItems): void {
  for (const item of sold) {
    const amounts = itemAmounts(item)
    into('product', item.itemCatalogId, item.description, amounts)
    into('category', item.category, item.category, amounts)
    into('tax', taxKeyOf(item), item.tax.taxName, amounts)
    if (item.discountsApplied.length === 0) continue
    for (const [id, { name, discounts, discountsRest }] of discountsOf(item)) {
      into('discount', id, name, { ...nothing, items: amounts.items, discounts, discountsRest })
    }
  }
  for (const { paymentName, paymentAmount } of order.payments) {
    into('payment', paymentName, paymentName, {
      ...nothing,
      sales: unitsOf(paymentAmount),
      salesRest: restOf(paymentAmount),
    })
  }
  for (const { amount, paymentCatalogId } of order.tips ?? []) {
    const name = meansOfTip(order, paymentCatalogId)
    if (name !== undefined) into('payment', name, name, nothing).tips += sign * unitsOf(amount)
  }
  for (const { rate, taxName, paid, sales, salesRest, tax, taxRest } of serviceParts(order, [...sold, ...other])) {
    const key = toServiceKey(order.serviceType, rate)
    into('serviceTax', key, taxName, { ...nothing, sales, salesRest, tax, taxRest })
    into('servicePaid', key, taxName, { ...nothing, sales: paid })
  }
}

type PartedItems = ReturnType<typeof partedItems>

function toOrderAmounts(order: Order, { sold, other }: PartedItems): Amounts {
  const orderAmounts = emptyAmounts()
  orderAmounts.orders = 1
  orderAmounts.guests = boundedCount(order.guests)
  orderAmounts.sales = unitsOf(order.total)
  orderAmounts.salesRest = restOf(order.total)
  for (const item of other) {
    orderAmounts.otherItems += quantityOf(item)
    orderAmounts.otherSales += unitsOf(item.total)
    orderAmounts.sales -= unitsOf(item.total)
    orderAmounts.salesRest -= restOf(item.total)
  }
  orderAmounts.refunds = Math.max(-orderAmounts.sales, 0)
  for (const item of sold) {
    orderAmounts.items += quantityOf(item)
    orderAmounts.tax += unitsOf(item.tax.taxAmount)
    orderAmounts.taxRest += restOf(item.tax.taxAmount)
    for (const { discountValue } of item.discountsApplied) {
      orderAmounts.discounts += unitsOf(discountValue)
      orderAmounts.discountsRest += restOf(discountValue)
    }
  }
  for (const { amount } of order.tips ?? []) orderAmounts.tips += unitsOf(amount)
  return orderAmounts
}

/** Why an order is not counted in the figures; such orders are reported separately. */
function besideAmounts(order: Order): Amounts | undefined {
  const standing = standingOf(order)
  if (standing === 'counted') return undefined
  const amounts = emptyAmounts()
  // Its sale is in the order that it was moved to.
  if (standing === 'transferred') return amounts
  amounts[`${standing}Orders` as const] = 1
  amounts[`${standing}Sales` as const] = unitsOf(order.total)
  return amounts
}

/** Returns the losses of a counted order, which are in no figure; undefined if there are none. */
function lossAmounts({ items }: Order): Amounts | undefined {
  const losses = items.filter((item) => item.isLoss && !item.isCanceled && !isOtherItem(item))
  if (losses.length === 0) return undefined
  const lossItems = losses.reduce((sum, item) => sum + quantityOf(item), 0)
  const lossSales = losses.reduce((sum, item) => sum + unitsOf(item.total), 0)
  return { ...emptyAmounts(), lossItems, lossSales }
}

/** Folds one version of an order into the sums; sign −1 takes it out again. The day is that of `closedAt`, of an open order that of `openedAt`. */
function foldOrder(sums: DaySums, time: BusinessTime, order: Order, sign: 1 | -1): void {
  const atMs = Date.parse(order.closedAt ?? order.openedAt)
  const day = sums.of(time.dayOf(atMs))
  const version = ++sums.version
  const find = (kind: CellKind, key: string, label: string) => {
    const part = day.at(kind, toKey(key))
    // A version that calls it what the one before did names nothing: else what a key is called would follow from who was resent.
    if (part.version === version) return part
    if (sign === -1) part.left = { change: sums.change, label }
    else if (part.left?.change !== sums.change || part.left.label !== label) part.label = label
    return part
  }
  const add = (kind: CellKind, key: string, label: string, amounts: Amounts) => {
    addAmounts(find(kind, key, label).amounts, amounts, sign)
  }
  const into: Into = (kind, key, label, amounts) => {
    const part = find(kind, key, label)
    const sum = part.amounts
    if (part.version !== version) sum.orders += sign
    part.version = version
    sum.items += sign * amounts.items
    sum.sales += sign * amounts.sales
    sum.salesRest += sign * amounts.salesRest
    sum.tax += sign * amounts.tax
    sum.taxRest += sign * amounts.taxRest
    sum.discounts += sign * amounts.discounts
    sum.discountsRest += sign * amounts.discountsRest
    return sum
  }
  const beside = besideAmounts(order)
  if (beside) return add('total', '', '', beside)
  const parted = partedItems(order)
  const orderAmounts = toOrderAmounts(order, parted)
  const losses = lossAmounts(order)
  if (losses) add('total', '', '', losses)
  add('total', '', '', orderAmounts)
  const halfHour = time.halfHourOf(atMs)
  const hour = halfHour.slice(0, 2)
  add('hour', hour, `${hour}:00`, orderAmounts)
  add('halfHour', halfHour, halfHour, orderAmounts)
  add('channel', order.channel, order.channel, orderAmounts)
  add('serviceType', order.serviceType, order.serviceType, orderAmounts)
  add('operator', order.operatorId, order.operatorName, orderAmounts)
  add('device', order.deviceId, order.deviceId, orderAmounts)
  add('report', order.reportId ?? '', order.reportId ?? '', orderAmounts)
  foldParts(into, sign, order, parted)
}

/** One change of an order: the version before, if there was one, and the version that took its place. */
export type OrderChange = { before: Order | undefined; after: Order }

/** Adds up changes without keeping them; returns the changed cells and their differences. */
export function startFold(clock: BusinessClock): { add(change: OrderChange): void; changed(): Cell[] } {
  const sums = new DaySums()
  const time = businessTime(clock)
  return {
    add({ before, after }) {
      sums.change += 1
      if (before) foldOrder(sums, time, before, -1)
      foldOrder(sums, time, after, 1)
    },
    changed: () => sums.changed(),
  }
}

/** Returns the cells that a run of changes moves, and by how much. */
export function foldChanges(clock: BusinessClock, changes: Iterable<OrderChange>): Cell[] {
  const fold = startFold(clock)
  for (const change of changes) fold.add(change)
  return fold.changed()
}
