import type { Generation } from './projections.ts'
import type { Stretch } from '../domain/sales-periods.ts'
import type { TimeGrain } from '../domain/sales-table.ts'
import {
  besideMeasures,
  emptyAmounts,
  measures,
  type Amounts,
  type Measure,
} from '../../../core/contract/money/amounts.ts'
import { othersKey, type Cell, type CellKind, type StoredKind } from '../domain/sales.ts'
import { cells as cellsOf, column, runOver, unnest } from '../../../core/store/db/columns.ts'
import type { Sql } from '../../../core/store/db/database.ts'

const columnOf = (measure: Measure) => measure.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

const namesOf = new Map(measures.map((measure) => [measure, columnOf(measure)]))

const assignments = [...namesOf.values()].map((name) => `${name} = c.${name} + excluded.${name}`).join(', ')

/** Sorts cells, so that concurrent workers lock the rows in the same order. */
function inOrder(cells: readonly Cell<StoredKind>[]): Cell<StoredKind>[] {
  const named = cells.map((cell) => ({ id: `${cell.kind} ${cell.day} ${cell.key}`, cell }))
  return named.toSorted((a, b) => (a.id < b.id ? -1 : 1)).map(({ cell }) => cell)
}

/** Adds amounts to the cells of a generation. The caller moves the projection's cursor in the same transaction. */
export async function addSalesCells(
  sql: Sql,
  { locationId, generation }: Generation,
  cells: readonly Cell<StoredKind>[],
): Promise<void> {
  if (cells.length === 0) return
  const rows = inOrder(cells)
  const columns = [
    column(
      'generation',
      'int',
      Array.from({ length: rows.length }, () => generation),
    ),
    ...(['kind', 'key', 'label'] as const).map((name) =>
      column(
        name,
        'text',
        rows.map((row) => row[name]),
      ),
    ),
    column(
      'day',
      'date',
      rows.map(({ day }) => day),
    ),
    column(
      'named_on',
      'date',
      rows.map(({ namedOn }) => namedOn ?? null),
    ),
    ...[...namesOf].map(([measure, name]) =>
      column(
        name,
        'bigint',
        rows.map((row) => row[measure]),
      ),
    ),
  ]
  const text = `insert into sales_cells as c (location_id, ${columns.map(({ name }) => name).join(', ')})
    select $1::uuid, ${cellsOf(columns)} from ${unnest(columns)}
    on conflict (location_id, generation, kind, day, key) do update
    set label = case when excluded.label = '' or excluded.named_on < c.named_on then c.label else excluded.label end,
      named_on = greatest(c.named_on, excluded.named_on), ${assignments}`
  await runOver(sql, text, locationId, columns)
}

/** Deletes the cells of every other generation. */
export async function deleteOtherSalesCells(sql: Sql, locationId: string, generation: number): Promise<void> {
  await sql`delete from sales_cells where location_id = ${locationId} and generation <> ${generation}`
}

/** Measures that a part by item or payment lacks, except that a payment has its tips. */
const wholeMeasures: ReadonlySet<Measure> = new Set<Measure>(['guests', 'tips', 'refunds'])

const wholeKinds: ReadonlySet<CellKind> = new Set<CellKind>([
  'total',
  'hour',
  'halfHour',
  'channel',
  'serviceType',
  'operator',
  'device',
  'report',
])

/** Returns only the measures that a cell of the kind can have: each sum costs time. */
function measuresOf(kind: CellKind): Measure[] {
  if (kind === 'total') return [...measures]
  const own = measures.filter((measure) => !besideMeasures.has(measure))
  if (wholeKinds.has(kind)) return own
  return own.filter((measure) => !wholeMeasures.has(measure) || (kind === 'payment' && measure === 'tips'))
}

/** The expression of the period of a day. Times of day need none: they are the keys of their cells. */
const periods: Partial<Record<TimeGrain, string>> = {
  day: 'day',
  week: `date_trunc('week', day::timestamp)`,
  month: `date_trunc('month', day::timestamp)`,
  weekday: 'extract(isodow from day)',
}

/** A table of at most this many rows is made without counting its names. */
const fewRows = 20_000

type Of = { kind: CellKind; grain: TimeGrain | null; stretches: number; weekday: number | undefined }

function textOf({ kind, grain, stretches, weekday }: Of, names?: number): string {
  const columns = measuresOf(kind).map((measure) => ({ measure, name: namesOf.get(measure) as string }))
  const period = grain ? periods[grain] : undefined
  const onWeekday = weekday === undefined ? '' : ` and extract(isodow from day) = $${3 * stretches + 3}`
  const parts = Array.from(
    { length: stretches },
    (
      _,
      i,
    ) => `select coalesce(named_on, day) as day, key, label, ${columns.map(({ name }) => name).join(', ')} from sales_cells
      where location_id = $1 and generation = $2 and kind = $${3 * i + 3} and day >= $${3 * i + 4} and day <= $${3 * i + 5}${onWeekday}`,
  )
  // Sums of implausibly large amounts can exceed the exact range of a number; all others are exact.
  const sums = columns.map(({ measure, name }) => `sum(${name})::float8 as "${measure}"`)
  // Puts the day before each label, so that `max` finds the label of the last day. Sorting the rows, or writing each
  // day as a date, would take longer than the sums.
  const number = `(1000000 + (day - date '0001-01-01'))::text`
  const all = parts.join(' union all ')
  const by = period ? `, ${period}` : ''
  const answer = (key: string) =>
    `select ${key} as key, max(day)::text as day, substr(max((${number} || label) collate "C"), 8) as label, ${sums.join(', ')}`
  if (names === undefined) return `${answer('key')} from (${all}) cells group by key${by} limit ${fewRows + 1}`
  const weight = `abs(sum(sales)) + abs(sum(discounts))`
  // `in (select …)` is hashed by the planner; with a join it would compare each cell with each name.
  return `with cells as materialized (${all}),
      kept as materialized (select key from cells group by key order by ${weight} desc, key limit ${names}),
      named as (select cells.*, case when key in (select key from kept) then key else '${othersKey}' end as name from cells)
    ${answer('name')} from named group by name${by}`
}

/**
 * Sums stretches of cells, one row per key and, with a grain, per period. A row has its last day and the name of its
 * key on that day; the last day of a monthly or weekly cell is the day of its name. Beyond `names` keys, the keys that
 * sold least are combined in `othersKey`.
 */
export async function listSalesCells(
  sql: Sql,
  { locationId, generation }: Generation,
  {
    kind,
    grain,
    stretches,
    names,
    weekday,
  }: {
    kind: CellKind
    grain: TimeGrain | null
    stretches: readonly Stretch[]
    names: number
    weekday?: number | undefined
  },
): Promise<Cell[]> {
  const parameters = [
    ...stretches.flatMap((stretch) => [stretch.kind, stretch.since, stretch.until]),
    ...(weekday === undefined ? [] : [weekday]),
  ]
  const read = (text: string) =>
    sql.unsafe<(Amounts & { key: string; day: string; label: string })[]>(
      text,
      [locationId, generation, ...parameters],
      { prepare: true },
    )
  const of = { kind, grain, stretches: stretches.length, weekday }
  const few = await read(textOf(of))
  const rows = few.length <= fewRows ? few : await read(textOf(of, names))
  const nothing = emptyAmounts()
  return rows.map((row) => ({ ...nothing, ...row, kind }))
}

/** Resolves to the first day with sums; null without any. Index: the primary key. */
export async function findFirstSalesDay(sql: Sql, { locationId, generation }: Generation): Promise<string | null> {
  const [row] = await sql<{ day: string }[]>`
    select day::text as day from sales_cells
    where location_id = ${locationId} and generation = ${generation} and kind = 'total' order by day limit 1`
  return row?.day ?? null
}

/**
 * Lists every stored cell of a stretch with all its columns, for verify and for the first closing. Reads them into
 * memory.
 */
export async function listStoredCells<Kind extends StoredKind>(
  sql: Sql,
  { locationId, generation }: Generation,
  stretch: Stretch & { kind: Kind },
): Promise<Cell<Kind>[]> {
  const { kind, since, until } = stretch
  const columns = [...namesOf].map(([measure, name]) => `${name}::float8 as "${measure}"`).join(', ')
  return sql.unsafe<Cell<Kind>[]>(
    `select kind, day::text as day, key, label, named_on::text as "namedOn", ${columns} from sales_cells
      where location_id = $1 and generation = $2 and kind = $3 and day >= $4 and day <= $5`,
    [locationId, generation, kind, since, until],
    { prepare: true },
  )
}
