import { isFull, isUnavailable, type Sql } from './database.ts'
import { tryToWrite } from './server.ts'
import { within } from './patience.ts'

type WriteLog = (level: 'error' | 'info', message: string, error?: unknown) => void

/** Interval and timeout, in milliseconds, of the checks whether an unavailable database is back. */
const askMs = 1_000

/** Milliseconds for which the database counts as full after a refused write, unless a write succeeds before then. */
const fullMs = 10_000

const inSeconds = (ms: number) => `${Math.round(ms / 100) / 10} s`

/**
 * Tracks the state of the database for this process, from the errors of its queries. However many errors there are, one
 * line is logged when the database becomes unavailable, and one when it is back.
 */
export class Availability {
  readonly #sql: Sql
  readonly #log: WriteLog
  #awaySince: number | null = null
  #failures = 0
  #fullSince: number | null = null
  #refusedAt = -Infinity
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(sql: Sql, log: WriteLog = () => {}) {
    this.#sql = sql
    this.#log = log
  }

  /** Whether a write was recently refused for lack of space, and none succeeded since. */
  get isFull(): boolean {
    return performance.now() - this.#refusedAt < fullMs
  }

  /** Returns true for an error of the database, which is logged here; other errors are left to the caller. */
  failed(error: unknown): boolean {
    if (isFull(error)) {
      if (this.#fullSince === null) this.#log('error', 'the database is out of space: writes are refused', error)
      this.#fullSince ??= performance.now()
      this.#refusedAt = performance.now()
      return true
    }
    if (!isUnavailable(error)) return false
    this.#failures += 1
    if (this.#awaySince === null && !this.#isClosed) {
      this.#awaySince = performance.now()
      this.#log('error', 'the database does not answer', error)
      this.#askSoon()
    }
    return true
  }

  /** Called when a write succeeded. */
  wrote(): void {
    if (this.#fullSince === null) return
    this.#log('info', `the database accepts writes again, after ${inSeconds(performance.now() - this.#fullSince)}`)
    this.#fullSince = null
    this.#refusedAt = -Infinity
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #askSoon(): void {
    this.#timer = setTimeout(() => void this.#ask(), askMs).unref()
  }

  async #ask(): Promise<void> {
    try {
      await within(askMs, tryToWrite(this.#sql))
    } catch {
      if (!this.#isClosed) this.#askSoon()
      return
    }
    const awayMs = performance.now() - (this.#awaySince ?? 0)
    const refused = `${this.#failures} ${this.#failures === 1 ? 'refusal' : 'refusals'}`
    this.#log('info', `the database answers again, after ${inSeconds(awayMs)} and ${refused}`)
    this.#awaySince = null
    this.#failures = 0
  }
}
