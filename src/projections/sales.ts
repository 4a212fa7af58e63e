import type { BusinessClock } from '../domain/business-time.ts'
import { foldChanges, salesVersion, type Cell, type OrderChange } from '../domain/sales.ts'
import { readStoredOrder } from '../domain/stored-documents.ts'
import type { Sql } from '../store/database.ts'
import { readOrderChanges, type JournalOrder, type ProjectionRow } from '../store/projections.ts'
import { addSalesCells, deleteOtherSalesCells, listSalesCells, type CellRange } from '../store/sales.ts'
import { findLive, type Projection } from './projection.ts'

const name = 'sales'

/** What the rows of a location are made by: a change of any of it makes them anew. */
const versionOf = ({ timeZone, dayStartsAt }: BusinessClock) => `${salesVersion} ${timeZone} ${dayStartsAt}`

/** Takes the settings back out of a version, for a generation that was made by settings that have changed since. */
export function clockOf(version: string): BusinessClock {
  const [, timeZone = 'UTC', dayStartsAt = '00:00'] = version.split(' ')
  return { timeZone, dayStartsAt }
}

/** A version of an order and the one before, as figures compare them. */
export const toChange = ({ document, before }: JournalOrder): OrderChange => ({
  before: before === null ? undefined : readStoredOrder(before),
  after: readStoredOrder(document),
})

/** The sums of a location's orders by business day and by every property that is asked for: `sales_cells`. */
export const salesProjection: Projection = {
  name,
  versionOf,
  async fold(sql, { locationId, generation, version }, after, limit) {
    const { changes, ...stretch } = await readOrderChanges(sql, locationId, after, limit)
    const cells = foldChanges(clockOf(version), changes.map(toChange))
    return { ...stretch, write: (tx) => addSalesCells(tx, { locationId, generation }, cells) }
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

/** The cells of a kind and a range of business days, with what is pending. Cells in which nothing is left are left out. */
export async function listSales(
  sql: Sql,
  { generation, pending }: LiveSales,
  range: Omit<CellRange, 'generation'>,
  byDay: boolean,
): Promise<Cell[]> {
  const stored = await listSalesCells(sql, { ...range, generation: generation.generation }, byDay)
  const { kind, since, until } = range
  const waiting = pending.filter((cell) => cell.kind === kind && cell.day >= since && cell.day <= until)
  return [...stored, ...waiting.map((cell) => (byDay ? cell : { ...cell, day: '' }))]
}
