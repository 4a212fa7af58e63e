/** A binary heap. It returns the entry with the lowest rank first, and entries of the same rank in insertion order. */
export class Queue<T> {
  readonly #heap: { rank: number; place: number; entry: T }[] = []
  #pushed = 0

  get size(): number {
    return this.#heap.length
  }

  /** The rank of the next entry; Infinity when empty. */
  get nextRank(): number {
    return this.#heap[0]?.rank ?? Infinity
  }

  push(rank: number, entry: T): void {
    const heap = this.#heap
    heap.push({ rank, place: (this.#pushed += 1), entry })
    for (let child = heap.length - 1; child > 0;) {
      const parent = (child - 1) >> 1
      if (this.#isBefore(parent, child)) return
      this.#swap(parent, child)
      child = parent
    }
  }

  pop(): T | undefined {
    const heap = this.#heap
    const first = heap[0]
    const last = heap.pop()
    if (!first || !last || heap.length === 0) return first?.entry
    heap[0] = last
    for (let parent = 0; ;) {
      const [left, right] = [2 * parent + 1, 2 * parent + 2]
      const child = right < heap.length && this.#isBefore(right, left) ? right : left
      if (child >= heap.length || this.#isBefore(parent, child)) return first.entry
      this.#swap(parent, child)
      parent = child
    }
  }

  #isBefore(one: number, other: number): boolean {
    const [left, right] = [this.#heap[one], this.#heap[other]]
    if (!left || !right) return true
    return left.rank < right.rank || (left.rank === right.rank && left.place < right.place)
  }

  #swap(one: number, other: number): void {
    const [left, right] = [this.#heap[one], this.#heap[other]]
    if (!left || !right) return
    this.#heap[one] = right
    this.#heap[other] = left
  }
}
