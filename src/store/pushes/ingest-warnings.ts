import type { RecordType } from '../../schemas/resources.ts'
import type { WarningCode } from '../../schemas/warnings.ts'
import type { Sql } from '../db/database.ts'
import { insertRows } from '../db/rows.ts'

/** One warning of one record that was stored all the same. */
export type KeptWarning = {
  id: string
  receivedAt: Date
  keyId: string | null
  line: number
  type: RecordType
  resourceId: string
  pointer: string
  code: WarningCode
  detail: string
}

export async function insertWarnings(sql: Sql, locationId: string, rows: readonly KeptWarning[]): Promise<void> {
  const values = rows.map((row) => ({
    location_id: locationId,
    id: row.id,
    received_at: row.receivedAt,
    key_id: row.keyId,
    line: row.line,
    kind: row.type,
    resource_id: row.resourceId,
    pointer: row.pointer,
    code: row.code,
    detail: row.detail,
  }))
  await insertRows(sql, 'ingest_warnings', values)
}

/** Narrows a list of warnings; a member that is left out narrows nothing. */
export type WarningFilter = {
  code?: WarningCode | undefined
  type?: RecordType | undefined
  /** Both inclusive. */
  between?: { from: Date; to: Date }
  /** Position of the last warning of the page before; null begins with the newest. */
  after?: { at: Date; id: string } | null
}

/** Lists warnings newest first, in a stable order. */
export async function listWarnings(
  sql: Sql,
  locationId: string,
  limit: number,
  { code, type, between, after = null }: WarningFilter = {},
): Promise<KeptWarning[]> {
  return sql<KeptWarning[]>`
    select id, received_at as "receivedAt", key_id as "keyId", line::int as line, kind as type,
           resource_id as "resourceId", pointer, code, detail
    from ingest_warnings
    where location_id = ${locationId}
      ${between === undefined ? sql`` : sql`and received_at >= ${between.from} and received_at <= ${between.to}`}
      ${code === undefined ? sql`` : sql`and code = ${code}`} ${type === undefined ? sql`` : sql`and kind = ${type}`}
      ${after === null ? sql`` : sql`and (received_at < ${after.at} or received_at = ${after.at} and id > ${after.id})`}
    order by received_at desc, id limit ${limit}`
}
