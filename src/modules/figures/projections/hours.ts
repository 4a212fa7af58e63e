import { businessTime } from '../../../core/domain/days/business-time.ts'
import { foldOthers, namesAtMost } from '../domain/sales-names.ts'
import { sumOf, type Cut } from '../domain/sales-table.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import { startFold, type Cell } from '../domain/sales.ts'
import { readStoredOrder } from '../../../core/domain/documents/stored-documents.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { standingOf } from '../../../core/contract/money/counted.ts'
import { walkClosedOrders } from '../store/order-walks.ts'
import { listSales, type LiveSales } from './sales.ts'
import { inShortTurns } from './short-turns.ts'

/** Maximum number of orders in one table by hour: each order costs some 50 µs. */
export const hourlyOrders = 20_000

/** Thrown if a table by hour would have to read more than `hourlyOrders` orders. */
export class TooManyOrders extends Error {}

/**
 * Folds the orders that were closed in the first `lastedMs` milliseconds of a business day, in the caller's snapshot.
 * The orders of the whole day are compared with its sum as in {@link listHours}. Throws `TooManyOrders`.
 */
export async function listDayUpTo(
  sql: Sql,
  live: LiveSales,
  { locationId, day, lastedMs }: { locationId: string; day: string; lastedMs: number },
): Promise<readonly Cell[]> {
  const range = { since: day, until: day }
  const total = sumOf(await listSales(sql, live, { locationId, kind: 'total', grain: null, ...range }))
  if (total.orders === 0) return []
  if (total.orders > hourlyOrders) throw new TooManyOrders(`${total.orders} orders`)
  const time = businessTime(live.clock)
  const span = { first: time.startOf(day), end: time.endOf(day) }
  const fold = startFold(time)
  let found = 0
  for await (const documents of walkClosedOrders(sql, locationId, span)) {
    await inShortTurns(documents, (document) => {
      const order = readStoredOrder(document)
      if (standingOf(order) !== 'counted') return
      found += 1
      if (Date.parse(order.closedAt as string) < span.first + lastedMs) fold.add({ before: undefined, after: order })
    })
  }
  if (found === total.orders) return fold.changed()
  throw new Error(`the orders of ${locationId} do not add up to its figures`)
}

type HoursQuery = { locationId: string; range: DayRange; dimension: Cut['dimension'] }

/**
 * Makes the cells of a dimension by local hour: their `day` is the hour. Such sums are not stored: they are made from
 * the orders in the snapshot of the caller, and their total is compared with the total of the days. Throws
 * `TooManyOrders`.
 */
export async function listHours(
  sql: Sql,
  live: LiveSales,
  { locationId, range, dimension }: HoursQuery,
): Promise<readonly Cell[]> {
  const total = sumOf(await listSales(sql, live, { locationId, kind: 'total', grain: null, ...range }))
  if (total.orders > hourlyOrders) throw new TooManyOrders(`${total.orders} orders`)
  const time = businessTime(live.clock)
  const span = { first: time.startOf(range.since), end: time.endOf(range.until) }
  // The orders are folded while they are read: twenty thousand collected orders would take 90 MB.
  const byHour = new Map<string, ReturnType<typeof startFold>>()
  for await (const documents of walkClosedOrders(sql, locationId, span)) {
    await inShortTurns(documents, (document) => {
      const order = readStoredOrder(document)
      const hour = String(time.hourOf(Date.parse(order.closedAt as string))).padStart(2, '0')
      const fold = byHour.get(hour) ?? startFold(time)
      byHour.set(hour, fold)
      fold.add({ before: undefined, after: order })
    })
  }
  const cells = [...byHour].flatMap(([hour, fold]) => fold.changed().map((cell) => ({ ...cell, day: hour })))
  const found = sumOf(cells.filter(({ kind }) => kind === 'total'))
  if (found.orders === total.orders && found.sales === total.sales)
    return foldOthers(
      cells.filter(({ kind }) => kind === dimension),
      namesAtMost('hour', range),
    )
  throw new Error(`the orders of ${locationId} do not add up to its figures`)
}
