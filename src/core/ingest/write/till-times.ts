import { clockAheadMs } from '../../domain/days/till-clocks.ts'
import { dayMs } from '../../domain/days/time-units.ts'
import type { Arrival } from '../../store/journal/arrivals.ts'
import type { StoredRow } from '../../contract/resource.ts'

/** The latest versions of an order or report, the stored one last. */
export type Arrivals = readonly Arrival[]

const leadOf = ({ updatedAt, acceptedAt }: Arrival): number => Date.parse(updatedAt) - Date.parse(acceptedAt)

/** Returns whether a version was so far ahead of the server's clock when it arrived that the clock of its till was wrong. */
export const isAhead = (arrival: Arrival): boolean => leadOf(arrival) > clockAheadMs

/** Returns whether a version that is ahead comes behind those that were: it is one of them, or older, and not of a clock that went back. */
function isBehind(version: Arrival, ahead: readonly Arrival[]): boolean {
  const [top] = ahead.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
  if (!top || version.updatedAt > top.updatedAt) return false
  return ahead.some((one) => one.updatedAt === version.updatedAt) || leadOf(top) - leadOf(version) < dayMs
}

/**
 * Returns whether a version is older than the stored one, which is the last of these (decision 0012). A version that arrived ahead
 * gives way to what comes later with a believable time, unless that is no later than the last believable version before it; and it does
 * not come back when it is sent again. A version that is ahead is newer than one that was ahead by a day more: the clock went back
 * since, for no till sends an older version so late.
 */
export function isOlder(version: Arrival, arrivals: Arrivals): boolean {
  const { updatedAt } = version
  const stored = arrivals.at(-1)
  if (!stored) return false
  const ahead = arrivals.filter(isAhead)
  if (isAhead(version)) return updatedAt !== stored.updatedAt && isBehind(version, ahead)
  if (!isAhead(stored)) return updatedAt < stored.updatedAt || ahead.some((one) => one.updatedAt === updatedAt)
  const trusted = arrivals.findLast((one) => !isAhead(one))
  return trusted !== undefined && updatedAt <= trusted.updatedAt
}

const beginning = /"updatedAt":"([^"]+)"/

/** Returns what a stored version says of its last change; its row has the latest time of all versions so far. */
export function updatedAtOf({ document }: StoredRow): string | undefined {
  return beginning.exec(typeof document === 'string' ? document : document.toString('latin1', 0, 512))?.[1]
}
