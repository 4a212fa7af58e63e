import { ChainWalk } from '../domain/chain-walk.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { findHead, walkJournal } from '../../../core/store/journal/journal.ts'
import { listResources } from '../../../core/contract/all-resources.ts'
import { findRedacted } from '../../../core/store/repair/redactions.ts'
import { replayState } from './replay.ts'

/**
 * Tables that can be rebuilt from the journals alone, such as the latest state and the counts. Running servers rebuild
 * the figures.
 */
const tables: readonly string[] = [
  ...new Set(
    listResources().flatMap(({ table, journaled }) =>
      table.location === 'location_id' && journaled !== false ? [table.name] : [],
    ),
  ),
  'day_counts',
  'projections',
  'sales_cells',
  'report_checks',
  'report_waits',
  'device_days',
  'due_days',
  'book_sums',
  'book_days',
  'book_entries',
  'book_batches',
  'book_accounts',
  'closings',
  'checkpoints',
  'tree_nodes',
  'asides',
]

/**
 * Empties the tables for all locations, without reading a page of them. Readers wait for the end of the transaction.
 */
export async function emptyState(sql: Sql): Promise<void> {
  await sql.unsafe(`truncate ${tables.join(', ')}`)
}

/** Deletes the rows of one location. Every page that has such rows is read. */
export async function deleteState(sql: Sql, locationId: string): Promise<void> {
  for (const table of tables) await sql.unsafe(`delete from ${table} where location_id = $1`, [locationId])
}

/**
 * Rebuilds the deleted rows of a location from its journal, whose head the caller has locked. Every entry is verified.
 * Resolves to the number of entries. Throws for an invalid journal; no version of it may be archived.
 */
export async function replayJournal(sql: Sql, locationId: string, onEntries: (n: number) => void): Promise<number> {
  const walk = new ChainWalk(await findRedacted(sql, locationId))
  const broken = (reason: string) => new Error(`location ${locationId} at sequence ${walk.expected}: ${reason}`)
  for await (const entries of walkJournal(sql, locationId, { after: walk.seq })) {
    for (const entry of entries) {
      const fault = walk.fault(entry)
      if (fault !== undefined) throw broken(fault)
    }
    await replayState(sql, locationId, entries)
    onEntries(walk.entries)
  }
  const head = await findHead(sql, locationId)
  if (walk.seq > 0 && head?.hash !== walk.hash) throw broken('the head differs')
  return walk.entries
}
