import type { RecordType } from '../../../core/contract/resources.ts'
import type { WarningCode } from '../schemas/warnings.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { cells, column, namesOf, runOver, unnest } from '../../../core/store/db/columns.ts'

/** One warning of one stored record. */
export type KeptWarning = {
  id: string
  receivedAt: Date
  keyId: string | null
  line: number
  type: RecordType
  resourceId: string
  pointer: string
  code: string
  detail: string
}

export async function insertWarnings(sql: Sql, locationId: string, rows: readonly KeptWarning[]): Promise<void> {
  const of = <Key extends Exclude<keyof KeptWarning, 'receivedAt'>>(key: Key) => rows.map((row) => row[key])
  const receivedAt = rows.map((row) => row.receivedAt.toISOString())
  const columns = [
    column('id', 'uuid', of('id')),
    column('received_at', 'timestamptz', receivedAt),
    column('key_id', 'uuid', of('keyId')),
    column('line', 'bigint', of('line')),
    column('kind', 'text', of('type')),
    column('resource_id', 'uuid', of('resourceId')),
    column('pointer', 'text', of('pointer')),
    column('code', 'text', of('code')),
    column('detail', 'text', of('detail')),
  ]
  const text = `insert into ingest_warnings (location_id, ${namesOf(columns)})
    select $1::uuid, ${cells(columns)} from ${unnest(columns)}`
  await runOver(sql, text, locationId, columns)
}

/** Filters for a list of warnings; an absent member does not filter. */
export type WarningFilter = {
  /** Lists only this many of the newest warnings, because older warnings are deleted gradually. */
  latest?: number
  code?: WarningCode | undefined
  type?: RecordType | undefined
  /** Both inclusive. */
  between?: { from: Date; to: Date }
  /** Position of the last warning of the previous page; null begins with the newest. */
  after?: { at: Date; id: string } | null
}

/** Lists warnings newest first, in a stable order. */
export async function listWarnings(
  sql: Sql,
  locationId: string,
  limit: number,
  { latest, code, type, between, after = null }: WarningFilter = {},
): Promise<KeptWarning[]> {
  return sql<KeptWarning[]>`
    select id, received_at as "receivedAt", key_id as "keyId", line::int as line, kind as type,
           resource_id as "resourceId", pointer, code, detail
    from ${
      latest === undefined
        ? sql`ingest_warnings`
        : sql`(
      select * from ingest_warnings where location_id = ${locationId} order by received_at desc, id limit ${latest}
    ) newest`
    }
    where location_id = ${locationId}
      ${between === undefined ? sql`` : sql`and received_at >= ${between.from} and received_at <= ${between.to}`}
      ${code === undefined ? sql`` : sql`and code = ${code}`} ${type === undefined ? sql`` : sql`and kind = ${type}`}
      ${after === null ? sql`` : sql`and (received_at < ${after.at} or received_at = ${after.at} and id > ${after.id})`}
    order by received_at desc, id limit ${limit}`
}
