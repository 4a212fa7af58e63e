import type { BusinessClock } from '../../../core/domain/days/business-time.ts'
import { sirenOf } from '../domain/texts.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import type { BookDayList, BookState } from '../schemas/books.ts'
import type { Location } from '../../../core/contract/location/schema.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { numberText } from '../domain/numbers.ts'
import { pieceRefOf } from '../domain/entry.ts'
import { getBookAccounts } from '../store/book-accounts.ts'
import { findLocation, type LocationRow } from '../../../core/contract/location/rows.ts'
import { datesOf, findSourceDay } from './book-sources.ts'
import { tillsOf } from './book-lists.ts'
import { readBooks, type BookedSource, type Books } from './books.ts'
import { daysProjection, readPendingDays } from '../../figures/projections/days.ts'
import { readExactly } from '../../figures/projections/exact.ts'

/** The books of a range of days, as of a journal sequence. */
export type ReadRange = { books: Books; range: DayRange; location: LocationRow; clock: BusinessClock; sequence: number }

type BookQuery = {
  now: Date
  accept?: ReadonlySet<string>
  /** Returns the requested business days, by the clock of the figures. */
  daysOf: (clock: BusinessClock) => DayRange
}

/** Reads the book states of the sources in a range of days, exact at the head. Throws `FiguresBuilding`. */
export async function readBookRange(
  pool: Pool,
  locationId: string,
  { now, accept, daysOf }: BookQuery,
): Promise<ReadRange> {
  return readExactly(pool, locationId, daysProjection, async (tx) => {
    const [live, location, accounts] = await Promise.all([
      readPendingDays(tx, locationId),
      findLocation(tx, locationId),
      getBookAccounts(tx, locationId),
    ])
    if (!live || !location) return undefined
    const range = daysOf(live.clock)
    const options = { range, now, location, accounts, ...(accept ? { accept } : {}) }
    const books = await readBooks(tx, locationId, live, options)
    return { books, range, location, clock: live.clock, sequence: live.reached }
  })
}

/** One source as of a journal sequence; `source` is undefined if it has nothing to book. */
export type FoundSource = { source: BookedSource | undefined; accountsVersion: number; sequence: number }

/** Finds one source by the id of its report, or its date. Throws `FiguresBuilding`. */
export async function findBookSource(pool: Pool, locationId: string, id: string, now: Date): Promise<FoundSource> {
  return readExactly(pool, locationId, daysProjection, async (tx) => {
    const [live, location, accounts] = await Promise.all([
      readPendingDays(tx, locationId),
      findLocation(tx, locationId),
      getBookAccounts(tx, locationId),
    ])
    if (!live || !location) return undefined
    const at = { accountsVersion: accounts.version, sequence: live.reached }
    const day = await findSourceDay(tx, locationId, live, id)
    if (day === undefined) return { source: undefined, ...at }
    const range = { since: day, until: day }
    const books = await readBooks(tx, locationId, live, { range, now, location, accounts })
    return { source: books.sources.find(({ sums }) => sums.source.id === id), ...at }
  })
}

/** Returns the first nine digits of the SIRET; null if the SIRET is missing or not valid. */
export const sirenOfLocation = ({ withoutDevices }: LocationRow): string | null =>
  sirenOf((JSON.parse(withoutDevices) as Location).siret)

/** The states by urgency, the worst first. */
const worst: readonly BookState[] = ['blocked', 'refused', 'changed', 'waiting', 'ready', 'issued', 'empty']

/** Arranges the sources of a range by business day. */
export function toBookDays({ books, range }: ReadRange): BookDayList['data'] {
  const byDay = Map.groupBy(books.sources, ({ sums }) => sums.day)
  return datesOf(range).map((date) => {
    const sources = byDay.get(date) ?? []
    const states = new Set(sources.map(({ state }) => state))
    const answered = sources.map(({ sums, state, judgement, issued }) => ({
      id: sums.source.id,
      type: sums.source.type,
      pieceRef: pieceRefOf(sums, tillsOf(books)),
      reportNumber: sums.source.reportNumber,
      deviceName: sums.source.deviceName,
      state,
      salesInclTax: sums.stated.sales,
      reasons: judgement.reasons,
      warnings: judgement.warnings,
      unmapped: judgement.unmapped.length,
      numbers: issued.map(({ series, ordinal }) => numberText(series, ordinal)),
    }))
    return {
      date,
      state: worst.find((state) => states.has(state)) ?? null,
      salesInclTax: answered.reduce((sum, { salesInclTax }) => sum + salesInclTax, 0),
      sources: answered,
      batches: [...new Set(sources.flatMap(({ issued }) => issued.map(({ batch }) => batch)))].toSorted(
        (a, b) => a - b,
      ),
    }
  })
}
