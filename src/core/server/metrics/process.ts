import { Counter, type Registry } from 'prom-client'
import { registerHistogram, Steps } from '../../histogram.ts'
import type { Context } from '../../http/context.ts'
import { lostLines } from '../lost-lines.ts'
import { watchPool } from '../../store/db/database.ts'

/** Registers a counter whose value is counted as a plain number elsewhere, on a hot path, and read at each scrape. */
function mirror(registry: Registry, name: string, help: string, read: () => Readonly<Record<string, number>>): void {
  void new Counter({
    name,
    help,
    labelNames: ['result'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [result, n] of Object.entries(read())) this.inc({ result }, n)
    },
  })
}

/** Measures what every process has: its transactions, its cache of keys, and the hints that it sends and receives. */
export function measureProcess({ registry, pool, keys, hints, seenHeads, replica }: Context): void {
  mirror(registry, 'tillgate_key_cache_total', 'Key lookups, by where the key was found.', () => keys.lookups)
  mirror(
    registry,
    'tillgate_hints_total',
    'Notifications between processes about new journal entries.',
    () => hints.counts,
  )
  void new Counter({
    name: 'tillgate_journal_rewound_total',
    help: 'Journals restored to an earlier state: the database lost entries that were acknowledged or returned.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(seenHeads.rewinds)
    },
  })
  void new Counter({
    name: 'tillgate_replica_failures_total',
    help: 'Reads that the replica of DATABASE_READ_URL failed to answer and the primary answered instead.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(replica?.failures ?? 0)
    },
  })
  void new Counter({
    name: 'tillgate_log_lines_lost_total',
    help: 'Log lines that could not be written: the reader is gone, or the disk is full.',
    registers: [registry],
    collect() {
      this.reset()
      this.inc(lostLines())
    },
  })
  const waits = new Steps([0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])
  const waitsAbout = {
    name: 'tillgate_db_wait_seconds',
    help: 'Time to begin a transaction: wait for a pool connection, and one round trip.',
  }
  registerHistogram(registry, waitsAbout, () => [[{}, waits]])
  const retries = new Counter({
    name: 'tillgate_db_retries_total',
    help: 'Retried transactions, by SQLSTATE.',
    labelNames: ['sqlstate'],
    registers: [registry],
  })
  watchPool(pool, {
    waited: (ms) => waits.observe(ms / 1000),
    retried: (sqlstate) => retries.inc({ sqlstate }),
  })
}
