/** Work of one name runs one after another, in the order in which it was asked for; that of others beside it. */
export class OneAtATime {
  readonly #last = new Map<string, Promise<void>>()

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name)
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#last.set(name, promise)
    try {
      await before
      return await work()
    } finally {
      resolve()
      if (this.#last.get(name) === promise) this.#last.delete(name)
    }
  }
}
