import { minuteMs } from '../../../core/domain/days/time-units.ts'
const halfHourMs = 30 * minuteMs

/** Tolerance of an age: a till that is online pushes a change within this time, and clocks differ by a little. */
const toleranceMs = 3 * minuteMs

/** The largest offset of a zone behind UTC, in half hours: twelve hours. */
const mostHalfHours = 24

/** Minimum consecutive pushes, and the minimum time that they span, for a delay that is not a coincidence. */
const enough = { pushes: 3, ms: 10 * minuteMs }

/**
 * Consecutive pushes of one device in which the newest change was equally old: a whole number of half hours, and at
 * least an hour (docs/inside/08-warnings.md).
 */
export type Delay = { halfHours: number; sinceMs: number; pushes: number }

/**
 * Returns the age of a change in half hours; null if it is under an hour or not close to a whole number of half hours.
 */
function halfHoursOf(ageMs: number): number | null {
  const halfHours = Math.round(ageMs / halfHourMs)
  if (halfHours < 2 || halfHours > mostHalfHours) return null
  return Math.abs(ageMs - halfHours * halfHourMs) <= toleranceMs ? halfHours : null
}

/**
 * Returns the series with one more push of the device, whose newest change has this age; undefined if the age is not
 * close to a whole number of half hours.
 */
export function nextDelay(before: Delay | undefined, ageMs: number, nowMs: number): Delay | undefined {
  const halfHours = halfHoursOf(ageMs)
  if (halfHours === null) return undefined
  if (before?.halfHours !== halfHours) return { halfHours, sinceMs: nowMs, pushes: 1 }
  return { ...before, pushes: before.pushes + 1 }
}

/** Returns the hours that a change is late, if earlier pushes and its own age show it; otherwise null. */
export function hoursBehind(delay: Delay | undefined, ageMs: number, nowMs: number): number | null {
  if (!delay || delay.pushes < enough.pushes || nowMs - delay.sinceMs < enough.ms) return null
  return halfHoursOf(ageMs) === delay.halfHours ? delay.halfHours / 2 : null
}
