import type { Sql } from './database.ts'

/** Row counts of a multi-row VALUES: few, so that few statements are prepared. 100 was measured as the fastest. */
const chunkSizes = [100, 64, 32, 16, 8, 4, 2, 1]

function* chunks<T>(rows: readonly T[]): Generator<readonly T[]> {
  let at = 0
  for (const size of chunkSizes) {
    for (; rows.length - at >= size; at += size) yield rows.slice(at, at + size)
  }
}

/**
 * Converts the text of a timestamp, which PostgreSQL writes as `2026-03-14 12:34:56.78+00` in the pool's time zone UTC,
 * to ISO 8601 with milliseconds. Done by hand, since a `Date` costs more than the rest of reading a row.
 */
export function readTimestamp(written: string): string {
  const text = written.slice(0, -3)
  const seconds = text.length > 19 ? text.slice(11).padEnd(12, '0') : `${text.slice(11)}.000`
  return `${text.slice(0, 10)}T${seconds}Z`
}

/** One row by column name. All rows of one call have the same columns in the same order. */
export type Row = Readonly<Record<string, unknown>>

/**
 * Writes rows with `insert into … values (…), (…)` in as few statements as possible, all sent at once. The columns are
 * those of the first row; each row has its location, so that Citus sends a statement to one shard. `suffix` is the ON
 * CONFLICT clause. Resolves when all are written.
 */
export async function insertRows(sql: Sql, table: string, rows: readonly Row[], suffix = ''): Promise<void> {
  const [first] = rows
  if (!first) return
  const columns = Object.keys(first)
  const statements = [...chunks(rows)].map((chunk) => {
    const row = (i: number) => `(${columns.map((_, j) => `$${i * columns.length + j + 1}`).join(', ')})`
    const values = chunk.map((_, i) => row(i)).join(', ')
    const text = `insert into ${table} (${columns.join(', ')}) values ${values} ${suffix}`
    const parameters = chunk.flatMap((values) => columns.map((column) => values[column]))
    return sql.unsafe(text, parameters as never[], { prepare: true })
  })
  await Promise.all(statements)
}

/**
 * Writes rows like `insertRows`, replacing existing ones: every column outside the `key` (such as `location_id, id`)
 * gets the new value. Keys must be distinct within a call.
 */
export async function upsertRows(sql: Sql, table: string, key: string, rows: readonly Row[]): Promise<void> {
  const [first] = rows
  if (!first) return
  const keys = new Set(key.split(', '))
  const others = Object.keys(first).filter((column) => !keys.has(column))
  const assignments = others.map((column) => `${column} = excluded.${column}`).join(', ')
  await insertRows(sql, table, rows, `on conflict (${key}) do update set ${assignments}`)
}
