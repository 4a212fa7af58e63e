import { findDueLocations } from '../src/core/store/webhooks/leases.ts'
import { openPool, type Pool } from '../src/core/store/db/database.ts'
import { interleave, median } from './support/figures.ts'
import type { Figure } from './support/report.ts'

/** The number of locations when a sweep is timed, including those of earlier runs. */
const sizes = [10, 1_000, 10_000]

const due = { breakerThreshold: 5, longestRetryMs: 3_600_000 }

/**
 * Creates locations with these numbers, each with a journal and a webhook that has nothing to do. Existing ones stay,
 * because several addresses may lead to one database.
 */
export async function fillWebhooks(pool: Pool, from: number, to: number): Promise<void> {
  const id = pool`('00000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`
  await pool`
    insert into location_seq (location_id, epoch, last_seq, last_hash)
    select ${id}, '00000000', 1, repeat('0', 64) from generate_series(${from}::int, ${to}::int) n
    on conflict do nothing`
  await pool`
    insert into webhooks (location_id, id, recipient_id, recipient_since, events, endpoint_url, created_at, updated_at,
      secret, cursor, state, failures)
    select ${id}, ${id}, ${id}, '2026-01-01', '{order.paid}', 'http://127.0.0.1:1/', '2026-01-01', '2026-01-01', '', 1,
      'enabled', 0 from generate_series(${from}::int, ${to}::int) n
    on conflict do nothing`
}

/** Measures one sweep of a delivery worker without work, by the number of locations. */
export async function timeSweeps<Place extends string>(
  urls: Record<Place, string>,
  { rounds }: { rounds: number },
): Promise<Figure[]> {
  const pools = Object.entries(urls).map(([name, url]): [Place, Pool] => {
    return [name as Place, openPool({ url: url as string }, { connections: 1, pipelining: true })]
  })
  const figures: Figure[] = []
  let filled = 0
  for (const size of sizes) {
    for (const [, pool] of pools) {
      await fillWebhooks(pool, filled + 1, size)
      await pool`analyze webhooks, location_seq`
    }
    filled = size
    const sweeps = pools.map(([name, pool]) => [name, () => findDueLocations(pool, { ...due, now: new Date() }, 5_000)])
    const times = await interleave(Object.fromEntries(sweeps) as Record<Place, () => Promise<object>>, rounds)
    for (const [column, of] of Object.entries<number[]>(times))
      figures.push({
        row: `a sweep of ${size.toLocaleString('en-US')} locations`,
        column,
        value: median(of),
        unit: 'ms',
      })
  }
  for (const [, pool] of pools) await pool.end({ timeout: 1 })
  return figures
}
