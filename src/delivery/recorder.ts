import type { Pool } from '../store/database.ts'
import { recordProgress, type Progress } from '../store/leases.ts'

type Report = { progress: Progress; done: (held: boolean) => void; failed: (error: unknown) => void }

/**
 * Commits what sessions did. Reports of one location that arrive while a transaction of it runs share the next one, so
 * two hundred webhooks told of one event are a handful of transactions.
 */
export class Recorder {
  readonly #pool: Pool
  readonly #waiting = new Map<string, Report[]>()

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** Resolves after commit: whether the session's lease still held. */
  record(locationId: string, progress: Progress): Promise<boolean> {
    return new Promise((done, failed) => {
      const report = { progress, done, failed }
      const queue = this.#waiting.get(locationId)
      if (queue) {
        queue.push(report)
        return
      }
      this.#waiting.set(locationId, [report])
      setImmediate(() => void this.#drain(locationId))
    })
  }

  async #drain(locationId: string): Promise<void> {
    for (;;) {
      const reports = this.#waiting.get(locationId) ?? []
      if (reports.length === 0) {
        this.#waiting.delete(locationId)
        return
      }
      this.#waiting.set(locationId, [])
      try {
        const held = await recordProgress(
          this.#pool,
          locationId,
          reports.map(({ progress }) => progress),
        )
        for (const [i, { done }] of reports.entries()) done(held[i] === true)
      } catch (error) {
        for (const { failed } of reports) failed(error)
      }
    }
  }
}
