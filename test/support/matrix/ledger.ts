import type { Look, Refusal } from './history.ts'
import type { Left } from './journals.ts'
import type { IngestAnswer } from '../../../src/core/schemas/ingest.ts'

/** One record of a push: version `v` of a resource, and a digest of the document that was sent. */
export type Item = { id: string; v: number; digest: string }

/**
 * A till's knowledge of one push that it sent. `refused` was answered and not stored; `unknown` has no answer, so it
 * may be stored or not; `acknowledged` has the verdicts, one for each item; `unreached` was never sent, because no
 * server listened.
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

/**
 * The events of a reader of the feed, in order. `turns`: before the event at that place it was told that its position
 * is lost, and to continue after that number.
 */
export type Feed = { events: ReadEvent[]; turns: { at: number; after: number }[] }

/** A request at a webhook's endpoint. `at` is when it came, `answeredAt` when its answer was sent; both in milliseconds. */
export type Receipt = ReadEvent & { path: string; status: number; at: number; answeredAt: number }

/** All that the outsiders of one run wrote down. */
export type Ledger = {
  batches: Batch[]
  /** By location, one list for each of its readers. */
  feeds: Map<string, Feed[]>
  receipts: Receipt[]
  /** What readers of orders and lists were shown, and the feed and webhooks. */
  looks: Look[]
  /** Clients that named a lost number, and were told so. */
  refusals: Refusal[]
  /** Lines of the journals that were left for others, in order. */
  left: Left[]
  /**
   * Until when locations were deleted during their restore: their keys do not work meanwhile. Infinity while it lasts.
   */
  away: Map<string, number>
  /** Answers that must never occur: a 500, an undocumented status, a body that is not JSON. */
  oddities: string[]
}

export function emptyLedger(): Ledger {
  return {
    batches: [],
    feeds: new Map(),
    receipts: [],
    looks: [],
    refusals: [],
    left: [],
    away: new Map(),
    oddities: [],
  }
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

/** The verdicts of a 200 answer to a push of these items; undefined for any other answer. */
export function verdictsOf(body: string, items: readonly Item[]) {
  try {
    const { results } = JSON.parse(body) as IngestAnswer
    if (results.length !== items.length) return undefined
    return results.map(({ status, sequence = null }) => ({ status, sequence }))
  } catch {
    return undefined
  }
}
