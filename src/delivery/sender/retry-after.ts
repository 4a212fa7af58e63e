import { retryAfterCapMs } from '../../domain/retry-schedule.ts'

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const clock = String.raw`(?<hour>[01]\d|2[0-3]):(?<minute>[0-5]\d):(?<second>[0-5]\d|60)`

/** The three forms of RFC 9110, 5.6.7. `Date.parse` is no help: it reads "5" as a day in 2001. */
const dateForms = [
  new RegExp(String.raw`^[A-Z][a-z]{2}, (?<day>\d\d) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}) ${clock} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{5,8}, (?<day>\d\d)-(?<month>[A-Z][a-z]{2})-(?<year>\d\d) ${clock} GMT$`),
  new RegExp(String.raw`^[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) (?<day>[ \d]\d) ${clock} (?<year>\d{4})$`),
]

/**
 * `Retry-After` as milliseconds from `nowMs` (Unix time), 0 when the date has passed, at most ten hours. Null for
 * everything that is neither a non-negative whole number of seconds nor an HTTP date: garbage changes no schedule.
 */
export function parseRetryAfter(value: string, nowMs: number): number | null {
  const text = value.trim()
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, retryAfterCapMs)
  const atMs = httpDateMs(text, nowMs)
  return atMs === null ? null : Math.min(Math.max(atMs - nowMs, 0), retryAfterCapMs)
}

function httpDateMs(text: string, nowMs: number): number | null {
  for (const form of dateForms) {
    const parts = form.exec(text)?.groups
    if (!parts) continue
    const [day, hour, minute, second] = [parts['day'], parts['hour'], parts['minute'], parts['second']].map(Number)
    const month = months.indexOf(parts['month'] ?? '')
    const year = fullYear(parts['year'] ?? '', nowMs)
    const ms = Date.UTC(year, month, day, hour, minute, second)
    const exists = month >= 0 && new Date(Date.UTC(year, month, day)).getUTCDate() === day
    return exists ? ms : null
  }
  return null
}

/** RFC 9110: a two-digit year that seems more than 50 years ahead is the past year with those digits. */
function fullYear(digits: string, nowMs: number): number {
  if (digits.length === 4) return Number(digits)
  const thisYear = new Date(nowMs).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(digits)
  return year > thisYear + 50 ? year - 100 : year
}
