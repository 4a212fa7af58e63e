import { isoFormat, localTimes } from '../local-times.ts'
import { Unreadable } from '../adapter.ts'

/**
 * Formats of dates. If two formats differ only in the order of day and month, the one that begins with the day comes
 * first.
 */
const dates = [
  'YYYY-MM-DD',
  'YYYY/MM/DD',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD/MM/YY',
  'MM/DD/YY',
  'DD.MM.YYYY',
  'DD.MM.YY',
  'DD-MM-YYYY',
  'MM-DD-YYYY',
  'DD-MM-YY',
  'MM-DD-YY',
  'DD-MMM-YYYY',
  'DD-MMM-YY',
  'DD MMM YYYY',
  'MMM DD, YYYY',
  'MMM DD YYYY',
]

const times = ['HH:mm:ss', 'HH:mm', 'hh:mm:ss A', 'hh:mm A', 'HH[h]mm'].map((form) => form.replace('[h]', 'h'))

const separators = [' ', 'T', ', ']

const formats = [
  ...dates.flatMap((date) => separators.flatMap((between) => times.map((time) => `${date}${between}${time}`))),
  ...dates.flatMap((date) => times.filter((time) => time.includes('m')).map((time) => `${date} ${time} z`)),
  ...dates,
]

/** Returns the same format with month and day swapped; undefined if it has no such form. */
const otherOrder = (format: string): string | undefined => {
  const swapped = format.replace(/^(DD)([-/.])(MM)(?!M)|^(MM)([-/.])(DD)/, (match) =>
    match.startsWith('DD') ? `MM${match[2]}DD` : `DD${match[2]}MM`,
  )
  return swapped === format ? undefined : swapped
}

/** Whether a format can read all texts. The zone does not matter, because only the form is tested. */
function readsAll(format: string, texts: readonly string[]): boolean {
  try {
    const read = localTimes(format, 'UTC')
    for (const text of texts) read(text.replace(/ [A-Z]{2,5}$/, format.endsWith(' z') ? ' UTC' : '$&'))
    return true
  } catch (error) {
    if (error instanceof Unreadable) return false
    throw error
  }
}

export type FoundFormat = {
  format: string
  /** Whether the data does not show which of two numbers is the month. */
  isUnsure: boolean
}

/**
 * Finds the format of times; undefined if no format reads all of them. The data decides between the two orders of day
 * and month.
 */
export function formatOf(all: readonly string[]): FoundFormat | undefined {
  const texts = [...new Set(all)]
  if (texts.length === 0) return undefined
  if (readsAll(isoFormat, texts)) return { format: isoFormat, isUnsure: false }
  const format = formats.find((one) => readsAll(one, texts))
  const other = format === undefined ? undefined : otherOrder(format)
  if (format === undefined) return undefined
  if (other === undefined || !readsAll(other, texts)) return { format, isUnsure: false }
  // Twelve-hour clocks go with dates that begin with the month.
  const monthFirst = format.startsWith('MM') ? format : other
  return { format: format.includes('A') ? monthFirst : format, isUnsure: true }
}

export const hasTimeOfDay = (format: string): boolean => format === isoFormat || /[Hh]/.test(format)
