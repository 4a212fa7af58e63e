import type { Sql } from './database.ts'

/** What is kept of what a location's tills are told: so many of the latest, and nothing older. */
export type Retention = { latest: number; before: Date }

/**
 * Deletes the rejected records and warnings of one location that are older than `before`, and those beyond the
 * `latest` newest. Times come from the caller; rows of one moment stay or go together.
 */
export async function pruneNotices(sql: Sql, locationId: string, { latest, before }: Retention): Promise<void> {
  for (const table of ['rejected_records', 'ingest_warnings']) {
    const rows = await sql<{ at: Date }[]>`
      select received_at as at from ${sql(table)} where location_id = ${locationId}
      order by received_at desc, id offset ${latest} limit 1`
    const newest = Math.max(before.getTime(), rows[0] ? rows[0].at.getTime() + 1 : 0)
    await sql`delete from ${sql(table)} where location_id = ${locationId} and received_at < ${new Date(newest)}`
  }
}
