import { randomUUID } from 'node:crypto'
import { isUnavailable, transact, type Pool } from '../store/database.ts'
import { insertRejected, type RejectedRecord } from '../store/rejected.ts'
import { applyRecords, type Outcome } from './apply.ts'
import type { Incoming, Rejection } from './records.ts'

/** Records per transaction (docs/ingest.md). */
export const batchSize = 500

/** Of an over-long or broken record this much is kept. */
const rejectedTextLimit = 1024 * 1024

type Submission = {
  records: readonly Incoming[]
  rejected: readonly Rejection[]
  keyId: string | null
  done: (outcomes: Outcome[]) => void
  failed: (error: unknown) => void
}

function toRow(rejection: Rejection, keyId: string | null, receivedAt: Date): RejectedRecord {
  const { line, code, detail } = rejection
  const record = rejection.record.slice(0, rejectedTextLimit).toWellFormed()
  return { id: randomUUID(), receivedAt, keyId, line, code, detail, errors: JSON.stringify(rejection.errors), record }
}

/**
 * Writes what tills push. Pushes of one location that arrive while a transaction of it runs share the next one: one
 * fsync acknowledges them all, and single pushes do not queue for the location's row one by one.
 */
export class Writer {
  readonly #pool: Pool
  readonly #clock: () => Date
  readonly #onCommit: (locationId: string) => void
  readonly #waiting = new Map<string, Submission[]>()

  constructor(pool: Pool, clock: () => Date, onCommit: (locationId: string) => void = () => {}) {
    this.#pool = pool
    this.#clock = clock
    this.#onCommit = onCommit
  }

  /** Resolves after commit, with an outcome per record in their order. Rejections are kept in the same transaction. */
  write(
    locationId: string,
    records: readonly Incoming[],
    rejected: readonly Rejection[],
    keyId: string | null,
  ): Promise<Outcome[]> {
    if (records.length === 0 && rejected.length === 0) return Promise.resolve([])
    return new Promise((done, failed) => {
      const submission = { records, rejected, keyId, done, failed }
      const queue = this.#waiting.get(locationId)
      if (queue) {
        queue.push(submission)
        return
      }
      this.#waiting.set(locationId, [submission])
      void this.#drain(locationId)
    })
  }

  async #drain(locationId: string): Promise<void> {
    for (;;) {
      const queue = this.#waiting.get(locationId) ?? []
      if (queue.length === 0) {
        this.#waiting.delete(locationId)
        return
      }
      let size = 0
      let taken = 0
      for (const { records } of queue) {
        if (taken > 0 && size + records.length > batchSize) break
        size += records.length
        taken += 1
      }
      await this.#commit(locationId, queue.splice(0, taken))
    }
  }

  async #commit(locationId: string, submissions: Submission[]): Promise<void> {
    try {
      const outcomes = await this.#transaction(locationId, submissions)
      let at = 0
      for (const { records, done } of submissions) done(outcomes.slice(at, (at += records.length)))
      this.#onCommit(locationId)
    } catch (error) {
      // One push that the database refuses must not take its neighbours down: each tries again alone.
      if (submissions.length > 1 && !isUnavailable(error)) {
        for (const submission of submissions) await this.#commit(locationId, [submission])
      } else for (const { failed } of submissions) failed(error)
    }
  }

  #transaction(locationId: string, submissions: readonly Submission[]): Promise<Outcome[]> {
    const now = this.#clock()
    const records = submissions.flatMap((submission) => submission.records)
    const rows = submissions.flatMap(({ rejected, keyId }) => rejected.map((one) => toRow(one, keyId, now)))
    return transact(this.#pool, async (tx) => {
      const outcomes = records.length > 0 ? await applyRecords(tx, locationId, records, now) : []
      await insertRejected(tx, locationId, rows)
      return outcomes
    })
  }
}
