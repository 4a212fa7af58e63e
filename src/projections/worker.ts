import type { Pool } from '../store/database.ts'
import type { Hints } from '../store/hints.ts'
import { listDueLocations } from '../store/due-days.ts'
import { listLagging } from '../store/projections.ts'
import { announceDays } from './announcements.ts'
import { stepProjection, type Projection } from './projection.ts'

/** Reads fold what a projection has not taken in yet, so a sweep that is late costs nobody a wrong figure. */
const sweepMs = 30_000

/** A location that was told of waits this long, so that a busy one is folded in stretches and not entry by entry. */
const gatherMs = 500

export type ProjectionWorkerOptions = {
  pool: Pool
  hints: Hints
  projections: readonly Projection[]
  /** Told of what could not be done; it is tried again. */
  onError?: (error: unknown) => void
}

/**
 * Keeps projections close to the head of each journal, and tells of business days that are complete: after commits that it is
 * told of, and by a sweep for the rest.
 */
export class ProjectionWorker {
  readonly #options: ProjectionWorkerOptions
  readonly #due = new Set<string>()
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #sweeper: NodeJS.Timeout | undefined
  #working: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: ProjectionWorkerOptions) {
    this.#options = options
  }

  start(): void {
    this.#unsubscribe = this.#options.hints.subscribe({ committed: (locationId) => this.#add(locationId) })
    this.#sweeper = setInterval(() => void this.#sweep(), sweepMs).unref()
    void this.#sweep()
  }

  /** Resolves when the step under way is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#unsubscribe?.()
    clearInterval(this.#sweeper)
    clearTimeout(this.#timer)
    await this.#working
  }

  #add(locationId: string): void {
    if (this.#stopped) return
    this.#due.add(locationId)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#working = this.#working.then(() => this.#work())
    }, gatherMs).unref()
  }

  async #sweep(): Promise<void> {
    const { pool, projections, onError } = this.#options
    try {
      for (const { name } of projections) for (const id of await listLagging(pool, name)) this.#add(id)
      for (const id of await listDueLocations(pool, new Date())) this.#add(id)
    } catch (error) {
      onError?.(error)
    }
  }

  async #work(): Promise<void> {
    const { pool, hints, projections, onError } = this.#options
    for (const locationId of this.#due) {
      this.#due.delete(locationId)
      try {
        for (const projection of projections) {
          while (!this.#stopped && (await stepProjection(pool, projection, locationId)) === 'behind');
        }
        if (!this.#stopped && (await announceDays(pool, locationId, new Date())) > 0) hints.committed(locationId)
      } catch (error) {
        onError?.(error)
      }
      if (this.#stopped) return
    }
  }
}
