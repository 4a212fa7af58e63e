import { hourMs } from '../../../core/domain/days/time-units.ts'

export const weekMs = 168 * hourMs

/** Number of past weeks compared, and how many of them must have data to determine the usual rhythm. */
export const weeksCompared = 4
const weeksNeeded = 3

/** By how much a pause may exceed the usual one before the location is reported as silent. */
const graceMs = 2 * hourMs

/**
 * Returns whether a location has been silent since its last sale for longer than usual. `pausesMs` has the pauses after
 * the same time of the week in earlier weeks. The limit is two hours more than the second longest pause, so that a
 * single day off does not count. Undefined if fewer than three pauses are shorter than a week. All times are in
 * milliseconds.
 */
export function isSilentSince(lastAtMs: number, pausesMs: readonly number[], nowMs: number): boolean | undefined {
  const known = pausesMs.filter((pauseMs) => pauseMs < weekMs).toSorted((a, b) => b - a)
  return known.length < weeksNeeded ? undefined : nowMs - lastAtMs > (known[1] as number) + graceMs
}
