import { dayMs } from '../../domain/days/time-units.ts'
import type { Pool } from '../../store/db/database.ts'
import { GroupCommit } from '../../store/db/group-commit.ts'
import { pruneNotices } from '../../store/db/retention.ts'

/** Limits for notices of a location in number and age, and a callback for failed deletions. */
export type NoticeLimits = {
  noticesKept: number
  noticeDays: number
  onFailed: (error: unknown) => void
}

/** Deletes rejected records of a location that are too old or too many, once for all pushes that end together. */
export class RejectedPruner {
  readonly #rejections: GroupCommit<undefined, void>

  constructor(pool: Pool, clock: () => Date, { noticesKept, noticeDays, onFailed }: NoticeLimits) {
    this.#rejections = new GroupCommit({
      commit: async (locationId, pushes) => {
        const before = new Date(clock().getTime() - noticeDays * dayMs)
        await pruneNotices(pool, 'rejected_records', locationId, { latest: noticesKept, before }).catch(onFailed)
        return pushes.map(() => {})
      },
    })
  }

  /** Deletes what is too old or too many at a location; resolves when this is done or has failed. */
  async prune(locationId: string): Promise<void> {
    await this.#rejections.add(locationId, undefined)
  }
}
