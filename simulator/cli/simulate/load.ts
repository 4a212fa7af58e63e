import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { keepTime, takeTurns, type Batch, type Pushing } from './pushing.ts'
import type { TillClient } from './till-client.ts'

export type Load = Omit<Pushing, 'perSite'> & {
  client: TillClient
  /** Limit of concurrent requests. */
  concurrency: number
  /** Simulated seconds per second; null for as fast as possible. */
  speed: number | null
  signal: AbortSignal
  /** `simulatedMs` is the simulated time of all locations together. */
  onProgress: (simulatedMs: number, records: number) => void
}

export type LoadResult = {
  records: number
  requests: number
  /** Number of requests that were repeated, without a response or because the server asked to wait. */
  repeated: number
  accepted: number
  unchanged: number
  stale: number
  rejected: number
  seconds: number
  /** The largest delay of a record, in milliseconds; null without a speed. */
  behindMs: number | null
  /** Times of the answered requests, in nanoseconds. */
  latencies: RecordableHistogram
  /** The server's messages about the first rejected records. */
  complaints: string[]
}

const complaintsKept = 5

const verdicts = ['accepted', 'unchanged', 'stale', 'rejected'] as const

/**
 * Pushes the records of the locations until all are answered. Rejects with the first failure, or the reason of the
 * signal.
 */
export async function drive(load: Load): Promise<LoadResult> {
  const { client, concurrency, speed, sites, onProgress } = load
  const failed = new AbortController()
  const signal = AbortSignal.any([load.signal, failed.signal])
  const latencies = createHistogram()
  const complaints: string[] = []
  const counts = { records: 0, requests: 0, repeated: 0, accepted: 0, unchanged: 0, stale: 0, rejected: 0 }
  let [behindMs, simulatedMs] = [0, 0]
  const onBehind = (ms: number) => void (behindMs = Math.max(behindMs, ms))
  const turns = { ...load, perSite: Math.ceil(concurrency / sites.length) }
  // Several senders share one generator, which yields one batch after the other.
  const batches = speed === null ? takeTurns(turns) : keepTime(turns, speed, signal, onBehind)

  const send = async ({ site, lines, simulatedMs: passedMs }: Batch) => {
    const { answer, latencyMs, repeated, isUncertain } = await client.push(site.key, lines, signal)
    latencies.record(Math.max(Math.round(latencyMs * 1e6), 1))
    counts.records += lines.length
    counts.requests += 1
    counts.repeated += repeated
    for (const verdict of verdicts) counts[verdict] += answer[verdict]
    site.accepted += answer.accepted
    if (isUncertain) site.uncertain += lines.length
    for (const { status, type, detail } of answer.results) {
      if (status !== 'rejected' || complaints.length >= complaintsKept) continue
      complaints.push(`${site.locationId}: ${type ?? 'record'}: ${detail}`)
    }
    simulatedMs += passedMs
    onProgress(simulatedMs, counts.records)
  }

  const sender = async () => {
    try {
      for (;;) {
        signal.throwIfAborted()
        const { done, value: batch } = await batches.next()
        if (done) return
        await send(batch).finally(batch.done)
      }
    } catch (error) {
      failed.abort(error)
      throw error
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: concurrency }, sender))
  const seconds = (performance.now() - began) / 1000
  return { ...counts, seconds, behindMs: speed === null ? null : behindMs, latencies, complaints }
}
