/** An owner that waits until it may open a connection, and the function to call then. */
type Waiter = { owner: string; begin: () => void }

/**
 * Limits the open connections of a worker over all endpoints. An owner may hold as many connections as remain free: one
 * owner gets half of them, two get a third each. So other owners find free ones even if endpoints hang. Waiting
 * requests are served in order (docs/inside/12-limits.md).
 */
export class SocketPlaces {
  /** Closes an idle connection of the owner, or of any owner if undefined; set by the holder of the connections. */
  makeRoom: (owner: string | undefined) => void = () => {}
  readonly #maximum: number
  readonly #held = new Map<string, number>()
  readonly #waiting = new Set<Waiter>()
  #taken = 0

  constructor(maximum: number) {
    this.#maximum = maximum
  }

  /** Calls `begin` once the owner may open a connection, possibly at once. Returns a function that cancels the wait. */
  take(owner: string, begin: () => void): () => void {
    const waiter = { owner, begin }
    if (this.#hasPlace(owner)) {
      this.#give(waiter)
      return () => {}
    }
    this.#waiting.add(waiter)
    this.rested()
    return () => void this.#waiting.delete(waiter)
  }

  /** Called when a request has ended: a waiter may need its connection. */
  rested(): void {
    if (this.#waiting.size === 0) return
    if (this.#taken === this.#maximum) return this.makeRoom(undefined)
    for (const owner of new Set([...this.#waiting].map((waiter) => waiter.owner))) this.makeRoom(owner)
  }

  /** Called when a connection of the owner has ended. */
  free(owner: string): void {
    this.#taken -= 1
    const left = this.#heldBy(owner) - 1
    if (left === 0) this.#held.delete(owner)
    else this.#held.set(owner, left)
    for (const waiter of this.#waiting) {
      if (!this.#hasPlace(waiter.owner)) continue
      this.#waiting.delete(waiter)
      this.#give(waiter)
    }
  }

  #heldBy(owner: string): number {
    return this.#held.get(owner) ?? 0
  }

  #hasPlace(owner: string): boolean {
    return this.#heldBy(owner) < this.#maximum - this.#taken
  }

  #give({ owner, begin }: Waiter): void {
    this.#taken += 1
    this.#held.set(owner, this.#heldBy(owner) + 1)
    begin()
  }
}
