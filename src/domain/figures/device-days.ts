import { toCents } from '../money/amounts.ts'
import type { BusinessTime } from '../days/business-time.ts'
import { countedItems, standingOf } from '../money/counted.ts'
import type { OrderChange } from './sales.ts'
import type { Order } from '../../schemas/orders.ts'

/**
 * Names what adds up per device and business day; amounts in hundredths. Counted orders are those of the
 * reconciliation.
 */
export const deviceMeasures = ['closed', 'open', 'counted', 'unreported', 'sales', 'tax'] as const

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
  const items = isCounted ? countedItems(order) : []
  return {
    closed: isClosed ? 1 : 0,
    open: standing === 'open' ? 1 : 0,
    counted: isCounted ? 1 : 0,
    unreported: isCounted && order.reportId === null ? 1 : 0,
    sales: isCounted ? toCents(order.total) : 0,
    tax: items.reduce((sum, item) => sum + toCents(item.tax.taxAmount), 0),
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
