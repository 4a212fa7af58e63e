import type { Sql } from '../../../core/store/db/database.ts'

/** An interval in milliseconds since 1970: `first` is included, `end` is not. */
export type ClosedWithin = { first: number; end: number }

const iso = (ms: number) => new Date(ms).toISOString()

/**
 * Lists the ids of the orders that were closed in an interval, by closing and id. Index: orders_closed, which finds
 * the blocks of the table that may have such orders.
 */
export async function listClosedOrders(
  sql: Sql,
  locationId: string,
  { first, end }: ClosedWithin,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from orders
    where location_id = ${locationId} and closed and closed_at >= ${iso(first)} and closed_at <= ${iso(end - 1)}
    order by closed_at, id limit ${limit}`
  return rows.map(({ id }) => id)
}

/** Lists the ids of open orders, by creation and id. Index: orders_open. */
export async function listOpenOrders(sql: Sql, locationId: string, limit: number): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from orders where location_id = ${locationId} and not closed order by created_at, id limit ${limit}`
  return rows.map(({ id }) => id)
}

/** Lists the moments of the first and the last closing of each UTC day with closings. Reads all orders. */
export async function listClosedSpans(sql: Sql, locationId: string): Promise<{ first: Date; last: Date }[]> {
  return sql<{ first: Date; last: Date }[]>`
    select min(closed_at) as first, max(closed_at) as last from orders where location_id = ${locationId} and closed
    group by (closed_at at time zone 'UTC')::date`
}

/** Reads orders with their numbers in the journal, by id. */
export async function readOrdersById(
  sql: Sql,
  locationId: string,
  ids: readonly string[],
): Promise<Map<string, { seq: number; document: string }>> {
  const rows = await sql<{ id: string; seq: number; document: string }[]>`
    select id, seq, document from orders where location_id = ${locationId} and id = any(${[...ids]}::uuid[])`
  return new Map(rows.map((row) => [row.id, row]))
}
