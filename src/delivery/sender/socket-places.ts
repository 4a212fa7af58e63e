/**
 * How many connections a worker may have open at once, over all endpoints. Whoever comes when all places are taken
 * waits, first come, first served; `makeRoom` is asked to end a connection that nobody uses.
 */
export class SocketPlaces {
  /** Ends an idle connection if there is one; set by whoever has them. */
  makeRoom: () => void = () => {}
  readonly #maximum: number
  readonly #waiting = new Set<() => void>()
  #taken = 0

  constructor(maximum: number) {
    this.#maximum = maximum
  }

  /** Calls `begin` when there is a place, at once if there is one. Returns the function that gives the wait up. */
  take(begin: () => void): () => void {
    if (this.#taken < this.#maximum) {
      this.#taken += 1
      begin()
      return () => {}
    }
    this.#waiting.add(begin)
    this.makeRoom()
    return () => void this.#waiting.delete(begin)
  }

  /** A request has ended: its connection may be one that a waiter needs. */
  rested(): void {
    if (this.#waiting.size > 0) this.makeRoom()
  }

  /** A connection has ended. */
  free(): void {
    this.#taken -= 1
    const [next] = this.#waiting
    if (!next) return
    this.#waiting.delete(next)
    this.#taken += 1
    next()
  }
}
