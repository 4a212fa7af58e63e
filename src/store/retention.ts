import type { Sql } from './database.ts'

/** How many notices to a location's tills are kept, and for how long. */
export type Retention = { latest: number; before: Date }

const tables = ['rejected_records', 'ingest_warnings']

/**
 * Deletes the rejected records and warnings of one location that are older than `before`, and those beyond the
 * `latest` newest. Times come from the caller; rows of one moment stay or go together.
 */
export async function pruneNotices(sql: Sql, locationId: string, { latest, before }: Retention): Promise<void> {
  for (const table of tables) {
    const rows = await sql<{ at: Date }[]>`
      select received_at as at from ${sql(table)} where location_id = ${locationId}
      order by received_at desc, id offset ${latest} limit 1`
    const newest = Math.max(before.getTime(), rows[0] ? rows[0].at.getTime() + 1 : 0)
    await sql`delete from ${sql(table)} where location_id = ${locationId} and received_at < ${new Date(newest)}`
  }
}

/** Deletes the rejected records and warnings of all locations that are older than `before`: for tills that fell silent. */
export async function pruneOldNotices(sql: Sql, before: Date): Promise<void> {
  for (const table of tables) await sql`delete from ${sql(table)} where received_at < ${before}`
}
