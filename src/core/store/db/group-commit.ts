import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { isUnavailable } from './database.ts'

export type GroupCommitOptions<Job, Result> = {
  /** Runs one transaction for several jobs of one location; resolves after commit to a result per job, in their order. */
  commit: (locationId: string, jobs: readonly Job[]) => Promise<Result[]>
  /** The size that a job adds to a transaction; without it a transaction takes all waiting jobs. */
  sizeOf?: (job: Job) => number
  /** A transaction takes jobs up to this size, and always at least one. */
  sizeLimit?: number
  /** Waits for the end of the event loop's turn before the first commit: for jobs that arrive in bursts. */
  gathers?: boolean
}

type Waiting<Job, Result> = { job: Job; done: (result: Result) => void; failed: (error: unknown) => void }

/**
 * Collects the jobs of one location that arrive during a transaction, so that they share the next one: one flush to
 * disk acknowledges them all, and they do not queue for the location's row one by one. If a shared transaction fails,
 * each of its jobs is tried alone, so that one job refused by the database does not fail the others; if the database is
 * unavailable they all fail at once.
 */
export class GroupCommit<Job, Result> {
  readonly #options: GroupCommitOptions<Job, Result>
  readonly #waiting = new Map<string, Waiting<Job, Result>[]>()
  readonly #running = new Map<string, Promise<void>>()

  constructor(options: GroupCommitOptions<Job, Result>) {
    this.#options = options
  }

  /** Adds a job; resolves after the commit of its transaction, or rejects with the database error of this job. */
  add(locationId: string, job: Job): Promise<Result> {
    return new Promise((done, failed) => {
      const queue = this.#waiting.get(locationId)
      if (queue) {
        queue.push({ job, done, failed })
        return
      }
      this.#waiting.set(locationId, [{ job, done, failed }])
      if (this.#options.gathers) setImmediate(() => void this.#drain(locationId))
      else void this.#drain(locationId)
    })
  }

  /** Whether a transaction of the location is running or about to run. */
  isBusy(locationId: string): boolean {
    return this.#waiting.has(locationId)
  }

  /** Resolves when the location's current or next transaction has ended, or after this many milliseconds. */
  async letPass(locationId: string, mostMs: number): Promise<void> {
    if (!this.isBusy(locationId)) return
    // With `gathers`, the transaction begins only at the end of this turn.
    await nextTurn()
    await Promise.race([this.#running.get(locationId), delay(mostMs, undefined, { ref: false })])
  }

  async #drain(locationId: string): Promise<void> {
    for (;;) {
      const queue = this.#waiting.get(locationId) ?? []
      if (queue.length === 0) {
        this.#waiting.delete(locationId)
        this.#running.delete(locationId)
        return
      }
      const running = this.#commit(locationId, queue.splice(0, this.#fitting(queue)))
      this.#running.set(locationId, running)
      await running
    }
  }

  /** Returns how many jobs from the head of the queue fit into one transaction. */
  #fitting(queue: readonly Waiting<Job, Result>[]): number {
    const { sizeOf, sizeLimit = Infinity } = this.#options
    if (!sizeOf) return queue.length
    let size = 0
    let taken = 0
    for (const { job } of queue) {
      size += sizeOf(job)
      if (taken > 0 && size > sizeLimit) break
      taken += 1
    }
    return taken
  }

  async #commit(locationId: string, group: readonly Waiting<Job, Result>[]): Promise<void> {
    try {
      const results = await this.#options.commit(
        locationId,
        group.map(({ job }) => job),
      )
      for (const [i, { done }] of group.entries()) done(results[i] as Result)
    } catch (error) {
      if (group.length > 1 && !isUnavailable(error)) {
        for (const one of group) await this.#commit(locationId, [one])
      } else for (const { failed } of group) failed(error)
    }
  }
}
