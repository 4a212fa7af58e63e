import type { BusinessTime } from '../days/business-time.ts'
import { partedItems, standingOf } from '../money/counted.ts'
import { restOf, unitsOf } from '../money/decimal.ts'
import type { OrderChange } from './sales.ts'
import type { Order } from '../../schemas/orders.ts'

/**
 * Names what adds up per device and business day; amounts in ten-thousandths, and in 10⁻¹² what they have beyond these. Counted
 * orders are those of the reconciliation.
 */
export const deviceMeasures = [
  'closed',
  'open',
  'counted',
  'unreported',
  'sales',
  'salesRest',
  'tax',
  'taxRest',
] as const

export type DeviceAmounts = Record<(typeof deviceMeasures)[number], number>

/** `lastAt` is the latest moment at which any version of an order of that day was opened or closed. */
export type DeviceDay = DeviceAmounts & { deviceId: string; day: string; lastAt: string }

/**
 * Returns what one order is for its device: `closed` whatever became of it, as tills count; `counted` as sales and Z
 * reports do; `unreported` those of them that carry no report's id.
 */
function amountsOf(order: Order): DeviceAmounts {
  const isClosed = order.closedAt !== null
  const standing = standingOf(order)
  const isCounted = standing === 'counted'
  const { sold, other } = isCounted ? partedItems(order) : { sold: [], other: [] }
  const sum = (of: (amount: number) => number) =>
    isCounted ? of(order.total) - other.reduce((all, { total }) => all + of(total), 0) : 0
  const taxes = (of: (amount: number) => number) => sold.reduce((all, { tax }) => all + of(tax.taxAmount), 0)
  return {
    closed: isClosed ? 1 : 0,
    open: standing === 'open' ? 1 : 0,
    counted: isCounted ? 1 : 0,
    unreported: isCounted && order.reportId === null ? 1 : 0,
    sales: sum(unitsOf),
    salesRest: sum(restOf),
    tax: taxes(unitsOf),
    taxRest: taxes(restOf),
  }
}

/** Returns the device days that a run of changes moves, and by how much. */
export function foldDeviceDays({ dayOf }: BusinessTime, changes: Iterable<OrderChange>): DeviceDay[] {
  const days = new Map<string, DeviceDay>()
  const add = (order: Order, sign: 1 | -1) => {
    const at = order.closedAt ?? order.openedAt
    const [deviceId, day] = [order.deviceId.toLowerCase(), dayOf(Date.parse(at))]
    const key = `${deviceId} ${day}`
    let cell = days.get(key)
    if (!cell) {
      const nothing = Object.fromEntries(deviceMeasures.map((measure) => [measure, 0])) as DeviceAmounts
      days.set(key, (cell = { deviceId, day, lastAt: at, ...nothing }))
    }
    if (at > cell.lastAt) cell.lastAt = at
    for (const [measure, amount] of Object.entries(amountsOf(order)) as [keyof DeviceAmounts, number][]) {
      cell[measure] += sign * amount
    }
  }
  for (const { before, after } of changes) {
    if (before) add(before, -1)
    add(after, 1)
  }
  return [...days.values()]
}
