import type { Sql } from '../../../core/store/db/database.ts'

/** Finds when PostgreSQL last read a page of this database whose checksum was wrong, since its statistics began; null for never. */
export async function findLastDamagedRead(sql: Sql): Promise<Date | null> {
  const [row] = await sql<{ at: Date | null }[]>`
    select checksum_last_failure as at from pg_stat_database where datname = current_database()`
  return row?.at ?? null
}
