import type { Order } from '../../../core/contract/orders/schema.ts'
import type { ReportVerdict } from '../schemas/report-checks.ts'
import type { Report } from '../../../core/contract/reports/schema.ts'
import type { BusinessTime } from '../../../core/domain/days/business-time.ts'
import { ExactSum } from '../../../core/contract/money/decimal.ts'
import { orderKinds, type Reconciliation } from './reconciliation.ts'

/** How many counted orders that this report names carry no report id, by device and business day of closing. */
export type Adopted = { deviceId: string; day: string; orders: number }

/** The stored result of checking a Z report. */
export type ReportCheck = {
  reportId: string
  reportNumber: number
  /** Identifies the till: its identifier in lower case, or `name` and its name if it has no identifier. */
  till: string
  deviceName: string
  deviceIdentifier: string | null
  /** Devices of the orders that the report names, without orders that have not arrived. */
  devices: string[]
  /** The business day with most of the value of its counted orders; if it has none, the day on which it was closed. */
  businessDay: string
  /** Whether its counted orders were closed on several business days. */
  severalDays: boolean
  startedAt: string
  finalizedAt: string
  verdict: ReportVerdict
  /** How many orders there are of each kind, such as counted or missing. */
  orders: Record<(typeof orderKinds)[number], number>
  /** Number of figures that differ. */
  differences: number
  /** The stated total, and the sum of the orders, in minor units of the currency. */
  totalSales: number
  computedSales: number
  /** Ids of orders that prevent agreement, up to a limit. */
  missing: string[]
  open: string[]
  extra: string[]
  adopted: Adopted[]
}

/** At most this many ids of a report, and numbers of a gap, are listed; the other ids are only counted. */
export const namedAtMost = 100

const tillOf = ({ deviceIdentifier, deviceName }: Pick<Report, 'deviceIdentifier' | 'deviceName'>): string =>
  deviceIdentifier ? deviceIdentifier.toLowerCase() : `name ${deviceName}`

function adoptedOf(counted: readonly Order[], { dayOf }: BusinessTime): Adopted[] {
  const found = new Map<string, Adopted>()
  for (const { reportId, deviceId, closedAt } of counted) {
    if (reportId !== null || closedAt === null) continue
    const day = dayOf(Date.parse(closedAt))
    const known = found.get(`${deviceId} ${day}`) ?? { deviceId, day, orders: 0 }
    found.set(`${deviceId} ${day}`, { ...known, orders: known.orders + 1 })
  }
  return [...found.values()]
}

/**
 * Returns the business days on which orders were closed, sorted by value, highest first; if values are equal, the day
 * with more orders comes first, then the later day.
 */
function daysOf(counted: readonly Order[], { dayOf }: BusinessTime): string[] {
  const sums = new Map<string, { taken: ExactSum; orders: number }>()
  for (const { closedAt, total } of counted) {
    if (closedAt === null) continue
    const day = dayOf(Date.parse(closedAt))
    const sum = sums.get(day) ?? { taken: new ExactSum(), orders: 0 }
    sum.taken.add(Math.abs(total))
    sum.orders += 1
    sums.set(day, sum)
  }
  return [...sums]
    .toSorted(([a, x], [b, y]) => y.taken.units - x.taken.units || y.orders - x.orders || (a < b ? 1 : -1))
    .map(([day]) => day)
}

/** Returns the verdict on a report and its orders: those that it names and those that carry its id. */
export function checkReport(
  report: Report,
  orders: readonly Order[],
  { time, reconciliation }: { time: BusinessTime; reconciliation: Reconciliation },
): ReportCheck {
  const { balanced, orders: ids, figures, differences } = reconciliation
  const byId = new Map(orders.map((order) => [order.id, order]))
  const counted = ids.counted.flatMap((id) => byId.get(id) ?? [])
  const named = report.orders.flatMap((id) => byId.get(id) ?? [])
  const days = daysOf(counted, time)
  const kept = (list: readonly string[]) => list.slice(0, namedAtMost)
  return {
    reportId: report.id,
    reportNumber: report.reportNumber,
    till: tillOf(report),
    deviceName: report.deviceName,
    deviceIdentifier: report.deviceIdentifier,
    devices: [...new Set(named.map(({ deviceId }) => deviceId))].toSorted(),
    businessDay: days[0] ?? time.dayOf(Date.parse(report.finalizedAt)),
    severalDays: days.length > 1,
    startedAt: report.startedAt,
    finalizedAt: report.finalizedAt,
    verdict: ids.missing.length + ids.open.length > 0 ? 'waiting' : balanced ? 'balanced' : 'unbalanced',
    orders: Object.fromEntries(orderKinds.map((kind) => [kind, ids[kind].length])) as ReportCheck['orders'],
    differences: differences.length,
    totalSales: report.totalSales,
    computedSales: figures.find(({ figure }) => figure === 'sales')?.computed ?? 0,
    missing: kept(ids.missing),
    open: kept(ids.open),
    extra: kept(ids.extra),
    adopted: adoptedOf(counted, time),
  }
}

/** Returns the ids of orders that a report names, but that do not carry its id: their changes affect the report too. */
export function waitsOf(report: Report, orders: readonly Order[]): string[] {
  const carrying = new Set(orders.filter(({ reportId }) => reportId === report.id).map(({ id }) => id))
  return [...new Set(report.orders)].filter((id) => !carrying.has(id))
}
