import type { Pool } from './database.ts'

/**
 * The time of the database, for leases and retries, on which several processes must agree. After a measurement it
 * continues on this process's monotonic clock, so neither a wrong system clock nor its correction matters.
 */
export class DatabaseClock {
  readonly #pool: Pool
  /** Unix time of the database when `performance.now()` was 0; null before the first measurement. */
  #startMs: number | null = null

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /**
   * Asks the database for its time. The database reads its clock at some moment between question and answer, so a slow
   * answer is imprecise: a known offset within that interval is kept. Rejects with the error of the database.
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

  /** Returns the time of the database; before the first measurement, that of the process. */
  now(): Date {
    return new Date(this.#startMs === null ? Date.now() : this.#startMs + performance.now())
  }

  /** How far this process's system clock is ahead, in milliseconds; null before the first measurement. */
  get offsetMs(): number | null {
    return this.#startMs === null ? null : Date.now() - (this.#startMs + performance.now())
  }
}
