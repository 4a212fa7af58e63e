import type { Sql } from '../../../core/store/db/database.ts'
import { upsertRows } from '../../../core/store/db/rows.ts'

export type Notice = {
  /** Key of the document in its source. */
  key: string
  kind: 'left' | 'refused'
  reason: string
  at: Date
  rejectedId: string | null
  tries: number
  dueAt: Date | null
}

type OfSource = { locationId: string; id: string }

const columns = (sql: Sql) => sql`
  key, kind, reason, at, rejected_id as "rejectedId", tries, due_at as "dueAt"`

/** Finds the earlier notices of these documents. */
export async function findNotices(
  sql: Sql,
  { locationId, id }: OfSource,
  keys: readonly string[],
): Promise<Map<string, Notice>> {
  const rows = await sql<Notice[]>`
    select ${columns(sql)} from source_notices
    where location_id = ${locationId} and source_id = ${id} and key = any(${[...keys]}::text[])`
  return new Map(rows.map((row) => [row.key, row]))
}

/** Lists notices, newest first. */
export async function listNotices(sql: Sql, { locationId, id }: OfSource, limit: number): Promise<Notice[]> {
  return sql<Notice[]>`
    select ${columns(sql)} from source_notices
    where location_id = ${locationId} and source_id = ${id} order by at desc, key limit ${limit}`
}

/** Counts notices by kind and reason, the most frequent first; at most 50. */
export async function countNotices(
  sql: Sql,
  { locationId, id }: OfSource,
): Promise<{ kind: Notice['kind']; reason: string; n: number }[]> {
  return sql<{ kind: Notice['kind']; reason: string; n: number }[]>`
    select kind, reason, count(*)::int as n from source_notices
    where location_id = ${locationId} and source_id = ${id} group by kind, reason order by n desc, kind, reason limit 50`
}

/** Lists refused documents that are due for another try. */
export async function listDueKeys(sql: Sql, { locationId, id }: OfSource, now: Date, limit: number): Promise<string[]> {
  const rows = await sql<{ key: string }[]>`
    select key from source_notices
    where location_id = ${locationId} and source_id = ${id} and kind = 'refused' and due_at <= ${now}
    order by due_at, key limit ${limit}`
  return rows.map(({ key }) => key)
}

/** Stores notices of documents, and deletes the notices of documents that are stored now. */
export async function keepNotices(
  sql: Sql,
  { locationId, id }: OfSource,
  { notices, stored }: { notices: readonly Notice[]; stored: readonly string[] },
): Promise<void> {
  const rows = notices.map((notice) => ({
    location_id: locationId,
    source_id: id,
    key: notice.key,
    kind: notice.kind,
    reason: notice.reason,
    at: notice.at,
    rejected_id: notice.rejectedId,
    tries: notice.tries,
    due_at: notice.dueAt,
  }))
  await upsertRows(sql, 'source_notices', 'location_id, source_id, key', rows)
  if (stored.length === 0) return
  await sql`
    delete from source_notices
    where location_id = ${locationId} and source_id = ${id} and key = any(${[...stored]}::text[])`
}

/** Lets the next run read refused documents again. */
export async function hastenNotices(sql: Sql, { locationId, id }: OfSource, now: Date): Promise<void> {
  await sql`
    update source_notices set due_at = ${now}
    where location_id = ${locationId} and source_id = ${id} and kind = 'refused'`
}

/** Deletes old notices of documents that were skipped or refused; rejected records have their own rule. */
export async function pruneOldNoticesOfSources(sql: Sql, before: Date): Promise<void> {
  await sql`delete from source_notices where at < ${before}`
}
