import { addDays, businessTime } from '../../../core/domain/days/business-time.ts'
import { completenessOf } from '../domain/completeness.ts'
import { devicesOf, type TillOrder } from '../domain/devices.ts'
import { idleAfterDays } from '../domain/tills.ts'
import type { DeviceList, DeviceState } from '../schemas/devices.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import {
  countOpenOrders,
  countRejectedByDevice,
  listLastOrders,
  listRecentOrders,
  type DeviceOrder,
} from '../store/devices.ts'
import { findDeviceStatuses } from '../store/device-statuses.ts'
import { readAround } from './days-answer.ts'
import type { LiveDays } from './days.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'

/** Maximum number of orders that are read, and of rejected records. */
const looksAt = 1_000

/** Maximum devices that are listed: those that were seen last. There is a limit, because tills may push any ids. */
const devicesAtMost = 500

const toOrder = ({ createdAt, updatedAt, acceptedAt, ...order }: DeviceOrder): TillOrder => ({
  ...order,
  createdAt: createdAt.getTime(),
  updatedAt: updatedAt.getTime(),
  acceptedAt: acceptedAt.getTime(),
})

function heardOfLast(devices: DeviceState[]): DeviceState[] {
  if (devices.length <= devicesAtMost) return devices
  const latest = devices.toSorted((a, b) => (b.lastSeenAt ?? '').localeCompare(a.lastSeenAt ?? ''))
  const kept = new Set(latest.slice(0, devicesAtMost))
  return devices.filter((device) => kept.has(device))
}

/** Reads each till and device of a location as of the head, in the caller's snapshot. */
export async function readDevices(
  sql: Sql,
  locationId: string,
  live: LiveDays,
  { now, staleShare }: { now: Date; staleShare: (deviceId: string) => number | null },
): Promise<DeviceList> {
  const time = businessTime(live.clock)
  const today = time.dayOf(now.getTime())
  const range = { since: addDays(today, -idleAfterDays), until: today }
  const recently = { since: new Date(now.getTime() - dayMs), limit: looksAt }
  const [around, recent, open, rejected, statuses] = await Promise.all([
    readAround(sql, locationId, live, { requested: range, now }),
    listRecentOrders(sql, locationId, recently),
    countOpenOrders(sql, locationId),
    countRejectedByDevice(sql, locationId, recently),
    findDeviceStatuses(sql, locationId),
  ])
  const { tills, known, deviceDays } = around
  const lastAt = new Map<string, string>()
  for (const { deviceId, lastAt: at } of deviceDays) {
    if (at > (lastAt.get(deviceId) ?? '')) lastAt.set(deviceId, at)
  }
  const seen = [...lastAt].toSorted(([, a], [, b]) => (a < b ? 1 : -1)).slice(0, devicesAtMost)
  const last = await listLastOrders(
    sql,
    locationId,
    seen.map(([deviceId, lastAt]) => ({ deviceId, lastAt })),
  )
  const completeness = completenessOf(tills, known, today)
  const data = devicesOf(
    {
      completeness,
      tills,
      deviceDays,
      models: new Map(known.map(({ id, model }) => [id.toLowerCase(), model])),
      recent: recent.map(toOrder),
      last: last.map(toOrder),
      open,
      rejected,
      staleShare,
      numbers: new Map([...statuses].map(([id, { lastNumber }]) => [id, lastNumber])),
    },
    time,
    now.getTime(),
  )
  return {
    data: heardOfLast(data),
    meta: { businessDay: today, completeUntil: completeness.completeUntil, sequence: live.reached },
  }
}
