import type { Entry } from '../domain/journal/messages.ts'
import type { EventType } from '../schemas/events.ts'
import type { Retry } from '../store/webhooks/webhook-retries.ts'

/** One event to deliver. `stored`: it is in `webhook_retries`. Null `nextAt` of a lane's first event means now. */
export type Item = {
  seq: number
  type: EventType
  lane: string
  kind: string
  resourceId: string
  attempts: number
  nextAt: Date | null
  stored: boolean
}

/** The events of one resource, in order: only the first may be in progress. */
type Lane = { items: Item[]; sending: boolean }

/** Identifies one event among all events of a location. */
export type EventKey = Pick<Item, 'seq' | 'type'>

export const keyOf = ({ seq, type }: EventKey): string => `${seq} ${type}`

export const laneOf = (kind: string, resourceId: string) => `${kind} ${resourceId}`

/** Makes the item of an event that was not tried yet. */
export function newItem({ seq, kind, id: resourceId }: Entry, type: EventType): Item {
  return { seq, type, lane: laneOf(kind, resourceId), kind, resourceId, attempts: 0, nextAt: null, stored: false }
}

export function toRetry({ seq, type, kind, resourceId, attempts, nextAt }: Item): Retry {
  return { seq, type, kind, resourceId, attempts, nextAt }
}

/** Returns when the first event of a lane is due if it is stored for a retry, otherwise null. */
export function dueOf(head: Item | undefined): Date | null {
  return head?.stored ? (head.nextAt ?? new Date(0)) : null
}

/** The events that a webhook must send: those of one resource in journal order, different resources in parallel. */
export class Lanes {
  readonly #lanes = new Map<string, Lane>()
  /** Lanes whose first event may be sent, in the order in which they became ready. */
  #ready: Lane[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  add(item: Item): void {
    this.#size += 1
    const lane = this.#lanes.get(item.lane)
    if (lane) {
      lane.items.push(item)
      return
    }
    const made = { items: [item], sending: false }
    this.#lanes.set(item.lane, made)
    this.#ready.push(made)
  }

  /**
   * Whether an event of the lane is stored for a retry: later events of the resource must be stored too, or they would
   * block the cursor.
   */
  isWaiting(lane: string): boolean {
    return this.#lanes.get(lane)?.items.some(({ stored }) => stored) ?? false
  }

  /** Takes the next event that may be sent now; it stays at the head of its lane until `done` or `failed`. */
  take(now: Date): Item | undefined {
    const at = this.#ready.findIndex((lane) => {
      const [head] = lane.items
      return head && (head.nextAt === null || head.nextAt <= now)
    })
    const lane = this.#ready[at]
    if (!lane) return undefined
    this.#ready.splice(at, 1)
    lane.sending = true
    return lane.items[0]
  }

  /** Takes the event for a probe, the earliest one in the journal, if it is due. */
  takeProbe(now: Date): Item | undefined {
    const head = this.first()
    const lane = head && this.#lanes.get(head.lane)
    if (!lane || lane.sending || (head.nextAt !== null && head.nextAt > now)) return undefined
    this.#ready = this.#ready.filter((other) => other !== lane)
    lane.sending = true
    return head
  }

  first(): Item | undefined {
    let found: Item | undefined
    for (const { items } of this.#lanes.values()) {
      const [head] = items
      if (head && (!found || head.seq < found.seq)) found = head
    }
    return found
  }

  /** Removes a delivered event. The next event of its lane may be sent; if stored without a time, it is due `now`. */
  done(item: Item, now: Date): void {
    const lane = this.#lanes.get(item.lane) as Lane
    lane.items.shift()
    lane.sending = false
    this.#size -= 1
    if (lane.items.length === 0) this.#lanes.delete(item.lane)
    else {
      const head = lane.items[0] as Item
      if (head.stored) head.nextAt ??= now
      this.#ready.push(lane)
    }
  }

  /** Lets an event wait until its `nextAt`. Returns every event of its lane, none of which can be sent before it. */
  failed(item: Item): readonly Item[] {
    const lane = this.#lanes.get(item.lane) as Lane
    lane.sending = false
    this.#ready.push(lane)
    return lane.items
  }

  /** Makes the first event of every waiting lane due, after the receiver has recovered. Returns these events. */
  dueAt(now: Date): Item[] {
    const due: Item[] = []
    for (const { items, sending } of this.#lanes.values()) {
      const [head] = items
      if (!head || sending || head.nextAt === null || head.nextAt <= now) continue
      head.nextAt = now
      due.push(head)
    }
    return due
  }

  /**
   * Drops the events after sequence `seq` that are neither being sent nor stored for a retry, together with all later
   * events of their lanes: they will be read again, in order. An emptied lane is kept. Returns the remaining events
   * that are neither being sent nor stored yet: the cursor can move past them only after they are stored.
   */
  dropAfter(seq: number): Item[] {
    const left: Item[] = []
    for (const { items, sending } of this.#lanes.values()) {
      const cut = items.findIndex((item, i) => !item.stored && item.seq > seq && !(sending && i === 0))
      if (cut !== -1) this.#size -= items.splice(cut).length
      left.push(...items.filter((item, i) => !item.stored && !(sending && i === 0)))
    }
    return left
  }

  /** Returns when the earliest retry is due; null if there is none. */
  nextDue(): Date | null {
    let due: Date | null = null
    for (const { items } of this.#lanes.values()) {
      const [head] = items
      // Retries may follow an event that is not stored. They are due at once, for a worker that takes over.
      const at = head?.stored === false && items.some(({ stored }) => stored) ? new Date(0) : dueOf(head)
      if (at && (!due || at < due)) due = at
    }
    return due
  }
}
