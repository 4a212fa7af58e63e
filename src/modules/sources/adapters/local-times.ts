import { toUtc, Unreadable } from './adapter.ts'
import { monthOf } from './month-names.ts'

/** The parts that a format may have, the longest first, and what each reads. */
const parts = {
  YYYY: String.raw`(\d{4})`,
  YY: String.raw`(\d{2})`,
  MMMM: String.raw`(\p{L}+\.?)`,
  MMM: String.raw`(\p{L}+\.?)`,
  MM: String.raw`(\d{1,2})`,
  M: String.raw`(\d{1,2})`,
  DD: String.raw`(\d{1,2})`,
  D: String.raw`(\d{1,2})`,
  HH: String.raw`(\d{1,2})`,
  H: String.raw`(\d{1,2})`,
  hh: String.raw`(\d{1,2})`,
  h: String.raw`(\d{1,2})`,
  mm: String.raw`(\d{2})`,
  ss: String.raw`(\d{2})(?:[.,]\d+)?`,
  A: String.raw`([AaPp]\.? ?[Mm]\.?)`,
  Z: String.raw`(Z|[+-]\d\d(?::?\d\d)?)`,
  z: String.raw`([A-Z]{2,5})`,
} as const

type Part = keyof typeof parts

const names = Object.keys(parts) as Part[]

/** Words that may occur in a time and have no meaning. */
const words = new Set(['T', 'h', 'H', 'Uhr', 'um', 'at', 'le', 'kl'])

/** The format of times with an offset. */
export const isoFormat = 'ISO 8601'

const withOffset = /:\d\d(?:[.,]\d+)? ?(?:Z|[+-]\d\d(?::?\d\d)?)$/

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)

/** Returns the unit of a part; a format has each unit once. */
const unitOf = (part: Part) => (/^[Hh]/.test(part) ? 'hour' : part === 'z' ? 'zone' : (part[0] as string))

type Form = { pattern: RegExp; found: Part[] }

/** Replaces each run of white space by a single space. */
const plain = (text: string) => text.trim().replaceAll(/[\s\u00a0\u2009\u202f]+/g, ' ')

/** Compiles a format into a pattern. Throws `Unreadable` for letters that are not part of a time. */
function formOf(format: string): Form {
  const found: Part[] = []
  let pattern = ''
  for (let rest = plain(format); rest !== '';) {
    const part = names.find((one) => rest.startsWith(one) && !found.some((known) => unitOf(known) === unitOf(one)))
    const word = /^[A-Za-z]+/.exec(rest)?.[0]
    if (part !== undefined && !(word !== undefined && words.has(word) && word.length > part.length)) {
      found.push(part)
      pattern += parts[part]
      rest = rest.slice(part.length)
      continue
    }
    const literal = word === undefined ? (rest[0] as string) : ([...words].find((one) => rest.startsWith(one)) ?? '')
    if (literal === '')
      throw new Unreadable(
        `the format ${format} has “${word}”, which is not a part of a time. Parts: YYYY YY MMMM MMM MM M DD D HH H hh h mm ss A (AM or PM) Z (offset) z (zone)`,
      )
    pattern += literal === ' ' ? ' ?' : escaped(literal)
    rest = rest.slice(literal.length)
  }
  if (found.some((part) => part === 'hh' || part === 'h') && !found.includes('A'))
    throw new Unreadable(`the format ${format} has a 12-hour clock without A: add A for AM and PM, or use HH`)
  return { pattern: new RegExp(`^${pattern}$`, 'u'), found }
}

export type LocalTime = {
  year: number | undefined
  month: number
  day: number
  hour: number
  minute: number
  second: number
  offset: string | undefined
  zone: string | undefined
}

/** Converts an hour of a twelve-hour clock: 12 AM is 0, 12 PM is 12. An hour above twelve stays unchanged. */
function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined || hour > 12) return hour
  return (hour % 12) + (/^p/i.test(half) ? 12 : 0)
}

/** Returns a function that parses local times in this format. It throws `Unreadable` for any other text. */
export function localParts(format: string): (text: string) => LocalTime {
  const { pattern, found } = formOf(format)
  return (text) => {
    const match = pattern.exec(plain(text))
    const fail = (): never => {
      throw new Unreadable(`“${text}” is not a time in the format ${format}`)
    }
    if (!match) return fail()
    const at = new Map(found.map((part, i) => [part, match[i + 1] as string]))
    const number = (...of: Part[]) => {
      const value = of.flatMap((part) => at.get(part) ?? [])[0]
      return value === undefined ? undefined : Number(value)
    }
    const named = at.get('MMMM') ?? at.get('MMM')
    const month = named === undefined ? (number('MM', 'M') ?? 1) : (monthOf(named) ?? fail())
    const hour = number('HH', 'H', 'hh', 'h') ?? 0
    if (at.has('A') && (at.has('hh') || at.has('h')) && (hour < 1 || hour > 12)) return fail()
    const short = number('YY')
    return {
      year: number('YYYY') ?? (short === undefined ? undefined : 2000 + short),
      month,
      day: number('DD', 'D') ?? 1,
      hour: hourOf(hour, at.get('A')),
      minute: number('mm') ?? 0,
      second: number('ss') ?? 0,
      offset: at.get('Z'),
      zone: at.get('z'),
    }
  }
}

/** Whether a zone has this name at a moment; also true if the runtime knows no name for it. */
function isCalled(zone: string, timeZone: string, ms: number): boolean {
  const shown = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'short' }).formatToParts(ms)
  const name = shown.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return name === zone || !/^[A-Z]{2,5}$/.test(name)
}

const pad = (n: number, digits = 2) => String(n).padStart(digits, '0')

/**
 * Returns a function that parses local times in a format such as `DD/MM/YYYY HH:mm`. An ambiguous time is the earlier
 * of its two moments.
 */
export function localTimes(format: string, timeZone: string): (text: string) => string {
  if (format === isoFormat) {
    return (text) => {
      if (withOffset.test(text.trim())) return toUtc(text.trim())
      throw new Unreadable(`“${text}” is not a time with an offset`)
    }
  }
  const read = localParts(format)
  return (text) => {
    const { year = 2000, month, day, hour, minute, second, offset, zone } = read(text)
    if (offset !== undefined) {
      const hours = offset.length === 3 ? `${offset}:00` : offset
      return toUtc(`${pad(year, 4)}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}:${pad(second)}${hours}`)
    }
    let ms: number
    try {
      const local = Temporal.PlainDateTime.from({ year, month, day, hour, minute, second }, { overflow: 'reject' })
      // An ambiguous time is the first of its two moments; a time that the clocks skipped is the moment after it.
      ms = local.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds
    } catch {
      throw new Unreadable(`“${text}” is not a valid time`)
    }
    if (zone !== undefined && !isCalled(zone, timeZone, ms))
      throw new Unreadable(
        `“${text}” is not in the time zone of the profile, ${timeZone}: correct the profile, or the format`,
      )
    return new Date(ms).toISOString()
  }
}
