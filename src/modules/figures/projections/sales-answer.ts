import type { DayRange } from '../../../core/domain/days/ranges.ts'
import { setImmediate as turn } from 'node:timers/promises'
import { addDays, businessTime, weekdayOf } from '../../../core/domain/days/business-time.ts'
import {
  cellKindOf,
  cellsBetween,
  changeOf,
  comparedRanges,
  figuresOf,
  inOrder,
  needsHalfHours,
  readCut,
  sumOf,
  toRows,
  type Answered,
  type Comparison,
  type Cut,
  type SalesRow,
} from '../domain/sales-table.ts'
import type { Amounts } from '../../../core/contract/money/amounts.ts'
import type { Cell, CellKind } from '../domain/sales.ts'
import type { Location } from '../../../core/contract/location/schema.ts'
import type { Sales, SalesAtHead } from '../schemas/sales.ts'
import { isUuid } from '../../../core/contract/scalars.ts'
import { snapshot, type Pool, type Sql } from '../../../core/store/db/database.ts'
import { moneyOf } from '../../../core/contract/money/currency.ts'
import { toMinor } from '../../../core/contract/money/decimal.ts'
import { findLocation, type LocationRow } from '../../../core/contract/location/rows.ts'
import { listReportNumbers } from '../../../core/contract/reports/rows.ts'
import type { StretchSize } from '../store/projections.ts'
import { readExactly } from './exact.ts'
import { listDayUpTo, listHours } from './hours.ts'
import { findFirstDay, hasHalfHours, listSales, readPendingSales, salesProjection, type LiveSales } from './sales.ts'
import { minuteMs } from '../../../core/domain/days/time-units.ts'

/** Maximum part of the journal that a request folds itself; if there is more, the projection is moved on first. */
export const foldedOnRead: StretchSize = { entries: 2_000, bytes: 6 * 1024 ** 2 }

export type SalesRequest = {
  since: string | undefined
  until: string | undefined
  by: string
  compare: Comparison | undefined
  /** A local full or half hour: orders closed at this time of the business day or later are left out. */
  before?: string | undefined
  /** A local full or half hour: orders closed before this time of the business day are left out. */
  from?: string | undefined
  /** Only the days that are this weekday, 1 for Monday. */
  weekday?: number | undefined
  /** The last compared day ends after as much time as the current one has lasted. */
  upToNow?: boolean | undefined
}

type Side = Pick<Sales, 'data' | 'totals'>

/**
 * Names the rows of devices and reports, because orders have only their ids. The name of a device comes from the
 * location's `deviceList`; the name of a report is its number.
 */
async function withNames(sql: Sql, location: LocationRow, { dimension }: Cut, rows: SalesRow[]): Promise<SalesRow[]> {
  if (dimension !== 'device' && dimension !== 'report') return rows
  const keys = [...new Set(rows.flatMap(({ key }) => (key !== null && isUuid(key) ? [key] : [])))]
  const { deviceList = [] } = JSON.parse(location.document) as Location
  const names: Map<string, string | number> =
    dimension === 'device'
      ? new Map(deviceList.map(({ id, name }) => [id.toLowerCase(), name]))
      : await listReportNumbers(sql, location.id, keys)
  return rows.map((row) => ({ ...row, name: String(names.get(row.key ?? '') ?? row.name ?? '') })).toSorted(inOrder)
}

type Table = {
  location: LocationRow
  range: DayRange
  cut: Cut
  before: string | undefined
  from: string | undefined
  weekday: number | undefined
  /** How much of the last day the table includes, in milliseconds; undefined for all of it. */
  lastedMs?: number | undefined
}

/** Reads the cells from which a table of one range is computed, their total, and the total of all days of the range. */
async function cellsOf(sql: Sql, live: LiveSales, table: Table) {
  const { location, range, cut, before, from, weekday, lastedMs } = table
  const locationId = location.id
  const { grain, dimension } = cut
  const { dayStartsAt } = live.clock
  const allDay = await listSales(sql, live, { locationId, kind: 'total', grain: null, weekday, ...range }).then(sumOf)
  const last: readonly Cell[] =
    lastedMs === undefined || (weekday !== undefined && weekdayOf(range.until) !== weekday)
      ? []
      : await listDayUpTo(sql, live, { locationId, day: range.until, lastedMs })
  const days = lastedMs === undefined ? range : { since: range.since, until: addDays(range.until, -1) }
  const list = async (kind: CellKind, by: Cut['grain']) => [
    ...(days.since <= days.until ? await listSales(sql, live, { locationId, kind, grain: by, weekday, ...days }) : []),
    ...last.filter((cell) => cell.kind === kind),
  ]
  const isPart = before !== undefined || from !== undefined
  const cellsOfTable = async () => {
    if (isPart) return cellsBetween(await list('halfHour', grain), { from, before, dayStartsAt, cut })
    if (grain === 'hour' && dimension) return listHours(sql, live, { locationId, range, dimension })
    return list(cellKindOf(cut), grain)
  }
  const cells = await cellsOfTable()
  if (isPart) return { cells, total: sumOf(cells), allDay }
  return { cells, total: lastedMs === undefined ? allDay : sumOf(await list('total', null)), allDay }
}

/** After this many cells (about 20 ms of work), other requests get the event loop. */
const cellsPerTurn = 2_000

/** Makes a table of one range, or the average of several weeks, among which weeks without sales do not count. */
async function tableOf(
  sql: Sql,
  live: LiveSales,
  { ranges, ...place }: Omit<Table, 'range'> & { ranges: readonly DayRange[] },
): Promise<{ side: Side; total: Amounts; allDay: Amounts; answered: Answered }> {
  const { location, cut } = place
  const parts = await Promise.all(ranges.map((range) => cellsOf(sql, live, { ...place, range })))
  const weeks = Math.max(parts.filter(({ allDay }) => allDay.orders !== 0).length, 1)
  const cells = parts.flatMap((part) => part.cells)
  const answered = { weeks, decimals: moneyOf(location.currency).decimals }
  if (cells.length > cellsPerTurn) await turn()
  const rows = toRows(cells, cut, answered)
  if (cells.length > cellsPerTurn) await turn()
  const data = await withNames(sql, location, cut, rows)
  const total = sumOf(parts.map((part) => part.total))
  const allDay = sumOf(parts.map((part) => part.allDay))
  return { side: { data, totals: figuresOf(total, null, answered) }, total, allDay, answered }
}

/** Returns the days that the caller names, or else the location's current day. */
function rangeOf({ since, until }: SalesRequest, live: LiveSales, now: Date): DayRange {
  const today = businessTime(live.clock).dayOf(now.getTime())
  const from = since ?? until ?? today
  return { since: from, until: until ?? from }
}

/**
 * The figures, the epoch of their journal number, and the version of the generation: figures by older rules are
 * returned until new ones are built.
 */
export type ReadSales = { sales: SalesAtHead; epoch: string; version: string }

async function answer(sql: Sql, locationId: string, request: SalesRequest, now: Date): Promise<ReadSales | undefined> {
  const [location, live] = await Promise.all([
    findLocation(sql, locationId),
    readPendingSales(sql, locationId, foldedOnRead),
  ])
  if (!location || !live) return undefined
  const range = rangeOf(request, live, now)
  const cut = readCut(request.by)
  // Sums of an earlier version answer until new sums are built; they may have no half hours.
  const { before, from, weekday } = request
  if ((before !== undefined || from !== undefined || needsHalfHours(cut)) && !hasHalfHours(live.generation.version))
    return undefined
  const { side, total, allDay } = await tableOf(sql, live, { location, ranges: [range], cut, before, from, weekday })
  const time = businessTime(live.clock)
  const isToday = range.until === time.dayOf(now.getTime())
  // Rounded down to the minute, so that an answer stays valid for a minute.
  const lastedMs =
    request.upToNow && isToday ? Math.floor(now.getTime() / minuteMs) * minuteMs - time.startOf(range.until) : undefined
  const ranges = request.compare && comparedRanges(range, request.compare)
  const earlier = ranges && (await tableOf(sql, live, { location, ranges, cut, before, from, weekday, lastedMs }))
  const [first, last] = [ranges?.[0], ranges?.at(-1)]
  const comparison = earlier &&
    first &&
    last && {
      since: first.since,
      until: last.until,
      ...earlier.side,
      change: changeOf(total, earlier.total, earlier.answered),
      ...(lastedMs === undefined ? {} : { upTo: new Date(time.startOf(last.until) + lastedMs).toISOString() }),
    }
  const minor = (units: number) => toMinor(units, 0, moneyOf(location.currency).decimals)
  const sales = {
    ...side,
    excluded: {
      canceled: { orders: allDay.canceledOrders, salesInclTax: minor(allDay.canceledSales) },
      training: { orders: allDay.trainingOrders, salesInclTax: minor(allDay.trainingSales) },
      losses: { items: allDay.lossItems / 1000, salesInclTax: minor(allDay.lossSales) },
      notSales: { items: allDay.otherItems / 1000, amount: minor(allDay.otherSales) },
    },
    open: { orders: allDay.openOrders, salesInclTax: minor(allDay.openSales) },
    ...(comparison ? { comparison } : {}),
    meta: {
      ...range,
      by: request.by,
      ...(before === undefined ? {} : { before }),
      ...(from === undefined ? {} : { from }),
      ...(weekday === undefined ? {} : { weekday }),
      currency: location.currency,
      ...live.clock,
      sequence: live.reached,
      firstDay: await findFirstDay(sql, locationId, live),
    },
  }
  return { sales, epoch: live.epoch, version: live.generation.version }
}

/** Like `readSales`, but resolves to undefined at once if too much of the journal is not folded yet. */
export async function peekSales(
  pool: Pool,
  locationId: string,
  request: SalesRequest,
  now: Date,
): Promise<SalesAtHead | undefined> {
  return (await snapshot(pool, (tx) => answer(tx, locationId, request, now)))?.sales
}

/**
 * Reads the sales of a location, exact at the head of its journal: stored sums and the entries after them, in one
 * snapshot. Throws `FiguresBuilding` if too much of the journal is not folded yet.
 */
export async function readSales(pool: Pool, locationId: string, request: SalesRequest, now: Date): Promise<ReadSales> {
  return readExactly(pool, locationId, salesProjection, (tx) => answer(tx, locationId, request, now))
}
