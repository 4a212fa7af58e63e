/** The error for a caller that waited too long for the database; `isUnavailable` recognizes it. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed'
  readonly code = 'DEADLINE_PASSED'

  constructor(ms: number) {
    super(`the database did not answer within ${ms} ms`)
  }
}

/** An item, undefined once it no longer waits, and the time of `performance.now()` at which its wait began. */
export type Waiting<T> = { item: T | undefined; since: number }

/** Ended items after a waiting one are removed when there are more than this, and more than half of all items. */
const finishedAtMost = 64

/**
 * Reports everything that has waited too long, once and oldest first. All share one timer, because a timer each would
 * cost more on the hot path. An array is used instead of a map: V8 reallocates a map's table every few dozen entries,
 * and the old tables delay the collection of the entries.
 */
export class Patience<T> {
  readonly ms: number
  readonly #onLate: (late: T) => void
  /** In the order in which they began to wait. */
  #waiting: Waiting<T>[] = []
  #finished = 0
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number, onLate: (late: T) => void) {
    this.ms = ms
    this.#onLate = onLate
  }

  /** Returns the argument of `end`. */
  begin(item: T): Waiting<T> {
    const waiting = { item, since: performance.now() }
    this.#waiting.push(waiting)
    this.#timer ??= setTimeout(this.#look, this.ms).unref()
    return waiting
  }

  /** Ends the wait of an item; a second call does nothing. */
  end(waiting: Waiting<T>): void {
    if (waiting.item === undefined) return
    waiting.item = undefined
    this.#finished += 1
    while (this.#waiting.length > 0 && this.#waiting[0]?.item === undefined) {
      this.#waiting.shift()
      this.#finished -= 1
    }
    if (this.#finished <= Math.max(finishedAtMost, this.#waiting.length / 2)) return
    this.#waiting = this.#waiting.filter(({ item }) => item !== undefined)
    this.#finished = 0
  }

  /** Stops reporting for everything that waits now. */
  clear(): void {
    for (const waiting of this.#waiting) waiting.item = undefined
    this.#waiting = []
    this.#finished = 0
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  readonly #look = (): void => {
    this.#timer = undefined
    const now = performance.now()
    for (;;) {
      const [oldest] = this.#waiting
      if (!oldest) return
      const leftMs = oldest.since + this.ms - now
      if (leftMs > 0) {
        this.#timer ??= setTimeout(this.#look, leftMs).unref()
        return
      }
      const { item } = oldest
      this.end(oldest)
      if (item !== undefined) this.#onLate(item)
    }
  }
}

/** Settles as the work does, or rejects with `DeadlinePassed`; the result of the work is then ignored. */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlinePassed(ms)), ms)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}
