import { setImmediate as turn } from 'node:timers/promises'
import { businessTime, weekdayOf, type BusinessClock } from '../../../core/domain/days/business-time.ts'
import { salesVersion, startFold, type Cell, type CellKind, type OrderChange, type Period } from '../domain/sales.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import type { ProjectionRow, StretchSize } from '../store/projections.ts'
import { stretchesOf, toPeriods } from '../domain/sales-periods.ts'
import { foldOthers, namesAtMost } from '../domain/sales-names.ts'
import type { TimeGrain } from '../domain/sales-table.ts'
import type { DayRange } from '../../../core/domain/days/ranges.ts'
import { addSalesCells, deleteOtherSalesCells, findFirstSalesDay, listSalesCells } from '../store/sales.ts'
import { readPending } from './pending.ts'
import { clockOf, type Projection } from './projection.ts'
import { inShortTurns } from './short-turns.ts'

const name = 'sales'

/** The first {@link salesVersion} with cells by half hour, by month with the day that names them, and by week. */
const firstWith = { halfHours: 5, months: 6, weeks: 7 }

const rulesOf = (version: string): number => Number(version.split(' ', 1)[0])

/** Returns whether a generation of that version has cells by half hour. */
export const hasHalfHours = (version: string): boolean => rulesOf(version) >= firstWith.halfHours

/** Above this number of cells (about 10 ms of work), other requests get the event loop first. */
const cellsPerTurn = 2_000

/** Returns the cells that a series of changes affects, each with its difference. */
async function foldInTurns(clock: BusinessClock, changes: readonly OrderChange[]): Promise<Cell[]> {
  const fold = startFold(businessTime(clock))
  await inShortTurns(changes, fold.add)
  return fold.changed()
}

/** The sums of a location's orders by business day and by every grouping: `sales_cells`. */
export const salesProjection: Projection = {
  name,
  rules: salesVersion,
  fold: async (_, { locationId, generation, version }, { changes }) => {
    const cells = await foldInTurns(clockOf(version), changes)
    await turn()
    const all = [...cells, ...toPeriods(cells)]
    return { rows: all.length, write: (tx) => addSalesCells(tx, { locationId, generation }, all) }
  },
  deleteOthers: deleteOtherSalesCells,
}

/** `epoch` and `reached` are those of the journal. */
export type LiveSales = {
  generation: ProjectionRow
  clock: BusinessClock
  pending: Cell[]
  reached: number
  epoch: string
}

/**
 * Folds the entries after the projection's cursor in memory, in the caller's snapshot: with the stored cells they make
 * the figures exact at the head. Undefined if more than `size` entries wait, or if no generation is live.
 */
export async function readPendingSales(
  sql: Sql,
  locationId: string,
  size: StretchSize,
): Promise<LiveSales | undefined> {
  const read = await readPending(sql, locationId, name, size)
  if (!read) return undefined
  const { generation, stretch, reached, epoch } = read
  const clock = clockOf(generation.version)
  return { generation, clock, pending: await foldInTurns(clock, stretch.changes), reached, epoch }
}

/**
 * Returns the whole periods (the longest first) whose stored sums can be used for a table: a row of the table must not
 * split the period, and the generation must have its sums.
 */
function periodsOf({ version }: ProjectionRow, grain: TimeGrain | null): Period[] {
  const isByDay = grain === 'day' || grain === 'weekday'
  const months = !isByDay && grain !== 'week' && rulesOf(version) >= firstWith.months
  const weeks = !isByDay && grain !== 'month' && rulesOf(version) >= firstWith.weeks
  return [...(months ? (['month'] as const) : []), ...(weeks ? (['week'] as const) : [])]
}

/** Resolves to the first business day with an order of any kind; null without orders. */
export async function findFirstDay(sql: Sql, locationId: string, live: LiveSales): Promise<string | null> {
  const { generation } = live.generation
  const stored = await findFirstSalesDay(sql, { locationId, generation })
  const fresh = live.pending.filter(({ kind }) => kind === 'total').map(({ day }) => day)
  return [...(stored === null ? [] : [stored]), ...fresh].toSorted()[0] ?? null
}

type SalesFilter = DayRange & {
  locationId: string
  kind: CellKind
  grain: TimeGrain | null
  /** Only the days that are this weekday, 1 for Monday. */
  weekday?: number | undefined
}

/**
 * Lists the sums of a kind of cells over a range of business days, with pending entries. The sums are grouped by key
 * and, with a grain, by period; a period may have more than one cell. Whole months and weeks are read as one sum each
 * unless a row splits them.
 */
export async function listSales(sql: Sql, live: LiveSales, filter: SalesFilter): Promise<readonly Cell[]> {
  const { generation, pending } = live
  const { locationId, kind, grain, since, until, weekday } = filter
  const periods = weekday === undefined ? periodsOf(generation, grain) : []
  const stretches = stretchesOf(kind, { since, until }, periods)
  const place = { locationId, generation: generation.generation }
  const names = namesAtMost(grain, { since, until })
  const stored = await listSalesCells(sql, place, { kind, grain, stretches, names, weekday })
  const isAsked = (day: string) => day >= since && day <= until && (weekday === undefined || weekdayOf(day) === weekday)
  const fresh = pending.filter((cell) => cell.kind === kind && isAsked(cell.day))
  if (stored.length + fresh.length > cellsPerTurn) await turn()
  return foldOthers([...stored, ...fresh], names)
}
