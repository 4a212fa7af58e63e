import type { ClosedReport } from '../domain/closing-sums.ts'
import { addDays, businessTime, type BusinessClock } from '../../../core/domain/days/business-time.ts'
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

// What closings are made of. A closing has what came for business days up to its own, and leaves what came for later days to the next.

/** So much of the journal is read at once. */
const stretch = { entries: 1_000, bytes: 16 * 1024 ** 2 }

type Interval = { after: number; upTo: number }

/** A Z report with the business day on which it was closed. */
type DatedReport = ClosedReport & { day: string }

/** Sums of orders by their cells, and the Z reports as they stood last, in the order in which they came. */
export type Came = { cells: Cell[]; reports: DatedReport[] }

export const nothingCame: Came = { cells: [], reports: [] }

/** The kinds of cells that a closing is made of (`closingSums`). */
const closedKinds = ['total', 'tax', 'payment'] as const

const isClosed = new Set<string>(closedKinds)

function datedReport({ id, document }: { id: string; document: string }, clock: BusinessClock): DatedReport {
  const { reportNumber, deviceName, totalSales, finalizedAt } = readStoredReport(document)
  return { id, number: reportNumber, deviceName, totalSales, day: businessTime(clock).dayOf(Date.parse(finalizedAt)) }
}

/** Folds the orders of a stretch of the journal, and reads the Z reports in it as they stood last. */
export async function foldInterval(
  sql: Sql,
  locationId: string,
  clock: BusinessClock,
  { after, upTo }: Interval,
): Promise<Came> {
  const fold = startFold(clock)
  const reports = new Map<string, DatedReport>()
  for (let from = after; from < upTo;) {
    const size = { ...stretch, entries: Math.min(stretch.entries, upTo - from) }
    const { changes, reached } = await readOrderChanges(sql, locationId, from, size)
    if (reached === from) break
    const within = changes.filter(({ seq }) => seq <= upTo)
    await inShortTurns(within, (change) => fold.add(toChange(change)))
    for (const version of await listReportVersions(sql, locationId, from, Math.min(reached, upTo))) {
      // The version that came last stands where it came.
      reports.delete(version.id)
      reports.set(version.id, datedReport(version, clock))
    }
    from = reached
  }
  return { cells: fold.changed().filter(({ kind }) => isClosed.has(kind)), reports: [...reports.values()] }
}

/** What came, with what an earlier stretch left: the newer version of a Z stands where it came. */
export function join(left: Came, came: Came): Came {
  const anew = new Set(came.reports.map(({ id }) => id))
  return {
    cells: [...left.cells, ...came.cells],
    reports: [...left.reports.filter(({ id }) => !anew.has(id)), ...came.reports],
  }
}

/** Parts what came into what belongs to business days up to one, and what is left. */
export function partAt(date: string, { cells, reports }: Came): { due: Came; left: Came } {
  const isDue = ({ day }: { day: string }) => day <= date
  const isLater = ({ day }: { day: string }) => day > date
  return {
    due: { cells: cells.filter(isDue), reports: reports.filter(isDue) },
    left: { cells: cells.filter(isLater), reports: reports.filter(isLater) },
  }
}

/** What a closing is made of, what it leaves, and up to which number of the journal. */
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
    reports.push(...batch.map((one) => datedReport(one, location)))
  return reports
}

/** Finds the last closing of a build whose closings also had records of later days; undefined if there is none. */
async function lastOfEarlierBuild(sql: Sql, locationId: string): Promise<ClosingRow | undefined> {
  const rows = await listDayClosings(sql, locationId, 0)
  const [first] = rows.length === 0 ? [] : await readClosings(sql, locationId, rows.slice(0, 1))
  if (first === undefined || first.left !== undefined) return undefined
  const closings = await readClosings(sql, locationId, rows)
  return rows.findLast((_, i) => closings[i]?.left === undefined)
}

/**
 * Adds up what belongs to a closing after `last`: of later days the sums that are kept for `GET /v1/sales/`, since to fold years of orders
 * takes minutes, in which connections are closed; of days that were closed before, what came since. Throws `FiguresBuilding`.
 */
export async function addUpTo(
  pool: Pool,
  location: LocationRow,
  last: Closing | undefined,
  date: string,
): Promise<Added> {
  const since = last === undefined ? '0001-01-01' : addDays(last.date, 1)
  const earlier = await lastOfEarlierBuild(pool, location.id)
  const stored = await readExactly(pool, location.id, salesProjection, async (tx) => {
    const live = await readPendingSales(tx, location.id, foldedOnRead)
    const isOfClock = live?.clock.timeZone === location.timeZone && live.clock.dayStartsAt === location.dayStartsAt
    if (!live || !isOfClock) return undefined
    if (earlier !== undefined) return { ...nothingCame, upTo: live.reached }
    const mayHaveReports = last === undefined || (last.left?.reports ?? 0) > 0
    const reports = mayHaveReports ? await storedReports(tx, location) : []
    return { cells: await storedCells(tx, live, location.id, since), reports, upTo: live.reached }
  })
  if (earlier !== undefined) {
    const after = { after: earlier.toSeq, upTo: stored.upTo }
    Object.assign(stored, partAt(last?.date ?? '', await foldInterval(pool, location.id, location, after)).left)
  }
  const after = last?.toSequence ?? 0
  const came =
    last === undefined ? nothingCame : await foldInterval(pool, location.id, location, { after, upTo: stored.upTo })
  const late = partAt(last?.date ?? '', came).due
  const isNew = new Set(came.reports.map(({ id }) => id))
  const later = [...stored.reports.filter(({ id, day }) => day >= since && !isNew.has(id)), ...came.reports]
  const cells = [...late.cells, ...stored.cells].filter((cell) => !isNothing(cell))
  return { ...partAt(date, { cells, reports: later }), upTo: stored.upTo }
}

/** The first business day that has anything; undefined where nothing came yet. Throws `FiguresBuilding`. */
export async function firstDayOf(pool: Pool, location: LocationRow): Promise<string | undefined> {
  const { due, left } = await addUpTo(pool, location, undefined, '0001-01-01')
  const days = [...due.cells, ...left.cells, ...due.reports, ...left.reports].map(({ day }) => day)
  return days.reduce<string | undefined>((first, day) => (first === undefined || day < first ? day : first), undefined)
}
