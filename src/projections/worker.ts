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

/**
 * A location that is pushed to without a pause is folded stretch by stretch, and rests for so many times what one took: pushes
 * go first (decision 0061), and reads fold what stands behind. As soon as nothing comes for the time of one stretch, the rest is done at once.
 */
const restTimes = 12

const longestRestMs = 10_000

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
  readonly #resting = new Map<string, NodeJS.Timeout>()
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
    for (const timer of this.#resting.values()) clearTimeout(timer)
    await this.#working
  }

  #add(locationId: string): void {
    if (this.#stopped || this.#resting.has(locationId)) return
    this.#due.add(locationId)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#working = this.#working.then(() => this.#work())
    }, gatherMs).unref()
  }

  async #sweep(): Promise<void> {
    const { pool, projections, onError } = this.#options
    try {
      for (const { name, rules } of projections) for (const id of await listLagging(pool, name, rules)) this.#add(id)
      for (const id of await listDueLocations(pool, new Date())) this.#add(id)
    } catch (error) {
      onError?.(error)
    }
  }

  #rest(locationId: string, ms: number): void {
    const end = () => {
      this.#resting.delete(locationId)
      this.#add(locationId)
    }
    this.#resting.set(locationId, setTimeout(end, ms).unref())
  }

  async #work(): Promise<void> {
    for (const locationId of this.#due) {
      this.#due.delete(locationId)
      const beganMs = performance.now()
      const told = await this.#moveOn(locationId)
      const tookMs = performance.now() - beganMs
      const isBusy = this.#due.delete(locationId)
      if (this.#stopped) return
      if (isBusy) this.#rest(locationId, Math.min(tookMs * restTimes, longestRestMs))
      if (told > 0) this.#options.hints.committed(locationId)
    }
  }

  /**
   * Folds what stands behind the cursors of a location, all of it unless more is pushed meanwhile, and tells of its days.
   * Resolves to how many it told of; what cannot be done is tried again with the next sweep.
   */
  async #moveOn(locationId: string): Promise<number> {
    const { pool, projections, onError } = this.#options
    const goesOn = () => !this.#stopped && !this.#due.has(locationId)
    try {
      for (const projection of projections) {
        while ((await stepProjection(pool, projection, locationId)) === 'behind' && goesOn());
      }
      return this.#stopped ? 0 : await announceDays(pool, locationId, new Date())
    } catch (error) {
      onError?.(error)
      return 0
    }
  }
}
