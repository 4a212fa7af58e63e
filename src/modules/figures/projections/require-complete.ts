import { businessTime } from '../../../core/domain/days/business-time.ts'
import type { DayRange, MomentRange } from '../../../core/domain/days/ranges.ts'
import type { BusinessDay } from '../schemas/business-days.ts'
import type { Completeness } from '../schemas/completeness.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { findFirstDay } from '../store/device-days.ts'
import { listDoubtfulDays, readCompleteness, readDays } from './days-answer.ts'
import { daysProjection, readPendingDays } from './days.ts'
import { readExactly } from './exact.ts'

type Device = Pick<Completeness['devices'][number], 'deviceId' | 'deviceName' | 'completeUntil'>

/** The incomplete days of a range, and the devices that they wait for; `isEmpty` if nothing has ever arrived. */
export type Incomplete = { days: string[]; devices: Device[]; isEmpty: boolean }

/**
 * Returns whether no device was expected on a day and nothing happened. Such a day does not make a range incomplete.
 */
export const isQuiet = ({ status, reports, sales, orders }: BusinessDay) =>
  status === 'closed' && reports.length + sales.orders + orders.unreported === 0

/** Lists the names of the tills whose data for a day is incomplete. */
const namesOf = ({ missingReports, reports }: BusinessDay): string[] => [
  ...missingReports.map(({ deviceName }) => deviceName),
  ...reports.filter(({ verdict }) => verdict === 'waiting').map(({ deviceName }) => deviceName),
]

function devicesOf(days: readonly BusinessDay[], { devices }: Completeness): Device[] {
  const names = new Set(days.flatMap(namesOf))
  const waiting = days.flatMap(({ waitingFor }) => waitingFor)
  const last = days.at(-1)?.endsAt ?? ''
  const isNamed = ({ deviceId, deviceName, reportedBy }: Completeness['devices'][number]) =>
    (reportedBy === null && names.has(deviceName ?? '')) ||
    waiting.some((one) => one.deviceId === deviceId && one.deviceName === deviceName)
  const named = devices.filter(isNamed)
  const late = devices.filter(({ state, completeUntil }) => state === 'active' && (completeUntil ?? '') < last)
  return (named.length > 0 ? named : late).map(({ deviceId, deviceName, completeUntil }) => ({
    deviceId,
    deviceName,
    completeUntil,
  }))
}

/**
 * Finds what is missing of the business days that a range touches, from the first day with data; undefined if all of
 * them are complete, including revised ones that lack nothing now.
 */
export async function findIncomplete(
  pool: Pool,
  locationId: string,
  range: DayRange | MomentRange,
  now: Date,
): Promise<Incomplete | undefined> {
  const { incomplete } = await readExactly(pool, locationId, daysProjection, async (tx) => {
    const live = await readPendingDays(tx, locationId)
    if (!live) return undefined
    const { dayOf } = businessTime(live.clock)
    const requested =
      'since' in range
        ? range
        : { since: dayOf(Math.max(range.first, 0)), until: dayOf(Math.min(range.last, now.getTime())) }
    const stored = await findFirstDay(tx, locationId, live.generation.generation)
    const first = [stored ?? [], live.pending.days.map(({ day }) => day)].flat().toSorted()[0]
    const since = first !== undefined && first > requested.since ? first : requested.since
    // If nothing has ever arrived, no day is complete, so a single day is enough; so is a single future day.
    const lastDay = [requested.until, dayOf(now.getTime())].toSorted()[0] as string
    const until = first === undefined || lastDay < since ? since : lastDay
    const dates = await listDoubtfulDays(tx, locationId, live, { since, until })
    const read = await readDays(tx, locationId, live, { range: { since, until }, dates, now })
    const days = read.map(({ day }) => day).filter((day) => !day.isComplete && (first === undefined || !isQuiet(day)))
    if (days.length === 0) return { incomplete: undefined }
    const completeness = await readCompleteness(tx, locationId, live, now)
    const isEmpty = first === undefined
    return { incomplete: { days: days.map(({ date }) => date), devices: devicesOf(days, completeness), isEmpty } }
  })
  return incomplete
}
