import type { Order } from '../../schemas/orders.ts'
import type { ReportVerdict } from '../../schemas/report-checks.ts'
import type { Report } from '../../schemas/reports.ts'
import type { BusinessTime } from '../days/business-time.ts'
import { orderKinds, reconcile } from './reconciliation.ts'

/** Orders that carry no report's id although this report names them, by device and the business day of their closing. */
export type Adopted = { deviceId: string; day: string; orders: number }

/** Holds what is kept of a Z report beside its orders. */
export type ReportCheck = {
  reportId: string
  reportNumber: number
  /** Tells one till's reports from another's: its identifier, or its name where it has none. */
  till: string
  deviceName: string
  deviceIdentifier: string | null
  /** Devices of the orders that it names and that arrived. */
  devices: string[]
  /** Business day of the last closing among its counted orders, or of its own when it has none. */
  businessDay: string
  startedAt: string
  finalizedAt: string
  verdict: ReportVerdict
  /** How many orders are what to it. */
  orders: Record<(typeof orderKinds)[number], number>
  /** Figures that do not agree. */
  differences: number
  /** Hundredths: what it states, and what its orders add up to. */
  totalSales: number
  computedSales: number
  /** Ids of the orders that keep it from agreeing, so many at most. */
  missing: string[]
  open: string[]
  extra: string[]
  adopted: Adopted[]
}

/** So many ids are kept by name; beyond that they are only counted. */
const namedAtMost = 100

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

/** Checks a report against its orders: those that it names and those that carry its id, in their latest versions. */
export function checkReport(report: Report, orders: readonly Order[], time: BusinessTime): ReportCheck {
  const { balanced, orders: ids, figures, differences } = reconcile(report, orders)
  const byId = new Map(orders.map((order) => [order.id, order]))
  const counted = ids.counted.flatMap((id) => byId.get(id) ?? [])
  const named = report.orders.flatMap((id) => byId.get(id) ?? [])
  const closings = counted.flatMap(({ closedAt }) => closedAt ?? [])
  const last = closings.reduce((latest, at) => (at > latest ? at : latest), '')
  const kept = (list: readonly string[]) => list.slice(0, namedAtMost)
  return {
    reportId: report.id,
    reportNumber: report.reportNumber,
    till: tillOf(report),
    deviceName: report.deviceName,
    deviceIdentifier: report.deviceIdentifier,
    devices: [...new Set(named.map(({ deviceId }) => deviceId))].toSorted(),
    businessDay: time.dayOf(Date.parse(last === '' ? report.finalizedAt : last)),
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

/** Ids of orders that a report names and that do not carry its id: a change of one of them concerns the report too. */
export function waitsOf(report: Report, orders: readonly Order[]): string[] {
  const carrying = new Set(orders.filter(({ reportId }) => reportId === report.id).map(({ id }) => id))
  return [...new Set(report.orders)].filter((id) => !carrying.has(id))
}
