import { randomUUID } from 'node:crypto'
import { breakerThreshold, retrySchedule, type RetrySchedule } from '../domain/journal/retry-schedule.ts'
import { DatabaseClock } from '../store/db/database-clock.ts'
import type { Pool } from '../store/db/database.ts'
import type { Hints } from '../store/db/hints.ts'
import { claimWebhooks, findDueLocations, hastenProbes, type Due } from '../store/webhooks/leases.ts'
import { listEnabledWebhooks } from '../contract/webhooks/rows.ts'
import { Alarms } from './alarms.ts'
import { EngineEvents, type FailedWork } from './engine-events.ts'
import { Housekeeping } from './housekeeping.ts'
import { JournalTail } from './journal-tail.ts'
import { Recorder } from './recorder.ts'
import { RestingWebhooks } from './resting-webhooks.ts'
import type { Sender } from './sender/send.ts'
import { Session } from './session.ts'
import type { SessionDeps } from './session-deps.ts'
import { dayMs } from '../domain/days/time-units.ts'

export type EngineOptions = {
  pool: Pool
  hints: Hints
  sender: Sender
  /** Replaces the database's clock in tests. */
  clock?: () => Date
  random?: () => number
  schedule?: RetrySchedule
  /** Milliseconds after which another worker takes over the webhooks of a dead worker. */
  leaseMs?: number
  /** Milliseconds between sweeps while hints may be lost; five times as long while hints arrive. */
  sweepMs?: number
  inFlight?: number
  /** Age at which entries of the delivery log are deleted. */
  retentionMs?: number
  /** Age at which rejected records and warnings are deleted. */
  noticeMs?: number
}

/** Factor by which the interval of sweeps is longer while hints arrive. */
const sweepsSaved = 5

/** Maximum delay of a timer in milliseconds: a timer with a longer delay fires at once. */
const longestTimerMs = 2 ** 31 - 1

/** Milliseconds between measurements of the database's clock. */
const measureEveryMs = 10_000

/** After a receiver has recovered, the other webhooks of its host are woken at most once in this many milliseconds. */
const wakeEveryMs = 1_000

/**
 * Runs the delivery worker. A hint names a location with new entries. A sweep finds what hints missed, and the retries
 * and ends of leases that are due before the next sweep. Sweeps run every second while hints may be lost, otherwise
 * every five seconds. Each webhook with work is leased by a session. Any number of workers can share a database.
 */
export class DeliveryEngine {
  readonly events = new EngineEvents()
  readonly #options: Required<EngineOptions>
  readonly #deps: SessionDeps
  readonly #sessions = new Map<Session, string>()
  readonly #running = new Set<Promise<void>>()
  /** The locations being claimed; true if a hint has arrived since the claim began. */
  readonly #claiming = new Map<string, boolean>()
  readonly #resting = new RestingWebhooks()
  /** Ids of the enabled webhooks, by location, as read since the last sweep or change of a webhook. */
  #enabled = new Map<string, readonly string[]>()
  readonly #databaseClock: DatabaseClock
  readonly #housekeeping: Housekeeping
  readonly #alarms = new Alarms((locationId) => void this.#claim(locationId))
  /** When a host's webhooks were last woken, by the monotonic clock. */
  readonly #woken = new Map<string, number>()
  #sweep: NodeJS.Timeout | undefined
  #measuredMs = -Infinity
  #unsubscribe: () => void = () => {}
  #stopped = false

  constructor(options: EngineOptions) {
    this.#databaseClock = new DatabaseClock(options.pool)
    this.#options = {
      clock: () => this.#databaseClock.now(),
      random: Math.random,
      schedule: retrySchedule(),
      leaseMs: 10_000,
      sweepMs: 1_000,
      inFlight: 8,
      retentionMs: 30 * dayMs,
      noticeMs: 30 * dayMs,
      ...options,
    }
    const { pool, sender, clock, random, schedule, leaseMs, inFlight, retentionMs, noticeMs } = this.#options
    this.#housekeeping = new Housekeeping({ pool, events: this.events, clock, retentionMs, noticeMs })
    const shared = { tail: new JournalTail(pool), recorder: new Recorder(pool), events: this.events }
    // Disabling a webhook adds a journal entry, for other webhooks of the location and readers of the feed.
    this.events.on('disabled', ({ locationId }) => options.hints.committed(locationId))
    const isWellAgain = (endpointUrl: string) => void this.#track(this.#wakeHost(endpointUrl))
    this.#deps = { pool, sender, clock, random, schedule, leaseMs, inFlight, isWellAgain, ...shared }
  }

  start(): void {
    this.#unsubscribe = this.#options.hints.subscribe({
      committed: (locationId) => this.#look(locationId),
      changed: (webhookId) => this.#restart(webhookId),
    })
    this.#scheduleSweep(0)
  }

  /** Stops in order: nothing new is begun, work in progress is recorded, leases are released. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#unsubscribe()
    clearTimeout(this.#sweep)
    this.#alarms.clear()
    for (const session of this.#sessions.keys()) session.stop()
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #scheduleSweep(ms: number): void {
    if (this.#stopped) return
    this.#sweep = setTimeout(() => this.#track(this.#runSweep()), ms)
  }

  get #due(): Due {
    const { clock, schedule } = this.#options
    return { now: clock(), breakerThreshold, longestRetryMs: schedule.longestMs }
  }

  async #runSweep(): Promise<void> {
    const startedMs = performance.now()
    const { pool, hints, sweepMs } = this.#options
    const nextMs = hints.isHearing() ? Math.min(sweepMs * sweepsSaved, longestTimerMs) : sweepMs
    try {
      if (startedMs - this.#measuredMs > measureEveryMs) {
        await this.#databaseClock.measure()
        this.#measuredMs = startedMs
      }
      const found = await findDueLocations(pool, this.#due, nextMs)
      this.#enabled = new Map()
      const due = found.filter(({ inMs }) => inMs === 0)
      for (const { locationId } of due) void this.#claim(locationId, true)
      for (const { locationId, inMs } of found) if (inMs > 0) this.#wakeIn(locationId, inMs)
      const { offsetMs: clockOffsetMs } = this.#databaseClock
      this.events.emit('swept', { due: due.length, durationMs: performance.now() - startedMs, clockOffsetMs, nextMs })
      await this.#housekeeping.run()
    } catch (error) {
      this.#failed('sweep', error)
    } finally {
      this.#scheduleSweep(nextMs)
    }
  }

  /** After a receiver has recovered, wakes the other webhooks that probe its host, before their probes are due. */
  async #wakeHost(endpointUrl: string): Promise<void> {
    const { host } = new URL(endpointUrl)
    const nowMs = performance.now()
    for (const [other, atMs] of this.#woken) if (nowMs - atMs > wakeEveryMs) this.#woken.delete(other)
    if (this.#stopped || this.#woken.has(host)) return
    this.#woken.set(host, nowMs)
    try {
      const { pool, hints } = this.#options
      for (const locationId of await hastenProbes(pool, host, this.#due)) hints.committed(locationId)
    } catch (error) {
      this.#failed('wake', error)
    }
  }

  #look(locationId: string): void {
    for (const [session, of] of this.#sessions) if (of === locationId) session.lookAgain()
    if (!this.#isServed(locationId)) void this.#claim(locationId)
  }

  /** Called after a webhook was created or changed: its session ends, and the next one uses the new values. */
  #restart(webhookId: string): void {
    this.#enabled = new Map()
    this.#resting.wake(webhookId)
    for (const session of this.#sessions.keys()) if (session.webhookId === webhookId) session.stop()
  }

  /** Claims webhooks with work. Without `isDue`, does nothing if each enabled webhook has a session here. */
  async #claim(locationId: string, isDue = false): Promise<void> {
    // Before the first sweep the database's time is unknown; that sweep finds everything.
    if (this.#stopped || this.#measuredMs === -Infinity) return
    if (this.#claiming.has(locationId)) {
      this.#claiming.set(locationId, true)
      return
    }
    this.#claiming.set(locationId, false)
    const claimed = this.#claimOnce(locationId, isDue).finally(() => {
      const again = this.#claiming.get(locationId) === true
      this.#claiming.delete(locationId)
      if (again) void this.#claim(locationId)
    })
    await this.#track(claimed)
  }

  /** Whether each enabled webhook of the location is known to have a session here; true if no webhook is enabled. */
  #isServed(locationId: string): boolean {
    const served = new Set<string>()
    for (const [session, of] of this.#sessions) if (of === locationId && !session.isOver) served.add(session.webhookId)
    return this.#enabled.get(locationId)?.every((id) => served.has(id)) ?? false
  }

  async #learnEnabled(locationId: string): Promise<void> {
    // If the map was replaced during the read, the result is dropped with the old map.
    const known = this.#enabled
    if (known.has(locationId)) return
    const webhooks = await listEnabledWebhooks(this.#options.pool, locationId, null)
    known.set(
      locationId,
      webhooks.map(({ id }) => id),
    )
  }

  async #claimOnce(locationId: string, isDue: boolean): Promise<void> {
    const { pool, leaseMs } = this.#options
    try {
      if (!isDue) await this.#learnEnabled(locationId)
      if (!isDue && this.#isServed(locationId)) return
      const token = randomUUID()
      const webhooks = await claimWebhooks(pool, locationId, {
        ...this.#due,
        token,
        leaseMs,
        except: this.#resting.ids,
      })
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
      this.#sessions.delete(session)
      this.#rest(session, locationId)
      // Entries committed between the session's last read and the end of its lease would otherwise wait for the sweep.
      void this.#claim(locationId)
    } catch (error) {
      this.#failed('session', error, locationId, session.webhookId)
    } finally {
      this.#sessions.delete(session)
      this.events.emit('rested', { locationId, webhookId: session.webhookId })
    }
  }

  #rest({ webhookId, outcome, retryAt }: Session, locationId: string): void {
    const { leaseMs, sweepMs, clock } = this.#options
    if (outcome === 'failed') this.#resting.failed(webhookId, leaseMs)
    else if (outcome === 'idle') this.#resting.idled(webhookId, sweepMs)
    else this.#resting.wake(webhookId)
    if (outcome === 'idle') this.#wakeIn(locationId, sweepMs)
    else if (retryAt !== null) this.#wakeIn(locationId, retryAt.getTime() - clock().getTime())
  }

  /** Sets an alarm for the location, unless a sweep comes earlier. */
  #wakeIn(locationId: string, ms: number): void {
    if (!this.#stopped && ms <= this.#options.sweepMs * sweepsSaved) this.#alarms.set(locationId, Math.max(ms, 0) + 1)
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
