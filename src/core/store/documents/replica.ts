import { isUnavailable } from '../db/database.ts'
import type { Reads } from '../../contract/paging/pages.ts'

type WriteLog = (level: 'warn' | 'info', message: string, error?: unknown) => void

/** Milliseconds for which a replica is not used after a read failed. */
const restMs = 2_000

/** SQLSTATE of a read that a replica cancelled to follow its primary; a repeated read may succeed. */
const conflict = '40001'

/**
 * Reads from a replica, which lags a little. If a read fails, the caller reads the primary. One line is logged when the
 * replica fails, and one when it is back.
 */
export class Replica {
  readonly #open: () => Promise<Reads>
  readonly #log: WriteLog
  readonly #nowMs: () => number
  readonly #drop: () => void
  #restsUntil = -Infinity
  #isAway = false
  /** Number of failures since the process began. */
  failures = 0

  /** `open` is called for each read; `drop` is called if its result cannot be used, before the next `open`. */
  constructor(
    { open, drop = () => {} }: { open: () => Promise<Reads>; drop?: () => void },
    log: WriteLog,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#open = open
    this.#drop = drop
    this.#log = log
    this.#nowMs = nowMs
  }

  /** Resolves to the result of the work on the replica; undefined if the replica cannot answer now. */
  async read<T>(work: (reads: Reads) => Promise<T>): Promise<T | undefined> {
    if (this.#nowMs() < this.#restsUntil) return undefined
    try {
      const found = await work(await this.#open())
      if (this.#isAway) this.#log('info', 'the read replica answers again')
      this.#isAway = false
      return found
    } catch (error) {
      if ((error as { code?: unknown }).code === conflict) return undefined
      this.#restsUntil = this.#nowMs() + restMs
      this.failures += 1
      this.#drop()
      const words = isUnavailable(error) ? 'does not answer' : 'cannot be used'
      if (!this.#isAway) this.#log('warn', `the read replica ${words}: the primary is used instead`, error)
      this.#isAway = true
      return undefined
    }
  }
}
