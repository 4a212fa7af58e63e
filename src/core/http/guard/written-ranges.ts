/** Maximum number of separate ranges; beyond it the last range grows. */
const rangesAtMost = 500

/** Journal sequences written by one key, as inclusive ranges. */
export class WrittenRanges {
  readonly #ranges: [from: number, to: number][] = []

  add(seq: number): void {
    const last = this.#ranges.at(-1)
    if (last && (seq === last[1] + 1 || this.#ranges.length === rangesAtMost)) last[1] = Math.max(seq, last[1])
    else this.#ranges.push([seq, seq])
  }

  addAll(others: WrittenRanges): void {
    for (const [from, to] of others.#ranges) {
      this.add(from)
      const last = this.#ranges.at(-1)
      if (last) last[1] = Math.max(last[1], to)
    }
  }

  /** Returns the ranges in ascending order. */
  get all(): readonly [from: number, to: number][] {
    return this.#ranges.toSorted(([a], [b]) => a - b)
  }
}
