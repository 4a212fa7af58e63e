import type { BusinessClock } from '../domain/business-time.ts'
import { foldChanges, salesVersion, type Cell, type CellKind, type OrderChange } from '../domain/sales.ts'
import { readStoredOrder } from '../domain/stored-documents.ts'
import type { Sql } from '../store/database.ts'
import { readOrderChanges, type JournalOrder, type ProjectionRow } from '../store/projections.ts'
import { stretchesOf, toMonths } from '../domain/sales-months.ts'
import type { DayRange, TimeGrain } from '../domain/sales-table.ts'
import { addSalesCells, deleteOtherSalesCells, listSalesCells } from '../store/sales.ts'
import { clockOf, findLive, type Projection } from './projection.ts'

const name = 'sales'

/** Of {@link salesVersion}, since which there are cells by half hour. */
const firstWithHalfHours = 5

/** Whether a generation of that version has cells by half hour. */
export const hasHalfHours = (version: string): boolean => Number(version.split(' ', 1)[0]) >= firstWithHalfHours

/** A version of an order and the one before, as figures compare them. */
export const toChange = ({ document, before }: JournalOrder): OrderChange => ({
  before: before === null ? undefined : readStoredOrder(before),
  after: readStoredOrder(document),
})

/** The sums of a location's orders by business day and by every property that is asked for: `sales_cells`. */
export const salesProjection: Projection = {
  name,
  rules: salesVersion,
  async fold(sql, { locationId, generation, version }, after, limit) {
    const { changes, ...stretch } = await readOrderChanges(sql, locationId, after, limit)
    const cells = foldChanges(clockOf(version), changes.map(toChange))
    const all = [...cells, ...toMonths(cells)]
    return { ...stretch, write: (tx) => addSalesCells(tx, { locationId, generation }, all) }
  },
  deleteOthers: deleteOtherSalesCells,
}

export type LiveSales = { generation: ProjectionRow; clock: BusinessClock; pending: Cell[]; reached: number }

/**
 * What stands after the projection's cursor, folded in memory in the caller's snapshot: with the stored cells it makes the
 * figures exact at the head. Undefined when more than `limit` entries wait, or while nothing is live.
 */
export async function readPendingSales(sql: Sql, locationId: string, limit: number): Promise<LiveSales | undefined> {
  const generation = await findLive(sql, locationId, name)
  if (!generation) return undefined
  const { changes, reached, entries, redactedAt } = await readOrderChanges(sql, locationId, generation.seq, limit + 1)
  if (entries > limit || redactedAt > generation.begunAtSeq) return undefined
  const clock = clockOf(generation.version)
  return { generation, clock, pending: foldChanges(clock, changes.map(toChange)), reached }
}

/** Generations of earlier rules have no sums by month. */
const hasMonths = ({ version }: ProjectionRow) => version.startsWith(`${salesVersion} `)

type Asked = DayRange & { locationId: string; kind: CellKind; grain: TimeGrain | null }

/**
 * What the cells of a kind and a range of business days add up to by key and, with a grain, by its periods, with what is pending: more
 * than one cell may be of one period. Without a grain, by hour and by month whole months are read where there are any.
 */
export async function listSales(sql: Sql, live: LiveSales, asked: Asked): Promise<Cell[]> {
  const { generation, pending } = live
  const { locationId, kind, grain, since, until } = asked
  const isByDay = grain === 'day' || grain === 'week' || grain === 'weekday'
  const stretches = isByDay || !hasMonths(generation) ? [{ kind, since, until }] : stretchesOf(kind, { since, until })
  const place = { locationId, generation: generation.generation }
  const stored = await listSalesCells(sql, place, { kind, grain, stretches })
  return [...stored, ...pending.filter((cell) => cell.kind === kind && cell.day >= since && cell.day <= until)]
}
