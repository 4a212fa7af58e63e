import { addDays, weekdayOf } from '../src/core/domain/days/business-time.ts'
import { minuteMs, dayMs } from '../src/core/domain/days/time-units.ts'

/** A day of the calendar, `YYYY-MM-DD`, without a zone. */
export type CivilDate = string

/** A business day begins at 05:00 local time and ends when the next one begins: 23, 24 or 25 hours later. */
const dayStartMinutes = 5 * 60

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const numeric = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    era: 'short',
    second: '2-digit',
    ...numeric,
  })
  formats.set(timeZone, format)
  return format
}

/** Returns local time minus UTC at that instant, in milliseconds. Throws a RangeError for an unknown zone. */
export function offsetAt(timeZone: string, at: number): number {
  const second = Math.floor(at / 1000) * 1000
  const parts = Object.fromEntries(
    formatOf(timeZone)
      .formatToParts(second)
      .map((part) => [part.type, part.value]),
  )
  const part = (type: string) => Number(parts[type])
  return Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) - second
}

const midnight = (date: CivilDate) => Date.parse(`${date}T00:00:00.000Z`)

/** Returns the month; 0 is January. */
export const monthOf = (date: CivilDate): number => Number(date.slice(5, 7)) - 1

/** Returns the business day that an instant belongs to: the local date, a day earlier before 05:00. */
export function businessDateAt(timeZone: string, at: number): CivilDate {
  const local = at + offsetAt(timeZone, at) - dayStartMinutes * minuteMs
  const date = new Date(local).toISOString().slice(0, 10)
  // On the night of a clock change, the offset at 05:00 differs from that of `at`.
  if (at < businessDay(timeZone, date).startsAt) return addDays(date, -1)
  return at < businessDay(timeZone, date).endsAt ? date : addDays(date, 1)
}

export type BusinessDay = {
  date: CivilDate
  /** 0 is Monday. */
  weekday: number
  /** 05:00 local time, milliseconds since 1970. */
  startsAt: number
  endsAt: number
  /**
   * Returns the instant this many minutes after local midnight; 25 × 60 is in the following night. Elapsed time is
   * counted from local noon, so a visit of two hours lasts two hours even during a clock change.
   */
  at(minutes: number): number
  /** Inverts `at`. */
  minutesAt(at: number): number
}

function noonOf(timeZone: string, date: CivilDate): number {
  const naive = midnight(date) + dayMs / 2
  const guess = naive - offsetAt(timeZone, naive)
  return naive - offsetAt(timeZone, guess)
}

export function businessDay(timeZone: string, date: CivilDate): BusinessDay {
  const noon = noonOf(timeZone, date)
  const at = (minutes: number) => Math.round(noon + (minutes - 720) * minuteMs)
  const endsAt = noonOf(timeZone, addDays(date, 1)) + (dayStartMinutes - 720) * minuteMs
  const minutesAt = (instant: number) => (instant - noon) / minuteMs + 720
  return { date, weekday: weekdayOf(date) - 1, startsAt: at(dayStartMinutes), endsAt, at, minutesAt }
}
