import type { Device, ReportNumbers } from '../../../core/contract/location/schema.ts'
import { isUuid } from '../../../core/contract/scalars.ts'
import { addDays, daysBetween } from '../../../core/domain/days/business-time.ts'
import type { DeviceDay } from './device-days.ts'
import { namedAtMost, type ReportCheck } from './report-checks.ts'

/** A till or device that was not seen for this many business days is idle, and no longer expected. */
export const idleAfterDays = 14

/** A business day depends on the reports of this many days before and after it. */
export const aroundDays = idleAfterDays + 1

/** A till's promise that everything it closed until `completeUntil` has been pushed. */
export type DevicePromise = { deviceId: string; at: string; completeUntil: string; missing: number }

/** The data about the devices of a location around some days. */
export type DeviceFacts = {
  /**
   * The checks of the reports of these days, of the 15 days before and after them, and of the next report of each till.
   */
  checks: readonly ReportCheck[]
  /** A device may have several entries of one day. */
  deviceDays: readonly DeviceDay[]
  /** The location's `deviceList`. */
  known: readonly Device[]
  promises: readonly DevicePromise[]
  /** The business day on which each device was taken out of service, by its id or name. */
  retired: Readonly<Record<string, string>>
  /** How the settings of the location say that its Z reports are numbered. */
  reportNumbers: ReportNumbers
}

/** Returns the tills (named like `till` of a report) whose next report may close one of these days. */
export function tillsToFollow({
  checks,
  deviceDays,
  known,
}: Pick<DeviceFacts, 'checks' | 'deviceDays' | 'known'>): string[] {
  return [
    ...new Set([
      ...checks.map(({ till }) => till),
      ...deviceDays.map(({ deviceId }) => deviceId.toLowerCase()),
      ...known.flatMap(({ id, name }) => [id.toLowerCase(), `name ${name}`]),
    ]),
  ]
}

/**
 * Returns a function that picks the data around one business day: the reports of the 15 days before and after it, and
 * each till's next report after them. The result for a day does not depend on the other days read.
 */
export function factsByDay(facts: DeviceFacts): (day: string) => DeviceFacts {
  const { known } = facts
  const checksOf = Map.groupBy(facts.checks, ({ businessDay }) => businessDay)
  const devicesOf = Map.groupBy(facts.deviceDays, ({ day }) => day)
  const keyOf = ({ businessDay, reportId }: ReportCheck) => `${businessDay} ${reportId}`
  const ofTill = Map.groupBy(
    facts.checks.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)),
    ({ till }) => till,
  )
  return (day) => {
    const last = addDays(day, aroundDays)
    const near = daysBetween(addDays(day, -aroundDays), last)
    const checks = near.flatMap((on) => checksOf.get(on) ?? [])
    const deviceDays = near.flatMap((on) => (on > day ? [] : (devicesOf.get(on) ?? [])))
    const next = tillsToFollow({ checks, deviceDays, known }).flatMap(
      (till) => ofTill.get(till)?.find(({ businessDay }) => businessDay > last) ?? [],
    )
    return { ...facts, checks: [...checks, ...next], deviceDays }
  }
}

type OnDay = { seen: boolean; unreported: number; reports: number }

/**
 * A unit that closes business days: a till with Z reports and the devices whose orders are in them, or a device without
 * reports.
 */
export type Till = {
  deviceId: string | null
  deviceName: string | null
  /** The Z reports of the till in the order in which they were closed; empty for a device without any. */
  reports: ReportCheck[]
  /** When each report was closed, in milliseconds since 1970; `reportDays` has the business days, in the same order. */
  reportMs: number[]
  reportDays: string[]
  /** The ids of its own device and of the devices whose orders its reports name. */
  deviceIds: Set<string>
  days: Map<string, OnDay>
  /** Time of its latest activity; null without any. */
  lastSeenAt: string | null
  promises: DevicePromise[]
  /** The business day on which it was taken out of service, null for none. */
  retiredOn: string | null
  /** Whether the settings of the location say that its Z reports are numbered consecutively. */
  isConsecutive: boolean
}

const inOrder = (checks: readonly ReportCheck[]) =>
  checks.toSorted((a, b) =>
    a.finalizedAt < b.finalizedAt ? -1 : a.finalizedAt > b.finalizedAt ? 1 : a.reportNumber - b.reportNumber,
  )

/**
 * Returns the device of a till: the device with its identifier, the device with its name, or the only device in its
 * reports.
 */
function deviceOf(reports: readonly ReportCheck[], known: readonly Device[]): string | null {
  const last = reports.at(-1) as ReportCheck
  if (last.deviceIdentifier !== null && isUuid(last.deviceIdentifier)) return last.deviceIdentifier.toLowerCase()
  const named = known.filter(({ name }) => name === last.deviceName)
  if (named.length === 1) return (named[0] as Device).id.toLowerCase()
  const devices = new Set(reports.flatMap(({ devices }) => devices))
  return devices.size === 1 ? ([...devices][0] as string) : null
}

const emptyTill = (deviceId: string | null, deviceName: string | null): Till => ({
  deviceId,
  deviceName,
  reports: [],
  reportMs: [],
  reportDays: [],
  deviceIds: new Set(deviceId === null ? [] : [deviceId]),
  days: new Map(),
  lastSeenAt: null,
  promises: [],
  retiredOn: null,
  isConsecutive: true,
})

/** Assigns each device to the till that has its id, else to the till whose report named its orders last. */
function shareDevices(tills: readonly Till[]): Map<string, Till> {
  const owner = new Map<string, Till>()
  const latest = tills.flatMap((till) => till.reports.map((report) => ({ till, report })))
  for (const { till, report } of latest.toSorted((a, b) => (a.report.finalizedAt < b.report.finalizedAt ? -1 : 1))) {
    for (const id of report.devices) owner.set(id, till)
  }
  for (const till of tills) if (till.deviceId !== null) owner.set(till.deviceId, till)
  return owner
}

function see(till: Till, at: string): void {
  if (till.lastSeenAt === null || at > till.lastSeenAt) till.lastSeenAt = at
}

/**
 * Returns the tills that made reports. A report without a device identifier belongs to the till whose device has its
 * name in the location's `deviceList`.
 */
function reportingTills(
  { checks, known, reportNumbers }: Pick<DeviceFacts, 'checks' | 'known' | 'reportNumbers'>,
  dayOf: (atMs: number) => string,
): Till[] {
  const devicesNamed = Map.groupBy(known, ({ name }) => name)
  const tillOf = ({ till, deviceName, deviceIdentifier }: ReportCheck): string => {
    const named = deviceIdentifier ? [] : (devicesNamed.get(deviceName) ?? [])
    return named.length === 1 ? (named[0] as Device).id.toLowerCase() : till
  }
  const groups = [...Map.groupBy(inOrder(checks), tillOf).values()]
  return groups.map((reports) => {
    const reportMs = reports.map(({ finalizedAt }) => Date.parse(finalizedAt))
    return {
      ...emptyTill(deviceOf(reports, known), (reports.at(-1) as ReportCheck).deviceName),
      reports,
      isConsecutive: reportNumbers === 'consecutive',
      reportMs,
      reportDays: reportMs.map(dayOf),
    }
  })
}

/** Finds the tills that close business days, from reports and devices; tills that were never seen come last. */
export function findTills(
  { checks, deviceDays, known, promises, retired, reportNumbers }: DeviceFacts,
  dayOf: (atMs: number) => string,
): Till[] {
  const tills = reportingTills({ checks, known, reportNumbers }, dayOf)
  const owner = shareDevices(tills)
  const nameOf = new Map(known.map(({ id, name }) => [id.toLowerCase(), name]))
  const tillOf = (deviceId: string): Till => {
    let till = owner.get(deviceId)
    if (!till) {
      owner.set(deviceId, (till = emptyTill(deviceId, nameOf.get(deviceId) ?? null)))
      tills.push(till)
    }
    till.deviceIds.add(deviceId)
    return till
  }
  const onDay = (till: Till, day: string): OnDay => {
    const known = till.days.get(day) ?? { seen: false, unreported: 0, reports: 0 }
    till.days.set(day, known)
    return known
  }
  for (const { deviceId, day, lastAt, unreported } of deviceDays) {
    const till = tillOf(deviceId)
    const entry = onDay(till, day)
    entry.seen = true
    entry.unreported += unreported
    see(till, lastAt)
  }
  for (const { adopted } of checks) {
    for (const { deviceId, day, orders } of adopted) onDay(tillOf(deviceId), day).unreported -= orders
  }
  for (const till of tills) {
    for (const [i, { finalizedAt }] of till.reports.entries()) {
      const entry = onDay(till, till.reportDays[i] as string)
      entry.seen = true
      entry.reports += 1
      see(till, finalizedAt)
    }
  }
  for (const promise of promises) {
    const till = tillOf(promise.deviceId)
    till.promises.push(promise)
    onDay(till, dayOf(Date.parse(promise.at))).seen = true
    see(till, promise.at)
  }
  for (const id of nameOf.keys()) tillOf(id)
  const retiredOn = new Map(
    Object.entries(retired).map(([device, day]) => [isUuid(device) ? device.toLowerCase() : device, day]),
  )
  for (const till of tills)
    till.retiredOn = retiredOn.get(till.deviceId ?? '') ?? retiredOn.get(till.deviceName ?? '') ?? null
  return tills
}

/** Returns the last day up to `day` on which the till was seen; undefined if that is `idleAfterDays` or more ago. */
function lastSeenOn({ days }: Till, day: string): string | undefined {
  for (let back = 0; back < idleAfterDays; back++) {
    const before = addDays(day, -back)
    if (days.get(before)?.seen) return before
  }
  return undefined
}

/**
 * Returns whether a till counts as out of service on a day: it was retired, and was not seen after that, up to this day.
 * A day before it was retired counts too.
 */
export function isRetired(till: Till, day: string): boolean {
  const { retiredOn } = till
  if (retiredOn === null) return false
  const seen = lastSeenOn(till, day)
  return seen === undefined || seen <= retiredOn
}

/**
 * Returns whether a till was seen on the day or shortly before; a till out of service must have been seen on the day
 * itself.
 */
export function isExpected(till: Till, day: string): boolean {
  const seen = lastSeenOn(till, day)
  return seen !== undefined && (seen === day || !isRetired(till, day))
}

/** Returns whether every order that the report names has arrived and is closed. */
export const isSound = ({ orders }: ReportCheck): boolean => orders.missing + orders.open === 0

/** Minimum steps between reports that show how a till numbers them: a single step may be due to a missing report. */
const stepsToJudge = 2

/**
 * Returns whether the numbers of reports count up: at least one is its predecessor plus 1, or there are too few to
 * tell. Numbers from a counter of several tills, a date or a clock do not count up, so a gap between them does not mean
 * a missing report.
 */
function isNumbered(reports: readonly Pick<ReportCheck, 'reportNumber'>[]): boolean {
  const steps = reports.slice(1).map(({ reportNumber }, i) => reportNumber - (reports[i]?.reportNumber ?? 0))
  return steps.length < stepsToJudge || steps.includes(1)
}

/** Numbers that were skipped between two consecutive reports of a till. */
export type Gap = { before: ReportCheck; after: ReportCheck; numbers: number[] }

/** Lists the numbers between two reports; none if the till restarted its numbers. */
function numbersBetween(before: ReportCheck, after: ReportCheck): number[] {
  const passed = after.reportNumber - before.reportNumber - 1
  return Array.from({ length: Math.min(Math.max(passed, 0), namedAtMost) }, (_, i) => before.reportNumber + 1 + i)
}

/**
 * Lists the numbers that a till skipped before some of its reports; none if its numbers around the business day are not
 * consecutive. The result does not depend on the other requested days.
 */
export function gapsBefore(till: Till, reports: readonly ReportCheck[], day: string): Gap[] {
  if (!till.isConsecutive || reports.length === 0) return []
  const [first, last] = [addDays(day, -idleAfterDays), addDays(day, idleAfterDays)]
  const near = till.reports.filter((_, i) => {
    const on = till.reportDays[i] as string
    return on >= first && on <= last
  })
  if (!isNumbered(near)) return []
  return reports.flatMap((after) => {
    const before = near[near.indexOf(after) - 1]
    const numbers = before ? numbersBetween(before, after) : []
    return before && numbers.length > 0 ? [{ before, after, numbers }] : []
  })
}
