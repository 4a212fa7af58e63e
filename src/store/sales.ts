import { besideMeasures, measures, type Amounts, type Cell, type CellKind, type Measure } from '../domain/sales.ts'
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

/** Over days only what a cell of the kind can have: each sum costs. */
const sumsOf = (kind: CellKind, byDay: boolean): string =>
  measures
    .map((measure) => {
      const isThere = kind === 'total' || byDay || !besideMeasures.has(measure)
      return `${isThere ? `sum(${columnOf(measure)})::bigint` : '0::bigint'} as "${measure}"`
    })
    .join(', ')

const textOf = (kind: CellKind, byDay: boolean): string =>
  // The label of the last day: sorting the rows for it takes longer than adding them up.
  `select ${byDay ? 'day::text' : "''"} as day, key, substr(max((day::text || label) collate "C"), 11) as label, ${sumsOf(kind, byDay)}
    from sales_cells
    where location_id = $1 and generation = $2 and kind = $3 and day >= $4 and day <= $5
    group by ${byDay ? 'day, key' : 'key'}`

/**
 * The cells of a kind from one business day to another, both included. With `byDay` one row per day and key, else the days
 * are added up by the database, one row per key with an empty `day`.
 */
export async function listSalesCells(sql: Sql, range: CellRange, byDay: boolean): Promise<Cell[]> {
  const { locationId, generation, kind, since, until } = range
  const rows = await sql.unsafe<(Amounts & { day: string; key: string; label: string })[]>(
    textOf(kind, byDay),
    [locationId, generation, kind, since, until],
    { prepare: true },
  )
  return rows.map((row) => ({ ...row, kind }))
}
