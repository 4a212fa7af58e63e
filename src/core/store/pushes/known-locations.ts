import { LRUCache } from 'lru-cache'
import { toText } from '../../domain/documents/document-text.ts'
import type { Head } from '../../domain/journal/chain.ts'
import type { OrderRow } from '../../contract/orders/rows.ts'

/** Maximum number of remembered locations: the most recently written ones. */
const locationsKept = 1_000

/** Maximum bytes of the remembered orders: their documents, and `rowBytes` for the rest of each row. */
const ordersKept = 16 * 1024 * 1024
const rowBytes = 500

/** After a wrong guess that orders are new, at most this many pushes of the location read their orders first. */
const longestLook = 64

/** `left`: how many pushes still read their orders first. `length`: `left` after the last wrong guess. */
type Look = { left: number; length: number }

type Known = {
  head: Head
  /** The last two writes were both made by this process, so other processes probably do not write to the location. */
  isOurs: boolean
  /** Whether any of its orders may be remembered. */
  hasOrders: boolean
}

const isSame = (a: Head, b: Head) => a.seq === b.seq && a.hash === b.hash && a.epoch === b.epoch

const keyOf = (locationId: string, id: string) => `${locationId} ${id}`

/**
 * Remembers what this process last wrote at locations to which nothing else writes: the ends of their journals, and
 * their latest orders. This is only a guess, which may be wrong, because it is remembered before the commit: the
 * statement that writes verifies it (`writeProven`). As long as a remembered head is current, so are
 * its orders, since any change of an order moves the head.
 */
export class KnownLocations {
  readonly #heads = new LRUCache<string, Known>({ max: locationsKept })
  readonly #orders = new LRUCache<string, { row: OrderRow; of: Known }>({
    maxSize: ordersKept,
    sizeCalculation: ({ row }) => row.document.length + rowBytes,
  })

  readonly #looks = new LRUCache<string, Look>({ max: locationsKept })
  readonly #special = new LRUCache<string, true>({ max: locationsKept })

  /** Returns the head that is likely current, if it is not below the number `seen`. */
  findHead(locationId: string, seen: number): Head | undefined {
    const known = this.#heads.get(locationId)
    return known?.isOurs && known.head.seq >= seen ? known.head : undefined
  }

  /** Returns the remembered orders with these ids, as of the head of the location. */
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

  /** Remembers a write that follows the head `before` and ends at `after`, with all orders that it changes. */
  remember(locationId: string, before: Head, after: Head, orders: readonly OrderRow[]): void {
    const former = this.#heads.get(locationId)
    const follows = former !== undefined && isSame(former.head, before)
    // A remembered end of another journal is useless: its orders belong to the abandoned journal.
    const known = { head: after, isOurs: follows, hasOrders: true }
    const kept = follows ? Object.assign(former, known) : known
    this.#heads.set(locationId, kept)
    // Bytes may be part of a larger buffer, which they would keep in memory.
    for (const row of orders) {
      this.#orders.set(keyOf(locationId, row.id), { row: { ...row, document: toText(row.document) }, of: kept })
    }
  }

  /** Remembers a new head without the orders that it changes: orders remembered before become useless. */
  rememberEnd(locationId: string, before: Head, after: Head): void {
    const former = this.#heads.get(locationId)
    const isOurs = former !== undefined && isSame(former.head, before)
    this.#heads.set(locationId, { head: after, isOurs, hasOrders: false })
  }

  /** Whether orders that are not remembered are likely new. If that was wrong, the next pushes read their orders first. */
  areNew(locationId: string): boolean {
    const look = this.#looks.get(locationId)
    if (!look || look.left === 0) return true
    look.left -= 1
    return false
  }

  /** Called when orders assumed to be new were new. */
  wereNew(locationId: string): void {
    this.#looks.delete(locationId)
  }

  /** Called when what was remembered or assumed was wrong. */
  wasWrong(locationId: string): void {
    this.#heads.delete(locationId)
    const length = Math.min(2 * (this.#looks.get(locationId)?.length ?? 1), longestLook)
    this.#looks.set(locationId, { left: length, length })
  }

  /** Called when another process writes to the location, or the result of a write is unknown. */
  forget(locationId: string): void {
    this.#heads.delete(locationId)
  }

  /** Whether nothing is known about the location that must be checked under its lock. */
  isPlain(locationId: string): boolean {
    return !this.#special.has(locationId)
  }

  setPlain(locationId: string, isPlain: boolean): void {
    if (isPlain) this.#special.delete(locationId)
    else this.#special.set(locationId, true)
  }
}
