import type { Pool } from '../store/db/database.ts'
import { GroupCommit } from '../store/db/group-commit.ts'
import { recordProgress, type Progress } from '../store/webhooks/leases.ts'

/**
 * Commits what sessions did. Reports of one location that arrive while a transaction of it runs share the next one, so
 * two hundred webhooks told of one event are a handful of transactions.
 */
export class Recorder {
  readonly #reports: GroupCommit<Progress, boolean>

  constructor(pool: Pool) {
    const commit = (locationId: string, reports: readonly Progress[]) => recordProgress(pool, locationId, reports)
    this.#reports = new GroupCommit({ commit, gathers: true })
  }

  /** Resolves after commit: whether the session's lease still held. */
  record(locationId: string, progress: Progress): Promise<boolean> {
    return this.#reports.add(locationId, progress)
  }
}
