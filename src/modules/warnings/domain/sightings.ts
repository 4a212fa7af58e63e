import type { Order } from '../../../core/contract/orders/schema.ts'

/** Maximum entries of a generation: orders and counts together. */
const generation = 5_000

type Facts = Pick<Order, 'id' | 'locationId' | 'deviceId' | 'orderNumber' | 'openedAt' | 'total'>

/** The remembered part of an order, its id in lower case. */
type Seen = Pick<Facts, 'id' | 'total'>

/** Orders of one location by what identifies them at the till, regardless of their ids. */
type Orders = Map<string, Seen>

/** Recent pushes: orders by location and counts by device. */
class Generation {
  readonly #orders = new Map<string, Orders>()
  readonly counts = new Map<string, number>()
  #size = 0

  get isFull(): boolean {
    return this.#size + this.counts.size >= generation
  }

  findOrders(locationId: string): Orders | undefined {
    return this.#orders.get(locationId)
  }

  add(locationId: string, sale: string, seen: Seen): void {
    let orders = this.#orders.get(locationId)
    if (!orders) this.#orders.set(locationId, (orders = new Map()))
    const before = orders.size
    orders.set(sale, seen)
    this.#size += orders.size - before
  }
}

/**
 * Remembers recent pushes in the memory of this process: the newest orders of all locations and the counts of devices.
 * It detects ids that change with each push, which a single record does not show.
 */
export class Sightings {
  /** Two generations: the older is dropped when the younger is full, which is faster than dropping entries one by one. */
  #young = new Generation()
  #old = new Generation()
  readonly #before: Sightings | undefined

  /** `before` is only read: a dry run leaves no traces. */
  constructor(before?: Sightings) {
    this.#before = before
  }

  /** Returns the orders of a location in the existing generations, the latest first. */
  #ordersOf(locationId: string): Orders[] {
    const own = [this.#young.findOrders(locationId), this.#old.findOrders(locationId)].filter((of) => of !== undefined)
    return this.#before ? [...own, ...this.#before.#ordersOf(locationId)] : own
  }

  #findCount(device: string): number | undefined {
    const before = this.#before ? this.#before.#findCount(device) : undefined
    return this.#young.counts.get(device) ?? this.#old.counts.get(device) ?? before
  }

  #makeRoom(): void {
    if (!this.#young.isFull) return
    this.#old = this.#young
    this.#young = new Generation()
  }

  /** Remembers an order. Returns the other id under which the same order was seen; undefined if there is none. */
  order({ id: given, locationId: place, deviceId, orderNumber, openedAt, total }: Facts): string | undefined {
    if (orderNumber === '') return undefined
    const [locationId, id] = [place.toLowerCase(), given.toLowerCase()]
    const sale = openedAt + deviceId.toLowerCase() + orderNumber
    const twin = this.#ordersOf(locationId)
      .find((orders) => orders.has(sale))
      ?.get(sale)
    this.#makeRoom()
    this.#young.add(locationId, sale, { id, total })
    return twin && twin.id !== id && twin.total === total ? twin.id : undefined
  }

  /** Remembers the count in a device's status, and returns the count in its previous status. */
  count(deviceId: string, count: number): number | undefined {
    const device = deviceId.toLowerCase()
    const before = this.#findCount(device)
    this.#makeRoom()
    this.#young.counts.set(device, count)
    return before
  }
}
