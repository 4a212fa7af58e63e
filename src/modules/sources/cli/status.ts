import { count, some } from '../../../core/cli/terminal/output.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { summariseSources } from '../store/sources.ts'

/** How many days of each source are compared each night. */
const comparedDays = 7

/** Resolves to the sources as `status` shows them. */
export async function statusOfSources(pool: Pool, now: Date) {
  const json = await summariseSources(pool, new Date(now.getTime() - comparedDays * dayMs).toISOString().slice(0, 10))
  const { all, failing, stopped, differingDays } = json
  const days =
    differingDays === 0 ? '' : `, ${some(differingDays, 'day')} of the last ${comparedDays} DIFFER from the source`
  const line = all === 0 ? 'none' : `${count(all)}, ${failing} failing, ${stopped} stopped${days}`
  return { name: 'sources', json, line }
}
