import { resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { daysProjection } from '../src/modules/figures/projections/days.ts'
import { salesProjection } from '../src/modules/figures/projections/sales.ts'
import type { Pool } from '../src/core/store/db/database.ts'
import { listLagging } from '../src/modules/figures/store/projections.ts'
import { toUrl, type EmbeddedServer } from './support/embedded.ts'
import { interleave, median, timed } from './support/figures.ts'
import { processorMsOf, processorMsOfAll } from './support/memory.ts'
import { orderLines } from './support/orders.ts'
import type { Figure } from './support/report.ts'
import { push, startServer, type Server, type Site } from './support/server.ts'

type Beside = {
  site: Site
  embedded: EmbeddedServer
  pool: Pool
  /** Number of orders per push: enough that a push takes longer than the delay before a location is folded. */
  count: number
  /** How often each of the two servers receives a push, twice per round. */
  rounds: number
}

/** Resolves when every projection of a location, or of all, has reached the head of the journal. */
export async function caughtUp(pool: Pool, locationId?: string): Promise<void> {
  const isBehind = (lagging: readonly string[]) =>
    locationId === undefined ? lagging.length > 0 : lagging.includes(locationId)
  for (const { name, rules } of [salesProjection, daysProjection]) {
    while (isBehind(await listLagging(pool, name, rules))) await delay(50)
  }
}

/**
 * Measures the cost of projections for pushes: the same orders are pushed to `tillgate serve` as it is, and to a server
 * without a projector. Both are warm and use one database, and each is stopped while the other receives pushes; the
 * first then folds what the second stored. They take turns in both orders. What is not folded when a push ends is
 * folded after it, so the processor time for all of it is measured as well.
 */
export async function pushBeside(
  directory: string,
  { site, embedded, pool, count, rounds }: Beside,
): Promise<Figure[]> {
  const databaseUrl = toUrl(embedded.connection)
  const alone = await startServer(directory, { preload: resolve(import.meta.dirname, 'figures-none.ts'), databaseUrl })
  const all = await startServer(directory, { databaseUrl })
  const processorMs = async () => {
    const parts = [processorMsOf(alone.pid), processorMsOf(all.pid), processorMsOfAll(embedded.pid)]
    return (await Promise.all(parts)).reduce((sum, ms) => sum + ms, 0)
  }
  const used = { pushing: [] as number[], folding: [] as number[] }
  let salt = 1
  const pushTo = async (to: Server, stopped: Server) => {
    salt += 1
    const lines = [...orderLines({ locationId: site.locationId, count, perDay: 250, from: '2016-01-01', salt })]
    process.kill(stopped.pid, 'SIGSTOP')
    try {
      const ms = await timed(() => push(to, site, lines))
      return (count * 1000) / ms
    } finally {
      process.kill(stopped.pid, 'SIGCONT')
    }
  }
  const pushAlone = async () => {
    await caughtUp(pool, site.locationId)
    const before = await processorMs()
    const rate = await pushTo(alone, all)
    used.pushing.push(((await processorMs()) - before) / count)
    return rate
  }
  const pushFolded = async () => {
    await caughtUp(pool, site.locationId)
    const before = await processorMs()
    const rate = await pushTo(all, alone)
    await caughtUp(pool, site.locationId)
    used.folding.push(((await processorMs()) - before) / count)
    return rate
  }
  try {
    const turns = { without: pushAlone, with: pushFolded, withAgain: pushFolded, withoutAgain: pushAlone }
    const rates = await interleave(turns, rounds)
    const [withFigures, without] = [
      [...rates.with, ...rates.withAgain],
      [...rates.without, ...rates.withoutAgain],
    ]
    // Pairs that ran one after the other, so that a slower machine affects both.
    const shares = withFigures.map((rate, i) => rate / (without[i] as number))
    const microseconds = (of: readonly number[]) => `${Math.round(1000 * median(of))} µs`
    return [
      {
        row: 'ingest with projections / without',
        value: 100 * median(shares),
        unit: '%',
        aim: { least: 97 },
        note: `${Math.round(median(withFigures))}/s against ${Math.round(median(without))}/s, median of ${shares.length} pairs`,
      },
      {
        row: 'processor time of an order with its figures / without',
        value: median(used.folding) / median(used.pushing),
        unit: 'x',
        note: `${microseconds(used.folding)} against ${microseconds(used.pushing)}, ours and PostgreSQL's, until all of it is folded`,
      },
    ]
  } finally {
    await all.stop()
    await alone.stop()
  }
}
