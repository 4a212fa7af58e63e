/** The error for a caller that waited too long for the database; `isUnavailable` recognises it. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed'
  readonly code = 'DEADLINE_PASSED'

  constructor(ms: number) {
    super(`the database did not answer within ${ms} ms`)
  }
}

/** Something that waits since a moment of `performance.now()`; its item is undefined when it waits no longer. */
export type Waiting<T> = { item: T | undefined; since: number }

/** So many that are over may stand behind one that still waits, at least, before they are taken out. */
const keptOver = 64

/**
 * Tells of everything that has waited too long, each once, in the order in which they began. All share one timer, for a timer of
 * its own would cost more, so this may stand on the hot path. It is an array, and no map: V8 makes a map's table anew every few
 * dozen entries, and the table before, once it is old, keeps the next one and what stood in it from the young collector.
 */
export class Patience<T> {
  readonly ms: number
  readonly #tell: (late: T) => void
  /** In the order in which they began. */
  #waiting: Waiting<T>[] = []
  #over = 0
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number, tell: (late: T) => void) {
    this.ms = ms
    this.#tell = tell
  }

  /** Returns what `end` takes. */
  begin(item: T): Waiting<T> {
    const waiting = { item, since: performance.now() }
    this.#waiting.push(waiting)
    this.#timer ??= setTimeout(this.#look, this.ms).unref()
    return waiting
  }

  /** A second call does nothing. */
  end(waiting: Waiting<T>): void {
    if (waiting.item === undefined) return
    waiting.item = undefined
    this.#over += 1
    while (this.#waiting.length > 0 && this.#waiting[0]?.item === undefined) {
      this.#waiting.shift()
      this.#over -= 1
    }
    if (this.#over <= Math.max(keptOver, this.#waiting.length / 2)) return
    this.#waiting = this.#waiting.filter(({ item }) => item !== undefined)
    this.#over = 0
  }

  /** Stops reporting for everything that waits now. */
  clear(): void {
    for (const waiting of this.#waiting) waiting.item = undefined
    this.#waiting = []
    this.#over = 0
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
      if (item !== undefined) this.#tell(item)
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
