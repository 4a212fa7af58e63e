import type { Sql } from './database.ts'

/** How many notices to a location's tills are kept, and for how long. */
export type Retention = { latest: number; before: Date }

const tables = ['rejected_records', 'ingest_warnings'] as const

export type NoticeTable = (typeof tables)[number]

/**
 * Deletes the rejected records, or the warnings, of one location that are older than `before`, and those beyond the
 * `latest` newest. Rows of one push may have the same moment, so the ids decide which are deleted, as in lists. The
 * rows are locked oldest first: two processes that delete the same rows wait for each other without a deadlock. They are
 * found once, as an array: without statistics of the location, `in` may find them again for each row.
 */
export async function pruneNotices(
  sql: Sql,
  table: NoticeTable,
  locationId: string,
  { latest, before }: Retention,
): Promise<void> {
  const [first] = await sql<{ at: Date; id: string }[]>`
    select received_at as at, id from ${sql(table)} where location_id = ${locationId}
    order by received_at desc, id offset ${latest} limit 1`
  const tooMany = first && first.at >= before
  const old = tooMany
    ? sql`received_at <= ${first.at} and (received_at < ${first.at} or id >= ${first.id})`
    : sql`received_at < ${before}`
  await sql`
    delete from ${sql(table)} where location_id = ${locationId} and id = any(array(
      select id from ${sql(table)} where location_id = ${locationId} and ${old} order by received_at, id for update
    ))`
}

/** Deletes the rejected records and warnings of all locations that are older than `before`, for tills that no longer push. */
export async function pruneOldNotices(sql: Sql, before: Date): Promise<void> {
  for (const table of tables) await sql`delete from ${sql(table)} where received_at < ${before}`
}
