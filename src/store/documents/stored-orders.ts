import { rowsOfIds } from '../db/by-id.ts'
import type { Sql } from '../db/database.ts'
import type { OrderRow } from './orders.ts'

export type StoredOrder = Omit<OrderRow, 'createdAt' | 'updatedAt' | 'closedAt'> &
  Record<'createdAt' | 'updatedAt', Date> & { closedAt: Date | null }

export const storedColumns = `o.id, created_at as "createdAt", updated_at as "updatedAt",
  closed_at as "closedAt", report_id as "reportId", canceled, transferred, paid, seq, document, number,
  device_id as "deviceId", operator_id as "operatorId", channel, service_type as "serviceType", training`

export function toOrderRow(row: StoredOrder): OrderRow {
  const times = { createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() }
  return { ...row, ...times, closedAt: row.closedAt?.toISOString() ?? null }
}

/** Stored versions of these orders, by lower-case id. The caller holds the head's lock, so they are the latest. */
export async function findOrders(sql: Sql, locationId: string, ids: readonly string[]): Promise<Map<string, OrderRow>> {
  if (ids.length === 0) return new Map()
  const rows = await sql<StoredOrder[]>`
    select ${sql.unsafe(storedColumns)} from ${rowsOfIds(sql, 'orders', locationId, ids)}`
  return new Map(rows.map((row) => [row.id, toOrderRow(row)]))
}
