import { Counter, type Registry } from 'prom-client'
import { registerHistogram, Steps } from '../../histogram.ts'
import type { Committed } from '../../ingest/write/queue.ts'
import { recordTypes } from '../../schemas/ingest.ts'

const known: ReadonlySet<string> = new Set(recordTypes)

/**
 * Makes the metrics of ingest. Call `committed` after each transaction that stored pushed records, and `unkept` when
 * warnings could not be stored.
 */
export function measureIngest(registry: Registry): { committed: (batch: Committed) => void; unkept: () => void } {
  const registers = [registry]
  const records = new Counter({
    name: 'tillgate_ingest_records_total',
    help: 'Records pushed by tills, by verdict.',
    labelNames: ['type', 'verdict'],
    registers,
  })
  const rejected = new Counter({
    name: 'tillgate_ingest_rejected_total',
    help: 'Rejected records, by reason.',
    labelNames: ['code'],
    registers,
  })
  const durations = new Steps([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10])
  const durationsAbout = {
    name: 'tillgate_ingest_commit_duration_seconds',
    help: 'Duration of transactions that store records, from request to commit.',
  }
  registerHistogram(registry, durationsAbout, () => [[{}, durations]])
  const sizes = new Steps([1, 2, 5, 10, 25, 50, 100, 250, 500])
  const sizesAbout = { name: 'tillgate_ingest_batch_records', help: 'Records per transaction.' }
  registerHistogram(registry, sizesAbout, () => [[{}, sizes]])
  const unkept = new Counter({
    name: 'tillgate_ingest_unkept_total',
    help: 'Failures to store warnings to tills, or to delete old ones.',
    registers,
  })
  const committed = ({ records: stored, outcomes, rejected: refused, durationMs }: Committed) => {
    durations.observe(durationMs / 1000)
    sizes.observe(stored.length)
    const counts = new Map<string, { type: string; verdict: string; n: number }>()
    for (const [i, { type }] of stored.entries()) {
      const verdict = outcomes[i]?.status ?? 'accepted'
      const count = counts.get(`${type} ${verdict}`)
      if (count) count.n += 1
      else counts.set(`${type} ${verdict}`, { type, verdict, n: 1 })
    }
    for (const { type, verdict, n } of counts.values()) records.inc({ type, verdict }, n)
    for (const { type = '', code } of refused) {
      // A till may have sent any type, and a label must have few values.
      records.inc({ type: known.has(type) ? type : 'unknown', verdict: 'rejected' })
      rejected.inc({ code })
    }
  }
  return { committed, unkept: () => unkept.inc() }
}
