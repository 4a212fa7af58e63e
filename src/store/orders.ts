import type { Sql } from './database.ts'
import { readPage, type DatedList, type Documents, type PageOf, type Reads } from './pages.ts'
import type { Reader } from './reader/reader.ts'
import { upsertRows } from './rows.ts'

export type OrderRow = {
  id: string
  createdAt: string
  updatedAt: string
  closedAt: string | null
  reportId: string | null
  canceled: boolean
  transferred: boolean
  /** `order.paid` was meant for an earlier version, or for this one. */
  paid: boolean
  /** Journal number of this version. */
  seq: number
  document: string
}

export type OrderState = 'open' | 'closed' | 'all'

const lists: Record<OrderState, DatedList> = {
  closed: { table: 'orders', kinds: ['order.closed'], condition: 'and closed' },
  open: { table: 'orders', kinds: ['order.open'], condition: 'and not closed' },
  all: { table: 'orders', kinds: ['order.closed', 'order.open'], condition: '' },
}

export async function findOrderBytes(reader: Reader, locationId: string, id: string): Promise<Buffer | undefined> {
  return reader.first('select document from orders where location_id = $1 and id = $2', [locationId, id])
}

/** Collects one page and resolves to the number of all that match. */
export async function listOrderBytes(
  reads: Reads,
  locationId: string,
  state: OrderState,
  page: PageOf,
  documents: Documents,
): Promise<number> {
  return readPage(reads, lists[state], locationId, page, documents)
}

/** The same for the orders of one report: few, so counted as they are. Index: orders_report. */
export async function listReportOrderBytes(
  { pool, reader }: Reads,
  locationId: string,
  reportId: string,
  state: OrderState,
  { index, size, range, descending }: PageOf,
  documents: Documents,
): Promise<number> {
  const where = `location_id = $1 and report_id = $2 and created_at >= $3 and created_at <= $4 ${lists[state].condition}`
  const direction = descending ? 'desc' : 'asc'
  const parameters = [locationId, reportId, new Date(range.first).toISOString(), new Date(range.last).toISOString()]
  const [counted] = await pool.unsafe<{ n: number }[]>(`select count(*) as n from orders where ${where}`, parameters, {
    prepare: true,
  })
  const totalCount = counted?.n ?? 0
  if (index * size >= totalCount) return totalCount
  const order = `order by created_at ${direction}, id ${direction}`
  await reader.ask({
    text: `select document from orders where ${where} ${order} limit $5 offset $6`,
    parameters: [...parameters, String(size), String(index * size)],
    row: (chunk, from, to) => documents.add(chunk, from, to),
  })
  return totalCount
}

/**
 * The orders that carry a report's id and those that it names (`ids`, in lower case), each once, as bytes, in no order.
 * Indexes: orders_report, and the primary key for named orders that do not carry the id.
 */
export async function listOrdersOfReport(
  sql: Sql,
  locationId: string,
  reportId: string,
  ids: readonly string[],
): Promise<Buffer[]> {
  const carrying = await sql`
    select id, document from orders where location_id = ${locationId} and report_id = ${reportId}`.raw()
  const found = new Set(carrying.map((row) => String(row[0])))
  const others = [...new Set(ids)].filter((id) => !found.has(id))
  const named =
    others.length === 0
      ? []
      : await sql`
          select id, document from orders where location_id = ${locationId} and id = any(${others}::uuid[])`.raw()
  return [...carrying, ...named].map((row) => row[1] as Buffer)
}

type Stored = Omit<OrderRow, 'createdAt' | 'updatedAt' | 'closedAt'> &
  Record<'createdAt' | 'updatedAt', Date> & { closedAt: Date | null }

/** Stored versions of these orders, by lower-case id. The caller holds the head's lock, so they are the latest. */
export async function findOrders(sql: Sql, locationId: string, ids: readonly string[]): Promise<Map<string, OrderRow>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<Stored[]>`
    select id, created_at as "createdAt", updated_at as "updatedAt", closed_at as "closedAt", report_id as "reportId",
      canceled, transferred, paid, seq, document
    from orders where location_id = ${locationId} and id = any(${[...ids]}::uuid[])`
  return new Map(
    rows.map((row) => {
      const times = { createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() }
      return [row.id, { ...row, ...times, closedAt: row.closedAt?.toISOString() ?? null }]
    }),
  )
}

/** No id twice. The caller decided that these versions win. */
export async function upsertOrders(sql: Sql, locationId: string, orders: readonly OrderRow[]): Promise<void> {
  const rows = orders.map((order) => ({
    location_id: locationId,
    id: order.id,
    created_at: order.createdAt,
    updated_at: order.updatedAt,
    closed_at: order.closedAt,
    closed: order.closedAt !== null,
    report_id: order.reportId,
    canceled: order.canceled,
    transferred: order.transferred,
    paid: order.paid,
    seq: order.seq,
    document: order.document,
  }))
  await upsertRows(sql, 'orders', 'location_id, id', rows)
}
