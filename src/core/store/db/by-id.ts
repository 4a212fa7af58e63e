import type { Sql } from './database.ts'

/**
 * Makes the condition that finds the row `o` of this id by the primary key, which alone has ids in their order. In a
 * new database, whose tables are empty, the planner would take any index that has the id somewhere, read all of it for
 * each row, and keep to that until the first `analyze`.
 */
export function hasId(id: string): string {
  return `o.id between ${id} and ${id} order by o.id limit 1`
}

/** Makes a `from` item of the rows `o` of these ids that a location has, each looked up by `hasId`. */
export function rowsOfIds(sql: Sql, table: 'orders' | 'reports', locationId: string, ids: readonly string[]) {
  return sql`
    unnest(${[...ids]}::uuid[]) k(wanted)
    cross join lateral (
      select * from ${sql(table)} o where o.location_id = ${locationId} and ${sql.unsafe(hasId('k.wanted'))}
    ) o`
}
