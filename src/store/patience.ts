/** The error for a caller that waited too long for the database; `isUnavailable` recognises it. */
export class DeadlinePassed extends Error {
  override readonly name = 'DeadlinePassed'
  readonly code = 'DEADLINE_PASSED'

  constructor(ms: number) {
    super(`the database did not answer within ${ms} ms`)
  }
}

/**
 * Tells of everything that has waited too long, each once, in the order in which they began. All share one timer and a
 * timer costs more than an entry of a map, so this may stand on the hot path.
 */
export class Patience<T> {
  readonly ms: number
  readonly #tell: (late: T) => void
  readonly #since = new Map<T, number>()
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number, tell: (late: T) => void) {
    this.ms = ms
    this.#tell = tell
  }

  begin(item: T): void {
    this.#since.set(item, performance.now())
    this.#timer ??= setTimeout(this.#look, this.ms).unref()
  }

  end(item: T): void {
    this.#since.delete(item)
  }

  /** Stops reporting for everything that waits now. */
  clear(): void {
    this.#since.clear()
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  readonly #look = (): void => {
    this.#timer = undefined
    const now = performance.now()
    for (const [item, since] of this.#since) {
      const leftMs = since + this.ms - now
      if (leftMs > 0) {
        this.#timer ??= setTimeout(this.#look, leftMs).unref()
        return
      }
      this.#since.delete(item)
      this.#tell(item)
    }
  }
}

/** Something that was asked of the database; `fail` is called when it is late. */
export type Asked = { fail: (error: Error) => void }

const limits = new WeakMap<object, Patience<Asked>>()

/** Gives what is asked of a pool, which the driver does not know, a time of its own. */
export function setLimit(pool: object, limit: Patience<Asked>): void {
  limits.set(pool, limit)
}

/** The deadline of a pool that has one. */
export function limitOf(pool: object): Patience<Asked> | undefined {
  return limits.get(pool)
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
