import type { Sql } from './database.ts'
import { insertRows } from './rows.ts'

export type RejectedRecord = {
  id: string
  receivedAt: Date
  keyId: string | null
  line: number
  code: string
  detail: string
  /** JSON array of faults. */
  errors: string
  /** What the till sent, as it came; bytes that are not UTF-8 are shown as U+FFFD, NUL as the escape `\u0000`. */
  record: string
}

export async function insertRejected(sql: Sql, locationId: string, rows: readonly RejectedRecord[]): Promise<void> {
  const columns = ['location_id', 'id', 'received_at', 'key_id', 'line', 'code', 'detail', 'errors', 'record']
  const values = rows.map((r) => {
    const texts = [r.code, r.detail, r.errors, r.record].map((text) => text.replaceAll('\0', String.raw`\u0000`))
    return [locationId, r.id, r.receivedAt, r.keyId, r.line, ...texts]
  })
  await insertRows(sql, 'rejected_records', columns, values)
}

/** Newest first. */
export async function listRejected(sql: Sql, locationId: string, limit: number): Promise<RejectedRecord[]> {
  return sql<RejectedRecord[]>`
    select id, received_at as "receivedAt", key_id as "keyId", line, code, detail, errors, record
    from rejected_records where location_id = ${locationId} order by received_at desc, id limit ${limit}`
}
