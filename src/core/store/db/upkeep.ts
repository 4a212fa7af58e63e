import type { Sql } from './database.ts'

export type UpkeepWork = 'backup' | 'verify'

/** Records the end of maintenance on a location, successful or not. */
export async function recordUpkeep(
  sql: Sql,
  locationId: string,
  work: UpkeepWork,
  { at, ok }: { at: Date; ok: boolean },
): Promise<void> {
  await sql`
    insert into upkeep (location_id, work, at, ok, succeeded_at)
    values (${locationId}, ${work}, ${at}, ${ok}, ${ok ? at : null})
    on conflict (location_id, work) do update set at = excluded.at, ok = excluded.ok,
      succeeded_at = coalesce(excluded.succeeded_at, upkeep.succeeded_at)`
}

export type UpkeepSummary = {
  locations: number
  /** The oldest of the last good backups; null if there is none. */
  backup: Date | null
  /** Like `backup`, but a location without a backup counts from its creation; null without locations. */
  backupSince: Date | null
  /** Number of locations that were never backed up. */
  withoutBackup: number
  /** Like `backup`, `backupSince` and `withoutBackup`, for `verify`. */
  verify: Date | null
  verifySince: Date | null
  withoutVerify: number
  /** Number of locations whose last verification found a fault. */
  broken: number
}

/** Summarizes the upkeep of all locations. On Citus it queries every shard: call it periodically, never per request. */
export async function summariseUpkeep(sql: Sql): Promise<UpkeepSummary> {
  const [row] = await sql<[UpkeepSummary]>`
    select count(*)::int as locations,
      min(b.succeeded_at) as backup, min(coalesce(b.succeeded_at, l.created_at)) as "backupSince",
      count(*) filter (where b.succeeded_at is null)::int as "withoutBackup",
      min(v.succeeded_at) as verify, min(coalesce(v.succeeded_at, l.created_at)) as "verifySince",
      count(*) filter (where v.succeeded_at is null)::int as "withoutVerify",
      count(*) filter (where not v.ok)::int as broken
    from locations l
      left join upkeep b on b.location_id = l.id and b.work = 'backup'
      left join upkeep v on v.location_id = l.id and v.work = 'verify'`
  return row
}
