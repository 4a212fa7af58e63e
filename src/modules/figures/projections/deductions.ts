import { businessTime } from '../../../core/domain/days/business-time.ts'
import { readStoredOrder } from '../../../core/domain/documents/stored-documents.ts'
import { deductionsOf, type Taken } from '../domain/deductions.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import type { LocationRow } from '../../../core/contract/location/rows.ts'
import { walkEndedOrders } from '../store/order-walks.ts'
import { inShortTurns } from './short-turns.ts'

/** Deductions are read from at most this many orders. */
export const ordersRead = 20_000

/** Thrown if the days have more orders than are read. */
export class TooManyDeducted extends Error {}

/** Reads the deductions of business days, the newest first. Throws `TooManyDeducted`. */
export async function readTaken(sql: Sql, location: LocationRow, range: DayRange): Promise<Taken[]> {
  const time = businessTime(location)
  const span = { first: time.startOf(range.since), end: time.endOf(range.until) }
  const taken: Taken[] = []
  let read = 0
  for await (const documents of walkEndedOrders(sql, location.id, span)) {
    read += documents.length
    if (read > ordersRead) throw new TooManyDeducted()
    await inShortTurns(documents, (document) => taken.push(...deductionsOf(readStoredOrder(document), time)))
  }
  return taken.toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1))
}
