import { LRUCache } from 'lru-cache'
import { toText } from '../../domain/documents/document-text.ts'
import type { Head } from '../../domain/journal/chain.ts'
import type { OrderRow } from '../../contract/orders/rows.ts'

/** So many locations are remembered at most: those written last. */
const locationsKept = 1_000

/** Text of the orders remembered, at most, with what the rest of a row takes. */
const ordersKept = 16 * 1024 * 1024
const rowBytes = 500

/** After orders were found that were taken to be new, so many pushes of the location are looked at first, at most. */
const longestLook = 64

/** Pushes to look at from now on, and how many those were the last time. */
type Look = { left: number; length: number }

type Known = {
  head: Head
  /** The last two writes were both made by this process, so other processes probably do not write there. */
  isOurs: boolean
  /** Whether any of its orders may be remembered. */
  hasOrders: boolean
}

const isSame = (a: Head, b: Head) => a.seq === b.seq && a.hash === b.hash && a.epoch === b.epoch

const keyOf = (locationId: string, id: string) => `${locationId} ${id}`

/**
 * Remembers what this process has written last at locations to which nobody else writes: where their journals end, and
 * their latest orders. It is never more than likely: the statement that writes compares it (`writeProven`), so it is
 * remembered before the commit, and may be wrong. As long as a head is the one remembered the orders are the latest,
 * for whatever changes an order moves the head.
 */
export class KnownLocations {
  readonly #heads = new LRUCache<string, Known>({ max: locationsKept })
  readonly #orders = new LRUCache<string, { row: OrderRow; of: Known }>({
    maxSize: ordersKept,
    sizeCalculation: ({ row }) => row.document.length + rowBytes,
  })

  readonly #looks = new LRUCache<string, Look>({ max: locationsKept })
  readonly #special = new LRUCache<string, true>({ max: locationsKept })

  /** Returns the head that is likely still there, if it is not below the number `seen`. */
  findHead(locationId: string, seen: number): Head | undefined {
    const known = this.#heads.get(locationId)
    return known?.isOurs && known.head.seq >= seen ? known.head : undefined
  }

  /** Those of the orders that are remembered, as the head of the location has them. */
  findOrders(locationId: string, ids: readonly string[]): Map<string, OrderRow> {
    const known = this.#heads.get(locationId)
    const found = new Map<string, OrderRow>()
    if (!known?.hasOrders) return found
    for (const id of ids) {
      const kept = this.#orders.get(keyOf(locationId, id))
      if (kept && kept.of === known) found.set(id, kept.row)
    }
    return found
  }

  /** A write that follows the head `before` and ends at `after`, with all of the orders that it changes. */
  remember(locationId: string, before: Head, after: Head, orders: readonly OrderRow[]): void {
    const former = this.#heads.get(locationId)
    const follows = former !== undefined && isSame(former.head, before)
    // A remembered end of another journal is useless: its orders stay with the journal that is left.
    const known = { head: after, isOurs: follows, hasOrders: true }
    const kept = follows ? Object.assign(former, known) : known
    this.#heads.set(locationId, kept)
    // Bytes may be part of a larger place, all of which they would keep.
    for (const row of orders) {
      this.#orders.set(keyOf(locationId, row.id), { row: { ...row, document: toText(row.document) }, of: kept })
    }
  }

  /** Remembers a new head without the orders that it changes: what was remembered of orders is of no use any more. */
  rememberEnd(locationId: string, before: Head, after: Head): void {
    const former = this.#heads.get(locationId)
    const isOurs = former !== undefined && isSame(former.head, before)
    this.#heads.set(locationId, { head: after, isOurs, hasOrders: false })
  }

  /** Whether orders that are not remembered are likely new. Where that was wrong, the next pushes of the location are looked at. */
  areNew(locationId: string): boolean {
    const look = this.#looks.get(locationId)
    if (!look || look.left === 0) return true
    look.left -= 1
    return false
  }

  /** Orders that were taken to be new were new. */
  wereNew(locationId: string): void {
    this.#looks.delete(locationId)
  }

  /** What was remembered, or taken for granted, was wrong. */
  wasWrong(locationId: string): void {
    this.#heads.delete(locationId)
    const length = Math.min(2 * (this.#looks.get(locationId)?.length ?? 1), longestLook)
    this.#looks.set(locationId, { left: length, length })
  }

  /** Something else is written there, or nobody knows what was. */
  forget(locationId: string): void {
    this.#heads.delete(locationId)
  }

  /** Whether there is nothing about the location that has to be looked at under its lock, as far as it was seen. */
  isPlain(locationId: string): boolean {
    return !this.#special.has(locationId)
  }

  setPlain(locationId: string, isPlain: boolean): void {
    if (isPlain) this.#special.delete(locationId)
    else this.#special.set(locationId, true)
  }
}
