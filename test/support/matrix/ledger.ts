import type { Look, Refusal } from './history.ts'
import type { Abandoned } from './journals.ts'
import type { IngestAnswer } from '../../../src/core/schemas/ingest.ts'

/** One record of a push: version `v` of a resource, and a digest of the sent document. */
export type Item = { id: string; v: number; digest: string }

/**
 * A till's knowledge of a push: `acknowledged` has the verdicts, one per item; `refused` was answered and not stored;
 * `unknown` has no response, so it may be stored or not; `unreached` was never sent, because no server listened.
 */
export type Attempt =
  | { outcome: 'acknowledged'; at: number; endedAt: number; verdicts: { status: string; sequence: number | null }[] }
  | { outcome: 'refused'; at: number; status: number; code: string }
  | { outcome: 'unknown'; at: number; reason: string }
  | { outcome: 'unreached'; at: number }

/** The records of a push, resent until they were acknowledged or the time was up. */
export type Batch = { locationId: string; till: string; items: Item[]; attempts: Attempt[] }

/** An event as received by a reader of the feed. */
export type ReadEvent = { id: string; sequence: number; type: string; resource: string; digest: string }

/**
 * The events of a reader of the feed, in order. `turns`: before the event at that index, the server answered that the
 * position is lost, and to continue after that number.
 */
export type Feed = { events: ReadEvent[]; turns: { at: number; after: number }[] }

/**
 * A request at a webhook's endpoint. `at` is its arrival, `answeredAt` the time of the response; both in milliseconds.
 */
export type Receipt = ReadEvent & { path: string; status: number; at: number; answeredAt: number }

/** All records that the clients of one run made. */
export type Ledger = {
  batches: Batch[]
  /** By location, one list for each of its readers. */
  feeds: Map<string, Feed[]>
  receipts: Receipt[]
  /** Responses to reads of orders and lists, and the contents of the feed and of deliveries. */
  looks: Look[]
  /** Requests whose sequence was lost or unknown, as their responses reported. */
  refusals: Refusal[]
  /** The abandoned timelines of the journals, in order. */
  abandoned: Abandoned[]
  /** When each deleted location was restored; its keys do not work before. Infinity during the restore. */
  away: Map<string, number>
  /** Responses that must never occur: a 500, an undocumented status, a body that is not JSON. */
  oddities: string[]
}

export function emptyLedger(): Ledger {
  return {
    batches: [],
    feeds: new Map(),
    receipts: [],
    looks: [],
    refusals: [],
    abandoned: [],
    away: new Map(),
    oddities: [],
  }
}

export function countAcknowledged({ batches }: Ledger): number {
  return batches.flatMap(({ attempts }) => attempts).filter(({ outcome }) => outcome === 'acknowledged').length
}

/** Counts the acknowledged pushes with changes. */
export function countStored({ batches }: Ledger): number {
  return batches
    .flatMap(({ attempts }) => attempts)
    .filter(
      (attempt) => attempt.outcome === 'acknowledged' && attempt.verdicts.some(({ sequence }) => sequence !== null),
    ).length
}

/** Returns the verdicts of a 200 response to a push of these items; undefined for any other response. */
export function verdictsOf(body: string, items: readonly Item[]) {
  try {
    const { results } = JSON.parse(body) as IngestAnswer
    if (results.length !== items.length) return undefined
    return results.map(({ status, sequence = null }) => ({ status, sequence }))
  } catch {
    return undefined
  }
}
