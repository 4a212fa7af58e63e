import type { Sql } from '../db/database.ts'
import { insertRows } from '../db/rows.ts'

export type RejectedRecord = {
  id: string
  receivedAt: Date
  keyId: string | null
  line: number
  code: string
  detail: string
  /** JSON array of faults. */
  errors: string
  /** What the till sent; bytes that are not UTF-8 are shown as U+FFFD, NUL as the escape `\u0000`. */
  record: string
}

export async function insertRejected(sql: Sql, locationId: string, rows: readonly RejectedRecord[]): Promise<void> {
  const storable = (text: string) => text.replaceAll('\0', String.raw`\u0000`)
  const values = rows.map((row) => ({
    location_id: locationId,
    id: row.id,
    received_at: row.receivedAt,
    key_id: row.keyId,
    line: row.line,
    code: storable(row.code),
    detail: storable(row.detail),
    errors: storable(row.errors),
    record: storable(row.record),
  }))
  await insertRows(sql, 'rejected_records', values)
}

/** Lists rejected records, newest first. */
export async function listRejected(sql: Sql, locationId: string, limit: number): Promise<RejectedRecord[]> {
  return sql<RejectedRecord[]>`
    select id, received_at as "receivedAt", key_id as "keyId", line, code, detail, errors, record
    from rejected_records where location_id = ${locationId} order by received_at desc, id limit ${limit}`
}
