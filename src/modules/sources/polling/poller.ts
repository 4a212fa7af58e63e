import { randomUUID } from 'node:crypto'
import { EventEmitter } from 'node:events'
import { PullFailed } from '../adapters/pull.ts'
import { LeaseLost, claimSource, endRun, findDueSources, type Lease, type RunEnd } from '../store/runs.ts'
import type { SourceRow } from '../store/sources.ts'
import { compareNightly } from './nightly.ts'
import { openSource, Run, RunCut, type RunDeps } from './run.ts'
import { RunSpent } from './spending.ts'
import { hourMs } from '../../../core/domain/days/time-units.ts'

export type PollerOptions = Omit<RunDeps, 'random' | 'leaseMs' | 'isEnding'> & {
  random?: () => number
  leaseMs?: number
  /** Interval between two searches for due sources, in milliseconds. */
  sweepMs?: number
  /** Maximum number of concurrent runs in a process. */
  atOnce?: number
}

type PollerEvents = {
  ran: [{ source: SourceRow; end: RunEnd; accepted: number; documents: number; durationMs: number }]
  failed: [{ error: unknown }]
}

/** Delay of the next run after a failure, doubled each time. */
const firstRetryMs = 15_000
const longestRetryMs = hourMs

const retryMs = (failures: number, random: number) =>
  Math.min(firstRetryMs * 2 ** Math.min(failures, 10), longestRetryMs) * (0.8 + 0.4 * random)

/** Returns the result of a failed run: a failure that waiting does not resolve stops the source. */
export function endOf(error: unknown, { failures }: SourceRow, now: Date, random: number): RunEnd {
  if (error instanceof PullFailed && (error.kind === 'stop' || error.kind === 'missing')) {
    return { kind: 'stopped', error: error.message }
  }
  const retryAfterMs = error instanceof PullFailed ? (error.retryAfterMs ?? 0) : 0
  const dueAt = new Date(now.getTime() + Math.max(retryAfterMs, retryMs(failures, random)))
  return { kind: 'failed', error: error instanceof Error ? error.message : String(error), dueAt }
}

/** Runs one claimed source, from its cursor to now. */
export async function runSource(source: SourceRow, lease: Lease, deps: RunDeps): Promise<{ end: RunEnd; run?: Run }> {
  const { clock, random } = deps
  let run: Run | undefined
  try {
    const began = clock()
    const opened = await openSource(source, deps, lease)
    run = new Run(source, lease, deps, opened)
    const rereadAt = run.isDaily ? began : null
    await run.readAll()
    const comparedAt = (await compareNightly(source, opened, run, deps)) ? began : null
    const dueAt = new Date(clock().getTime() + source.everySeconds * 1_000)
    return { end: { kind: 'done', rereadAt, comparedAt, dueAt }, run }
  } catch (error) {
    if (error instanceof LeaseLost) throw error
    // The run reached a limit and has stored its data, so the next run continues immediately.
    if (error instanceof RunSpent && run?.hasMoved)
      return { end: { kind: 'done', rereadAt: null, comparedAt: null, dueAt: clock() }, run }
    if (error instanceof RunCut) return { end: { kind: 'cut' }, ...(run ? { run } : {}) }
    return { end: endOf(error, source, clock(), random()), ...(run ? { run } : {}) }
  }
}

/** Reads the due sources. A source is read by one process at a time, which holds its lease. */
export class Poller {
  readonly events = new EventEmitter<PollerEvents>()
  readonly #options: RunDeps & Required<Pick<PollerOptions, 'sweepMs' | 'atOnce'>>
  readonly #running = new Map<string, Promise<void>>()
  #sweep: NodeJS.Timeout | undefined
  #stopped = false

  constructor(options: PollerOptions) {
    const isEnding = () => this.#stopped
    this.#options = { random: Math.random, leaseMs: 120_000, sweepMs: 2_000, atOnce: 4, ...options, isEnding }
  }

  start(): void {
    this.#schedule(0)
  }

  /** Begins no further runs. A run in progress stores what it has and ends early; the next run continues from there. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#sweep)
    await Promise.all(this.#running.values())
  }

  /** Searches for due sources now. */
  async look(): Promise<void> {
    const { pool, clock, atOnce } = this.#options
    const free = atOnce - this.#running.size
    if (this.#stopped || free <= 0) return
    for (const { locationId, id } of await findDueSources(pool, clock(), free)) {
      if (this.#running.has(id)) continue
      const running = this.#run(locationId, id).finally(() => this.#running.delete(id))
      this.#running.set(id, running)
    }
  }

  #schedule(ms: number): void {
    if (this.#stopped) return
    this.#sweep = setTimeout(() => {
      this.look()
        .catch((error: unknown) => this.events.emit('failed', { error }))
        .finally(() => this.#schedule(this.#options.sweepMs))
    }, ms)
  }

  async #run(locationId: string, id: string): Promise<void> {
    const { pool, clock, leaseMs } = this.#options
    const lease = { locationId, id, token: randomUUID() }
    const beganMs = performance.now()
    try {
      const source = await claimSource(pool, { ...lease, now: clock(), leaseMs })
      if (!source) return
      const { end, run } = await runSource(source, lease, this.#options)
      await endRun(pool, lease, end, clock())
      const { accepted = 0, documents = 0 } = run ?? {}
      this.events.emit('ran', { source, end, accepted, documents, durationMs: performance.now() - beganMs })
    } catch (error) {
      if (!(error instanceof LeaseLost)) this.events.emit('failed', { error })
    }
  }
}
