import type { Order } from '../../schemas/orders.ts'

/** Entries of one generation: two per order and one per count. */
const generation = 5_000

type Facts = Pick<Order, 'id' | 'locationId' | 'deviceId' | 'orderNumber' | 'openedAt' | 'total'>

type Seen = Partial<Facts> & { count?: number }

/** What an order is to the people at the till, whatever its id. */
const saleOf = ({ locationId, deviceId, orderNumber, openedAt }: Facts) =>
  `${locationId}${deviceId}${openedAt}`.toLowerCase() + orderNumber

/**
 * What was pushed lately: the newest orders of all locations and the counts of devices, in the memory of this process. It
 * finds ids that are made anew for each push, and ids that are used again, which a single record does not show.
 */
export class Sightings {
  /** Two generations, of which the older is forgotten when the younger is full: quicker than one by one. */
  #young = new Map<string, Seen>()
  #old = new Map<string, Seen>()
  readonly #before: Sightings | undefined

  /** `before` is asked and never written: what a dry run sees is forgotten with it. */
  constructor(before?: Sightings) {
    this.#before = before
  }

  #get(key: string): Seen | undefined {
    return this.#young.get(key) ?? this.#old.get(key) ?? (this.#before ? this.#before.#get(key) : undefined)
  }

  /** What was under the key so far, which is replaced. */
  #swap(key: string, seen: Seen): Seen | undefined {
    const before = this.#get(key)
    if (this.#young.size >= generation) {
      this.#old = this.#young
      this.#young = new Map()
    }
    this.#young.set(key, seen)
    return before
  }

  /** The id under which the same order came before, and what another order had this id before; undefined where none did. */
  order(order: Facts): { otherId?: string | undefined; other?: Seen | undefined } {
    const { locationId, orderNumber, openedAt, total } = order
    const id = order.id.toLowerCase()
    const before = this.#swap(locationId + id, { openedAt, orderNumber })
    const isOther = before && before.openedAt !== openedAt && before.orderNumber !== orderNumber
    const sale = orderNumber === '' ? undefined : this.#swap(saleOf(order), { id, total })
    const isTwice = sale && sale.id !== id && sale.total === total
    return { other: isOther ? before : undefined, otherId: isTwice ? sale.id : undefined }
  }

  /** The count of the device’s status before. */
  count(deviceId: string, count: number): number | undefined {
    return this.#swap(`count ${deviceId.toLowerCase()}`, { count })?.count
  }
}
