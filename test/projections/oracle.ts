import type { Order } from '../../src/schemas/orders.ts'
import type { Report } from '../../src/schemas/reports.ts'
import { zReportOf } from '../support/z-reports.ts'

/** Figures by a second, plain way: the latest versions are walked once for each question. All amounts in cents. */
export type Plain = { orders: number; sales: number; tax: number; discounts: number; items: number; guests: number }

const round = (amount: number) => Math.round(amount * 100)

/** The local date of a moment, five hours back, by the formatter that people see. */
function businessDayOf(moment: string, timeZone: string, startHour: number): string {
  const shifted = new Date(Date.parse(moment))
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  const [date = '', clock = ''] = format.format(shifted).split(' ')
  if (Number(clock.slice(0, 2)) >= startHour) return date
  const before = new Date(`${date}T12:00:00Z`)
  before.setUTCDate(before.getUTCDate() - 1)
  return before.toISOString().slice(0, 10)
}

/** Sums of the counted orders whose business day is in a range, by the keys that `keysOf` names for each of them. */
export function plainSales(
  latest: Iterable<Order>,
  zone: { timeZone: string; startHour: number },
  range: { since: string; until: string },
): Plain {
  const sum: Plain = { orders: 0, sales: 0, tax: 0, discounts: 0, items: 0, guests: 0 }
  for (const order of latest) {
    if (order.closedAt === null || order.isCanceled || order.isTraining) continue
    const day = businessDayOf(order.closedAt, zone.timeZone, zone.startHour)
    if (day < range.since || day > range.until) continue
    sum.orders += 1
    sum.guests += order.guests
    sum.sales += round(order.total)
    for (const item of order.items) {
      if (item.isCanceled || item.isLoss) continue
      sum.items += Math.round(item.quantity * 1000)
      sum.tax += round(item.tax.taxAmount)
      for (const discount of item.discountsApplied) sum.discounts += round(discount.discountValue)
    }
  }
  return sum
}

/** Sales by product id over all counted orders. */
export function plainProducts(latest: Iterable<Order>): Map<string, number> {
  const sums = new Map<string, number>()
  for (const order of latest) {
    if (order.closedAt === null || order.isCanceled || order.isTraining) continue
    for (const item of order.items) {
      if (item.isCanceled || item.isLoss) continue
      sums.set(item.itemCatalogId, (sums.get(item.itemCatalogId) ?? 0) + round(item.total))
    }
  }
  return sums
}

const isCounted = (order: Order) => order.closedAt !== null && !order.isCanceled && !order.isTraining

/** The amounts that a report states, by figure and key. */
function statedBy(report: Report): Map<string, number> {
  const stated = new Map<string, number>()
  const add = (name: string, amount: number) => stated.set(name, (stated.get(name) ?? 0) + amount)
  add('sales', report.totalSales)
  add('guests', report.guestsNumber)
  for (const row of report.reportProducts) add(`product ${row.productCatalogId}`, row.productSales)
  for (const row of report.reportProducts) add(`quantity ${row.productCatalogId}`, row.productQuantity)
  for (const row of report.reportTaxes) add(`tax ${row.taxRate}`, row.taxAmount)
  for (const row of report.reportTaxes) add(`taxable ${row.taxRate}`, row.taxableAmount)
  for (const row of report.reportPayments) add(`payment ${row.paymentName}`, row.paymentAmount)
  for (const row of report.reportDiscounts) add(`discount ${row.discountCatalogId}`, row.discountValue)
  return new Map([...stated].filter(([, amount]) => amount !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** What a report adds up to, and whether it agrees: printed again from its orders, and laid beside it. */
export function plainCheck(report: Report, latest: ReadonlyMap<string, Order>): { sales: number; verdict: string } {
  const named = report.orders.map((id) => latest.get(id))
  const here = named.filter((order) => order !== undefined)
  const sales = here.filter(isCounted).reduce((sum, order) => sum + round(order.total), 0)
  const isOpen = (order: Order) => order.closedAt === null && !order.isCanceled && !order.isTraining
  if (here.length < named.length || here.some(isOpen)) return { sales, verdict: 'waiting' }
  const strays = [...latest.values()].some((order) => order.reportId === report.id && !report.orders.includes(order.id))
  const elsewhere = here.some((order) => order.reportId !== null && order.reportId !== report.id)
  const printed = statedBy(zReportOf(report.locationId, 1, here))
  const agrees = JSON.stringify([...printed]) === JSON.stringify([...statedBy(report)])
  return { sales, verdict: agrees && !strays && !elsewhere ? 'balanced' : 'unbalanced' }
}
