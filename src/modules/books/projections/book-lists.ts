import { roundedBy } from '../../../core/contract/money/decimal.ts'
import { revenueOf, taxesOf } from '../domain/revenue.ts'
import { pieceRefOf } from '../domain/entry.ts'
import type { BookHindrance, BookRefused, BookUnmapped, BookVat } from '../schemas/books.ts'
import type { AccountFinder, Unmapped } from '../domain/accounts.ts'
import type { BookedSource, Books } from './books.ts'

export const refusedOf = (
  sources: readonly BookedSource[],
  tills: Readonly<Record<string, string>> = {},
): BookRefused[] =>
  sources.map(({ sums, state, judgement }) => ({
    id: sums.source.id,
    date: sums.day,
    pieceRef: pieceRefOf(sums, tills),
    state,
    reasons: judgement.reasons,
    warnings: judgement.warnings,
  }))

/** Lists the names without an account, with the amount booked on the suspense account for each. */
export function unmappedOf(sources: readonly BookedSource[]): BookUnmapped[] {
  const found = new Map<string, { of: Unmapped; amount: number; sources: Set<string> }>()
  for (const { sums, judgement } of sources) {
    for (const { of, amount } of judgement.unmapped) {
      const key = JSON.stringify(of)
      const row = found.get(key) ?? { of, amount: 0, sources: new Set() }
      row.sources.add(sums.source.id)
      row.amount += amount
      found.set(key, row)
    }
  }
  return [...found]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { of, amount, sources: ids }]) => ({ ...of, amount, sources: ids.size }))
}

/**
 * Lists what prevents a batch: names without an account, then sources that cannot be booked. The names in these sources
 * are not looked up yet.
 */
export const hindrancesOf = (books: Pick<Books, 'sources' | 'finder'>): BookHindrance[] => [
  ...unmappedOf(books.sources),
  ...refusedOf(books.sources.filter(isRefused), tillsOf(books)).map(({ id, date, pieceRef, state, reasons }) => ({
    what: 'source' as const,
    amount: 0,
    sources: 1,
    id,
    date,
    pieceRef,
    state,
    reasons,
  })),
]

/** Returns the booked VAT by rate, with the tax computed from the rate and the taxable amount. */
export function vatOf(sources: readonly BookedSource[]): BookVat[] {
  const rates = new Map<number, { taxable: number; tax: number }>()
  for (const { sums, judgement } of sources) {
    const isAccepted = judgement.warnings.some(({ code }) => code === 'accepted')
    const rows = revenueOf(sums, { revenueBy: 'rate', discounts: 'net' }, isAccepted)
    for (const { rate, taxable, tax } of taxesOf(rows.filter((row) => row.place === 'revenue' || row.tax !== 0))) {
      const sum = rates.get(rate) ?? { taxable: 0, tax: 0 }
      rates.set(rate, { taxable: sum.taxable + taxable, tax: sum.tax + tax })
    }
  }
  return [...rates]
    .toSorted(([a], [b]) => b - a)
    .map(([rate, { taxable, tax }]) => ({ rate, taxable, tax, rateTimesBase: roundedBy(taxable * rate, 10_000) }))
}

/** Returns whether a source cannot be booked now. */
export const isRefused = ({ state }: BookedSource): boolean =>
  state === 'waiting' || state === 'refused' || state === 'blocked'

export const tillsOf = ({ finder }: Pick<Books, 'finder'>): AccountFinder['accounts']['tills'] => finder.accounts.tills
