import { retryAfterCapMs } from '../../domain/journal/retry-schedule.ts'

/**
 * Returns `Retry-After` as milliseconds from `nowMs` (Unix time), 0 if the date has passed, at most ten hours. The
 * value is either an integer number of seconds or a date such as `Sat, 14 Mar 2026 12:30:00 GMT` (RFC 9110,
 * IMF-fixdate). Null for anything else, including obsolete forms of dates: garbage changes no schedule.
 */
export function parseRetryAfter(value: string, nowMs: number): number | null {
  const text = value.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, retryAfterCapMs)
  const date = new Date(text)
  // `Date` accepts many other forms, but writes exactly this one.
  if (Number.isNaN(date.getTime()) || date.toUTCString() !== text) return null
  return Math.min(Math.max(date.getTime() - nowMs, 0), retryAfterCapMs)
}
