import { Semaphore } from '../store/db/semaphore.ts'

/**
 * So much work of one name runs at once, the rest after it in the order in which it was asked for; that of others beside it. The next
 * begins in a later turn of the event loop, so that what the work before it comes to is written in a turn without it.
 */
export class AtOnce {
  readonly #limit: number
  readonly #byName = new Map<string, { places: Semaphore; count: number }>()

  constructor(limit: number) {
    this.#limit = limit
  }

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const own = this.#byName.get(name) ?? { places: new Semaphore(this.#limit), count: 0 }
    this.#byName.set(name, own)
    own.count += 1
    const end = await own.places.take()
    try {
      return await work()
    } finally {
      setImmediate(end)
      own.count -= 1
      if (own.count === 0) this.#byName.delete(name)
    }
  }
}
