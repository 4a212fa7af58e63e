import type { Language } from '../i18n/language.tsx'

export type Place = { timeZone: string; currency: string; dayStartsAt: string }

/** Ways to write figures and times of one location in one language. */
export type Format = ReturnType<typeof createFormat>

const minuteMs = 60_000

const dayMinutes = 1440

const localeOf: Record<Language, string> = { en: 'en-GB', fr: 'fr-FR' }

/** Returns the minutes from midnight to a time such as `05:00`. */
function minutesOf(clock: string): number {
  const [hours = 0, minutes = 0] = clock.split(':').map(Number)
  return hours * 60 + minutes
}

const clocks = new Map<string, Intl.DateTimeFormat>()

/** Returns the formatter of a zone, cached: making one costs more than a hundred look-ups. */
function clockOf(timeZone: string): Intl.DateTimeFormat {
  const known =
    clocks.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
  clocks.set(timeZone, known)
  return known
}

/** Returns the date (`2026-03-14`), the time (`19:05:09`) and the minutes after midnight in a zone. */
function localParts(at: Date, timeZone: string): { date: string; time: string; minutes: number } {
  const parts = clockOf(timeZone).formatToParts(at)
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? '00'
  const date = `${of('year')}-${of('month')}-${of('day')}`
  const time = `${of('hour')}:${of('minute')}:${of('second')}`
  return { date, time, minutes: minutesOf(time) }
}

/** Adds days to a date. */
export function addDays(date: string, days: number): string {
  const at = new Date(`${date}T12:00:00Z`)
  at.setUTCDate(at.getUTCDate() + days)
  return at.toISOString().slice(0, 10)
}

/** Returns the weekday of a date: 1 is Monday. */
export const weekdayOf = (date: string) => new Date(`${date}T12:00:00Z`).getUTCDay() || 7

/** Returns by how many minutes the clocks of a zone are ahead of UTC at an instant. */
function offsetAt(atMs: number, timeZone: string): number {
  const { date, minutes } = localParts(new Date(atMs), timeZone)
  return Date.parse(`${date}T00:00:00Z`) / minuteMs + minutes - Math.floor(atMs / minuteMs)
}

/** The maximum number of minutes by which clocks are put back. */
const longestRepeat = 180

/**
 * Returns the business day of an instant, as the server computes it: between midnight and the start of a day it is the
 * day before. If the clock is put back over the start of a day, the day began at the earlier of the two.
 */
export function businessDayOf(at: Date, { timeZone, dayStartsAt }: Place): string {
  const [now, start] = [Math.floor(at.getTime() / minuteMs), minutesOf(dayStartsAt)]
  const offset = offsetAt(now * minuteMs, timeZone)
  const before = offsetAt((now - longestRepeat) * minuteMs, timeZone)
  const day = Math.floor((now + offset - start) / dayMinutes)
  const next = (day + 1) * dayMinutes + start - before
  const hasBegun = before > offset && next <= now && offsetAt(next * minuteMs, timeZone) === before
  return addDays('1970-01-01', hasBegun ? day + 1 : day)
}

/** Currencies whose amounts are thousandths in catalog, reports and figures (docs/contract/money.md); all others are hundredths. */
const thousandths = new Set(['BHD', 'IQD', 'JOD', 'KWD', 'LYD', 'OMR', 'TND'])

const minorInOne = (currency: string): number => (thousandths.has(currency) ? 1000 : 100)

/** Returns when a business day begins, in UTC: if the clock is put forward over its start, the first instant after. */
export function startOfBusinessDay(date: string, place: Place): string {
  const wanted = Date.parse(`${date}T${place.dayStartsAt}:00Z`) / minuteMs
  // No zone is a day away from UTC.
  let [before, from] = [wanted - dayMinutes, wanted + dayMinutes]
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (businessDayOf(new Date(middle * minuteMs), place) < date) before = middle
    else from = middle
  }
  return new Date(from * minuteMs).toISOString()
}

export function createFormat(language: Language, place: Place) {
  const locale = localeOf[language]
  const { timeZone, currency } = place
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency })
  const signedMoney = new Intl.NumberFormat(locale, { style: 'currency', currency, signDisplay: 'exceptZero' })
  const roundMoney = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    trailingZeroDisplay: 'stripIfInteger',
  })
  const number = new Intl.NumberFormat(locale, { maximumFractionDigits: 3 })
  const signedNumber = new Intl.NumberFormat(locale, { maximumFractionDigits: 3, signDisplay: 'exceptZero' })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 2 })
  const change = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  })
  const dates = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, { timeZone, ...options })
  const clock = dates({ hour: '2-digit', minute: '2-digit' })
  const toMinute = { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' } as const
  const toSecond = { ...toMinute, second: '2-digit' } as const
  const [minute, dateTime] = [dates(toMinute), dates({ ...toMinute, year: 'numeric' })]
  const [second, secondOfYear] = [dates(toSecond), dates({ ...toSecond, year: 'numeric' })]
  const moment = dates({ dateStyle: 'long', timeStyle: 'long' })
  const thisYear = () => localParts(new Date(), timeZone).date.slice(0, 4)
  const isOfThisYear = (at: string) => localParts(new Date(at), timeZone).date.slice(0, 4) === thisYear()
  const shortDay = { timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short' } as const
  const day = new Intl.DateTimeFormat(locale, shortDay)
  const dayOfYear = new Intl.DateTimeFormat(locale, { ...shortDay, year: 'numeric' })
  const days = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' })
  const fullDay = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', dateStyle: 'full' })
  const month = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', month: 'long', year: 'numeric' })
  const weekday = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', weekday: 'long' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
  const unit = (name: string) =>
    new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: 1 })
  return {
    language,
    locale,
    place,
    /** From minor units: hundredths, or thousandths if the currency has them. */
    money: (minor: number | null) => (minor === null ? '–' : money.format(minor / minorInOne(currency))),
    majorIn: (minor: number, code: string) => minor / minorInOne(code),
    /** A number of major units for files: hundredths or thousandths divided. */
    major: (minor: number | null) => (minor === null ? null : minor / minorInOne(currency)),
    /** Always with a sign. */
    moneyChange: (minor: number) => signedMoney.format(minor / minorInOne(currency)),
    /** A fraction with its sign. */
    fraction: (value: number | null) => (value === null ? '–' : change.format(value)),
    /** For chart axes, where most are whole: `3 000 €`. */
    tick: (minor: number) => roundMoney.format(minor / minorInOne(currency)),
    /** The sign or code of the currency, for the name of a field. */
    currencySign: money.formatToParts(0).find(({ type }) => type === 'currency')?.value ?? currency,
    /** An amount in minor units of another location's currency. */
    moneyIn: (minor: number, code: string) =>
      new Intl.NumberFormat(locale, { style: 'currency', currency: code }).format(minor / minorInOne(code)),
    /** From major units, as orders have them. */
    amount: (major: number) => money.format(major),
    number: (value: number | null) => (value === null ? '–' : number.format(value)),
    /** Always with a sign. */
    numberChange: (value: number) => signedNumber.format(value),
    percent: (fraction: number | null) => (fraction === null ? '–' : percent.format(fraction)),
    change: (now: number, before: number) => change.format((now - before) / before),
    clock: (at: string) => clock.format(new Date(at)),
    /** With the year only if it is not the current one. */
    second: (at: string) => (isOfThisYear(at) ? second : secondOfYear).format(new Date(at)),
    dateTime: (at: string) => dateTime.format(new Date(at)),
    /** In a list: with the year only if it is not the current one. */
    recent: (at: string) => (isOfThisYear(at) ? minute : dateTime).format(new Date(at)),
    /** Local time as ISO 8601 without a zone, `2026-03-14 19:05:09`, as files and spreadsheets have it. */
    local: (at: string | null) => {
      if (at === null) return null
      const { date, time } = localParts(new Date(at), timeZone)
      return `${date} ${time}`
    },
    /** To the second, with the zone: for records. */
    moment: (at: string) => moment.format(new Date(at)),
    /** The beginning of the half hour of a moment: `14:30`. */
    halfHour: (at: Date) => {
      const half = Math.floor(localParts(at, timeZone).minutes / 30)
      return `${String(Math.floor(half / 2)).padStart(2, '0')}:${half % 2 === 0 ? '00' : '30'}`
    },
    /** A date without time, such as a business day; with the year only if it is not the current one. */
    day: (date: string) => (date.startsWith(thisYear()) ? day : dayOfYear).format(new Date(`${date}T00:00:00Z`)),
    fullDay: (date: string) => fullDay.format(new Date(`${date}T00:00:00Z`)),
    /** From one business day to another: `9–15 Nov 2026`. */
    days: (since: string, until: string) =>
      days.formatRange(new Date(`${since}T00:00:00Z`), new Date(`${until}T00:00:00Z`)),
    month: (text: string) => month.format(new Date(`${text}-01T00:00:00Z`)),
    weekday: (iso: number) => weekday.format(new Date(Date.UTC(2024, 0, iso))),
    duration: (ms: number | null) =>
      ms === null
        ? '–'
        : ms < 1000
          ? `${Math.round(ms)} ms`
          : ms < 2 * minuteMs
            ? `${number.format(Math.round(ms / 100) / 10)} s`
            : ms < 120 * minuteMs
              ? `${number.format(Math.round(ms / minuteMs))} min`
              : ms < 48 * 60 * minuteMs
                ? `${number.format(Math.round(ms / minuteMs / 6) / 10)} h`
                : unit('day').format(Math.round(ms / minuteMs / 60 / 24)),
    bytes: (count: number) =>
      count < 1e6
        ? unit('kilobyte').format(count / 1e3)
        : count < 1e9
          ? unit('megabyte').format(count / 1e6)
          : unit('gigabyte').format(count / 1e9),
    /** Relative to now. Show it only beside an absolute time. */
    ago: (at: string, now = Date.now()) => {
      const minutes = (Date.parse(at) - now) / minuteMs
      if (Math.abs(minutes) < 60) return relative.format(Math.round(minutes), 'minute')
      if (Math.abs(minutes) < 48 * 60) return relative.format(Math.round(minutes / 60), 'hour')
      return relative.format(Math.round(minutes / 60 / 24), 'day')
    },
  }
}
