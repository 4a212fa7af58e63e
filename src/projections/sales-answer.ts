import { businessTime } from '../domain/business-time.ts'
import {
  cellKindOf,
  comparedRange,
  inOrder,
  needsHalfHours,
  readCut,
  sumOf,
  toFigures,
  toRows,
  type Comparison,
  type Cut,
  type DayRange,
  type SalesRow,
} from '../domain/sales-table.ts'
import type { Amounts } from '../domain/amounts.ts'
import type { Location } from '../schemas/locations.ts'
import type { Sales, SalesAtHead } from '../schemas/sales.ts'
import { isUuid } from '../schemas/scalars.ts'
import type { Pool, Sql } from '../store/database.ts'
import { findLocation, type LocationRow } from '../store/locations.ts'
import { listReportNumbers } from '../store/reports.ts'
import { readExactly } from './exact.ts'
import { listHours } from './hours.ts'
import { hasHalfHours, listSales, readPendingSales, salesProjection, type LiveSales } from './sales.ts'

/** Entries that a request folds by itself; beyond that the projection is moved on first. */
export const foldedOnRead = 2_000

export type SalesAsked = {
  since: string | undefined
  until: string | undefined
  by: string
  compare: Comparison | undefined
}

type Side = Pick<Sales, 'data' | 'totals'>

/** Orders know a device and a report by id only: devices go by the location's `deviceList`, reports by their number. */
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

async function tableOf(
  sql: Sql,
  live: LiveSales,
  place: { location: LocationRow; range: DayRange; cut: Cut },
): Promise<{ side: Side; whole: Amounts }> {
  const { location, range, cut } = place
  const locationId = location.id
  const { grain, dimension } = cut
  const [cells, totals] = await Promise.all([
    grain === 'hour' && dimension
      ? listHours(sql, live, { locationId, range, dimension })
      : listSales(sql, live, { locationId, kind: cellKindOf(cut), grain, ...range }),
    listSales(sql, live, { locationId, kind: 'total', grain: null, ...range }),
  ])
  const whole = sumOf(totals)
  const data = await withNames(sql, location, cut, toRows(cells, cut))
  return { side: { data, totals: toFigures(whole, null) }, whole }
}

/** Today, as the location has it, unless the caller names days. */
function rangeOf({ since, until }: SalesAsked, live: LiveSales, now: Date): DayRange {
  const today = businessTime(live.clock).dayOf(now.getTime())
  const from = since ?? until ?? today
  return { since: from, until: until ?? from }
}

async function answer(sql: Sql, locationId: string, asked: SalesAsked, now: Date): Promise<SalesAtHead | undefined> {
  const [location, live] = await Promise.all([
    findLocation(sql, locationId),
    readPendingSales(sql, locationId, foldedOnRead),
  ])
  if (!location || !live) return undefined
  const range = rangeOf(asked, live, now)
  const cut = readCut(asked.by)
  // Sums of an earlier version answer until those of this one are built.
  if (needsHalfHours(cut) && !hasHalfHours(live.generation.version)) return undefined
  const { side, whole } = await tableOf(sql, live, { location, range, cut })
  const compared = asked.compare && comparedRange(range, asked.compare)
  const earlier = compared && (await tableOf(sql, live, { location, range: compared, cut }))
  const comparison = compared && earlier && { ...compared, ...earlier.side }
  return {
    ...side,
    excluded: {
      canceled: { orders: whole.canceledOrders, salesInclTax: whole.canceledSales },
      training: { orders: whole.trainingOrders, salesInclTax: whole.trainingSales },
      losses: { items: whole.lossItems / 1000, salesInclTax: whole.lossSales },
    },
    open: { orders: whole.openOrders, salesInclTax: whole.openSales },
    ...(comparison ? { comparison } : {}),
    meta: { ...range, by: asked.by, currency: location.currency, ...live.clock, sequence: live.reached },
  }
}

/**
 * Sales of a location, exact at the head of its journal: stored sums and what stands after them, read in one snapshot.
 * Throws `FiguresBuilding` when too much of the journal was not added up yet.
 */
export async function readSales(pool: Pool, locationId: string, asked: SalesAsked, now: Date): Promise<SalesAtHead> {
  return readExactly(pool, locationId, salesProjection, (tx) => answer(tx, locationId, asked, now))
}
