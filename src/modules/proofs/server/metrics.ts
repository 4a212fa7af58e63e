import type { Registry } from 'prom-client'
import { gaugesOf, keepFacts } from '../../../core/server/metrics/facts.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { summariseClosings } from '../store/closings.ts'

/** The shortest time between two reads of the database, for any number of scrapers. */
const refreshMs = 10_000

/** How long the last values are reported while the database does not answer. */
const staleMs = 60_000

/** Reports when locations were closed; absent while the database cannot be read. */
export function measureClosings(
  registry: Registry,
  { pool, onError }: { pool: Pool; onError: (error: unknown) => undefined },
): void {
  const find = keepFacts(() => summariseClosings(pool), onError, { refreshMs, staleMs })
  const gauge = gaugesOf(registry, find)
  gauge(
    'tillgate_closing_last_timestamp_seconds',
    'Oldest of the last daily closings of all locations with closings.',
    ({ oldest }) => (oldest === null ? undefined : oldest.getTime() / 1000),
  )
  gauge(
    'tillgate_closings_unsigned',
    'Locations with checkpoints whose last daily closing has no checkpoint.',
    ({ unsigned }) => unsigned,
  )
}
