import { findLost } from '../domain/journal/lineage.ts'
import type { Pool } from '../store/db/database.ts'
import { recordLoss } from '../store/journal/losses.ts'
import { findDeletedEnd } from '../store/repair/location-states.ts'
import { readLineage } from '../store/journal/resumption.ts'
import type { Log } from './log.ts'

/**
 * Records which entries up to the acknowledged numbers are missing from journals that have resumed: either a process
 * that did not know these entries resumed the journal, or the operator restored an older copy.
 */
export async function noteLosses(
  pool: Pool,
  acknowledged: ReadonlyMap<string, number>,
  log: Log,
  now: Date,
): Promise<void> {
  for (const [locationId, seq] of acknowledged) {
    const lineage = await readLineage(pool, locationId)
    const lost = lineage && findLost(lineage, seq)
    if (!lost) continue
    // If the journal is a new one under the id of a deleted location, the entries of the deleted one are not lost.
    const deleted = lost.from === 1 ? ((await findDeletedEnd(pool, locationId)) ?? 0) : 0
    const from = Math.max(lost.from, deleted + 1)
    if (from > lost.to) continue
    await recordLoss(pool, { locationId, ...lost, from, foundAt: now })
    log.error(
      { locationId, ...lost, from },
      'acknowledged entries are lost: see tillgate loss list, and recover them from tills and partners',
    )
  }
}
