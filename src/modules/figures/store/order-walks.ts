import { allTime } from '../../../core/domain/days/day-ranges.ts'
import type { Span } from '../../../core/domain/days/closing-times.ts'
import type { Expression, Sql } from '../../../core/store/db/database.ts'
import { walkDated } from '../../../core/store/db/walk.ts'

/** Returns a moment in ISO 8601, clamped to the times that a document can have. */
const iso = (ms: number) => new Date(Math.min(Math.max(ms, allTime.first), allTime.last)).toISOString()

/** Returns the indexed expression of orders_canceled. */
const openedAt = (sql: Sql) => sql`substring(document from '"openedAt":"([^"]+)"') collate "C"`

type Batch = { document: string; at: string; id: string }

function walkClosedAt(
  sql: Sql,
  locationId: string,
  { first, end }: Span,
  condition: Expression,
): AsyncGenerator<Buffer[]> {
  return walkDated(
    iso(first),
    (after, batch) => sql<Batch[]>`
      select document, closed_at::text as at, id from orders
      where location_id = ${locationId} and closed and (closed_at, id) > (${after.at}, ${after.id})
        and closed_at <= ${iso(end - 1)} and not training and ${condition}
      order by closed_at, id limit ${batch}`,
  )
}

/**
 * Yields documents of orders closed in an interval, by closing, not canceled and not training. Index: orders_closed.
 */
export function walkClosedOrders(sql: Sql, locationId: string, span: Span): AsyncGenerator<Buffer[]> {
  return walkClosedAt(sql, locationId, span, sql`not canceled`)
}

/**
 * Yields the documents of the orders that were closed in an interval, counted or canceled; then those of the canceled
 * orders that were opened in it and never closed. Without training orders. Indexes: orders_closed, orders_canceled.
 */
export async function* walkEndedOrders(sql: Sql, locationId: string, span: Span): AsyncGenerator<Buffer[]> {
  yield* walkClosedAt(sql, locationId, span, sql`true`)
  yield* walkDated(
    iso(span.first),
    (after, batch) => sql<Batch[]>`
      select document, ${openedAt(sql)} as at, id from orders
      where location_id = ${locationId} and canceled and not closed and not training
        and (${openedAt(sql)}, id) > (${after.at} collate "C", ${after.id}) and ${openedAt(sql)} <= ${iso(span.end - 1)}
      order by ${openedAt(sql)}, id limit ${batch}`,
  )
}

/**
 * Lists at most `limit` orders that changed after a journal sequence and were closed in the interval, now or at that
 * sequence. They are in the order of their latest versions. Indexes: orders_closed, and the key of the journal.
 * Subqueries, because PostgreSQL would compute joins without these keys if its statistics do not know the location.
 */
export async function listLaterOrders(
  sql: Sql,
  locationId: string,
  { first, end }: Span,
  { after, limit }: { after: number; limit: number },
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from (
      select id, seq from orders
      where location_id = ${locationId} and closed and closed_at >= ${iso(first)} and closed_at <= ${iso(end - 1)} and seq > ${after}
      union
      select j.id, (select o.seq from orders o where o.location_id = ${locationId} and o.id = j.id) from journal j
      where j.location_id = ${locationId} and j.seq > ${after} and j.kind = 'order' and j.prev_seq <= ${after} and (
        select substring(b.document from '"closedAt":"([^"]+)"') collate "C" >= ${iso(first)}
          and substring(b.document from '"closedAt":"([^"]+)"') collate "C" <= ${iso(end - 1)}
        from journal b where b.location_id = ${locationId} and b.seq = j.prev_seq)
    ) changed order by seq limit ${limit}`
  return rows.map(({ id }) => id)
}
