import type { BusinessTime } from '../../../core/domain/days/business-time.ts'
import { partedItems, standingOf } from '../../../core/contract/money/counted.ts'
import { restOf, unitsOf } from '../../../core/contract/money/decimal.ts'
import type { OrderChange } from './sales.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'

/**
 * The sums per device and business day; amounts are in ten-thousandths, and their remainder (`…Rest`) in 10⁻¹².
 * Counted orders are those that the reconciliation counts.
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
 * Adds an order to the sum of its device, or subtracts it. `closed` counts closed orders of any state, as tills do;
 * `counted` counts those that sales and Z reports count, and `unreported` the counted orders without a report id.
 */
function addOrder(sum: DeviceAmounts, order: Order, sign: 1 | -1): void {
  const standing = standingOf(order)
  if (order.closedAt !== null) sum.closed += sign
  if (standing === 'open') sum.open += sign
  if (standing !== 'counted') return
  sum.counted += sign
  if (order.reportId === null) sum.unreported += sign
  const { sold, other } = partedItems(order)
  sum.sales += sign * unitsOf(order.total)
  sum.salesRest += sign * restOf(order.total)
  for (const { total } of other) {
    sum.sales -= sign * unitsOf(total)
    sum.salesRest -= sign * restOf(total)
  }
  for (const { tax } of sold) {
    sum.tax += sign * unitsOf(tax.taxAmount)
    sum.taxRest += sign * restOf(tax.taxAmount)
  }
}

const noAmounts = { closed: 0, open: 0, counted: 0, unreported: 0, sales: 0, salesRest: 0, tax: 0, taxRest: 0 }

/** Returns the device days that a series of changes affects, each with its difference. */
export function foldDeviceDays({ dayOf }: BusinessTime, changes: Iterable<OrderChange>): DeviceDay[] {
  const days = new Map<string, DeviceDay>()
  const add = (order: Order, sign: 1 | -1) => {
    const at = order.closedAt ?? order.openedAt
    const [deviceId, day] = [order.deviceId.toLowerCase(), dayOf(Date.parse(at))]
    const key = `${deviceId} ${day}`
    let cell = days.get(key)
    if (!cell) days.set(key, (cell = { deviceId, day, lastAt: at, ...noAmounts }))
    if (at > cell.lastAt) cell.lastAt = at
    addOrder(cell, order, sign)
  }
  for (const { before, after } of changes) {
    if (before) add(before, -1)
    add(after, 1)
  }
  return [...days.values()]
}
