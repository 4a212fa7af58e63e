import { setImmediate } from 'node:timers/promises'
import { addDays, businessTime } from '../../../core/domain/days/business-time.ts'
import { monthEnd } from '../../proofs/domain/closing-dates.ts'
import { readStoredOrder, readStoredReport } from '../../../core/domain/documents/stored-documents.ts'
import { isOfReports, type OrderTable, type ReportTable, type TableName } from '../domain/columns.ts'
import { rowsOfOrder, rowsOfReport, type Closed, type Maker, type Row } from '../domain/rows.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { getBookAccounts } from '../../books/store/book-accounts.ts'
import { listClosedOrders, listOpenOrders, readOrdersById } from '../store/closed-orders.ts'
import { findLocation, type LocationRow } from '../../../core/contract/location/rows.ts'
import { reportRows } from '../../../core/contract/reports/rows.ts'
import { readBooks } from '../../books/projections/books.ts'
import { listChecks, readPendingDays, type LiveDays } from '../../figures/projections/days.ts'

/**
 * Number of orders whose documents are read at once; twice that many are in memory. With 500, each turn of the event
 * loop took several milliseconds, and every minor garbage collection copied three megabytes.
 */
const ordersAtOnce = 100

/** This many orders become rows in one turn of the event loop: a request waits for several turns. */
const ordersInTurn = 3

/** Maximum number of orders in a month; a month with more orders is refused. */
const ordersInMonth = 200_000

export class TooManyOrders extends Error {}

/** An open order, by the business day on which it was opened. */
export type OpenOrder = { id: string; day: string }

/** The source of the tables of a location, in the caller's snapshot. */
export type Source = {
  sql: Sql
  location: LocationRow
  live: LiveDays
  maker: Maker
  /** Open orders, by day and opening; empty if not requested. */
  open: readonly OpenOrder[]
  /** Decimals of the currency. */
  decimals: number
  now: Date
  /** Resolves when the next part may be computed. */
  turn: () => Promise<unknown>
}

function localTime(timeZone: string): (atMs: number) => string {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' })
  return (atMs) => format.format(atMs)
}

/** Reads the days of all open orders. Throws `TooManyOrders`. */
async function readOpenOrders(
  { sql, locationId, turn }: { sql: Sql; locationId: string; turn: Source['turn'] },
  { time }: Maker,
): Promise<OpenOrder[]> {
  const ids = await listOpenOrders(sql, locationId, ordersInMonth + 1)
  if (ids.length > ordersInMonth)
    throw new TooManyOrders(`there are more than ${ordersInMonth} open orders, the limit of a table: leave them out`)
  const found: { id: string; openedMs: number }[] = []
  for (let at = 0; at < ids.length; at += ordersAtOnce) {
    for (const [id, { document }] of await readOrdersById(sql, locationId, ids.slice(at, at + ordersAtOnce)))
      found.push({ id, openedMs: Date.parse(readStoredOrder(document).openedAt) })
    await turn()
  }
  return found
    .toSorted((a, b) => a.openedMs - b.openedMs || (a.id < b.id ? -1 : 1))
    .map(({ id, openedMs }) => ({ id, day: time.dayOf(openedMs) }))
}

/** Opens the source of a table; undefined if too much of the journal is not folded yet. Throws `TooManyOrders`. */
export async function openSource(
  sql: Sql,
  locationId: string,
  { now, withOpen = false, turn = setImmediate }: { now: Date; withOpen?: boolean; turn?: Source['turn'] },
): Promise<Source | undefined> {
  const [live, location] = [await readPendingDays(sql, locationId), await findLocation(sql, locationId)]
  if (!live || !location) return undefined
  const { decimals } = moneyOf(location.currency)
  const maker: Maker = {
    locationId,
    time: businessTime(live.clock),
    local: localTime(live.clock.timeZone),
    places: Math.max(decimals, 2),
  }
  const open = withOpen ? await readOpenOrders({ sql, locationId, turn }, maker) : []
  return { sql, location, live, maker, open, decimals, now, turn }
}

/** Splits a range after each day with open orders. Each part has the ids of the open orders of its last day. */
function stretchesOf(
  { since, until }: { since: string; until: string },
  opened: readonly OpenOrder[],
): [first: string, last: string, then: string[]][] {
  const stretches: [string, string, string[]][] = []
  let first = since
  for (const [day, orders] of Map.groupBy(opened, ({ day: of }) => of)) {
    stretches.push([first, day, orders.map(({ id }) => id)])
    first = addDays(day, 1)
  }
  return stretches.at(-1)?.[1] === until ? stretches : [...stretches, [first, until, []]]
}

const rangeOf = (month: string) => ({ since: `${month}-01`, until: monthEnd(`${month}-01`) })

/**
 * Lists the ids of the orders of a month: closed orders by closing time, open orders after the closed ones of their day.
 */
async function listOrders({ sql, maker, location, open }: Source, month: string): Promise<string[]> {
  const { since, until } = rangeOf(month)
  const { startOf, endOf } = maker.time
  const opened = open.filter(({ day }) => since <= day && day <= until)
  const ids: string[] = []
  // Each day with open orders ends a stretch. The closed orders of the stretch come before these open orders.
  for (const [first, last, between] of stretchesOf({ since, until }, opened)) {
    const span = { first: startOf(first), end: endOf(last) }
    ids.push(...(await listClosedOrders(sql, location.id, span, ordersInMonth + 1 - ids.length)), ...between)
    if (ids.length > ordersInMonth)
      throw new TooManyOrders(
        `${month} has more than ${ordersInMonth} orders, the limit of a table: the operator can export all records with tillgate export`,
      )
  }
  return ids
}

async function* orderRows(source: Source, table: OrderTable, month: string): AsyncGenerator<Row[]> {
  const { sql, maker, location, turn } = source
  const ids = await listOrders(source, month)
  const read = (at: number) => {
    const some = ids.slice(at, at + ordersAtOnce)
    const found = some.length === 0 ? Promise.resolve(new Map<string, never>()) : readOrdersById(sql, location.id, some)
    // If no further rows are read, a failure would be an unhandled rejection.
    found.catch(() => {})
    return found
  }
  let next = read(0)
  for (let at = 0; at < ids.length; at += ordersAtOnce) {
    const found = await next
    // The database reads the next orders while these are made into rows.
    next = read(at + ordersAtOnce)
    const end = Math.min(at + ordersAtOnce, ids.length)
    for (let from = at; from < end; from += ordersInTurn) {
      yield ids.slice(from, Math.min(from + ordersInTurn, end)).flatMap((id) => {
        const row = found.get(id)
        return row ? rowsOfOrder(table, readStoredOrder(row.document), row.seq, maker) : []
      })
      await turn()
    }
  }
}

/** Reads the Z reports of a month, each with its check and its book state, by business day and then by closing. */
async function readReports({ sql, location, live, now }: Source, month: string): Promise<Closed[]> {
  const range = rangeOf(month)
  const checks = await listChecks(sql, location.id, live, range)
  const accounts = await getBookAccounts(sql, location.id)
  const books = await readBooks(sql, location.id, live, { range, now, location, accounts })
  const states = new Map(books.sources.map(({ sums, state }) => [sums.source.id, state as string]))
  const closed: Closed[] = []
  for (let at = 0; at < checks.length; at += ordersAtOnce) {
    const some = checks.slice(at, at + ordersAtOnce)
    const found = await reportRows.find(
      sql,
      location.id,
      some.map(({ reportId }) => reportId),
    )
    for (const { reportId, businessDay, verdict } of some) {
      const row = found.get(reportId)
      if (!row) continue
      const report = readStoredReport(row.document)
      const booksState = states.get(reportId) ?? null
      closed.push({ report, sequence: row.seq, businessDate: businessDay, verdict, booksState })
    }
  }
  return closed.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

const keyOf = ({ businessDate, report }: Closed) => `${businessDate} ${report.finalizedAt} ${report.id.toLowerCase()}`

async function* rowsOfReports(source: Source, table: ReportTable, month: string): AsyncGenerator<Row[]> {
  const closed = await readReports(source, month)
  yield closed.flatMap((one) => rowsOfReport(table, one, source.maker, source.decimals))
}

/**
 * Yields the rows of a table of one month of business days, by day, closing, id and position, a few orders at a time.
 * The same data makes the same rows in the same order. Throws `TooManyOrders`.
 */
export function readTable(source: Source, table: TableName, month: string): AsyncGenerator<Row[]> {
  return isOfReports(table) ? rowsOfReports(source, table, month) : orderRows(source, table, month)
}
