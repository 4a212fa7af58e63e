import type { Pool } from '../store/db/database.ts'
import { GroupCommit } from '../store/db/group-commit.ts'
import { recordProgress, type Progress } from '../store/webhooks/leases.ts'

/**
 * Commits the results of sessions. Results that arrive while a transaction of their location is running share the next
 * one, so two hundred webhooks with the same event need only a handful of transactions.
 */
export class Recorder {
  readonly #reports: GroupCommit<Progress, boolean>

  constructor(pool: Pool) {
    const commit = (locationId: string, reports: readonly Progress[]) => recordProgress(pool, locationId, reports)
    this.#reports = new GroupCommit({ commit, gathers: true })
  }

  /** Resolves after commit to whether the session's lease was still valid. */
  record(locationId: string, progress: Progress): Promise<boolean> {
    return this.#reports.add(locationId, progress)
  }
}
