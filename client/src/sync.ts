import { eventResources, type EventPage, type OrderPage } from './api.ts'
import { TillgateError } from './errors.ts'
import type { FeedPosition, TillgateEvent } from './events.ts'
import { isTransient, pause, type Query, type Transport, waitBeforeRetry } from './transport.ts'

/** Seconds for which the server delays a response while there are no new entries. */
const waitSeconds = 25

type EventResources = typeof eventResources

/**
 * Names a resource in the copy. `id` is its id, or the date of a business day (`2026-03-14`), the number of a batch, or
 * the size of a checkpoint; for catalog lists and accounts it is the kind.
 */
export type CopyKey = { kind: EventResources[keyof EventResources]['kind']; id: string }

export type CopyChange = { key: CopyKey; sequence: number; document: string }

/** Stores a copy. All four methods may be synchronous. */
export type CopyStore = {
  /** Position of the copy; undefined if it is new. */
  position(): FeedPosition | undefined | Promise<FeedPosition | undefined>
  /** Writes the changes and the position in ONE transaction; a change replaces the document under its key. */
  apply(changes: readonly CopyChange[], position: FeedPosition): void | Promise<void>
  /** Number of resources of each kind. */
  count(): Record<string, number> | Promise<Record<string, number>>
  /** Empties the copy when its journal no longer exists. */
  clear(): void | Promise<void>
}

export type SyncOptions = {
  signal?: AbortSignal
  /** Keep running after the copy has caught up. */
  follow?: boolean
  /** Called after each write to the store. */
  onApplied?: (position: FeedPosition, changes: number) => void
  /** If the copy has entries that the journal of the server does not have, start again from 0 instead of throwing. */
  restartOnNewJournal?: boolean
}

export type SyncResult = {
  position: FeedPosition
  /** Last number of the journal. */
  head: number
  /** Number of written changes. */
  applied: number
  /** Count on the server minus count in the copy; both 0 in a complete copy. */
  missing: { order: number; report: number }
  isComplete: boolean
}

/** Returns no change for an event that only a later version of this package knows. */
function toChanges({ type, sequence, data }: TillgateEvent): CopyChange[] {
  if (!Object.hasOwn(eventResources, type)) return []
  const { kind, key } = eventResources[type]
  const id = key === null ? kind : String((data as Record<string, unknown>)[key])
  return [{ key: { kind, id }, sequence, document: JSON.stringify(data) }]
}

/**
 * Compares the copy with the lists of the server at the sequence of the copy. Undefined if the server has new entries:
 * then the copy must be updated first.
 */
async function findMissing(
  transport: Transport,
  store: CopyStore,
  after: number,
  signal?: AbortSignal,
): Promise<SyncResult['missing'] | undefined> {
  const count = await store.count()
  const countAt = async (path: string, query: Query) => {
    const headers = { 'tillgate-min-sequence': String(after) }
    const response = await transport.send({ path, query: { ...query, size: 1 }, headers, signal })
    const { meta } = (await response.json()) as OrderPage
    return Number(response.headers.get('tillgate-sequence')) === after ? meta.totalCount : undefined
  }
  const orders = await countAt('/v1/orders/', { state: 'all', isTraining: false })
  const reports = await countAt('/v1/reports/', {})
  if (orders === undefined || reports === undefined) return undefined
  return { order: orders - (count['order'] ?? 0), report: reports - (count['report'] ?? 0) }
}

/**
 * Brings a copy exactly in step with the server through the feed. Changes are stored together with the new position, so
 * a kill at any moment repeats work and loses nothing. The feed skips no numbers, so a copy whose position is the head
 * has every event; `isComplete` compares the numbers of orders and reports on both sides at the same sequence. Training
 * orders and records of the past (`history`) cause no events and are not copied; the latter count as missing. With `follow` it continues, even after interruptions, until
 * `signal` is aborted, and then throws its reason.
 */
export async function syncCopy(transport: Transport, store: CopyStore, options: SyncOptions = {}): Promise<SyncResult> {
  const { signal, follow = false, onApplied, restartOnNewJournal = false } = options
  let position: FeedPosition = (await store.position()) ?? { after: 0 }
  let applied = 0
  let atHead = false
  for (let failures = 0; ;) {
    try {
      const query: Query = { ...position, limit: 1000, wait: follow && atHead ? waitSeconds : 0 }
      const deadlineMs = (waitSeconds + 30) * 1000
      const { data, meta } = await transport.json<EventPage>({ path: '/v1/events/', query, signal, deadlineMs })
      failures = 0
      const changes = (data as TillgateEvent[]).flatMap(toChanges)
      const moved = meta.next !== position.after || meta.epoch !== position.epoch
      position = { after: meta.next, epoch: meta.epoch }
      if (moved) await store.apply(changes, position)
      applied += changes.length
      if (moved) onApplied?.(position, changes.length)
      atHead = meta.next >= meta.head
      const missing = atHead && !follow ? await findMissing(transport, store, meta.next, signal) : undefined
      if (missing) {
        const isComplete = missing.order === 0 && missing.report === 0
        return { position, head: meta.head, applied, missing, isComplete }
      }
    } catch (error) {
      signal?.throwIfAborted()
      if (!(error instanceof TillgateError)) throw error
      const isOther = error.code === 'epoch_changed' || error.code === 'sequence_ahead'
      if (isOther && restartOnNewJournal) {
        await store.clear()
        position = { after: 0 }
      } else if (follow && isTransient(error.status)) {
        await pause(waitBeforeRetry(error, failures++), signal)
      } else throw error
    }
  }
}
