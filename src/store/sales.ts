import { measures, type Amounts, type Cell, type CellKind, type Measure } from '../domain/sales.ts'
import type { Sql } from './database.ts'
import { insertRows } from './rows.ts'

const columnOf = (measure: Measure) => measure.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const assignments = measures.map(
  (measure) => `${columnOf(measure)} = c.${columnOf(measure)} + excluded.${columnOf(measure)}`,
)

/** Adds to the cells of a generation. The caller moves the projection's cursor in the same transaction. */
export async function addSalesCells(
  sql: Sql,
  { locationId, generation }: { locationId: string; generation: number },
  cells: readonly Cell[],
): Promise<void> {
  const keyOf = ({ kind, day, key }: Cell) => `${kind} ${day} ${key}`
  // Sorted, so that two workers that meet take the rows in one order.
  const rows = cells
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .map(({ kind, day, key, label, ...amounts }) => ({
      location_id: locationId,
      generation,
      kind,
      day,
      key,
      label,
      ...Object.fromEntries(measures.map((measure) => [columnOf(measure), amounts[measure]])),
    }))
  const conflict = 'on conflict (location_id, generation, kind, day, key)'
  await insertRows(
    sql,
    'sales_cells as c',
    rows,
    `${conflict} do update set label = excluded.label, ${assignments.join(', ')}`,
  )
}

/** Takes away the cells of every other generation. */
export async function deleteOtherSalesCells(sql: Sql, locationId: string, generation: number): Promise<void> {
  await sql`delete from sales_cells where location_id = ${locationId} and generation <> ${generation}`
}

export type CellRange = { locationId: string; generation: number; kind: CellKind; since: string; until: string }

const sums = measures.map((measure) => `sum(${columnOf(measure)})::bigint as "${measure}"`).join(', ')

/**
 * The cells of a kind from one business day to another, both included. With `byDay` one row per day and key, else the days
 * are added up by the database, one row per key with an empty `day`.
 */
export async function listSalesCells(sql: Sql, range: CellRange, byDay: boolean): Promise<Cell[]> {
  const { locationId, generation, kind, since, until } = range
  const grain = byDay ? 'day, key' : 'key'
  const text = `
    select ${byDay ? 'day::text' : "''"} as day, key, (array_agg(label order by day desc))[1] as label, ${sums}
    from sales_cells
    where location_id = $1 and generation = $2 and kind = $3 and day >= $4 and day <= $5
    group by ${grain}`
  const rows = await sql.unsafe<(Amounts & { day: string; key: string; label: string })[]>(
    text,
    [locationId, generation, kind, since, until],
    { prepare: true },
  )
  return rows.map((row) => ({ ...row, kind }))
}
