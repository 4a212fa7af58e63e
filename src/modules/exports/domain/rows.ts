import type { Order, OrderItem } from '../../../core/contract/orders/schema.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import type { BusinessTime } from '../../../core/domain/days/business-time.ts'
import { isOtherItem, rateOfKey, taxKeyOf } from '../../../core/contract/money/classes.ts'
import { countedItems, standingOf } from '../../../core/contract/money/counted.ts'
import { ExactSum, restOf, toMinor, unitsOf } from '../../../core/contract/money/decimal.ts'
import type { OrderTable, ReportTable, Value } from './columns.ts'

export type Row = Value[]

/** The context of rows: the location, its clock, and the decimal places of its amounts, two or more. */
export type Maker = {
  locationId: string
  time: BusinessTime
  /** The local date and time of a moment, as text without a zone. */
  local: (atMs: number) => string
  places: number
}

type Sold = { order: Order; sequence: number; maker: Maker; head: Row; isCounted: boolean }

const uuid = (id: string | null | undefined): string | null => id?.toLowerCase() ?? null

const thousandths = (value: number): number => toMinor(unitsOf(value), restOf(value), 3)

/** Returns a fraction in ten-thousandths; null for rates with more than two places before the point. */
const rateOf = (rate: number): number | null => (Math.abs(rate) < 100 ? Math.round(rate * 10_000) : null)

const textOf = (value: string | null | undefined): string | null => value ?? null

function sumOf(amounts: Iterable<number>, places: number): number {
  const sum = new ExactSum()
  for (const amount of amounts) sum.add(amount)
  return sum.round(places)
}

/** Returns an amount in units of its last place, rounded half away from zero. */
const money = (amount: number, { places }: Maker): number => toMinor(unitsOf(amount), restOf(amount), places)

const closedMsOf = ({ closedAt }: Order): number | null => (closedAt === null ? null : Date.parse(closedAt))

/** Returns the moment that places an order in a file: its closing, or its opening while it is open. */
const placedMsOf = (order: Order): number => closedMsOf(order) ?? Date.parse(order.openedAt)

function headOf(order: Order, sequence: number, { locationId, time }: Maker): Row {
  const closedMs = closedMsOf(order)
  return [
    locationId,
    time.dayOf(placedMsOf(order)),
    sequence,
    uuid(order.id),
    closedMs,
    uuid(order.deviceId),
    order.channel,
    order.serviceType,
    uuid(order.operatorId),
    uuid(order.reportId),
    order.isCanceled,
    order.isTraining,
  ]
}

const orderRow = ({ order, maker, head, isCounted }: Sold): Row[] => {
  const closedMs = closedMsOf(order)
  const local = closedMs === null ? null : maker.local(closedMs)
  return [
    [
      ...head,
      order.orderNumber,
      Date.parse(order.createdAt),
      Date.parse(order.updatedAt),
      Date.parse(order.openedAt),
      local,
      local === null ? null : Number(local.slice(11, 13)),
      order.guests,
      order.orderPlace,
      order.customerId,
      order.operatorName,
      money(order.total, maker),
      money(order.totalTax, maker),
      money(order.totalDiscount, maker),
      sumOf(
        (order.tips ?? []).map(({ amount }) => amount),
        maker.places,
      ),
      sumOf(
        order.payments.map(({ paymentAmount }) => paymentAmount),
        maker.places,
      ),
      order.isTransferred,
      textOf(order.cancelReason),
      order.source,
      textOf(order.externalOrderId),
      isCounted,
      uuid(order.refundOf),
    ],
  ]
}

/** Returns the items that are in the figures. */
const soldOf = ({ order, isCounted }: Pick<Sold, 'order' | 'isCounted'>): ReadonlySet<OrderItem> =>
  new Set(isCounted ? countedItems(order).filter((item) => !isOtherItem(item)) : [])

function itemRows({ order, maker, head, isCounted }: Sold): Row[] {
  const sold = soldOf({ order, isCounted })
  return order.items.map((item, position) => {
    const total = money(item.total, maker)
    const tax = money(item.tax.taxAmount, maker)
    return [
      ...head,
      position,
      item.description,
      thousandths(item.quantity),
      item.weight === null ? null : thousandths(item.weight),
      money(item.unitPrice, maker),
      total,
      total - tax,
      rateOf(item.tax.taxRate),
      tax,
      item.tax.taxName,
      sumOf(
        item.discountsApplied.map(({ discountValue }) => discountValue),
        maker.places,
      ),
      item.category,
      item.subCategory,
      item.tier,
      uuid(item.itemCatalogId),
      textOf(item.comboParentId),
      item.isCanceled,
      item.isLoss,
      sold.has(item),
      item.kind ?? 'sale',
    ]
  })
}

const paymentRows = ({ order, maker, head }: Sold): Row[] =>
  order.payments.map(({ paymentName, paymentAmount, paymentCatalogId }, position) => [
    ...head,
    position,
    paymentName,
    money(paymentAmount, maker),
    uuid(paymentCatalogId),
  ])

function taxRows({ order, maker, head, isCounted }: Sold): Row[] {
  const byRate = new Map<string, { name: string; total: ExactSum; tax: ExactSum }>()
  for (const item of soldOf({ order, isCounted })) {
    const key = taxKeyOf(item)
    const sums = byRate.get(key) ?? { name: item.tax.taxName, total: new ExactSum(), tax: new ExactSum() }
    sums.total.add(item.total)
    sums.tax.add(item.tax.taxAmount)
    byRate.set(key, sums)
  }
  const rows = [...byRate].map(([key, { name, total, tax }]) => {
    const of = tax.round(maker.places)
    const hundredths = rateOfKey(key)
    const rate = hundredths === null ? null : rateOf(hundredths / 10_000)
    return { rate, row: [...head, rate, name, total.round(maker.places) - of, of] }
  })
  return rows.toSorted((a, b) => (b.rate ?? -1) - (a.rate ?? -1)).map(({ row }) => row)
}

const discountRows = ({ order, maker, head }: Sold): Row[] =>
  order.items.flatMap(({ discountsApplied }, position) =>
    discountsApplied.map(({ discountName, discountValue, discountCatalogId }) => [
      ...head,
      position,
      discountName,
      money(discountValue, maker),
      uuid(discountCatalogId),
    ]),
  )

const modifierRows = ({ order, head }: Sold): Row[] =>
  order.items.flatMap(({ modifiers = [] }, item) =>
    modifiers.map(({ modifierGroupId, modifierId, name }, position) => [
      ...head,
      item,
      position,
      uuid(modifierGroupId),
      uuid(modifierId),
      name,
    ]),
  )

const tipRows = ({ order, maker, head }: Sold): Row[] =>
  (order.tips ?? []).map(({ amount, paymentCatalogId, operatorId }, position) => [
    ...head,
    position,
    money(amount, maker),
    uuid(paymentCatalogId),
    uuid(operatorId),
  ])

const makers: Record<OrderTable, (sold: Sold) => Row[]> = {
  orders: orderRow,
  items: itemRows,
  payments: paymentRows,
  taxes: taxRows,
  discounts: discountRows,
  modifiers: modifierRows,
  tips: tipRows,
}

/** Makes the rows of one order in a table, by position. */
export function rowsOfOrder(table: OrderTable, order: Order, sequence: number, maker: Maker): Row[] {
  const head = headOf(order, sequence, maker)
  return makers[table]({ order, sequence, maker, head, isCounted: standingOf(order) === 'counted' })
}

/** A Z report with its check. */
export type Closed = {
  report: Report
  sequence: number
  businessDate: string
  verdict: string
  booksState: string | null
}

type Line = {
  kind: string
  name: string
  key: string | null
  quantity?: number
  amount: number
  taxable?: number
  tax?: number
}

const linesOf = (report: Report): Line[] => [
  ...report.reportProducts.map((one) => ({
    kind: 'product',
    name: one.productName,
    key: uuid(one.productCatalogId),
    quantity: one.productQuantity * 1_000,
    amount: one.productSales,
  })),
  ...report.reportTaxes.map((one) => ({
    kind: 'tax',
    name: one.taxName,
    key: String(one.taxRate),
    amount: one.taxableAmount + one.taxAmount,
    taxable: one.taxableAmount,
    tax: one.taxAmount,
  })),
  ...report.reportPayments.map((one) => ({
    kind: 'payment',
    name: one.paymentName,
    key: null,
    amount: one.paymentAmount,
  })),
  ...report.reportDiscounts.map((one) => ({
    kind: 'discount',
    name: one.discountName,
    key: uuid(one.discountCatalogId),
    amount: one.discountValue,
  })),
  ...report.reportEntries.map((one) => ({
    kind: 'entry',
    name: one.entryName,
    key: one.entryType,
    amount: one.entryAmount,
  })),
]

/** Makes the rows of one Z report in a table. `decimals` are those of its amounts. */
export function rowsOfReport(
  table: ReportTable,
  closed: Closed,
  { locationId, places }: Maker,
  decimals: number,
): Row[] {
  const { report, sequence, businessDate, verdict, booksState } = closed
  // Amounts of reports are minor units of the currency; if the currency has fewer places than the column, zeros are
  // appended.
  const scaled = (amount: number) => amount * 10 ** (places - decimals)
  const head: Row = [locationId, businessDate, sequence, uuid(report.id)]
  if (table === 'reports')
    return [
      [
        ...head,
        report.reportNumber,
        report.deviceName,
        textOf(report.deviceIdentifier),
        Date.parse(report.startedAt),
        Date.parse(report.finalizedAt),
        scaled(report.totalSales),
        report.guestsNumber,
        scaled(report.initialCashBalance),
        scaled(report.finalCashBalance),
        verdict,
        booksState,
      ],
    ]
  return linesOf(report).map(({ kind, name, key, quantity, amount, taxable, tax }, position) => [
    ...head,
    kind,
    position,
    name,
    key,
    quantity ?? null,
    scaled(amount),
    taxable === undefined ? null : scaled(taxable),
    tax === undefined ? null : scaled(tax),
  ])
}
