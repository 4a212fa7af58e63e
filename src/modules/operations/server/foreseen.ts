import type { Registry } from 'prom-client'
import { countEndingKeys } from '../../../core/store/accounts/api-keys.ts'
import { listSilent } from '../store/silence.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { findFurthestAhead } from '../store/ahead.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'
import { gaugesOf, keepFacts } from '../../../core/server/metrics/facts.ts'

/** Shortest interval between readings, because each reads every location. */
const refreshMs = 300_000

type Facts = { silent: number | undefined; ending: number; aheadMs: number }

/** Reports early signs of problems: silent tills, keys about to expire, a journal with times in the future. */
export function measureForeseen(
  registry: Registry,
  pool: Pool,
  clock: () => Date,
  onError: (error: unknown) => undefined,
): void {
  const read = async (): Promise<Facts> => {
    const now = clock()
    const soon = new Date(now.getTime() + 7 * dayMs)
    const [silent, ending, ahead] = await Promise.all([
      // Reads orders, which may be unreadable.
      listSilent(pool, now).catch(onError),
      countEndingKeys(pool, { usedSince: new Date(now.getTime() - dayMs), now, soon }),
      findFurthestAhead(pool),
    ])
    return { silent: silent?.length, ending, aheadMs: ahead?.aheadMs ?? 0 }
  }
  const find = keepFacts(read, onError, { refreshMs, staleMs: 2 * refreshMs, isSlow: true })
  const gauge = gaugesOf(registry, find)
  gauge(
    'tillgate_locations_silent',
    'Active locations without an order for longer than usual at this time of the week.',
    ({ silent }) => silent,
  )
  gauge('tillgate_keys_ending', 'Keys used in the last day that expire within a week.', ({ ending }) => ending)
  gauge(
    'tillgate_journal_ahead_seconds',
    'Maximum time by which the last entry of a journal is ahead of the database clock; 0 if none is.',
    ({ aheadMs }) => Math.max(0, aheadMs / 1000),
  )
}
