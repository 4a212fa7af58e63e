import { toMessage, type Entry } from '../domain/messages.ts'
import type { retryWaitMs } from '../domain/retry-schedule.ts'
import type { EventType } from '../schemas/events.ts'
import type { Pool } from '../store/database.ts'
import { getEntry } from '../store/journal.ts'
import { listRetries } from '../store/webhook-retries.ts'
import type { WebhookRow } from '../store/webhooks.ts'
import { sendEvent, targetOf, toAttempt, toAttempted, type Target } from './attempts.ts'
import type { About, EngineEvents } from './engine-events.ts'
import type { JournalTail } from './journal-tail.ts'
import { dueOf, laneOf, Lanes, type Item } from './lanes.ts'
import { Ledger, type Standing } from './ledger.ts'
import type { Outcome } from './sender/outcome.ts'
import { Passage } from './passage.ts'
import { ReceiverHealth } from './receiver-health.ts'
import type { Recorder } from './recorder.ts'
import type { Sender } from './sender/send.ts'
import { Signal } from './signal.ts'

export type SessionDeps = {
  pool: Pool
  tail: JournalTail
  recorder: Recorder
  sender: Sender
  clock: () => Date
  random: () => number
  retryWait: typeof retryWaitMs
  leaseMs: number
  /** Events of one webhook under way at once. */
  inFlight: number
  events: EngineEvents
}

/** Read ahead while fewer events than this wait. */
const readAhead = 64

/** Events set aside that are held in memory; a webhook with more works through them session by session. */
const retriesHeld = 5_000

/**
 * Delivers for one webhook while its lease lasts: what is set aside and due, then the journal after the cursor, until
 * nothing is left to do now. Events of one resource go in order, others in parallel. The cursor moves over an entry
 * when each of its events is delivered or set aside, so whoever takes over after a crash misses nothing.
 */
export class Session {
  readonly #webhook: WebhookRow
  readonly #deps: SessionDeps
  readonly #target: Target
  readonly #lanes = new Lanes()
  readonly #passage: Passage
  readonly #ledger: Ledger
  #readUpTo: number
  #atHead = false
  #isReading = false
  /** Nothing more is read in this session. */
  #readingOver = false
  /** The highest number of an event that was begun. */
  #begun = 0
  /** More is set aside than was loaded. */
  #hasMoreRetries = false
  /** So there is room to load more. */
  #hasSettledSome = false
  readonly #health: ReceiverHealth
  #sending = 0
  /** Requests, reads and reports begun and not ended. */
  #underWay = 0
  #lost = false
  #stopping = false
  /** Why a report could not be written. */
  #fault: unknown
  readonly #signal = new Signal()

  constructor(webhook: WebhookRow, token: string, deps: SessionDeps) {
    this.#webhook = webhook
    this.#deps = deps
    const { recorder, events, leaseMs, clock } = deps
    this.#ledger = new Ledger({ webhook, token, recorder, events, leaseMs, startedAt: clock() })
    this.#target = targetOf(webhook)
    this.#passage = new Passage(webhook.cursor)
    this.#readUpTo = webhook.cursor
    this.#health = new ReceiverHealth(webhook)
  }

  get webhookId(): string {
    return this.#webhook.id
  }

  /** Ends soon: nothing new is sent, what is under way is waited for and recorded. */
  stop(): void {
    this.#stopping = true
    this.#signal.raise()
  }

  /** The journal may have grown. */
  lookAgain(): void {
    this.#atHead = false
    this.#signal.raise()
  }

  /** Resolves when the lease is given back or lost. Throws what the database throws; the lease then runs out. */
  async run(): Promise<void> {
    const tick = setInterval(() => this.lookAgain(), Math.min(this.#deps.leaseMs / 4, 1_000)).unref()
    try {
      await this.#loadRetries()
      for (;;) {
        if (!this.#isOver) this.#fill()
        if (this.#underWay === 0) break
        this.#reportWhenDue()
        await this.#signal.wait()
      }
      if (this.#fault !== undefined) throw this.#fault
      await this.#ledger.release(this.#standing(), this.#deps.clock())
    } finally {
      clearInterval(tick)
    }
  }

  get #isOver(): boolean {
    return this.#lost || this.#stopping || this.#health.disabled !== null
  }

  get #about(): About {
    return { locationId: this.#webhook.locationId, webhookId: this.#webhook.id }
  }

  async #loadRetries(): Promise<void> {
    const { locationId, id, retryAt } = this.#webhook
    if (retryAt === null) return
    const retries = await listRetries(this.#deps.pool, locationId, id, retriesHeld)
    // Without all that is set aside it is not known which resources must wait, so nothing new is read.
    this.#hasMoreRetries = retries.length === retriesHeld
    this.#readingOver = this.#hasMoreRetries
    for (const retry of retries) {
      const item = { ...retry, lane: laneOf(retry.kind, retry.resourceId), stored: true }
      // The webhook may have been changed since, and is told no more of this event.
      if (this.#webhook.events.includes(retry.type)) this.#lanes.add(item)
      else this.#ledger.settle(item)
    }
    // With nothing left to probe with, the journal's next event is the probe.
    if (this.#lanes.size === 0) this.#health.allowOne()
  }

  /** Begins what may begin now; each end of it raises the signal. */
  #fill(): void {
    const { clock, inFlight } = this.#deps
    // After a failure one at a time, until a success: a receiver in trouble is not pressed.
    const atOnce = this.#health.failures === 0 ? inFlight : 1
    while (this.#sending < atOnce && !this.#ledger.isBehind) {
      const item = this.#health.isProbing ? this.#lanes.takeProbe(clock()) : this.#lanes.take(clock())
      if (!item) break
      this.#begun = Math.max(this.#begun, item.seq)
      void this.#track(this.#send(item))
    }
    const mayRead = !this.#atHead && !this.#isReading && !this.#readingOver && !this.#health.isProbing
    if (mayRead && this.#lanes.size < readAhead) void this.#track(this.#read())
  }

  async #track(work: Promise<void>): Promise<void> {
    this.#underWay += 1
    try {
      await work
    } catch (error) {
      // What was not done stays where it is, for the next session.
      this.#deps.events.emit('failed', { work: 'session', error, ...this.#about })
      this.#lost = true
    } finally {
      this.#underWay -= 1
      this.#signal.raise()
    }
  }

  /** Reads on in the journal. */
  async #read(): Promise<void> {
    const { locationId, events } = this.#webhook
    this.#isReading = true
    // Before, so that news which come meanwhile count.
    this.#atHead = true
    const entries = await this.#deps.tail.read(locationId, this.#readUpTo).finally(() => (this.#isReading = false))
    // The breaker may have opened meanwhile.
    if (this.#readingOver) return
    if (entries.length > 0) this.#atHead = false
    for (const entry of entries) {
      this.#readUpTo = entry.seq
      const types = entry.types.filter((type) => events.includes(type))
      this.#passage.enter(entry, types.length)
      for (const type of types) this.#addEvent(entry, type)
    }
  }

  #addEvent({ seq, kind, id: resourceId }: Entry, type: EventType): void {
    const lane = laneOf(kind, resourceId)
    const waits = this.#lanes.isWaiting(lane)
    const item: Item = { seq, type, lane, kind, resourceId, attempts: 0, nextAt: null, stored: false }
    this.#lanes.add(item)
    if (waits) this.#putAside(item)
  }

  async #send(item: Item): Promise<void> {
    const { pool, sender, clock, events } = this.#deps
    this.#sending += 1
    try {
      const entry = this.#passage.entry(item.seq) ?? (await getEntry(pool, this.#webhook.locationId, item.seq))
      const sentAt = clock()
      const message = toMessage(entry, item.type)
      const outcome = await sendEvent(sender, this.#target, message, sentAt)
      item.attempts += 1
      if (outcome.ok) this.#succeeded(item)
      else this.#failed(item, outcome)
      const nextAt = outcome.ok || this.#health.disabled ? null : item.nextAt
      const { seq, attempts: attempt } = item
      const facts = { ...this.#about, message, seq, attempt, acceptedAt: entry.acceptedAt, sentAt, nextAt }
      this.#ledger.log(toAttempt(facts, outcome))
      events.emit('attempted', toAttempted(facts, outcome, clock()))
    } finally {
      this.#sending -= 1
    }
  }

  #succeeded(item: Item): void {
    const now = this.#deps.clock()
    const { isProbing: wasProbing, failingSince } = this.#health
    this.#lanes.done(item, now)
    if (item.stored) {
      this.#ledger.settle(item)
      this.#hasSettledSome = true
    } else this.#passage.pass(item.seq)
    this.#health.succeeded()
    if (!wasProbing) return
    // The receiver is well again: what waits need not wait for its own time.
    for (const due of this.#lanes.dueAt(now)) this.#ledger.setAside(due)
    this.#deps.events.emit('resumed', { ...this.#about, failingSince })
  }

  #failed(item: Item, outcome: Outcome): void {
    const { clock, random, retryWait, events } = this.#deps
    const now = clock()
    const { isProbing: wasProbing } = this.#health
    this.#health.failed(outcome.status, now)
    item.nextAt = new Date(now.getTime() + retryWait(item.attempts, random(), outcome.retryAfterMs))
    for (const waiting of this.#lanes.failed(item)) if (waiting === item || !waiting.stored) this.#putAside(waiting)
    const { failures, failingSince, isProbing, disabled } = this.#health
    const startsProbing = isProbing && !wasProbing
    if (startsProbing || disabled) this.#stopReading()
    if (startsProbing) events.emit('probing', { ...this.#about, failures, failingSince: failingSince ?? now })
  }

  /** What lies before the last event begun is set aside, so that the cursor can pass it; the rest is read again later. */
  #stopReading(): void {
    this.#readingOver = true
    for (const item of this.#lanes.dropAfter(this.#begun)) this.#putAside(item)
  }

  #putAside(item: Item): void {
    this.#ledger.setAside(item)
    if (item.stored) return
    item.stored = true
    this.#passage.pass(item.seq)
  }

  #reportWhenDue(): void {
    const now = this.#deps.clock()
    if (!this.#lost && this.#ledger.isDue(now)) void this.#track(this.#report(now))
  }

  async #report(now: Date): Promise<void> {
    try {
      if (!(await this.#ledger.renew(this.#standing(), now))) this.#lost = true
    } catch (error) {
      this.#fault = error
      this.#lost = true
    }
  }

  #standing(): Standing {
    return {
      cursor: this.#passage.cursor,
      failures: this.#health.failures,
      failingSince: this.#health.failingSince,
      retryAt: this.#retryAt(),
      disabled: this.#health.disabled,
    }
  }

  /** When this webhook has something to do again, apart from news in the journal. */
  #retryAt(): Date | null {
    const first = this.#lanes.first()
    // While the first of all is under way and not set aside, whoever takes over begins with it at once.
    if (this.#health.isProbing) return first ? (dueOf(first) ?? this.#deps.clock()) : null
    return this.#hasMoreRetries && this.#hasSettledSome ? this.#deps.clock() : this.#lanes.nextDue()
  }
}
