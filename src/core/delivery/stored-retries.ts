import type { Pool } from '../store/db/database.ts'
import { listRetries, type Retry } from '../store/webhooks/webhook-retries.ts'
import type { WebhookRow } from '../contract/webhooks/rows.ts'
import { keyOf, laneOf, type EventKey, type Item } from './lanes.ts'

/** Maximum scheduled retries that a session keeps in memory; a webhook with more needs several sessions. */
const held = 5_000

/**
 * Makes an item of an event that was set aside. A time that no schedule gives was written by a clock that was wrong:
 * the event is due at once.
 */
function toItem(retry: Retry, latest: Date): Item {
  const nextAt = retry.nextAt !== null && retry.nextAt > latest ? null : retry.nextAt
  return { ...retry, nextAt, lane: laneOf(retry.kind, retry.resourceId), stored: true }
}

/**
 * What stood in `webhook_retries` when a session began. Events up to the cursor are sent from here. Those after it
 * wait until the session has read the journal up to them: only then is it known which events of their resource come
 * before. So every event exists once in a session, and those of a resource stand in the order of the journal.
 */
export class StoredRetries {
  /** In journal order. */
  readonly upToCursor: readonly Item[]
  /** True when not all retries up to the cursor were read. Which resources wait is then unknown, so no new event may be read. */
  readonly hasMore: boolean
  /** The journal must not be read beyond: what is set aside behind this number is not known. */
  readonly knownUpTo: number
  readonly #ahead: Map<string, Item>

  private constructor(upToCursor: readonly Item[], ahead: readonly Item[]) {
    this.upToCursor = upToCursor
    this.hasMore = upToCursor.length === held
    // Several events may share the last number, and the limit may have cut between them.
    this.knownUpTo = ahead.length === held ? (ahead.at(-1)?.seq ?? 0) - 1 : Number.MAX_SAFE_INTEGER
    this.#ahead = new Map(ahead.filter(({ seq }) => seq <= this.knownUpTo).map((item) => [keyOf(item), item]))
  }

  static readonly none = new StoredRetries([], [])

  /** Does not query the database if no retry is scheduled (`retryAt`). `latest` is the latest due time of an event. */
  static async load(pool: Pool, webhook: WebhookRow, latest: Date): Promise<StoredRetries> {
    const { cursor, retryAt } = webhook
    if (retryAt === null) return StoredRetries.none
    const [upToCursor, ahead] = await Promise.all([
      listRetries(pool, webhook, { after: 0, upTo: cursor }, held),
      listRetries(pool, webhook, { after: cursor, upTo: Number.MAX_SAFE_INTEGER }, held),
    ])
    const toItems = (retries: readonly Retry[]) => retries.map((retry) => toItem(retry, latest))
    return new StoredRetries(toItems(upToCursor), toItems(ahead))
  }

  /** Some were not reached yet in the journal, or not loaded: the next session must load them. */
  get isAhead(): boolean {
    return this.#ahead.size > 0 || this.knownUpTo < Number.MAX_SAFE_INTEGER
  }

  /** Takes the event as it was set aside, when the journal is read up to it. It is undefined for one that was not. */
  take(event: EventKey): Item | undefined {
    if (this.#ahead.size === 0) return undefined
    const key = keyOf(event)
    const item = this.#ahead.get(key)
    if (item) this.#ahead.delete(key)
    return item
  }

  /**
   * Takes what was set aside with numbers below one up to which the journal was read, and did not come: these numbers are gone, for the
   * journal was continued from an older state meanwhile.
   */
  takeGone(seq: number): Item[] {
    const gone = [...this.#ahead.values()].filter((item) => item.seq < seq)
    for (const item of gone) this.#ahead.delete(keyOf(item))
    return gone
  }

  /** The receiver is well again: what waits for its own time need not. Returns what changed. */
  makeDue(now: Date): Item[] {
    const changed = [...this.#ahead.values()].filter(({ nextAt }) => nextAt !== null && nextAt > now)
    for (const item of changed) item.nextAt = now
    return changed
  }
}
