import type { ClosedReport } from '../domain/closing-sums.ts'
import {
  addDays,
  businessTime,
  type BusinessClock,
  type BusinessTime,
} from '../../../core/domain/days/business-time.ts'
import { startFold, type Cell } from '../../figures/domain/sales.ts'
import { isNothing } from '../../../core/contract/money/amounts.ts'
import { readStoredReport } from '../../../core/domain/documents/stored-documents.ts'
import type { Closing } from '../schemas/closings.ts'
import type { Pool, Sql, Transaction } from '../../../core/store/db/database.ts'
import { listDayClosings, listReportVersions, readClosings, type ClosingRow } from '../store/closings.ts'
import type { LocationRow } from '../../../core/contract/location/rows.ts'
import { walkReports } from '../../../core/contract/reports/rows.ts'
import { readOrderChanges } from '../../figures/store/projections.ts'
import { listStoredCells } from '../../figures/store/sales.ts'
import { readExactly } from '../../figures/projections/exact.ts'
import { foldedOnRead } from '../../figures/projections/sales-answer.ts'
import { readPendingSales, salesProjection, type LiveSales } from '../../figures/projections/sales.ts'
import { inShortTurns } from '../../figures/projections/short-turns.ts'
import { toChange } from '../../figures/projections/stretches.ts'

// The input of closings. A closing contains what arrived for its business days and for earlier ones; what arrived for
// later days goes into the next closing.

/** The amount of the journal that is read at once. */
const stretch = { entries: 1_000, bytes: 16 * 1024 ** 2 }

type Interval = { after: number; upTo: number }

/** A Z report with the business day on which it was closed. */
type DatedReport = ClosedReport & { day: string }

/** What arrived: sums of orders, one for each cell, and the latest versions of Z reports in the order of their arrival. */
export type Came = { cells: Cell[]; reports: DatedReport[] }

export const nothingCame: Came = { cells: [], reports: [] }

/** The kinds of cells in a closing (`closingSums`). */
const closedKinds = ['total', 'tax', 'payment'] as const

const isClosed = new Set<string>(closedKinds)

function datedReport({ id, document }: { id: string; document: string }, { dayOf }: BusinessTime): DatedReport {
  const { reportNumber, deviceName, totalSales, finalizedAt } = readStoredReport(document)
  return { id, number: reportNumber, deviceName, totalSales, day: dayOf(Date.parse(finalizedAt)) }
}

export const isSameClock = (a: BusinessClock, b: BusinessClock): boolean =>
  a.timeZone === b.timeZone && a.dayStartsAt === b.dayStartsAt

/**
 * Returns how the closing after `last` dates what arrived. If the zone or the start of the day has changed, what was
 * closed before the end of `last` keeps a day up to its date. The rest gets a later day, so that everything is in one
 * closing.
 */
export function datingAfter(last: Closing | undefined, clock: BusinessClock): BusinessTime {
  const time = businessTime(clock)
  if (last === undefined || isSameClock(last, clock)) return time
  const next = addDays(last.date, 1)
  const endMs = businessTime(last).startOf(next)
  const dayOf = (atMs: number) => {
    const day = time.dayOf(atMs)
    if (atMs < endMs) return day < next ? day : last.date
    return day < next ? next : day
  }
  return { ...time, dayOf }
}

/** Folds the orders of a stretch of the journal, and reads the last versions of its Z reports. */
export async function foldInterval(
  sql: Sql,
  locationId: string,
  time: BusinessTime,
  { after, upTo }: Interval,
): Promise<Came> {
  const fold = startFold(time)
  const reports = new Map<string, DatedReport>()
  for (let from = after; from < upTo;) {
    const size = { ...stretch, entries: Math.min(stretch.entries, upTo - from) }
    const { changes, reached } = await readOrderChanges(sql, locationId, from, size)
    if (reached === from) break
    const within = changes.filter(({ seq }) => seq <= upTo)
    await inShortTurns(within, (change) => fold.add(toChange(change)))
    for (const version of await listReportVersions(sql, locationId, from, Math.min(reached, upTo))) {
      // Only the last version of a Z is kept, in the order in which the versions arrived.
      reports.delete(version.id)
      reports.set(version.id, datedReport(version, time))
    }
    from = reached
  }
  return { cells: fold.changed().filter(({ kind }) => isClosed.has(kind)), reports: [...reports.values()] }
}

/**
 * Adds what arrived to what an earlier stretch left over. If both have a version of a Z, the newer one replaces the
 * older; the order is that of arrival.
 */
export function join(left: Came, came: Came): Came {
  const replaced = new Set(came.reports.map(({ id }) => id))
  return {
    cells: [...left.cells, ...came.cells],
    reports: [...left.reports.filter(({ id }) => !replaced.has(id)), ...came.reports],
  }
}

/** Splits what arrived into business days up to `date`, and later ones. */
export function partAt(date: string, { cells, reports }: Came): { due: Came; left: Came } {
  const isDue = ({ day }: { day: string }) => day <= date
  const isLater = ({ day }: { day: string }) => day > date
  return {
    due: { cells: cells.filter(isDue), reports: reports.filter(isDue) },
    left: { cells: cells.filter(isLater), reports: reports.filter(isLater) },
  }
}

/** The content of a closing, what it leaves for later ones, and the journal number up to which it reaches. */
export type Added = { due: Came; left: Came; upTo: number }

async function storedCells(tx: Transaction, live: LiveSales, locationId: string, since: string): Promise<Cell[]> {
  const place = { locationId, generation: live.generation.generation }
  const cells: Cell[] = live.pending.filter(({ kind, day }) => isClosed.has(kind) && day >= since)
  const until = '9999-12-31'
  for (const kind of closedKinds) cells.push(...(await listStoredCells(tx, place, { kind, since, until })))
  return cells
}

async function storedReports(tx: Transaction, location: LocationRow): Promise<DatedReport[]> {
  const reports: DatedReport[] = []
  for await (const batch of walkReports(tx, location.id))
    reports.push(...batch.map((one) => datedReport(one, businessTime(location))))
  return reports
}

/** Finds the last closing by an earlier build, whose closings also had records of later days; undefined if there is none. */
async function lastOfEarlierBuild(sql: Sql, locationId: string): Promise<ClosingRow | undefined> {
  const rows = await listDayClosings(sql, locationId, 0)
  const [first] = rows.length === 0 ? [] : await readClosings(sql, locationId, rows.slice(0, 1))
  if (first === undefined || first.left !== undefined) return undefined
  const closings = await readClosings(sql, locationId, rows)
  return rows.findLast((_, i) => closings[i]?.left === undefined)
}

/** Folds the journal up to `upTo` without what `last` and earlier closings contain. */
export async function foldLeft(
  sql: Sql,
  locationId: string,
  last: Closing | undefined,
  { time, upTo }: { time: BusinessTime; upTo: number },
): Promise<Came> {
  const after = (await lastOfEarlierBuild(sql, locationId))?.toSeq ?? 0
  return partAt(last?.date ?? '', await foldInterval(sql, locationId, time, { after, upTo })).left
}

/**
 * Adds up the content of the closing after `last`. Days after `last` come from the stored sums of `GET /v1/sales/`,
 * because folding years of orders takes minutes, in which connections are closed. Changes of days that are already
 * closed are read from the journal. Throws `FiguresBuilding`.
 */
export async function addUpTo(
  pool: Pool,
  location: LocationRow,
  last: Closing | undefined,
  date: string,
): Promise<Added> {
  const since = last === undefined ? '0001-01-01' : addDays(last.date, 1)
  const time = datingAfter(last, location)
  const isFolded =
    (last !== undefined && !isSameClock(last, location)) || (await lastOfEarlierBuild(pool, location.id)) !== undefined
  const stored = await readExactly(pool, location.id, salesProjection, async (tx) => {
    const live = await readPendingSales(tx, location.id, foldedOnRead)
    if (!live || !isSameClock(live.clock, location)) return undefined
    if (isFolded) return { ...nothingCame, upTo: live.reached }
    const mayHaveReports = last === undefined || (last.left?.reports ?? 0) > 0
    const reports = mayHaveReports ? await storedReports(tx, location) : []
    return { cells: await storedCells(tx, live, location.id, since), reports, upTo: live.reached }
  })
  if (isFolded) Object.assign(stored, await foldLeft(pool, location.id, last, { time, upTo: stored.upTo }))
  const after = last?.toSequence ?? 0
  const came =
    last === undefined ? nothingCame : await foldInterval(pool, location.id, time, { after, upTo: stored.upTo })
  const late = partAt(last?.date ?? '', came).due
  const isNew = new Set(came.reports.map(({ id }) => id))
  const later = [...stored.reports.filter(({ id, day }) => day >= since && !isNew.has(id)), ...came.reports]
  const cells = [...late.cells, ...stored.cells].filter((cell) => !isNothing(cell))
  return { ...partAt(date, { cells, reports: later }), upTo: stored.upTo }
}

/**
 * Lists the business days with data for the closings after `last`. What changed on closed days counts on the day after
 * them. Throws `FiguresBuilding`.
 */
export async function daysToClose(pool: Pool, location: LocationRow, last: Closing | undefined): Promise<string[]> {
  const { due, left } = await addUpTo(pool, location, last, last?.date ?? '0001-01-01')
  const next = last === undefined ? '0001-01-01' : addDays(last.date, 1)
  const days = [...due.cells, ...due.reports, ...left.cells, ...left.reports].map(({ day }) =>
    day < next ? next : day,
  )
  return [...new Set(days)]
}
