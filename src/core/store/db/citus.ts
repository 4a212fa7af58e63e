import type { Expression, Sql } from './driver/sql.ts'

/** Makes the SQL expression for whether the database belongs to a Citus cluster. */
export const onCitus = (sql: Sql): Expression => sql`exists (select from pg_extension where extname = 'citus')`

export async function isCitus(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ found: boolean }]>`select ${onCitus(sql)} as found`
  return row.found
}
