import type { Pool } from './database.ts'

/**
 * Tells the time of the database, for what several processes must agree on: leases, and when an event is tried again.
 * It runs on this process's monotonic clock from the last measurement, so neither a wrong system clock nor one that is
 * set right in between matters.
 */
export class DatabaseClock {
  readonly #pool: Pool
  /** Unix time of the database when `performance.now()` was 0; null before the first measurement. */
  #startMs: number | null = null

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * Asks the database. It read its clock between question and answer, so a slow answer tells little: what is known is
   * kept as long as it lies between the two. Rejects with what the database says.
   */
  async measure(): Promise<void> {
    const pool = this.#pool
    const askedMs = performance.now()
    const [row] = await pool<{ ms: number }[]>`
      select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms`
    const answeredMs = performance.now()
    const ms = Number(row?.ms)
    const isKnown = this.#startMs !== null && this.#startMs >= ms - answeredMs && this.#startMs <= ms - askedMs
    if (!isKnown) this.#startMs = ms - (askedMs + answeredMs) / 2
  }

  /** Returns the time of the database; until the first measurement, the process's own. */
  now(): Date {
    return new Date(this.#startMs === null ? Date.now() : this.#startMs + performance.now())
  }

  /** By how much this process's system clock is ahead, in milliseconds; null before the first measurement. */
  get offsetMs(): number | null {
    return this.#startMs === null ? null : Date.now() - (this.#startMs + performance.now())
  }
}
