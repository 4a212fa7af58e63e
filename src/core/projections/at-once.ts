import { Semaphore } from '../store/db/semaphore.ts'

/**
 * Limits how many pieces of work of one name run at once; the others of that name wait, first come, first served. Different names do not
 * wait for each other. A waiting piece begins in a later turn of the event loop, so that the result of the one before it is sent first.
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
