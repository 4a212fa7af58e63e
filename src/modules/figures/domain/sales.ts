import { hash } from 'node:crypto'
import type { Order, OrderItem } from '../../../core/contract/orders/schema.ts'
import { addAmounts, emptyAmounts, isNothing, type Amounts } from '../../../core/contract/money/amounts.ts'
import { businessTime, type BusinessClock, type BusinessTime } from '../../../core/domain/days/business-time.ts'
import { isOtherItem, taxKeyOf } from '../../../core/contract/money/classes.ts'
import { partedItems, quantityOf, standingOf } from '../../../core/contract/money/counted.ts'
import { boundedCount, restOf, unitsOf } from '../../../core/contract/money/decimal.ts'
import { serviceParts, toServiceKey } from './service-parts.ts'

/** `total` is the whole day; every other kind splits the day by one property of its orders, items or payments. */
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
  // By kind of service and tax rate, for e-reporting: sales, and the paid part of them.
  'serviceTax',
  'servicePaid',
] as const

export type CellKind = (typeof cellKinds)[number]

/** Periods with sums of their own, so that years are read by month, and the rest of a range by week. */
export type Period = 'month' | 'week'

/**
 * The name under which sums are stored: a kind for sums of business days, such as `hour`; with a period before it for
 * sums of months or weeks, such as `month hour`.
 */
export type StoredKind = CellKind | `${Period} ${CellKind}`

/**
 * One sum: of a business day, a kind and a key of that kind. `label` is the name of the key in the last order version
 * that added to the sum or changed the name; empty if no folded version did. A sum of a month or week has its first
 * day as `day`; its name is that of `namedOn`, its last day with a name.
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

/** The `name` of the row for all names without a row of their own; the `key` of that row is null. */
export const othersName = 'others'

/**
 * The version of these rules. Increment it when a change of the code changes a sum: all sums are then rebuilt; until
 * that is done, the old sums are used.
 */
export const salesVersion = 10

/**
 * Number of characters of a long text that a key keeps, followed by the text's hash. Keys are in an index, so they must
 * be short.
 */
const keptOfKey = 100

/**
 * Turns a till's text into the key of a cell: equal texts have equal keys, and different texts have different keys, at
 * any length.
 */
function toKey(text: string): string {
  if (text.length <= 2 * keptOfKey) return text
  return `${text.slice(0, keptOfKey).toWellFormed()} sha256:${hash('sha256', text)}`
}

/**
 * The sums of a part, such as a product. An order counts once, however many of its items are in the part: `version` is
 * the number of the last counted version. `left` is the last change that removed something, with the name at that time.
 */
type Part = { key: string; label: string; amounts: Amounts; version: number; left?: { change: number; label: string } }

/** Parts by their keys, in one map per kind: a combined key would have to be built for each item of each order. */
class Parts {
  readonly #byKind = new Map<CellKind, Map<string, Part>>()

  /** Finds the part of a kind and a key, or adds it. */
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

/** Sums by day, kind and key, into which orders are folded; absent sums count as 0. */
class DaySums {
  readonly #days = new Map<string, Parts>()
  /** The numbers of the change that is being folded, and of the version that it adds or removes. */
  change = 0
  version = 0

  of(day: string): Parts {
    let parts = this.#days.get(day)
    if (!parts) this.#days.set(day, (parts = new Parts()))
    return parts
  }

  /** Returns the cells with a difference or a new name, unordered. */
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

/** Returns the sum of each discount on an item, by the id of the discount: an item can have the same discount twice. */
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

/** Returns the name of the payment that a tip names, else the only payment name of the order; else undefined. */
function meansOfTip({ payments }: Order, paymentCatalogId: string | undefined): string | undefined {
  const named = payments.find((payment) => payment.paymentCatalogId === paymentCatalogId)
  const names = new Set(payments.map(({ paymentName }) => paymentName))
  return named?.paymentName ?? (names.size === 1 ? payments[0]?.paymentName : undefined)
}

/** Adds amounts to a part, or subtracts them, on the day of an order. Returns the sums of the part. */
type Into = (kind: CellKind, key: string, label: string, amounts: PartAmounts) => Amounts

/** Adds an order to the sums by product, category, tax, discount, payment (with tips) and e-reporting rate. */
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

/** Returns the amounts of an order that the figures do not count, and that are reported separately. */
function besideAmounts(order: Order): Amounts | undefined {
  const standing = standingOf(order)
  if (standing === 'counted') return undefined
  const amounts = emptyAmounts()
  // The sale counts in the order that it was moved to.
  if (standing === 'transferred') return amounts
  amounts[`${standing}Orders` as const] = 1
  amounts[`${standing}Sales` as const] = unitsOf(order.total)
  return amounts
}

/** Returns the losses of a counted order, which are in no figure; undefined without losses. */
function lossAmounts({ items }: Order): Amounts | undefined {
  const losses = items.filter((item) => item.isLoss && !item.isCanceled && !isOtherItem(item))
  if (losses.length === 0) return undefined
  const lossItems = losses.reduce((sum, item) => sum + quantityOf(item), 0)
  const lossSales = losses.reduce((sum, item) => sum + unitsOf(item.total), 0)
  return { ...emptyAmounts(), lossItems, lossSales }
}

/**
 * Folds one version of an order into the sums; sign −1 removes it. The day is that of `closedAt`, or `openedAt` of an
 * open order.
 */
function foldOrder(sums: DaySums, time: BusinessTime, order: Order, sign: 1 | -1): void {
  const atMs = Date.parse(order.closedAt ?? order.openedAt)
  const day = sums.of(time.dayOf(atMs))
  const version = ++sums.version
  const find = (kind: CellKind, key: string, label: string) => {
    const part = day.at(kind, toKey(key))
    // A version with the same name as the previous version does not set the name: otherwise the name of a key would
    // depend on which order was resent.
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

/** One change of an order: its previous version, if any, and the one that replaced it. */
export type OrderChange = { before: Order | undefined; after: Order }

/** Adds up changes without keeping them. `changed` returns the affected cells, each with its difference. */
export function startFold(time: BusinessTime): { add(change: OrderChange): void; changed(): Cell[] } {
  const sums = new DaySums()
  return {
    add({ before, after }) {
      sums.change += 1
      if (before) foldOrder(sums, time, before, -1)
      foldOrder(sums, time, after, 1)
    },
    changed: () => sums.changed(),
  }
}

/** Returns the cells that a series of changes affects, each with its difference. */
export function foldChanges(clock: BusinessClock, changes: Iterable<OrderChange>): Cell[] {
  const fold = startFold(businessTime(clock))
  for (const change of changes) fold.add(change)
  return fold.changed()
}
