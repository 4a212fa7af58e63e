import type { Pool } from '../../../core/store/db/database.ts'
import type { Hints } from '../../../core/store/db/hints.ts'
import { listDueLocations } from '../store/due-days.ts'
import { listLagging } from '../store/projections.ts'
import { announceDays } from './announcements.ts'
import { stepProjection, type Projection } from './projection.ts'
import { readOnce } from './stretches.ts'
import type { Context } from '../../../core/http/context.ts'

/** Work of another module for a location after its journal was folded. */
export type Follower = {
  /** Lists locations to process although nothing arrived. */
  listDue(): Promise<string[]>
  /** Handles newly announced days, and returns the number of entries it wrote. */
  afterFold(locationId: string, announced: number): Promise<number>
}

declare module '../../../core/modules.ts' {
  interface ModuleServer {
    /** Follows the folds of projections. */
    follow?(context: Context): Follower
  }
}

/** Interval of sweeps. A read processes the entries after a projection's cursor itself, so a late sweep never causes a wrong figure. */
const usualSweepMs = 30_000

/** Delay after a hint (the notice of new entries of a location), so that entries are processed in batches. */
const gatherMs = 500

/** A location with a hint within this time counts as being pushed to. */
const pauseMs = 250

/**
 * Pushes go first (docs/inside/07-figures.md). A location with constant pushes waits at most this long, and is then folded for `turnMs`, a
 * hundredth of this time; reads fold the rest in memory. When pushes pause, everything is folded.
 */
const longestWaitMs = 5_000

/** Maximum time for which a location is folded while another is due, in milliseconds. */
const turnMs = 50

/** The times of the first and the last hint of a location, by the monotonic clock in milliseconds. */
type Due = { firstMs: number; lastMs: number }

/** Returns whether folding waits while a location is being pushed to. */
export const waits = ({ firstMs, lastMs }: Due, nowMs: number): boolean =>
  nowMs - lastMs < pauseMs && nowMs - firstMs < longestWaitMs

export type ProjectionWorkerOptions = {
  pool: Pool
  hints: Hints
  projections: readonly Projection[]
  /** The work of other modules after each fold. */
  followers?: readonly Follower[]
  /** Milliseconds between two sweeps over all locations, for changes without a hint. */
  sweepMs?: number
  /** Monotonic milliseconds that measure turns and pauses; timers do not use them. */
  nowMs?: () => number
  /** Called for a failure, which is retried. */
  onError?: (error: unknown) => void
}

/**
 * Keeps projections close to the head of each journal, and announces complete business days: after commits that hints
 * report, and in periodic sweeps for all other changes.
 */
export class ProjectionWorker {
  readonly #options: ProjectionWorkerOptions
  readonly #nowMs: () => number
  readonly #due = new Map<string, Due>()
  #unsubscribe: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #sweeper: NodeJS.Timeout | undefined
  #working: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(options: ProjectionWorkerOptions) {
    this.#options = options
    this.#nowMs = options.nowMs ?? (() => performance.now())
  }

  start(): void {
    this.#unsubscribe = this.#options.hints.subscribe({ committed: (locationId) => this.#add(locationId) })
    this.#sweeper = setInterval(() => void this.#sweep(), this.#options.sweepMs ?? usualSweepMs).unref()
    void this.#sweep()
  }

  /** Resolves when the current step is done. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#unsubscribe?.()
    clearInterval(this.#sweeper)
    this.#cancel()
    await this.#working
  }

  #add(locationId: string): void {
    if (this.#stopped) return
    const now = this.#nowMs()
    const due = this.#due.get(locationId)
    if (due) due.lastMs = now
    else this.#due.set(locationId, { firstMs: now, lastMs: now })
    this.#schedule(gatherMs)
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#working = this.#working.then(() => this.#work())
    }, ms).unref()
  }

  #cancel(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #sweep(): Promise<void> {
    const { pool, projections, followers = [], onError } = this.#options
    try {
      for (const { name, rules } of projections) for (const id of await listLagging(pool, name, rules)) this.#add(id)
      for (const id of await listDueLocations(pool, new Date())) this.#add(id)
      for (const follower of followers) for (const id of await follower.listDue()) this.#add(id)
    } catch (error) {
      onError?.(error)
    }
  }

  async #work(): Promise<void> {
    let isBehind = false
    // The locations due now. A location that is not finished is moved behind locations that have become due in the
    // meantime.
    const dueNow = [...this.#due]
    for (const [locationId, due] of dueNow) {
      if (this.#stopped) return
      if (waits(due, this.#nowMs())) continue
      this.#due.delete(locationId)
      const isDone = await this.#moveOn(locationId)
      if (isDone || this.#due.has(locationId)) continue
      const left = { firstMs: this.#nowMs(), lastMs: due.lastMs }
      this.#due.set(locationId, left)
      isBehind ||= !waits(left, this.#nowMs())
    }
    if (this.#stopped || this.#due.size === 0) return
    if (isBehind) this.#cancel()
    this.#schedule(isBehind ? 0 : gatherMs)
  }

  /**
   * Folds the entries after the cursors of a location, for one turn or until another location is due, and announces its days. False if
   * more is left; a failure is retried with the next sweep.
   */
  async #moveOn(locationId: string): Promise<boolean> {
    const { pool, hints, followers = [], onError } = this.#options
    const endMs = this.#nowMs() + turnMs
    let behind = this.#options.projections
    const read = readOnce()
    try {
      do {
        const left: Projection[] = []
        for (const projection of behind) {
          if ((await stepProjection(pool, projection, locationId, read)) === 'behind') left.push(projection)
        }
        behind = left
      } while (behind.length > 0 && !this.#stopped && (this.#due.size === 0 || this.#nowMs() < endMs))
      // Announcements must be exact at the head: while more entries wait than a read processes, a check would be
      // useless.
      if (behind.length > 0 || this.#stopped) return behind.length === 0
      const announcements = await announceDays(pool, locationId, new Date())
      let written = announcements
      for (const follower of followers) written += await follower.afterFold(locationId, announcements)
      if (written > 0) hints.committed(locationId)
      return true
    } catch (error) {
      onError?.(error)
      return true
    }
  }
}
