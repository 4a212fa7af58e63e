import type { Sql } from '../../../core/store/db/database.ts'

/** One row by column, each value as PostgreSQL writes it; null is null. */
export type TextRow = Record<string, string | null>

async function columnsOf(sql: Sql, table: string): Promise<{ name: string; type: string }[]> {
  return sql<{ name: string; type: string }[]>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::text::regclass and attnum > 0 and not attisdropped order by attnum`
}

/**
 * Reads all rows of a small table, or the rows of one location (`column` has its id), into memory. Their order depends
 * on the rows alone. Every column is read as text, so that a restore is exact to the last digit.
 */
export async function listTextRows(
  sql: Sql,
  table: string,
  of?: { column: string; locationId: string },
): Promise<TextRow[]> {
  const columns = await columnsOf(sql, table)
  const texts = columns.map(({ name }) => `${name}::text as ${name}`).join(', ')
  const where = of ? `where ${of.column} = $1` : ''
  const order = columns.map((_, i) => i + 1).join(', ')
  const rows = await sql.unsafe<TextRow[]>(
    `select ${texts} from ${table} ${where} order by ${order}`,
    of ? [of.locationId] : [],
  )
  return rows.map((row) => ({ ...row }))
}

/**
 * Writes rows that `listTextRows` read. Columns that the rows do not have get their defaults; a column that the table
 * does not have is an error of the database.
 */
export async function insertTextRows(sql: Sql, table: string, rows: readonly TextRow[]): Promise<void> {
  const types = new Map((await columnsOf(sql, table)).map(({ name, type }) => [name, type]))
  for (const row of rows) {
    const names = Object.keys(row)
    const values = names.map((name, i) => `$${i + 1}::text::${types.get(name) ?? 'text'}`)
    const text = `insert into ${table} (${names.join(', ')}) values (${values.join(', ')})`
    await sql.unsafe(text, Object.values(row), { prepare: true })
  }
}
