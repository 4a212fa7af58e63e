import type { Completeness } from '../schemas/completeness.ts'
import type { Device } from '../../../core/contract/location/schema.ts'
import { gapsBefore, isExpected, isRetired, isSound, type Till } from './tills.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'

type DeviceCompleteness = Completeness['devices'][number]

/** Reports that a till closed longer than this before its last report are ignored, in milliseconds. */
const lookedBackMs = 14 * dayMs

/**
 * Returns the time up to which the Z reports of a till have no missing number, and all their orders have arrived and
 * are closed.
 */
function coverageOf(till: Till): {
  until: string | null
  missing: number[]
  missingOrders: number
  openOrders: number
} {
  const { reports, reportDays } = till
  const last = reports.at(-1)
  const from = last ? Date.parse(last.finalizedAt) - lookedBackMs : 0
  const recent = reports.filter(({ finalizedAt }) => Date.parse(finalizedAt) >= from)
  const days = reportDays.slice(-recent.length)
  const gaps = recent.map((report, i) =>
    i === 0 ? [] : gapsBefore(till, [report], days[i] as string).flatMap(({ numbers }) => numbers),
  )
  const end = recent.findIndex((report, i) => !isSound(report) || (gaps[i] as number[]).length > 0)
  const until = (end === -1 ? recent.at(-1) : recent[end - 1])?.finalizedAt ?? null
  const sum = (kind: 'missing' | 'open') => recent.reduce((all, { orders }) => all + orders[kind], 0)
  return { until, missing: gaps.flat(), missingOrders: sum('missing'), openOrders: sum('open') }
}

const latest = (a: string | null, b: string | null): string | null => (a === null || (b !== null && b > a) ? b : a)

function stateOf(till: Till, today: string): DeviceCompleteness['state'] {
  if (isRetired(till, today)) return 'retired'
  return isExpected(till, today) ? 'active' : 'idle'
}

function devicesOf(till: Till, names: ReadonlyMap<string, string>, today: string): DeviceCompleteness[] {
  const coverage = coverageOf(till)
  const kept = till.promises.filter(({ missing }) => missing <= 0).map(({ completeUntil }) => completeUntil)
  const promised = kept.reduce<string | null>(latest, null)
  const completeUntil = latest(coverage.until, promised)
  const basis = completeUntil === null ? null : completeUntil === coverage.until ? 'report' : 'status'
  const common = {
    state: stateOf(till, today),
    completeUntil,
    basis,
    lastSeenAt: till.lastSeenAt,
  } as const
  const missingOrders =
    coverage.missingOrders + till.promises.reduce((sum, { missing }) => sum + Math.max(missing, 0), 0)
  const own: DeviceCompleteness = {
    deviceId: till.deviceId,
    deviceName: till.deviceName,
    ...common,
    reportedBy: null,
    missingReports: coverage.missing,
    missingOrders,
    openOrders: coverage.openOrders,
  }
  const others = [...till.deviceIds].filter((id) => id !== till.deviceId).toSorted()
  return [
    own,
    ...others.map((deviceId) => ({
      ...own,
      deviceId,
      deviceName: names.get(deviceId) ?? null,
      reportedBy: till.deviceName,
      missingReports: [],
      missingOrders: 0,
      openOrders: 0,
    })),
  ]
}

/**
 * Returns the time until which everything of a location has arrived: the earliest such time of its active devices; null
 * if an active device has none. The devices are sorted by name, with idle or retired devices last.
 */
export function completenessOf(
  tills: readonly Till[],
  known: readonly Device[],
  today: string,
): Omit<Completeness, 'sequence'> {
  const names = new Map(known.map(({ id, name }) => [id.toLowerCase(), name]))
  const devices = tills.flatMap((till) => devicesOf(till, names, today))
  const active = devices.filter(({ state }) => state === 'active')
  const isKnown = active.length > 0 && active.every(({ completeUntil }) => completeUntil !== null)
  const until = isKnown ? active.map(({ completeUntil }) => completeUntil as string).toSorted()[0] : undefined
  const keyOf = ({ state, deviceName, deviceId }: DeviceCompleteness) =>
    `${state} ${deviceName ?? ''} ${deviceId ?? ''}`
  return { completeUntil: until ?? null, devices: devices.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)) }
}
