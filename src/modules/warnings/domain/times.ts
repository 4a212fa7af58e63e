import { clockAheadMs } from '../../../core/domain/days/till-clocks.ts'
import { dayMs, minuteMs } from '../../../core/domain/days/time-units.ts'
import type { Warnings } from './known.ts'

/** No till that pushes JSON sold anything before this moment: clocks without a battery begin in 1970, 1980 or 2000. */
const longPast = '2001-01-01T00:00:00.000Z'

/** Caches the latest time without a warning: many records that arrive in the same millisecond need it. */
let latest = { nowMs: Number.NaN, text: '' }

/** Returns the latest time that does not count as ahead of the clock. */
function latestAt(nowMs: number): string {
  if (latest.nowMs !== nowMs) latest = { nowMs, text: new Date(nowMs + clockAheadMs).toISOString() }
  return latest.text
}

/** Warns about a time in the future, or before 2001. An absent time is ignored. */
export function warnOfTime(found: Warnings, name: string, text: string | null | undefined, nowMs: number): void {
  if (typeof text !== 'string') return
  // Times in this form sort as text; years before 0 and after 9999 do not pass the schema.
  if (text < longPast) {
    const detail = `${name} is in ${text.slice(0, 4)}: the clock is not set, or seconds were sent as milliseconds`
    found.add(`/${name}`, 'time_long_past', detail)
  } else if (text > latestAt(nowMs)) {
    const minutes = Math.round((Date.parse(text) - nowMs) / minuteMs)
    const detail = `${name} is ${minutes} minutes ahead of the server's clock: send UTC, and set the till's clock`
    found.add(`/${name}`, 'time_ahead', detail)
  }
}

/** Within this time after its close an order may arrive without its creation time: the substitute is close enough. */
const inventedMs = 2 * dayMs

/**
 * Warns about an order without a creation time that was closed days ago: lists sort it by a time that the till did not
 * send.
 */
export function warnOfNoCreation(
  found: Warnings,
  { createdAt, updatedAt, closedAt }: { createdAt?: string; updatedAt?: string; closedAt?: string | null },
  nowMs: number,
): void {
  if (createdAt !== undefined || typeof closedAt !== 'string') return
  const takenMs = Math.min(updatedAt === undefined ? nowMs : Date.parse(updatedAt), nowMs)
  if (!(takenMs - Date.parse(closedAt) > inventedMs)) return
  const detail = `createdAt is missing: a new order is listed on ${new Date(takenMs).toISOString().slice(0, 10)}, although closedAt is ${closedAt}`
  found.add('/createdAt', 'created_at_missing', detail)
}

/** Longest time that a till is offline. If a sale is older, the clock of the till is behind, or it sends history. */
const longAgoMs = 360 * dayMs

/**
 * Warns about an old sale or Z that is not pushed as history. A recent `updatedAt` prevents the warning: the clock is
 * right, and an old record was changed.
 */
export function warnOfLongAgo(
  found: Warnings,
  [name, at]: readonly [name: string, at: string],
  updatedAt: string | undefined,
  nowMs: number,
): void {
  const isOld = (text: string) => nowMs - Date.parse(text) > longAgoMs
  if (at < longPast || !isOld(at) || (updatedAt !== undefined && !isOld(updatedAt))) return
  const days = Math.floor((nowMs - Date.parse(at)) / dayMs)
  const detail = `${name} is ${days} days ago: set the till's clock, or push historical records with history=true`
  found.add(`/${name}`, 'time_long_ago', detail)
}

/** Warns if an end is before its start. */
export function warnOfReversal(
  found: Warnings,
  pointer: string,
  [end, endAt]: readonly [string, string],
  [start, startAt]: readonly [string, string],
): void {
  if (endAt < startAt) found.add(pointer, 'times_reversed', `${end} ${endAt} is before ${start} ${startAt}`)
}
