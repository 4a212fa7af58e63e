import type { Completeness } from '../schemas/completeness.ts'
import { snapshot, type Pool, type Transaction } from '../../../core/store/db/database.ts'
import { readCompleteness } from './days-answer.ts'
import { daysProjection, readPendingDays } from './days.ts'
import { readExactly } from './exact.ts'

/** The time until which everything of a location has arrived, and the journal number at which that was read. */
type Known = { sequence: number; completeUntil: string | null }

/** The values read for a location, the latest first, and when the latest was read. */
type Kept = { readMs: number; known: Known[] }

/** Shortest time between two queries about a location, however often it is read. */
const restMs = 1_000

/** Age at which a value is read again even if nothing was pushed, because devices become idle and days end. */
const agedMs = 60_000

/** Number of values kept for each location, so that an answer from a lagging replica gets the value of its sequence. */
const keptOf = 4

/**
 * Maximum pause before the next location: the pause grows with the last query, and the first query of a location can be
 * slow.
 */
const longestRestMs = 5_000

/** Share of the time spent on queries, for any number of locations; more if one query takes over half a second. */
const share = 0.1

/**
 * The time until which all data has arrived, for the header of reads. The value is cached in the process and refreshed
 * in the background, so that a read costs a map access. It was valid at the journal number of the read or at an earlier
 * number, so it may be some seconds old; it is later than the actual time only if a till withdrew its report.
 */
export class Watermarks {
  readonly #pool: Pool
  readonly #clock: () => Date
  readonly #kept = new Map<string, Kept>()
  readonly #reading = new Map<string, Promise<void>>()
  readonly #due = new Set<string>()
  #isWorking = false
  #ended = false

  constructor(pool: Pool, clock: () => Date) {
    this.#pool = pool
    this.#clock = clock
  }

  /** Returns whether a value was read for a location; if not, call `warm`. */
  isWarm(locationId: string): boolean {
    return this.#kept.has(locationId)
  }

  /** Reads the value for a location for the first time; if projections must be built first, it is available later. */
  async warm(locationId: string): Promise<void> {
    if (this.#kept.has(locationId)) return
    await this.#read(locationId, () => snapshot(this.#pool, (tx) => this.#look(tx, locationId)))
  }

  /** Returns the value as of a journal sequence; null while unknown. */
  at(locationId: string, sequence: number): string | null {
    const kept = this.#kept.get(locationId)
    const age = performance.now() - (kept?.readMs ?? 0)
    const isCurrent = kept?.known[0]?.sequence === sequence && age < agedMs
    if (!isCurrent && (!kept || age > restMs)) this.#add(locationId)
    return kept?.known.find((known) => known.sequence <= sequence)?.completeUntil ?? null
  }

  /** Stops further queries without waiting for running ones. */
  end(): void {
    this.#ended = true
    this.#due.clear()
  }

  #add(locationId: string): void {
    if (this.#ended) return
    this.#due.add(locationId)
    if (this.#isWorking) return
    this.#isWorking = true
    void this.#work()
  }

  async #work(): Promise<void> {
    for (const locationId of this.#due) {
      this.#due.delete(locationId)
      const beganMs = performance.now()
      await this.#read(locationId, () => {
        return readExactly(this.#pool, locationId, daysProjection, (tx) => this.#look(tx, locationId))
      })
      const tookMs = performance.now() - beganMs
      await new Promise((resolve) => setTimeout(resolve, Math.min(tookMs * (1 / share - 1), longestRestMs)).unref())
    }
    this.#isWorking = false
  }

  async #look(tx: Transaction, locationId: string): Promise<Completeness | undefined> {
    const live = await readPendingDays(tx, locationId)
    return live && readCompleteness(tx, locationId, live, this.#clock())
  }

  #read(locationId: string, ask: () => Promise<Completeness | undefined>): Promise<void> {
    let reading = this.#reading.get(locationId)
    if (!reading) {
      reading = this.#keep(locationId, ask).finally(() => this.#reading.delete(locationId))
      this.#reading.set(locationId, reading)
    }
    return reading
  }

  /** Requests a value and stores it. Never rejects: reads continue without a value. */
  async #keep(locationId: string, ask: () => Promise<Completeness | undefined>): Promise<void> {
    const found = await ask().catch(() => undefined)
    const before = this.#kept.get(locationId)?.known ?? []
    const known = found ? [{ sequence: found.sequence, completeUntil: found.completeUntil }, ...before] : before
    this.#kept.set(locationId, { readMs: performance.now(), known: known.slice(0, keptOf) })
  }
}
