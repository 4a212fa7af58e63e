import type { Pool } from '../store/db/database.ts'
import { listRetries, type Retry } from '../store/webhooks/webhook-retries.ts'
import type { WebhookRow } from '../contract/webhooks/rows.ts'
import { keyOf, laneOf, type EventKey, type Item } from './lanes.ts'

/** Maximum retries that a session keeps in memory; a webhook with more needs several sessions. */
const held = 5_000

/** Makes an item of a stored retry. A time beyond the schedule was written by a wrong clock: the item is due now. */
function toItem(retry: Retry, latest: Date): Item {
  const nextAt = retry.nextAt !== null && retry.nextAt > latest ? null : retry.nextAt
  return { ...retry, nextAt, lane: laneOf(retry.kind, retry.resourceId), stored: true }
}

/**
 * The rows of `webhook_retries` at the beginning of a session. Retries up to the cursor are sent from here. Later
 * retries wait until the session has read the journal up to them: only then are the earlier events of their resource
 * known. So every event exists once in a session, and events of a resource are in journal order.
 */
export class StoredRetries {
  /** In journal order. */
  readonly upToCursor: readonly Item[]
  /** True if not all retries up to the cursor were read. Which resources wait is then unknown, so no new event may be read. */
  readonly hasMore: boolean
  /** The journal must not be read beyond this number: later retries are unknown. */
  readonly knownUpTo: number
  readonly #ahead: Map<string, Item>

  private constructor(upToCursor: readonly Item[], ahead: readonly Item[]) {
    this.upToCursor = upToCursor
    this.hasMore = upToCursor.length === held
    // Several events may share the last number, and the limit may separate them.
    this.knownUpTo = ahead.length === held ? (ahead.at(-1)?.seq ?? 0) - 1 : Number.MAX_SAFE_INTEGER
    this.#ahead = new Map(ahead.filter(({ seq }) => seq <= this.knownUpTo).map((item) => [keyOf(item), item]))
  }

  static readonly none = new StoredRetries([], [])

  /** Does not query the database if no retry is scheduled (`retryAt`). No valid due time is after `latest`. */
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

  /** True if some retries are ahead in the journal, or not loaded: the next session must load them. */
  get isAhead(): boolean {
    return this.#ahead.size > 0 || this.knownUpTo < Number.MAX_SAFE_INTEGER
  }

  /** Takes the retry of an event when the journal is read up to it; undefined if there is none. */
  take(event: EventKey): Item | undefined {
    if (this.#ahead.size === 0) return undefined
    const key = keyOf(event)
    const item = this.#ahead.get(key)
    if (item) this.#ahead.delete(key)
    return item
  }

  /**
   * Takes the retries of entries before `seq` that were not found when the journal was read up to there: since then,
   * the journal was restored to an earlier state without these entries.
   */
  takeGone(seq: number): Item[] {
    const gone = [...this.#ahead.values()].filter((item) => item.seq < seq)
    for (const item of gone) this.#ahead.delete(keyOf(item))
    return gone
  }

  /** Makes waiting retries due after the receiver has recovered. Returns the changed retries. */
  makeDue(now: Date): Item[] {
    const changed = [...this.#ahead.values()].filter(({ nextAt }) => nextAt !== null && nextAt > now)
    for (const item of changed) item.nextAt = now
    return changed
  }
}
