import { minuteMs, hourMs, dayMs } from './time-units.ts'
/** Where business days begin and end: an IANA time zone, and the local time of day at which one starts (`05:00`). */
export type BusinessClock = { timeZone: string; dayStartsAt: string }

export type BusinessTime = {
  /** Returns the business day (`YYYY-MM-DD`): the local date, or the date before if that day has not started yet. */
  dayOf(atMs: number): string
  /** Returns the local hour of a moment, 0 to 23. */
  hourOf(atMs: number): number
  /** Returns the local half hour that contains a moment, named by its start: `19:30`. */
  halfHourOf(atMs: number): string
  /** Returns the first moment of a business day that a document can carry, in milliseconds since 1970. */
  startOf(day: string): number
  /** Returns the first moment after a business day; after the last day, the first one that no document can carry. */
  endOf(day: string): number
}

const quarterMs = 900_000

const halfHourMs = 2 * quarterMs

const halfHours = Array.from(
  { length: 48 },
  (_, n) => `${String(n >> 1).padStart(2, '0')}:${n % 2 === 0 ? '00' : '30'}`,
)

/** Maximum time by which a clock is put back. */
const longestRepeatMs = 3 * hourMs

/** Documents have the years 0001 to 9999 in UTC. In other time zones, hours beyond these years belong to the first or last day. */
const ends = { first: Date.parse('0001-01-01T00:00:00.000Z'), last: Date.parse('9999-12-31T23:59:59.999Z') }

const within = (utcMs: number) => Math.min(Math.max(utcMs, ends.first), ends.last)

const dayAt = (utcMs: number) => new Date(within(utcMs)).toISOString().slice(0, 10)

/** Size of the offset cache, in UTC days. */
const keptDays = 20_000

const readers = new Map<string, (atMs: number) => number>()

/** Returns the function for a zone's offset at a moment, made once: a formatter costs over a thousand look-ups. */
function offsetReader(timeZone: string): (atMs: number) => number {
  const known = readers.get(timeZone)
  if (known) return known
  const reader = createOffsetReader(timeZone)
  readers.set(timeZone, reader)
  return reader
}

function createOffsetReader(timeZone: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    era: 'short',
  })
  const lookUp = (atMs: number) => {
    // Offsets change at quarter hours only.
    const at = Math.floor(atMs / quarterMs) * quarterMs
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]))
    const part = (name: string) => Number(parts[name])
    // Date.UTC reads years before 100 as those of the 20th century.
    const year = parts['era'] === 'BC' ? 1 - part('year') : part('year')
    const date = new Date(0).setUTCFullYear(year, part('month') - 1, part('day'))
    const local = date + Date.UTC(1970, 0, 1, part('hour'), part('minute'), part('second'))
    return local - at
  }
  // The offset by UTC day; null if it changes on that day. No zone has ever changed it twice within two days.
  const offsets = new Map<number, number | null>()
  return (atMs) => {
    const day = Math.floor(atMs / dayMs)
    let offset = offsets.get(day)
    if (offset === undefined) {
      const [first, next] = [lookUp(day * dayMs), lookUp((day + 1) * dayMs)]
      offset = first === next ? first : null
      if (offsets.size >= keptDays) offsets.clear()
      offsets.set(day, offset)
    }
    return offset ?? lookUp(atMs)
  }
}

function minutesOf(dayStartsAt: string): number {
  const [hours = 0, minutes = 0] = dayStartsAt.split(':').map(Number)
  return hours * 60 + minutes
}

/**
 * Business days and hours of a location. A business day is named after the local date on which it starts. If a clock
 * change skips the start, the day starts at the first moment after it; if the start occurs twice, at the earlier one.
 */
export function businessTime({ timeZone, dayStartsAt }: BusinessClock): BusinessTime {
  const offsetAt = offsetReader(timeZone)
  const startMs = minutesOf(dayStartsAt) * minuteMs
  // The last result, because consecutive journal entries usually belong to one day.
  let last = { day: Number.NaN, text: '' }
  /** Returns the day by the wall clock. A day that had begun before the clock was put back over its start continues. */
  const dayNumberOf = (atMs: number) => {
    const offset = offsetAt(atMs)
    const before = offsetAt(atMs - longestRepeatMs)
    const day = Math.floor((atMs + offset - startMs) / dayMs)
    if (before <= offset) return day
    const begun = (day + 1) * dayMs + startMs - before
    return begun <= atMs && offsetAt(begun) === before ? day + 1 : day
  }
  const dayOf = (atMs: number) => {
    const day = dayNumberOf(atMs)
    if (day !== last.day) last = { day, text: dayAt(day * dayMs) }
    return last.text
  }
  const startOf = (day: string) => {
    const midnight = Date.parse(`${day}T00:00:00.000Z`)
    if (midnight <= ends.first) return ends.first
    const local = midnight + startMs
    // On a day with a clock change either offset may apply; the start is the earlier moment that belongs to the day.
    const candidates = [offsetAt(local - dayMs), offsetAt(local + dayMs)].map((offset) => local - offset)
    const starts = candidates.filter((at) => dayOf(at) === day && dayOf(at - 1) < day)
    if (starts.length > 0) return within(Math.min(...starts))
    let [before, after] = [Math.min(...candidates) - dayMs / 8, Math.max(...candidates) + dayMs / 8]
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2)
      if (dayOf(middle) >= day) after = middle
      else before = middle
    }
    return within(after)
  }
  return {
    dayOf,
    hourOf: (atMs) => new Date(atMs + offsetAt(atMs)).getUTCHours(),
    halfHourOf(atMs) {
      const localMs = (atMs + offsetAt(atMs)) % dayMs
      return halfHours[Math.floor((localMs < 0 ? localMs + dayMs : localMs) / halfHourMs)] as string
    },
    startOf,
    endOf: (day) => (day === dayAt(ends.last) ? ends.last + 1 : startOf(addDays(day, 1))),
  }
}

/** Returns the day this many days later or earlier, limited to the first and last valid day. */
export function addDays(day: string, days: number): string {
  return dayAt(Date.parse(`${day}T00:00:00.000Z`) + days * dayMs)
}

/** Lists the days from one to another, inclusive. */
export function daysBetween(since: string, until: string): string[] {
  return Array.from({ length: Math.max((Date.parse(until) - Date.parse(since)) / dayMs + 1, 0) }, (_, i) =>
    addDays(since, i),
  )
}

/** Returns the Monday of the day's ISO week. */
export function weekOf(day: string): string {
  const weekday = (new Date(`${day}T00:00:00.000Z`).getUTCDay() + 6) % 7
  return addDays(day, -weekday)
}

/** Returns the ISO weekday, 1 for Monday to 7 for Sunday. */
export function weekdayOf(day: string): number {
  return ((new Date(`${day}T00:00:00.000Z`).getUTCDay() + 6) % 7) + 1
}
