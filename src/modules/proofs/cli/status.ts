import { some } from '../../../core/cli/terminal/output.ts'
import { formatDuration } from '../../../core/domain/days/durations.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { summariseClosings, type ClosingsSummary } from '../store/closings.ts'

/** Returns what `status` shows about closings. */
export async function statusOfClosings(pool: Pool, now: Date) {
  const { oldest, ...counts } = await summariseClosings(pool)
  const { closing, unsigned } = counts
  const ago = oldest === null ? 'never' : `${formatDuration(Math.max(now.getTime() - oldest.getTime(), 0))} ago`
  const line =
    closing === 0
      ? 'none'
      : `${some(closing, 'location')}, the oldest of the last ones ${ago}${unsigned > 0 ? `, ${unsigned} NOT SIGNED` : ''}`
  return { name: 'closings', json: { ...counts, oldest: oldest && oldest.toISOString() }, line }
}

/**
 * Checks the closings. At a location with checkpoints, a checkpoint follows each closing. A missing checkpoint means
 * that the key is unreadable or has signed another history.
 */
export function checkClosings({ closing, signing, unsigned }: ClosingsSummary) {
  const name = 'closings'
  if (closing === 0) return { name, status: 'ok' as const, detail: 'no location has closings' }
  const detail = `${some(closing, 'location')} closing ${closing === 1 ? 'its' : 'their'} days, ${signing} with checkpoints`
  if (unsigned === 0) return { name, status: 'ok' as const, detail }
  const advice = 'run tillgate checkpoint make --location to see why; serve needs the key in TILLGATE_CHECKPOINT_KEY'
  return {
    name,
    status: 'warn' as const,
    detail: `${detail}; the last closing is not signed in ${some(unsigned, 'location')}`,
    advice,
  }
}
