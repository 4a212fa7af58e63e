import { allTime } from '../../domain/days/day-ranges.ts'
import { dayMs } from '../../domain/days/time-units.ts'
import type { Expression, Sql } from '../db/database.ts'
import { readTimestamp } from '../db/rows.ts'

/** A moment as PostgreSQL reads it; those beyond what a document can carry are the first and the last that it can. */
const iso = (ms: number) => new Date(Math.min(Math.max(ms, allTime.first), allTime.last)).toISOString()

/** Orders closed from `first` on and before `end`, in milliseconds; created within so many days of that, or at any time. */
export type ClosedSpan = { first: number; end: number; slackDays: number | null }

/** Documents of the orders of a condition that were created in a span, the ends included, in batches by creation. Index: orders_created. */
async function* walk(
  sql: Sql,
  locationId: string,
  created: { first: number; last: number },
  condition: Expression,
): AsyncGenerator<Buffer[]> {
  let after = { at: iso(created.first), id: '00000000-0000-0000-0000-000000000000' }
  for (;;) {
    const rows = await sql<{ document: string; at: string; id: string }[]>`
      select document, created_at::text as at, id from orders
      where location_id = ${locationId} and (created_at, id) > (${after.at}, ${after.id})
        and created_at <= ${iso(created.last)} and not training and ${condition}
      order by created_at, id limit 500`
    yield rows.map(({ document }) => Buffer.from(document))
    const last = rows.at(-1)
    if (!last || rows.length < 500) return
    after = { at: readTimestamp(last.at), id: last.id }
  }
}

const around = (first: number, end: number, slackDays: number) => ({
  first: first - slackDays * dayMs,
  last: end + slackDays * dayMs,
})

/**
 * Documents of the orders that count (closed, not canceled, no training) and were closed in a span, in batches by creation.
 * Without `slackDays` it looks through all orders of the location.
 */
export async function* walkClosedOrders(
  sql: Sql,
  locationId: string,
  { first, end, slackDays }: ClosedSpan,
): AsyncGenerator<Buffer[]> {
  const created = slackDays === null ? allTime : around(first, end, slackDays)
  yield* walk(
    sql,
    locationId,
    created,
    sql`closed and not canceled and closed_at >= ${iso(first)} and closed_at < ${iso(end)}`,
  )
}

/**
 * Documents of the orders that ended in a span, counted or canceled, and no training, in batches by creation; and of canceled ones
 * that were created around it and never closed.
 */
export async function* walkEndedOrders(
  sql: Sql,
  locationId: string,
  { first, end, slackDays }: { first: number; end: number; slackDays: number },
): AsyncGenerator<Buffer[]> {
  const ended = sql`
    ((closed_at >= ${iso(first)} and closed_at < ${iso(end)}) or (canceled and closed_at is null))`
  yield* walk(sql, locationId, around(first, end, slackDays), ended)
}

/**
 * Lists the orders that were closed in a span and whose version is later than a number of the journal, by that number; at most
 * `limit`. Created within so many days before the span. Index: orders_created.
 */
export async function listLaterOrders(
  sql: Sql,
  locationId: string,
  { first, end, slackDays }: { first: number; end: number; slackDays: number },
  { after, limit }: { after: number; limit: number },
): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from orders
    where location_id = ${locationId} and created_at >= ${iso(first - slackDays * dayMs)} and created_at < ${iso(end + slackDays * dayMs)}
      and closed_at >= ${iso(first)} and closed_at < ${iso(end)} and seq > ${after}
    order by seq limit ${limit}`
  return rows.map(({ id }) => id)
}
