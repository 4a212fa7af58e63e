import type { Follower } from '../../figures/projections/worker.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { isLastClosingUnsigned, listClosingLocations } from '../store/closings.ts'
import { keepAhead } from '../store/tree.ts'
import type { Signing } from '../context.ts'
import { makeCheckpoint } from './checkpoints.ts'
import { closeDue } from './closings.ts'

/** Interval of the search for incomplete days whose waiting time is over. */
const closingMs = 600_000

/**
 * Runs after a location's journal was folded: closes what is due, signs it, and stores the subtrees of the next
 * checkpoint. `nowMs` is the clock of the process in milliseconds.
 */
export function followClosings(
  pool: Pool,
  signing: Signing['signing'],
  nowMs: () => number = () => performance.now(),
): Follower {
  /** When the closings of a location were last checked. */
  const closedMs = new Map<string, number>()
  let listedMs = Number.NEGATIVE_INFINITY

  const close = async (locationId: string) => {
    closedMs.set(locationId, nowMs())
    const now = new Date()
    const closed = await closeDue(pool, locationId, now)
    // This also signs a closing that the command line made without a key.
    if (signing && (closed.length > 0 || (await isLastClosingUnsigned(pool, locationId))))
      await makeCheckpoint(pool, locationId, { ...signing, now })
    return closed.length
  }

  return {
    async listDue() {
      if (nowMs() - listedMs < closingMs) return []
      listedMs = nowMs()
      return listClosingLocations(pool)
    },
    async afterFold(locationId, announced) {
      const isDue = nowMs() - (closedMs.get(locationId) ?? Number.NEGATIVE_INFINITY) >= closingMs
      const closed = announced > 0 || isDue ? await close(locationId) : 0
      if (signing) await keepAhead(pool, locationId)
      return closed
    },
  }
}
