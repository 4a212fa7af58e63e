import { randomUUID } from 'node:crypto'
import { breakerThreshold, retryWaitMs } from '../domain/retry-schedule.ts'
import type { Pool } from '../store/database.ts'
import { pruneDeliveries } from '../store/webhook-attempts.ts'
import type { Hints } from '../store/hints.ts'
import { claimWebhooks, findDueLocations } from '../store/leases.ts'
import { EngineEvents, type FailedWork } from './engine-events.ts'
import { JournalTail } from './journal-tail.ts'
import { Recorder } from './recorder.ts'
import type { Sender } from './sender/send.ts'
import { Session } from './session.ts'
import type { SessionDeps } from './session-deps.ts'

export type EngineOptions = {
  pool: Pool
  hints: Hints
  sender: Sender
  clock?: () => Date
  random?: () => number
  /** Instead of the schedule; tests shorten it. */
  retryWait?: typeof retryWaitMs
  /** How long another worker waits for a dead one's webhooks. */
  leaseMs?: number
  sweepMs?: number
  inFlight?: number
  /** Age at which entries of the delivery log are deleted. */
  retentionMs?: number
}

const dayMs = 86_400_000

const pruneEveryMs = 3_600_000

/**
 * The delivery worker. A hint names a location with news, a sweep each second finds what hints missed; either way the
 * webhooks with something to do are leased and each runs a session of its own. Any number of workers share a database.
 */
export class DeliveryEngine {
  readonly events = new EngineEvents()
  readonly #options: Required<EngineOptions>
  readonly #deps: SessionDeps
  readonly #sessions = new Map<Session, string>()
  readonly #running = new Set<Promise<void>>()
  /** Locations being claimed; true when a hint came meanwhile. */
  readonly #claiming = new Map<string, boolean>()
  #sweep: NodeJS.Timeout | undefined
  #prunedAt = 0
  #unsubscribe: () => void = () => {}
  #stopped = false

  constructor(options: EngineOptions) {
    this.#options = {
      clock: () => new Date(),
      random: Math.random,
      retryWait: retryWaitMs,
      leaseMs: 10_000,
      sweepMs: 1_000,
      inFlight: 8,
      retentionMs: 30 * dayMs,
      ...options,
    }
    const { pool, sender, clock, random, retryWait, leaseMs, inFlight } = this.#options
    const shared = { tail: new JournalTail(pool), recorder: new Recorder(pool), events: this.events }
    this.#deps = { pool, sender, clock, random, retryWait, leaseMs, inFlight, ...shared }
  }

  start(): void {
    this.#unsubscribe = this.#options.hints.subscribe({
      committed: (locationId) => this.#look(locationId),
      changed: (webhookId) => this.#restart(webhookId),
    })
    this.#scheduleSweep(0)
  }

  /** Ends in order: nothing new is begun, what is under way is recorded, leases are given back. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#unsubscribe()
    clearTimeout(this.#sweep)
    for (const session of this.#sessions.keys()) session.stop()
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #scheduleSweep(ms: number): void {
    if (this.#stopped) return
    this.#sweep = setTimeout(() => this.#track(this.#runSweep()), ms)
  }

  async #runSweep(): Promise<void> {
    const { pool, clock, sweepMs } = this.#options
    const startedMs = performance.now()
    try {
      const due = await findDueLocations(pool, clock(), breakerThreshold)
      for (const locationId of due) void this.#claim(locationId)
      this.events.emit('swept', { due: due.length, durationMs: performance.now() - startedMs })
      await this.#prune()
    } catch (error) {
      this.#failed('sweep', error)
    } finally {
      this.#scheduleSweep(sweepMs)
    }
  }

  async #prune(): Promise<void> {
    const { pool, clock, retentionMs } = this.#options
    const nowMs = clock().getTime()
    if (nowMs - this.#prunedAt <= pruneEveryMs) return
    this.#prunedAt = nowMs
    await pruneDeliveries(pool, new Date(nowMs - retentionMs)).catch((error: unknown) => this.#failed('prune', error))
  }

  #look(locationId: string): void {
    for (const [session, of] of this.#sessions) if (of === locationId) session.lookAgain()
    void this.#claim(locationId)
  }

  /** A change by hand has ended the lease: the session is over, and the next one works with the new values. */
  #restart(webhookId: string): void {
    for (const session of this.#sessions.keys()) if (session.webhookId === webhookId) session.stop()
  }

  async #claim(locationId: string): Promise<void> {
    if (this.#stopped) return
    if (this.#claiming.has(locationId)) {
      this.#claiming.set(locationId, true)
      return
    }
    this.#claiming.set(locationId, false)
    const claimed = this.#claimOnce(locationId).finally(() => {
      const again = this.#claiming.get(locationId) === true
      this.#claiming.delete(locationId)
      if (again) void this.#claim(locationId)
    })
    await this.#track(claimed)
  }

  async #claimOnce(locationId: string): Promise<void> {
    const { pool, clock, leaseMs } = this.#options
    try {
      const now = clock()
      const token = randomUUID()
      const until = new Date(now.getTime() + leaseMs)
      const webhooks = await claimWebhooks(pool, locationId, { token, until, now, breakerThreshold })
      if (webhooks.length === 0) return
      this.events.emit('claimed', { locationId, webhookIds: webhooks.map(({ id }) => id) })
      for (const webhook of webhooks) void this.#track(this.#run(new Session(webhook, token, this.#deps), locationId))
    } catch (error) {
      this.#failed('claim', error, locationId)
    }
  }

  async #run(session: Session, locationId: string): Promise<void> {
    this.#sessions.set(session, locationId)
    if (this.#stopped) session.stop()
    try {
      await session.run()
      // What was committed between its last look and the end of its lease would wait for the sweep.
      void this.#claim(locationId)
    } catch (error) {
      this.#failed('session', error, locationId, session.webhookId)
    } finally {
      this.#sessions.delete(session)
      this.events.emit('rested', { locationId, webhookId: session.webhookId })
    }
  }

  #failed(work: FailedWork, error: unknown, locationId: string | null = null, webhookId: string | null = null): void {
    this.events.emit('failed', { work, error, locationId, webhookId })
  }

  #track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => this.#running.delete(tracked))
    this.#running.add(tracked)
    return tracked
  }
}
