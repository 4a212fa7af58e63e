import type { BookingEntry } from '../schemas/books.ts'
import { entryHash } from './entry.ts'
import { cleanCell } from './texts.ts'

/**
 * Returns the reversal of an issued entry, dated `date`: the sides are swapped, and the business day is kept. The batch
 * that issues the reversal gives it a number.
 */
export function reverse(
  issued: BookingEntry,
  date: string,
): Omit<BookingEntry, 'number' | 'batch' | 'accountsVersion'> {
  const lines = issued.lines.map((line) => ({
    ...line,
    label: cleanCell(`Extourne ${line.label}`),
    debit: line.credit,
    credit: line.debit,
  }))
  const { id, source, journal, pieceRef, pieceDate, currency, totals } = issued
  const head = { id, journal, date, pieceRef, currency }
  return {
    id,
    source,
    state: 'issued',
    journal,
    date,
    pieceRef,
    pieceDate,
    currency,
    lines,
    totals: { debit: totals.credit, credit: totals.debit },
    hash: entryHash(head, lines),
    reverses: issued.number,
    warnings: [],
  }
}
