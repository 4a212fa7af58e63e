import type { Order } from '../../../core/contract/orders/schema.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import type { WarningCode } from '../schemas/warnings.ts'
import type { Warning } from '../../../core/schemas/warnings.ts'
import type { Money } from '../../../core/contract/money/currency.ts'
import { isOtherItem } from '../../../core/contract/money/classes.ts'
import { countedItems, isMovedAway } from '../../../core/contract/money/counted.ts'
import { ExactSum, sumToMinor } from '../../../core/contract/money/decimal.ts'
import { minuteMs } from '../../../core/domain/days/time-units.ts'
import { Warnings } from './known.ts'
import { warnOfHundredfold } from './report-warnings.ts'
import { quoted } from './texts.ts'

/** The parts of a report that are compared with stored data. */
export type ReportFacts = Pick<
  Report,
  'id' | 'totalSales' | 'orders' | 'startedAt' | 'finalizedAt' | 'deviceName' | 'deviceIdentifier' | 'reportNumber'
>

/** The parts of a stored order that a report is compared with. */
export type NamedOrder = Pick<Order, 'total' | 'isCanceled' | 'isTraining' | 'closedAt' | 'reportId'> & {
  /** Whether the sale was moved to another order; else absent. */
  isMovedAway?: true
  /** The non-sales in `total`, such as a voucher, in major units; absent without any. */
  otherTotal?: number
}

/** Converts an order to the parts that are compared. Nullable fields may be absent in a push. */
export function toNamedOrder(order: Order): NamedOrder {
  const { total, isCanceled, isTraining, closedAt, reportId } = order
  const { items = [], payments = [] } = order as Partial<Order>
  const other = countedItems({ items, total }).filter(isOtherItem)
  const named = {
    total,
    isCanceled,
    isTraining,
    closedAt: closedAt ?? null,
    reportId: reportId ?? null,
    ...(isMovedAway({ ...order, payments }) ? { isMovedAway: true as const } : {}),
  }
  if (other.length === 0) return named
  // Added up exactly, in ten-thousandths of the currency.
  return { ...named, otherTotal: other.reduce((sum, item) => sum.add(item.total), new ExactSum()).units / 10_000 }
}

/** The parts of another stored report that a report is compared with. */
export type OtherReport = Pick<
  ReportFacts,
  'id' | 'startedAt' | 'finalizedAt' | 'deviceName' | 'deviceIdentifier' | 'reportNumber'
>

/** Tolerance of times: a report may be closed a little before its last order, and the clocks of two devices differ. */
const clockMs = 10 * minuteMs

const isOutside = ({ closedAt }: NamedOrder, { startedAt, finalizedAt }: ReportFacts) =>
  closedAt !== null &&
  (Date.parse(closedAt) < Date.parse(startedAt) - clockMs || Date.parse(closedAt) > Date.parse(finalizedAt) + clockMs)

/** Positions in the list of orders, and the warning about them. */
type OrdersWarning = readonly [places: readonly number[], what: string]

/** Adds one warning for all orders of a kind: “3 of the 40 orders of the report …; the first is …”. */
function addWarning(found: Warnings, { orders }: ReportFacts, code: WarningCode, [places, what]: OrdersWarning): void {
  const [first] = places
  if (first === undefined) return
  found.add(
    `/orders/${first}`,
    code,
    `${places.length} of the ${orders.length} orders of the report ${what}; the first is ${orders[first]}`,
  )
}

/**
 * Lists the warnings about a report that follow from its stored orders; `stored` is by id in lower case. A missing order is a warning,
 * because tills push the orders before their report.
 */
export function warnOfReportOrders(
  report: ReportFacts,
  stored: ReadonlyMap<string, NamedOrder>,
  money: Money,
): Warning[] {
  const found = new Warnings()
  const places = { missing: [] as number[], outside: [] as number[], elsewhere: [] as number[] }
  for (const [i, id] of report.orders.entries()) {
    const order = stored.get(id.toLowerCase())
    if (!order) {
      places.missing.push(i)
      continue
    }
    if (isOutside(order, report) || (order.closedAt === null && !order.isCanceled)) places.outside.push(i)
    if (order.reportId !== null && order.reportId.toLowerCase() !== report.id) places.elsewhere.push(i)
  }
  addWarning(found, report, 'unknown_order', [places.missing, 'have not arrived'])
  addWarning(found, report, 'order_outside_report', [places.outside, 'were not closed from startedAt to finalizedAt'])
  addWarning(found, report, 'order_of_other_report', [places.elsewhere, 'have the reportId of another report'])
  if (places.missing.length === 0) warnOfSales(found, report, [...stored.values()], money)
  return found.list
}

/**
 * Warns about the total of a report whose orders have all arrived, before the reconciliation calls it unbalanced
 * (docs/inside/08-warnings.md). An open order may still count, and has its own warning.
 */
function warnOfSales(
  found: Warnings,
  { totalSales, orders }: ReportFacts,
  stored: readonly NamedOrder[],
  { decimals, minorInOne }: Money,
): void {
  const counted = stored.filter((one) => !one.isCanceled && !one.isTraining && !one.isMovedAway)
  const sums = counted.map(({ total, otherTotal = 0 }) => [total, otherTotal])
  const minor = (sign: 0 | -1) =>
    sumToMinor(
      sums.flatMap(([total = 0, other = 0]) => [total, sign * other]),
      decimals,
    )
  // Non-sales may be in the total of a report or not.
  const cents = [minor(-1), minor(0)].find((sum) => sum === totalSales) ?? minor(-1)
  const hundredfold = warnOfHundredfold(totalSales, cents, minorInOne)
  if (hundredfold) {
    found.list.push(hundredfold)
  } else if (totalSales !== cents && counted.every(({ closedAt }) => closedAt !== null)) {
    const what =
      orders.length === 0 ? 'the report lists no orders' : `the stored orders of the report add up to ${cents}`
    found.add('/totalSales', 'total_mismatch', `totalSales is ${totalSales}, but ${what}`)
  }
}

const isSameDevice = (one: OtherReport, other: OtherReport) =>
  one.deviceName === other.deviceName && one.deviceIdentifier === other.deviceIdentifier

/** Lists the warnings about a report that follow from other reports of its device. */
export function warnOfOtherReports(report: ReportFacts, others: readonly OtherReport[]): Warning[] {
  const found = new Warnings()
  const { id, startedAt, finalizedAt, reportNumber, deviceName } = report
  const same = others.filter((other) => other.id.toLowerCase() !== id && isSameDevice(report, other))
  const number = same.find((other) => other.reportNumber === reportNumber)
  if (number) {
    const detail = `report ${number.id} of ${quoted(deviceName)} also has the number ${reportNumber}`
    found.add('/reportNumber', 'report_number_twice', detail)
  }
  const overlap = same.find((other) => other.startedAt < finalizedAt && startedAt < other.finalizedAt)
  if (overlap) {
    const detail = `report ${overlap.reportNumber} of ${quoted(deviceName)} covers ${overlap.startedAt} to ${overlap.finalizedAt}`
    found.add('/startedAt', 'reports_overlap', detail)
  }
  return found.list
}
