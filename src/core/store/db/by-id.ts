import type { Sql } from './database.ts'

/**
 * Makes the condition that finds the row `o` of this id by the primary key, the only index that is ordered by id. In a
 * new database with empty tables, the planner would choose any index that includes the id, and read all of it for each
 * row. It would keep that plan until the first `analyze`.
 */
export function hasId(id: string): string {
  return `o.id between ${id} and ${id} order by o.id limit 1`
}

/** Makes a `from` item `o` with the rows of these ids at a location, each looked up by `hasId`. */
export function rowsOfIds(sql: Sql, table: 'orders' | 'reports', locationId: string, ids: readonly string[]) {
  return sql`
    unnest(${[...ids]}::uuid[]) k(wanted)
    cross join lateral (
      select * from ${sql(table)} o where o.location_id = ${locationId} and ${sql.unsafe(hasId('k.wanted'))}
    ) o`
}
