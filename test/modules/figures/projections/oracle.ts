import type { Order } from '../../../../src/core/contract/orders/schema.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import { zReportOf } from '../../../support/z-reports.ts'

/**
 * Figures calculated in a second, simple way: one pass over the latest versions for each question. All amounts are in
 * cents.
 */
export type Plain = { orders: number; sales: number; tax: number; discounts: number; items: number; guests: number }

const round = (amount: number) => Math.round(amount * 100)

/** Returns the local date and time of a moment, according to the formatter for display. */
function localOf(moment: string, timeZone: string): { date: string; clock: string } {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  const [date = '', clock = ''] = format.format(new Date(moment)).split(' ')
  return { date, clock }
}

/** Returns the local date of a moment, or the day before if the business day has not started. */
function businessDayOf(moment: string, timeZone: string, startHour: number): string {
  const { date, clock } = localOf(moment, timeZone)
  if (Number(clock.slice(0, 2)) >= startHour) return date
  const before = new Date(`${date}T12:00:00Z`)
  before.setUTCDate(before.getUTCDate() - 1)
  return before.toISOString().slice(0, 10)
}

/** Sums of the counted orders whose business day is in a range, by the keys that `keysOf` returns for each order. */
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

const isCounted = (order: Order) => order.closedAt !== null && !order.isCanceled && !order.isTraining

/** Returns the amounts that a report states, by figure and key. */
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

/** Returns the sums of a report from its orders, and whether they agree with it. */
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

type Zone = { timeZone: string; startHour: number }

/** Returns the groups of a counted order in a dimension: each with its key, and the items or payments in it. */
function partsOf(
  order: Order,
  dimension: string,
): { key: string; items: Order['items']; paid?: number; off?: number }[] {
  const items = order.items.filter((item) => !item.isCanceled && !item.isLoss)
  const whole = (key: string) => [{ key, items }]
  const each = (keyOf: (item: Order['items'][number]) => string) => {
    const keys = [...new Set(items.map(keyOf))]
    return keys.map((key) => ({ key, items: items.filter((item) => keyOf(item) === key) }))
  }
  switch (dimension) {
    case 'product':
      return each((item) => item.itemCatalogId)
    case 'category':
      return each((item) => item.category)
    case 'tax':
      return each((item) => String(Math.round(item.tax.taxRate * 10_000)))
    case 'discount': {
      const ids = new Set(items.flatMap((item) => item.discountsApplied.map((one) => one.discountCatalogId)))
      return [...ids].map((key) => {
        const of = items.filter((item) => item.discountsApplied.some((one) => one.discountCatalogId === key))
        const given = of.flatMap((item) => item.discountsApplied.filter((one) => one.discountCatalogId === key))
        return { key, items: of, off: given.reduce((sum, one) => sum + round(one.discountValue), 0) }
      })
    }
    case 'payment': {
      const names = new Set(order.payments.map((payment) => payment.paymentName))
      return [...names].map((key) => {
        const of = order.payments.filter((payment) => payment.paymentName === key)
        return { key, items: [], paid: of.reduce((sum, payment) => sum + round(payment.paymentAmount), 0) }
      })
    }
    case 'channel':
      return whole(order.channel)
    case 'serviceType':
      return whole(order.serviceType)
    case 'operator':
      return whole(order.operatorId)
    case 'device':
      return whole(order.deviceId)
    case 'report':
      return whole(order.reportId ?? '')
    default:
      return whole('')
  }
}

const isByItem = (dimension: string) => ['product', 'category', 'tax'].includes(dimension)

/** Returns the hour or half hour of a local time. */
function timeOfDay(cut: string, clock: string): string {
  const [hour = '', minute = ''] = clock.split(':')
  return cut === 'hour' ? hour : `${hour}:${Number(minute) < 30 ? '00' : '30'}`
}

function periodOf(grain: string, day: string, clock: string): string {
  const date = new Date(`${day}T12:00:00Z`)
  const weekday = date.getUTCDay() === 0 ? 7 : date.getUTCDay()
  if (grain === 'weekday') return String(weekday)
  if (grain === 'hour' || grain === 'halfHour') return timeOfDay(grain, clock)
  if (grain === 'month') return day.slice(0, 7)
  if (grain === 'week') date.setUTCDate(date.getUTCDate() - weekday + 1)
  return grain === '' ? '' : date.toISOString().slice(0, 10)
}

/** Returns a table of sales: by period and key, orders, sales, tax, discounts and items (in thousandths). */
export function plainTable(
  latest: Iterable<Order>,
  by: string,
  zone: Zone,
  range: { since: string; until: string },
): Map<string, number[]> {
  const words = by.split(',')
  const grain = words.find((word) => ['day', 'week', 'month', 'weekday', 'hour', 'halfHour'].includes(word)) ?? ''
  const dimension = words.find((word) => word !== grain && word !== 'total') ?? ''
  const table = new Map<string, number[]>()
  for (const order of latest) {
    if (order.closedAt === null || !isCounted(order)) continue
    const day = businessDayOf(order.closedAt, zone.timeZone, zone.startHour)
    if (day < range.since || day > range.until) continue
    const { clock } = localOf(order.closedAt, zone.timeZone)
    for (const part of partsOf(order, dimension)) {
      const { items, paid, off } = part
      const key = dimension === 'hour' || dimension === 'halfHour' ? timeOfDay(dimension, clock) : part.key
      const sum = (of: (item: Order['items'][number]) => number) => items.reduce((all, item) => all + of(item), 0)
      const sales = paid ?? (isByItem(dimension) ? sum((item) => round(item.total)) : round(order.total))
      const taken = off ?? sum((item) => item.discountsApplied.reduce((all, one) => all + round(one.discountValue), 0))
      const figures = [1, sales, sum((item) => round(item.tax.taxAmount)), taken, sum((item) => item.quantity * 1000)]
      const id = `${periodOf(grain, day, clock)} ${key}`
      const known = table.get(id) ?? [0, 0, 0, 0, 0]
      table.set(
        id,
        known.map((figure, i) => figure + (figures[i] as number)),
      )
    }
  }
  return table
}
