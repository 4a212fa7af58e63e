import type { Order } from '../../schemas/orders.ts'

/** One generation has so many entries: two per order and one per count. */
const generation = 5_000

type Facts = Pick<Order, 'id' | 'locationId' | 'deviceId' | 'orderNumber' | 'openedAt' | 'total'>

/** An order as far as it is remembered, its id in lower case. */
type Seen = Pick<Facts, 'id' | 'orderNumber' | 'openedAt' | 'total'>

/** Orders of one location, by their ids and by what they are to the people at the till, whatever their ids. */
type Orders = { ids: Map<string, Seen>; sales: Map<string, Seen> }

function findIn(generations: readonly Orders[], of: keyof Orders, key: string): Seen | undefined {
  for (const generation of generations) {
    const seen = generation[of].get(key)
    if (seen) return seen
  }
  return undefined
}

/** What was pushed lately, orders by location and counts by device. */
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

  add(locationId: string, seen: Seen, sale: string | undefined): void {
    let orders = this.#orders.get(locationId)
    if (!orders) this.#orders.set(locationId, (orders = { ids: new Map(), sales: new Map() }))
    const { ids, sales } = orders
    const before = ids.size + sales.size
    ids.set(seen.id, seen)
    if (sale !== undefined) sales.set(sale, seen)
    this.#size += ids.size + sales.size - before
  }
}

/**
 * Remembers what was pushed lately: the newest orders of all locations and the counts of devices, in the memory of this
 * process. It finds ids that are made anew for each push, and ids that are used again, which a single record does not
 * show.
 */
export class Sightings {
  /**
   * There are two generations, of which the older is forgotten when the younger is full: that is quicker than one by
   * one.
   */
  #young = new Generation()
  #old = new Generation()
  readonly #before: Sightings | undefined

  /** `before` is asked and never written: what a dry run sees is forgotten with it. */
  constructor(before?: Sightings) {
    this.#before = before
  }

  /** Orders of a location in the generations there are, the latest first. */
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

  /**
   * Returns the id under which the same order came before, and what another order had this id before; undefined where
   * none did.
   */
  order(order: Facts): { otherId?: string; other?: Seen } | undefined {
    const { orderNumber, openedAt, total } = order
    const locationId = order.locationId.toLowerCase()
    const id = order.id.toLowerCase()
    const sale = orderNumber === '' ? undefined : openedAt + order.deviceId.toLowerCase() + orderNumber
    const before = this.#ordersOf(locationId)
    const other = findIn(before, 'ids', id)
    const twin = sale === undefined ? undefined : findIn(before, 'sales', sale)
    this.#makeRoom()
    this.#young.add(locationId, { id, orderNumber, openedAt, total }, sale)
    const isOther = other && other.openedAt !== openedAt && other.orderNumber !== orderNumber
    const isTwice = twin && twin.id !== id && twin.total === total
    if (!isOther && !isTwice) return undefined
    return { ...(isOther && { other }), ...(isTwice && { otherId: twin.id }) }
  }

  /** Returns the count of the device’s status before. */
  count(deviceId: string, count: number): number | undefined {
    const device = deviceId.toLowerCase()
    const before = this.#findCount(device)
    this.#makeRoom()
    this.#young.counts.set(device, count)
    return before
  }
}
