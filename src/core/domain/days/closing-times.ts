import { businessTime, daysBetween, weekdayOf, type BusinessClock } from './business-time.ts'

/** Selects the orders of a figure: by business days, and within these by weekday (1 is Monday), hour or half hour. */
export type ClosingTimes = {
  since: string
  until: string
  weekday?: number | undefined
  /** Local, 0 to 23. */
  hour?: number | undefined
  /** Local, named by its start: `19:30`. */
  halfHour?: string | undefined
}

/** From `first` on and before `end`, in milliseconds since 1970. */
export type Span = { first: number; end: number }

const quarterMs = 900_000

/**
 * Returns the spans of closing times that count, in order and with gaps between them. Days and hours are defined as for
 * the figures, including clock changes.
 */
export function closingSpans(clock: BusinessClock, { since, until, weekday, hour, halfHour }: ClosingTimes): Span[] {
  const time = businessTime(clock)
  const spans: Span[] = []
  const add = (first: number, end: number) => {
    const last = spans.at(-1)
    // A clock change can skip a whole day.
    if (first >= end) return
    if (last?.end === first) last.end = end
    else spans.push({ first, end })
  }
  for (const day of daysBetween(since, until)) {
    if (weekday !== undefined && weekdayOf(day) !== weekday) continue
    const [first, end] = [time.startOf(day), time.endOf(day)]
    if (hour === undefined && halfHour === undefined) {
      add(first, end)
      continue
    }
    // Offsets change at quarter hours only, and a business day may begin at any minute.
    for (let at = first; at < end; at = Math.floor(at / quarterMs + 1) * quarterMs) {
      const isOfHour = hour === undefined || time.hourOf(at) === hour
      if (!isOfHour || (halfHour !== undefined && time.halfHourOf(at) !== halfHour)) continue
      add(at, Math.min(Math.floor(at / quarterMs + 1) * quarterMs, end))
    }
  }
  return spans
}
