import { hash } from 'node:crypto'
import type { Look } from './history.ts'
import type { IngestAnswer } from '../../../src/core/schemas/ingest.ts'

/** One record of a push: version `v` of a resource, and a digest of the document that was sent. */
export type Item = { id: string; v: number; digest: string }

/**
 * What a till knows of one push that it sent. `refused` was answered and not stored; of `unknown` it has no answer, so
 * that it may be stored or not; of `acknowledged` it has the verdicts, one for each item; `unreached` was never sent, for
 * nobody listened.
 */
export type Attempt =
  | { outcome: 'acknowledged'; at: number; endedAt: number; verdicts: { status: string; sequence: number | null }[] }
  | { outcome: 'refused'; at: number; status: number; code: string }
  | { outcome: 'unknown'; at: number; reason: string }
  | { outcome: 'unreached'; at: number }

/** The same records, sent again until they were acknowledged or the time was up. */
export type Batch = { locationId: string; till: string; items: Item[]; attempts: Attempt[] }

/** An event as a reader of the feed got it. */
export type ReadEvent = { id: string; sequence: number; type: string; resource: string; digest: string }

/** A request at a webhook's endpoint. `at` is when it came, `answeredAt` when its answer was sent; both in milliseconds. */
export type Receipt = ReadEvent & { path: string; status: number; at: number; answeredAt: number }

/** All that the outsiders of one run wrote down. */
export type Ledger = {
  batches: Batch[]
  /** By location, one list for each of its readers. */
  feeds: Map<string, ReadEvent[][]>
  receipts: Receipt[]
  /** What readers of orders and lists were shown, and the feed and webhooks. */
  looks: Look[]
  /** Answers that nobody may get: a 500, another status than documented, a body that is not JSON. */
  oddities: string[]
}

export function emptyLedger(): Ledger {
  return { batches: [], feeds: new Map(), receipts: [], looks: [], oddities: [] }
}

/** How many pushes were acknowledged. */
export function countAcknowledged({ batches }: Ledger): number {
  return batches.flatMap(({ attempts }) => attempts).filter(({ outcome }) => outcome === 'acknowledged').length
}

/** How many pushes were acknowledged that changed something. */
export function countStored({ batches }: Ledger): number {
  return batches
    .flatMap(({ attempts }) => attempts)
    .filter(
      (attempt) => attempt.outcome === 'acknowledged' && attempt.verdicts.some(({ sequence }) => sequence !== null),
    ).length
}

/** With the keys of every object sorted: a document says the same in whatever order it is written. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]))
}

/** What a document says, in 16 characters. */
export function digestOf(document: unknown): string {
  return hash('sha256', JSON.stringify(sorted(document)), 'base64url').slice(0, 16)
}

/** What an answer of 200 to a push of these items says of each; undefined when it is no such answer. */
export function verdictsOf(body: string, items: readonly Item[]) {
  try {
    const { results } = JSON.parse(body) as IngestAnswer
    if (results.length !== items.length) return undefined
    return results.map(({ status, sequence = null }) => ({ status, sequence }))
  } catch {
    return undefined
  }
}
