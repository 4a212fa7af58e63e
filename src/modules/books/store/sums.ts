import type { BookSums } from '../domain/sums.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { upsertRows } from '../../../core/store/db/rows.ts'

type Generation = { locationId: string; generation: number }

/** Replaces the sums of reports, as of a journal sequence. */
export async function putBookSums(
  sql: Sql,
  { locationId, generation }: Generation,
  sums: readonly BookSums[],
  seq: number,
): Promise<void> {
  const sorted = sums.toSorted((a, b) => (a.source.id < b.source.id ? -1 : 1))
  const rows = sorted.map((one) => ({
    location_id: locationId,
    generation,
    report_id: one.source.id,
    day: one.day,
    seq,
    document: JSON.stringify(one),
  }))
  await upsertRows(sql, 'book_sums', 'location_id, generation, report_id', rows)
}

/** Records that the orders without a Z of these business days may have changed. */
export async function putBookDays(
  sql: Sql,
  { locationId, generation }: Generation,
  days: readonly string[],
  seq: number,
): Promise<void> {
  const rows = days.toSorted().map((day) => ({ location_id: locationId, generation, day, seq }))
  await upsertRows(sql, 'book_days', 'location_id, generation, day', rows)
}

/** Lists the sums of the reports from `since` to `until`, inclusive, unordered. */
export async function listBookSums(
  sql: Sql,
  { locationId, generation }: Generation,
  { since, until }: { since: string; until: string },
): Promise<BookSums[]> {
  const rows = await sql<{ document: string }[]>`
    select document from book_sums
    where location_id = ${locationId} and generation = ${generation} and day >= ${since} and day <= ${until}`
  return rows.map(({ document }) => JSON.parse(document) as BookSums)
}

/** Finds the sums of these reports, as they were written. */
export async function findBookSums(
  sql: Sql,
  { locationId, generation }: Generation,
  reportIds: readonly string[],
): Promise<Map<string, string>> {
  if (reportIds.length === 0) return new Map()
  const rows = await sql<{ id: string; document: string }[]>`
    select report_id as id, document from book_sums
    where location_id = ${locationId} and generation = ${generation} and report_id = any(${[...reportIds]}::uuid[])`
  return new Map(rows.map(({ id, document }) => [id, document]))
}

/** Lists the business days with a report that is in no batch, or that changed after its batch. */
export async function listDueBookDays(
  sql: Sql,
  { locationId, generation }: Generation,
  { since, until }: { since: string; until: string },
): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select distinct s.day::text as day from book_sums s
    left join lateral (
      select max(b.computed_at_seq) as seq from book_entries e
      join book_batches b on b.location_id = e.location_id and b.number = e.batch
      where e.location_id = ${locationId} and e.source = s.report_id::text and e.stands
    ) issued on true
    where s.location_id = ${locationId} and s.generation = ${generation} and s.day >= ${since} and s.day <= ${until}
      and (issued.seq is null or s.seq > issued.seq)
    order by 1`
  return rows.map(({ day }) => day)
}

/** Lists the business days whose orders without a Z may have changed after a journal number. */
export async function listTouchedBookDays(
  sql: Sql,
  { locationId, generation }: Generation,
  { since, until, after }: { since: string; until: string; after: number },
): Promise<string[]> {
  const rows = await sql<{ day: string }[]>`
    select day::text as day from book_days
    where location_id = ${locationId} and generation = ${generation} and day >= ${since} and day <= ${until} and seq > ${after}
    order by day`
  return rows.map(({ day }) => day)
}

/** Lists, by report, its orders that another report also names. Indexes: report_waits_report, orders_report. */
export async function listDoubled(
  sql: Sql,
  { locationId, generation }: Generation,
  reportIds: readonly string[],
): Promise<Map<string, string[]>> {
  const ids = [...reportIds]
  const rows = await sql<{ reportId: string; orderId: string }[]>`
    select w.report_id as "reportId", w.order_id as "orderId" from report_waits w
    join report_waits o on o.location_id = w.location_id and o.generation = w.generation and o.order_id = w.order_id
      and o.report_id <> w.report_id
    where w.location_id = ${locationId} and w.generation = ${generation} and w.report_id = any(${ids}::uuid[])
    union
    select o.report_id, w.order_id from report_waits w
    join orders o on o.location_id = w.location_id and o.id = w.order_id and o.report_id <> w.report_id
    where w.location_id = ${locationId} and w.generation = ${generation} and o.location_id = ${locationId}
      and o.report_id = any(${ids}::uuid[])
    order by 1, 2`
  const byReport = Map.groupBy(rows, ({ reportId }) => reportId)
  return new Map([...byReport].map(([id, of]) => [id, of.map(({ orderId }) => orderId)]))
}

/** An order and its closing time; its document is read on request. */
export type UnbookedOrder = { id: string; closedAt: Date; seq: number; bytes: number }

/** Lists orders of no stored report, closed from one moment to another, inclusive, neither canceled nor training. Index: orders_closed. */
export async function listUnbookedOrders(
  sql: Sql,
  { locationId, generation }: Generation,
  { from, to }: { from: Date; to: Date },
): Promise<UnbookedOrder[]> {
  return sql<UnbookedOrder[]>`
    select o.id, o.closed_at as "closedAt", o.seq, octet_length(o.document) as bytes from orders o
    where o.location_id = ${locationId} and o.closed and not o.canceled and not o.training
      and o.closed_at >= ${from} and o.closed_at <= ${to}
      and not exists (select 1 from reports r where r.location_id = ${locationId} and r.id = o.report_id)
      and not exists (
        select 1 from report_waits w
        where w.location_id = ${locationId} and w.generation = ${generation} and w.order_id = o.id)
    order by o.id`
}

/** Lists the reports that claim these orders: by naming them, and by the report id that each order carries. */
export async function listClaims(
  sql: Sql,
  { locationId, generation }: Generation,
  orderIds: readonly string[],
): Promise<{ orderId: string; reportId: string }[]> {
  if (orderIds.length === 0) return []
  const ids = [...orderIds]
  return sql<{ orderId: string; reportId: string }[]>`
    select order_id as "orderId", report_id as "reportId" from report_waits
    where location_id = ${locationId} and generation = ${generation} and order_id = any(${ids}::uuid[])
    union
    select id, report_id from orders
    where location_id = ${locationId} and id = any(${ids}::uuid[]) and report_id is not null`
}

/** Counts the counted orders of all Z reports by the business day on which they were closed. */
export async function listAttached(
  sql: Sql,
  { locationId, generation }: Generation,
  until: string,
): Promise<{ day: string; orders: number }[]> {
  return sql<{ day: string; orders: number }[]>`
    select a ->> 'day' as day, sum((a ->> 'orders')::int)::int as orders
    from book_sums, json_array_elements(document::json -> 'attached') a
    where location_id = ${locationId} and generation = ${generation} and a ->> 'day' <= ${until} group by 1`
}

export async function findBookDay(
  sql: Sql,
  { locationId, generation }: Generation,
  reportId: string,
): Promise<string | undefined> {
  const [row] = await sql<{ day: string }[]>`
    select day::text as day from book_sums
    where location_id = ${locationId} and generation = ${generation} and report_id = ${reportId}`
  return row?.day
}
