import { clockAheadMs } from '../../domain/days/till-clocks.ts'
import { dayMs } from '../../domain/days/time-units.ts'
import type { Arrival } from '../../store/journal/arrivals.ts'
import type { StoredRow } from '../../contract/resource.ts'

/** The latest versions of an order or report, the stored one last. */
export type Arrivals = readonly Arrival[]

const leadOf = ({ updatedAt, acceptedAt }: Arrival): number => Date.parse(updatedAt) - Date.parse(acceptedAt)

/** Returns whether a version was so far ahead of the server's clock on arrival that its till's clock was wrong. */
export const isAhead = (arrival: Arrival): boolean => leadOf(arrival) > clockAheadMs

/**
 * Returns whether a version ahead of the clock is no newer than earlier such versions: it repeats one of them, or is
 * older than the newest and its till's clock was not set back by a day.
 */
function isBehind(version: Arrival, ahead: readonly Arrival[]): boolean {
  const [top] = ahead.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
  if (!top || version.updatedAt > top.updatedAt) return false
  return ahead.some((one) => one.updatedAt === version.updatedAt) || leadOf(top) - leadOf(version) < dayMs
}

/**
 * Returns whether a version is older than the stored one, the last of `arrivals` (decision 0012). A stored version that
 * was ahead on arrival is replaced by a version that is not ahead and is newer than the last such version; sending the
 * replaced version again does not restore it. If two versions are ahead, the one that is ahead by at least a day less
 * is newer: the till's clock was set back, because no till sends an older version so late.
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

/** Returns the `updatedAt` of a stored version's document; its row has the latest time of all versions until now. */
export function updatedAtOf({ document }: StoredRow): string | undefined {
  return beginning.exec(typeof document === 'string' ? document : document.toString('latin1', 0, 512))?.[1]
}
