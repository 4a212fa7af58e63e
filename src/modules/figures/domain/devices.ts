import type { Completeness } from '../schemas/completeness.ts'
import type { DeviceState } from '../schemas/devices.ts'
import type { BusinessTime } from '../../../core/domain/days/business-time.ts'
import type { DeviceDay } from './device-days.ts'
import type { Till } from './tills.ts'
import { minuteMs } from '../../../core/domain/days/time-units.ts'

/** What an order shows about its till; times are in milliseconds. */
export type TillOrder = {
  deviceId: string
  id: string
  number: string
  createdAt: number
  updatedAt: number
  acceptedAt: number
}

export type DeviceRecords = {
  completeness: Pick<Completeness, 'devices'>
  tills: readonly Till[]
  /** A device may have several entries for one day. */
  deviceDays: readonly DeviceDay[]
  models: ReadonlyMap<string, string>
  /** The orders of the last 24 hours that were read; their number is limited. */
  recent: readonly TillOrder[]
  /** The newest order of each device. */
  last: readonly TillOrder[]
  open: ReadonlyMap<string, number>
  rejected: ReadonlyMap<string, number>
  numbers: ReadonlyMap<string, number | null>
  staleShare: (deviceId: string) => number | null
}

/** With fewer pauses than this, it is unknown how long a till is usually silent, and `pauseUnknownMs` applies. */
const pausesEnough = 5
const pauseUnknownMs = 120 * minuteMs
const pauseAtLeastMs = 15 * minuteMs

const toTime = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString())

function middle(numbers: readonly number[]): number | null {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? null
}

/** Returns after how many ms a pausing till is reported as silent, from the times at which its orders were accepted. */
function usualPause(acceptedAt: readonly number[]): number {
  const inOrder = acceptedAt.toSorted((a, b) => a - b)
  const pauses = inOrder.slice(1).map((at, i) => at - (inOrder[i] as number))
  if (pauses.length < pausesEnough) return pauseUnknownMs
  return Math.max(pauseAtLeastMs, ...pauses)
}

/**
 * Returns whether a till has ended its day after its last order: with a later Z report, or, if it makes none, because
 * the business day of that order is over.
 */
function hasClosed(till: Till | undefined, { createdAt }: TillOrder, { dayOf }: BusinessTime, now: number): boolean {
  const report = till?.reports.at(-1)
  if (report === undefined) return dayOf(createdAt) !== dayOf(now)
  return Date.parse(report.finalizedAt) >= createdAt
}

/**
 * Returns by how many ms, at least, the clock of each till was ahead when it pushed these orders; 0 if none shows it.
 */
export function clocksAhead(
  orders: readonly Pick<TillOrder, 'deviceId' | 'updatedAt' | 'acceptedAt'>[],
): Map<string, number> {
  const ahead = new Map<string, number>()
  for (const { deviceId, updatedAt, acceptedAt } of orders) {
    ahead.set(deviceId, Math.max(ahead.get(deviceId) ?? 0, updatedAt - acceptedAt))
  }
  return ahead
}

/** Lists each till and device of a location, in the order in which its completeness lists them. */
export function devicesOf(records: DeviceRecords, time: BusinessTime, now: number): DeviceState[] {
  const today = time.dayOf(now)
  const recentOf = Map.groupBy(records.recent, ({ deviceId }) => deviceId)
  const lastOf = new Map(records.last.map((order) => [order.deviceId, order]))
  const tillOf = new Map(records.tills.flatMap((till) => [...till.deviceIds].map((id) => [id, till] as const)))
  const byName = new Map(records.tills.map((till) => [till.deviceName, till]))
  const aheadOf = clocksAhead(records.recent)
  const todayOf = new Map<string, number>()
  for (const { deviceId, day, closed, open } of records.deviceDays) {
    if (day === today) todayOf.set(deviceId, (todayOf.get(deviceId) ?? 0) + closed + open)
  }
  return records.completeness.devices.map((device) => {
    const { deviceId, deviceName, state, completeUntil, basis, reportedBy, missingReports, missingOrders } = device
    const id = deviceId ?? ''
    const till = tillOf.get(id) ?? byName.get(deviceName)
    const recent = recentOf.get(id) ?? []
    const last = lastOf.get(id)
    const delays = recent.map(({ acceptedAt, updatedAt }) => acceptedAt - updatedAt)
    const accepted = recent.map(({ acceptedAt }) => acceptedAt)
    const lastAcceptedAt = last && Math.max(last.acceptedAt, ...accepted)
    const isSilent =
      last !== undefined &&
      state === 'active' &&
      now - (lastAcceptedAt as number) > usualPause(accepted) &&
      !hasClosed(till, last, time, now)
    const report = till?.reports.at(-1)
    return {
      deviceId,
      deviceName,
      model: records.models.get(id) ?? null,
      state,
      lastSeenAt: device.lastSeenAt,
      lastAcceptedAt: toTime(lastAcceptedAt),
      lastOrder: last
        ? {
            id: last.id,
            orderNumber: last.number,
            openedAt: new Date(last.createdAt).toISOString(),
            acceptedAt: new Date(last.acceptedAt).toISOString(),
          }
        : null,
      lastNumber: records.numbers.get(id) ?? null,
      lastReport: report ? { reportNumber: report.reportNumber, finalizedAt: report.finalizedAt } : null,
      completeUntil,
      basis,
      reportedBy,
      missingReports,
      missingOrders,
      openOrders: records.open.get(id) ?? 0,
      ordersToday: todayOf.get(id) ?? 0,
      rejected24h: records.rejected.get(id) ?? 0,
      staleShare24h: deviceId === null ? null : records.staleShare(deviceId),
      medianDelayMs: middle(delays),
      clockAheadMs: aheadOf.get(id) ?? null,
      silentSince: isSilent ? toTime(lastAcceptedAt) : null,
    }
  })
}
