import { PullFailed, type PullRequest } from '../adapters/pull.ts'

/**
 * Limits of a run: `heldBytes` for data that is not stored yet, `bytes` and `requests` in total. Small pages could
 * otherwise link to each other forever.
 */
export const usualSpending = {
  heldBytes: 64 * 2 ** 20,
  bytes: 2 ** 30,
  requests: 20_000,
  /** Maximum repetitions of a request before data is stored: more mean that a cursor repeats. */
  repeats: 6,
}

/** A run has reached its limit: stored data stays, and the next run continues after it. */
export class RunSpent extends PullFailed {
  constructor(what: string) {
    super('spent', `the run ended: ${what}. The next one continues from there`)
  }
}

/** Counts the requests and answers of a run. */
export class Spending {
  readonly #limits: typeof usualSpending
  readonly #repeats = new Map<string, number>()
  #requests = 0
  #bytes = 0
  #heldBytes = 0

  constructor(limits: Partial<typeof usualSpending> = {}) {
    this.#limits = { ...usualSpending, ...limits }
  }

  /** Counts a request before it is sent. Throws `RunSpent`. */
  ask({ method, path, query, body }: PullRequest): void {
    const { requests, repeats } = this.#limits
    const key = JSON.stringify([method, path, query, body])
    const times = (this.#repeats.get(key) ?? 0) + 1
    this.#repeats.set(key, times)
    this.#requests += 1
    if (times > repeats) throw new RunSpent(`the pages of ${path} do not end: a page refers to an earlier page`)
    if (this.#requests > requests) throw new RunSpent(`it made ${requests} requests`)
  }

  /** Counts the bytes of an answer before it is parsed. Throws `RunSpent`. */
  take({ path }: PullRequest, bytes: number): void {
    const { heldBytes, bytes: most } = this.#limits
    this.#bytes += bytes
    this.#heldBytes += bytes
    const inMebibytes = (limit: number) => `${Math.floor(limit / 2 ** 20)} MiB`
    if (this.#heldBytes > heldBytes)
      throw new RunSpent(
        `the pages of ${path} exceed ${inMebibytes(heldBytes)}, the limit for data that must be stored at once`,
      )
    if (this.#bytes > most) throw new RunSpent(`it received more than ${inMebibytes(most)}`)
  }

  /** Records that the data up to here is stored, and no longer counts as held. */
  stored(): void {
    this.#repeats.clear()
    this.#heldBytes = 0
  }
}
