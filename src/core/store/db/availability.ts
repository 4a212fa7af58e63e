import { isFull, isUnavailable, type Sql } from './database.ts'
import { tryToWrite } from './server.ts'
import { within } from './patience.ts'

type Tell = (level: 'error' | 'info', message: string, error?: unknown) => void

/** While the database is away it is asked this often whether it is back, and so long is waited for the answer. */
const askMs = 1_000

/** A refused write says so long that there is no room, unless another one is done meanwhile. */
const fullMs = 10_000

const inSeconds = (ms: number) => `${Math.round(ms / 100) / 10} s`

/**
 * Keeps what this process knows of the database, from the errors of those who query it. However many errors there are,
 * it logs one line when the database goes, and one when it is back: readers of the log want to see the cause and not
 * its echoes.
 */
export class Availability {
  readonly #sql: Sql
  readonly #tell: Tell
  #awaySince: number | null = null
  #failures = 0
  #fullSince: number | null = null
  #refusedAt = -Infinity
  #timer: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(sql: Sql, tell: Tell = () => {}) {
    this.#sql = sql
    this.#tell = tell
  }

  /** Whether a write was refused for lack of room a moment ago, and none was done since. */
  get isFull(): boolean {
    return performance.now() - this.#refusedAt < fullMs
  }

  /** Returns true when the error is the database's, which is logged here; any other error is left to the caller. */
  failed(error: unknown): boolean {
    if (isFull(error)) {
      if (this.#fullSince === null) this.#tell('error', 'the database is out of space: writes are refused', error)
      this.#fullSince ??= performance.now()
      this.#refusedAt = performance.now()
      return true
    }
    if (!isUnavailable(error)) return false
    this.#failures += 1
    if (this.#awaySince === null && !this.#isClosed) {
      this.#awaySince = performance.now()
      this.#tell('error', 'the database does not answer', error)
      this.#askSoon()
    }
    return true
  }

  /** Something was stored. */
  wrote(): void {
    if (this.#fullSince === null) return
    this.#tell('info', `the database accepts writes again, after ${inSeconds(performance.now() - this.#fullSince)}`)
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
    this.#tell('info', `the database answers again, after ${inSeconds(awayMs)} and ${refused}`)
    this.#awaySince = null
    this.#failures = 0
  }
}
