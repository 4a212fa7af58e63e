import type { BookingEntry } from '../schemas/books.ts'
import { previewText, seriesOf } from './numbers.ts'

/** The input of a file of entries. */
export type Rendered = {
  entries: readonly BookingEntry[]
  /** The local date on which the batch was issued; null for a preview. */
  validDate: string | null
  decimals: number
}

/** Numbers all entries, even issued ones, as a preview does: per journal and year. */
export function withPreviewNumbers(entries: readonly BookingEntry[], fiscalYearStarts: string): BookingEntry[] {
  const ordinals = new Map<string, number>()
  return entries.map((entry) => {
    const series = seriesOf(entry.journal.code, { day: entry.date, startsOn: fiscalYearStarts, resumed: 0 })
    const ordinal = (ordinals.get(series) ?? 0) + 1
    ordinals.set(series, ordinal)
    return { ...entry, number: previewText(series, ordinal) }
  })
}
