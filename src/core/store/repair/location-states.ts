import type { DisabledReason } from '../../contract/webhooks/schema.ts'
import { endRightsTo } from '../accounts/rights.ts'
import { transact, type Pool, type Sql } from '../db/database.ts'

/** The reason for which webhooks of an inactive location are disabled. */
const reason: DisabledReason = 'location'

/**
 * Suspends a location until `activateLocation`: its keys are refused within seconds, its webhooks stop and keep their
 * cursors. A second call keeps the time of the first.
 */
export async function deactivateLocation(pool: Pool, id: string, at: Date): Promise<void> {
  await transact(pool, async (tx) => {
    await tx`update locations set deactivated_at = coalesce(deactivated_at, ${at}) where id = ${id}`
    await tx`
      update webhooks set state = 'disabled', disabled_reason = ${reason}, disabled_at = ${at}, lease_token = null,
        lease_until = null
      where location_id = ${id} and state = 'enabled'`
  })
}

/**
 * Reverts `deactivateLocation`, and cancels a scheduled deletion: keys that were neither revoked nor expired are valid
 * again, and webhooks continue at their cursors.
 */
export async function activateLocation(pool: Pool, id: string, at: Date): Promise<void> {
  await transact(pool, async (tx) => {
    await tx`update locations set deactivated_at = null, delete_at = null where id = ${id}`
    await tx`
      update webhooks set state = 'enabled', disabled_reason = null, disabled_at = null, failures = 0,
        failing_since = null, retry_at = ${at}
      where location_id = ${id} and state = 'disabled' and disabled_reason = ${reason}`
  })
}

/** Schedules the deletion of a deactivated location; until then `activateLocation` cancels it. */
export async function scheduleDeletion(sql: Sql, id: string, at: Date): Promise<void> {
  await sql`update locations set delete_at = ${at} where id = ${id}`
}

/** Deletes the locations that are due, and continues interrupted deletions. On Citus it queries every shard. */
export async function deleteDueLocations(pool: Pool, now: Date): Promise<void> {
  const due = await pool<{ id: string }[]>`select id from locations where delete_at <= ${now} order by delete_at, id`
  for (const { id } of due) await deleteLocation(pool, id, now)
}

/**
 * A journal that was deleted with its location: its last number and hash, the epoch in which it began, and when the
 * deletion began. The location may exist again, with a part of this journal.
 */
export type DeletedJournal = { locationId: string; epoch: string; seq: number; hash: string; deletedAt: Date }

/** Lists the deleted journals of the installation. Queries every shard on Citus: never call it for a request. */
export async function listDeletedJournals(sql: Sql): Promise<DeletedJournal[]> {
  return sql<DeletedJournal[]>`
    select location_id as "locationId", coalesce(first_epoch, epoch) as epoch, last_seq as seq, last_hash as hash, deleted_at as "deletedAt"
    from deleted_locations order by deleted_at, location_id`
}

/** Finds the last number of a deleted journal of this location; undefined if none was deleted. */
export async function findDeletedEnd(sql: Sql, id: string): Promise<number | undefined> {
  const [row] = await sql<{ seq: number | null }[]>`
    select max(last_seq) as seq from deleted_locations where location_id = ${id}`
  return row?.seq ?? undefined
}

/** Deletes the head of a journal and records its last entry; resolves to the number of rows deleted. */
async function endJournal(pool: Pool, id: string, at: Date): Promise<number> {
  return transact(pool, async (tx) => {
    const [head] = await tx<{ epoch: string; current: string | null; seq: number; hash: string }[]>`
      delete from location_seq where location_id = ${id}
      returning epoch, current_epoch as current, last_seq as seq, last_hash as hash`
    if (!head) return 0
    // Earlier versions kept the epoch of a restored journal, so this epoch may already be recorded as deleted.
    await tx`
      insert into deleted_locations (location_id, epoch, first_epoch, last_seq, last_hash, deleted_at)
      values (${id}, ${head.current ?? head.epoch}, ${head.epoch}, ${head.seq}, ${head.hash}, ${at})
      on conflict (location_id, epoch) do update
        set last_seq = excluded.last_seq, last_hash = excluded.last_hash, deleted_at = excluded.deleted_at`
    return 1
  })
}

/**
 * Every table with rows of a location except the one of journal heads, and the columns that identify a row within the
 * location. Tables of modules that are off are included.
 */
const tables: readonly [name: string, columns: readonly string[]][] = [
  ['webhook_retries', ['webhook_id', 'seq', 'type']],
  ['webhook_attempts', ['webhook_id', 'at', 'id']],
  ['webhooks', ['id']],
  ['source_notices', ['source_id', 'key']],
  ['source_days', ['source_id', 'day']],
  ['sources', ['id']],
  ['sales_cells', ['generation', 'kind', 'day', 'key']],
  ['report_checks', ['generation', 'report_id']],
  ['report_waits', ['generation', 'order_id', 'report_id']],
  ['book_sums', ['generation', 'report_id']],
  ['book_days', ['generation', 'day']],
  ['book_entries', ['series', 'ordinal']],
  ['book_batches', ['number']],
  ['book_accounts', ['version']],
  ['closings', ['period', 'number']],
  ['checkpoints', ['size']],
  ['tree_nodes', ['level', 'place']],
  ['asides', ['from_seq']],
  ['due_days', ['day']],
  ['device_days', ['generation', 'day', 'device_id']],
  ['projections', ['name', 'generation']],
  ['day_counts', ['kind', 'day']],
  ['rejected_records', ['id']],
  ['ingest_warnings', ['id']],
  ['orders', ['id']],
  ['reports', ['id']],
  ['catalog', ['list']],
  ['device_statuses', ['device_id']],
  ['journal', ['seq']],
  ['upkeep', ['work']],
  ['verifications', ['id']],
  ['losses', ['sequence']],
  ['access_entries', ['seq']],
  ['access_heads', ['location_id']],
]

async function deleteSome(sql: Sql, table: string, columns: readonly string[], of: [string, number]): Promise<number> {
  const names = columns.join(', ')
  const some = `select ${names} from ${table} where location_id = $1 limit $2`
  // An array is looked up by key. Without statistics of the location, `in` may be compared row by row.
  const isOne = columns.length === 1 ? `= any(array(${some}))` : `in (${some})`
  const rows = await sql.unsafe(
    `with gone as (
      delete from ${table} where location_id = $1
        and (${names}) ${isOne} returning 1)
    select count(*) as n from gone`,
    of,
  )
  return (rows[0] as { n: number } | undefined)?.n ?? 0
}

/**
 * Deletes everything of a deactivated location, at most `atOnce` rows per transaction, so that other work gets its
 * turn. The journal's head goes first: the deletion waits for a current writer, and nothing is written after it. The
 * location itself goes last, so that an interrupted deletion is found and continued. Resolves to the number of rows.
 */
export async function deleteLocation(pool: Pool, id: string, at: Date, atOnce = 2_000): Promise<number> {
  let deleted = await endJournal(pool, id, at)
  await endRightsTo(pool, id)
  for (const [table, columns] of tables) {
    for (;;) {
      const n = await deleteSome(pool, table, columns, [id, atOnce])
      deleted += n
      if (n < atOnce) break
    }
  }
  await pool`delete from locations where id = ${id}`
  return deleted
}
