import { dayMs } from './time-units.ts'
const dateForm = /^(\d{4})-(\d\d)-(\d\d)$/
const momentForm = /^(\d{4}-\d\d-\d\d)[Tt](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?([Zz]|[+-]\d\d(?::?\d\d)?)?$/

/** The first and last moment, in milliseconds since 1970, inclusive. */
export type Range = { first: number; last: number }

/** Every moment that a document can have: years 0001 to 9999. */
export const allTime: Range = {
  first: Date.parse('0001-01-01T00:00:00.000Z'),
  last: Date.parse('9999-12-31T23:59:59.999Z'),
}

/** Every business day that a document can have. */
export const allDays = { since: '0001-01-01', until: '9999-12-31' }

/** Returns the UTC day of a moment, `YYYY-MM-DD`. */
export function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

export function startOfDay(day: string): number {
  return Date.parse(`${day}T00:00:00.000Z`)
}

function readDay(text: string): number | undefined {
  const match = dateForm.exec(text)
  if (!match || match[1] === '0000') return undefined
  const ms = startOfDay(text)
  return Number.isNaN(ms) || dayOf(ms) !== text ? undefined : ms
}

function readOffset(zone: string | undefined): number | undefined {
  if (zone === undefined || zone.toUpperCase() === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(3).replace(':', '') || '0')
  if (hours > 23 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

/** Returns the `[first, last]` millisecond of a UTC day or a moment; undefined for any other text. */
function readMoment(text: string): [number, number] | undefined {
  const day = readDay(text)
  if (day !== undefined) return [day, day + dayMs - 1]
  const match = momentForm.exec(text)
  const midnight = match && readDay(match[1] as string)
  if (!match || midnight === undefined || midnight === null) return undefined
  const [hours, minutes, seconds] = [Number(match[2]), Number(match[3]), Number(match[4] ?? '0')]
  const offset = readOffset(match[6])
  if (hours > 23 || minutes > 59 || seconds > 59 || offset === undefined) return undefined
  const fraction = Number(`0.${match[5] ?? '0'}`) * 1000
  const base = midnight + ((hours * 60 + minutes) * 60 + seconds) * 1000 - offset
  // Stored times have milliseconds: a finer time is rounded up for `since` and down for `until`.
  return [base + Math.ceil(fraction - 1e-6), base + Math.floor(fraction + 1e-6)]
}

export type RangeFault = { name: 'since' | 'until'; code: 'invalid_datetime' | 'since_after_until'; detail: string }

/** Reads `since` and `until` as an inclusive range (decision 0006). */
export function readRange(since: string | undefined, until: string | undefined): Range | RangeFault[] {
  const faults: RangeFault[] = []
  const read = (name: 'since' | 'until', text: string | undefined) => {
    if (text === undefined) return undefined
    const moment = readMoment(text)
    if (moment) return moment
    const hint = text.includes(' ') ? ' (write + as %2B in a URL)' : ''
    const detail = `${name} must be a valid date (YYYY-MM-DD) or ISO 8601 datetime with hyphens and colons, such as 2026-03-01T12:00:00Z${hint}`
    faults.push({ name, code: 'invalid_datetime', detail })
    return undefined
  }
  const first = Math.max(read('since', since)?.[0] ?? allTime.first, allTime.first)
  const last = Math.min(read('until', until)?.[1] ?? allTime.last, allTime.last)
  if (faults.length === 0 && first > last) {
    faults.push({ name: 'since', code: 'since_after_until', detail: 'since must not be after until: swap them' })
  }
  return faults.length > 0 ? faults : { first, last }
}
