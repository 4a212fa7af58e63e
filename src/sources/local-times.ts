import { toUtc, Unreadable } from './adapter.ts'

/** The parts that a format may have. */
const parts = { YYYY: 4, MM: 2, DD: 2, HH: 2, mm: 2, ss: 2, YY: 2 } as const

type Part = keyof typeof parts

/** The format of times that have their offset. */
export const isoFormat = 'ISO 8601'

const withOffset = /(?:Z|[+-]\d\d(?::?\d\d)?)$/

/** Makes a reader of local times of a format such as `DD/MM/YYYY HH:mm`; of a time that comes twice the first is meant. */
export function localTimes(format: string, timeZone: string): (text: string) => string {
  if (format === isoFormat) {
    return (text) => {
      if (withOffset.test(text.trim())) return toUtc(text.trim())
      throw new Unreadable(`“${text}” is no time with its offset`)
    }
  }
  const found: Part[] = []
  const pattern = format.replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`).replace(/YYYY|YY|MM|DD|HH|mm|ss/g, (part) => {
    found.push(part as Part)
    return part === 'HH' || part === 'DD' || part === 'MM'
      ? String.raw`(\d{1,2})`
      : String.raw`(\d{${parts[part as Part]}})`
  })
  const form = new RegExp(`^${pattern}(?:\\.\\d+)?$`)
  return (text) => {
    const match = form.exec(text.trim())
    if (!match) throw new Unreadable(`“${text}” is no time of the form ${format}`)
    const at: Partial<Record<Part, number>> = {}
    for (const [i, part] of found.entries()) at[part] = Number(match[i + 1])
    const { YYYY, YY = 0, MM = 1, DD = 1, HH = 0, mm = 0, ss = 0 } = at
    try {
      const local = Temporal.PlainDateTime.from(
        { year: YYYY ?? 2000 + YY, month: MM, day: DD, hour: HH, minute: mm, second: ss },
        { overflow: 'reject' },
      )
      // Of two moments the first; of a time that the clocks left out the moment after it, as `compatible` has both.
      const ms = local.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds
      return new Date(ms).toISOString()
    } catch {
      throw new Unreadable(`“${text}” is no time that exists`)
    }
  }
}
