import { toMessage, type Entry } from '../domain/journal/messages.ts'
import { findEntry } from '../store/journal/journal.ts'
import type { WebhookRow } from '../contract/webhooks/rows.ts'
import { sendEntry, endpointOf, toAttempt, toAttempted, type SignedEndpoint } from './attempts.ts'
import type { About } from './engine-events.ts'
import { CursorWindow } from './cursor-window.ts'
import { dueOf, Lanes, newItem, type Item } from './lanes.ts'
import { LeaseReport, type WebhookState } from './lease-report.ts'
import type { Outcome } from './sender/outcome.ts'
import { ReceiverHealth } from './receiver-health.ts'
import type { SessionDeps } from './session-deps.ts'
import { Signal } from './signal.ts'
import { StoredRetries } from './stored-retries.ts'

/** The journal is read ahead while fewer events than this wait. */
const readAhead = 64

/**
 * Delivers to one webhook while its lease lasts: first the due retries, then the journal after the cursor, until
 * nothing is left to do now. Events of one resource go in order, resources in parallel. The cursor moves past an entry
 * once each of its events is delivered or stored for a retry, so a worker that takes over after a crash misses nothing.
 */
export class Session {
  readonly #webhook: WebhookRow
  readonly #deps: SessionDeps
  readonly #endpoint: SignedEndpoint
  readonly #lanes = new Lanes()
  readonly #window: CursorWindow
  readonly #report: LeaseReport
  #retries = StoredRetries.none
  #readUpTo: number
  #atHead = false
  #isReading = false
  /** True once nothing more is read in this session. */
  #readingOver = false
  /** The highest sequence among the events whose delivery has begun. */
  #begun = 0
  /** True once there is room to load more retries. */
  #hasSettledSome = false
  readonly #health: ReceiverHealth
  #sending = 0
  /** Number of requests, reads and reports in progress. */
  #underWay = 0
  #lost = false
  #stopping = false
  readonly #signal = new Signal()

  constructor(webhook: WebhookRow, token: string, deps: SessionDeps) {
    this.#webhook = webhook
    this.#deps = deps
    const { recorder, events, leaseMs, clock } = deps
    this.#report = new LeaseReport({ webhook, token, recorder, events, leaseMs, startedAt: clock() })
    this.#endpoint = endpointOf(webhook)
    this.#window = new CursorWindow(webhook.cursor)
    this.#readUpTo = webhook.cursor
    this.#health = new ReceiverHealth(webhook)
  }

  get webhookId(): string {
    return this.#webhook.id
  }

  /** `failed` if a report could not be written, and `idle` if there was nothing to send or read. */
  get outcome(): 'reported' | 'failed' | 'idle' {
    if (this.#report.hasFailed) return 'failed'
    const didSomething = this.#begun > 0 || this.#readUpTo > this.#webhook.cursor
    return didSomething || this.#stopping || this.#lost ? 'reported' : 'idle'
  }

  /** Ends the session soon: nothing new is sent, work in progress is awaited and recorded. */
  stop(): void {
    this.#stopping = true
    this.#signal.raise()
  }

  /** Called when the journal may have grown. */
  lookAgain(): void {
    this.#atHead = false
    this.#signal.raise()
  }

  /**
   * Resolves when the lease is released or lost, or a report could not be written; the lease then expires. Throws the
   * error of the database if retries cannot be loaded.
   */
  async run(): Promise<void> {
    const tick = setInterval(() => this.lookAgain(), Math.min(this.#deps.leaseMs / 4, 1_000)).unref()
    try {
      await this.#loadRetries()
      for (;;) {
        if (!this.isOver) this.#fill()
        if (this.#underWay === 0) break
        this.#reportWhenDue()
        await this.#signal.wait()
      }
      if (!this.#report.hasFailed) await this.#report.release(this.#state(), this.#deps.clock())
    } finally {
      clearInterval(tick)
      this.#signal.close()
    }
  }

  /** True once nothing new is begun; another session does the rest. */
  get isOver(): boolean {
    return this.#lost || this.#stopping || this.#health.disabled !== null
  }

  get #about(): About {
    return { locationId: this.#webhook.locationId, webhookId: this.#webhook.id }
  }

  async #loadRetries(): Promise<void> {
    const { retryAt, events } = this.#webhook
    const { pool, clock, schedule } = this.#deps
    const now = clock()
    this.#retries = await StoredRetries.load(pool, this.#webhook, new Date(now.getTime() + schedule.longestMs))
    this.#readingOver = this.#retries.hasMore
    for (const item of this.#retries.upToCursor) {
      // The webhook may have changed since the retry was stored, and no longer receive this event.
      if (events.includes(item.type)) this.#lanes.add(item)
      else this.#report.settle(item)
    }
    // The webhook may be due before the event, because another webhook of the host has recovered.
    const probe = this.#health.isProbing ? this.#lanes.first() : undefined
    if (probe && retryAt !== null && retryAt <= now) probe.nextAt = null
  }

  /** Begins the work that may begin now; the end of each piece of work raises the signal. */
  #fill(): void {
    const { clock, inFlight } = this.#deps
    // After a failure, only one event at a time is sent until a success, to spare a failing receiver.
    const atOnce = this.#health.failures === 0 ? inFlight : 1
    while (this.#sending < atOnce && !this.#report.isBehind) {
      const item = this.#health.isProbing ? this.#lanes.takeProbe(clock()) : this.#lanes.take(clock())
      if (!item) break
      this.#begun = Math.max(this.#begun, item.seq)
      void this.#track(this.#send(item))
    }
    // Without a retry to probe with, the next event of the journal is the probe.
    const wantsMore = this.#health.isProbing ? this.#lanes.size === 0 : this.#lanes.size < readAhead
    const mayRead = !this.#atHead && !this.#isReading && !this.#readingOver
    if (mayRead && wantsMore) void this.#track(this.#read())
  }

  async #track(work: Promise<void>): Promise<void> {
    this.#underWay += 1
    try {
      await work
    } catch (error) {
      // The next session finds the unfinished events in the journal or among the stored retries.
      this.#deps.events.emit('failed', { work: 'session', error, ...this.#about })
      this.#lost = true
    } finally {
      this.#underWay -= 1
      this.#signal.raise()
    }
  }

  async #read(): Promise<void> {
    const { locationId } = this.#webhook
    this.#isReading = true
    // Set before the read, so that `lookAgain` can reset it during the read.
    this.#atHead = true
    const entries = await this.#deps.tail.read(locationId, this.#readUpTo).finally(() => (this.#isReading = false))
    // A failure may have ended the reading in the meantime.
    if (this.#readingOver) return
    if (entries.length > 0) this.#atHead = false
    else this.#forgetBelow(Infinity)
    for (const entry of entries) {
      this.#forgetBelow(entry.seq)
      if (entry.seq > this.#retries.knownUpTo) {
        this.#readingOver = true
        return
      }
      this.#readUpTo = entry.seq
      this.#enter(entry)
    }
  }

  #forgetBelow(seq: number): void {
    if (this.#retries.isAhead) for (const gone of this.#retries.takeGone(seq)) this.#report.settle(gone)
  }

  #enter(entry: Entry): void {
    const { seq } = entry
    const items: Item[] = []
    for (const type of entry.types) {
      const stored = this.#retries.take({ seq, type })
      const isReceived = this.#webhook.events.includes(type)
      if (isReceived) items.push(stored ?? newItem(entry, type))
      else if (stored) this.#report.settle(stored)
    }
    this.#window.enter(entry, items.filter(({ stored }) => !stored).length)
    for (const item of items) {
      const waits = this.#lanes.isWaiting(item.lane)
      this.#lanes.add(item)
      if (waits && !item.stored) this.#defer(item)
    }
  }

  async #send(item: Item): Promise<void> {
    const { pool, sender, clock, events } = this.#deps
    this.#sending += 1
    try {
      const entry = this.#window.entry(item.seq) ?? (await findEntry(pool, this.#webhook.locationId, item.seq))
      if (!entry) return this.#forget(item)
      const sentAt = clock()
      const message = toMessage(entry, item.type)
      const about = { ...this.#about, seq: item.seq }
      const outcome = await sendEntry(sender, this.#endpoint, { message, now: sentAt }, about)
      item.attempts += 1
      if (outcome.ok) this.#succeeded(item)
      else this.#failed(item, outcome)
      const nextAt = outcome.ok || this.#health.disabled ? null : item.nextAt
      const { seq, attempts: attempt } = item
      const isReplayed = seq <= (this.#webhook.replayedTo ?? 0)
      const { acceptedAt } = entry
      const facts = { ...this.#about, message, seq, attempt, acceptedAt, isReplayed, sentAt, nextAt }
      this.#report.log(toAttempt(facts, outcome))
      events.emit('attempted', toAttempted(facts, outcome, clock()))
    } finally {
      this.#sending -= 1
    }
  }

  /** Drops an event that a restored journal no longer has: later events need not wait for it. */
  #forget(item: Item): void {
    this.#lanes.done(item, this.#deps.clock())
    this.#report.settle(item)
    this.#hasSettledSome = true
  }

  #succeeded(item: Item): void {
    const now = this.#deps.clock()
    const { isProbing: wasProbing, failingSince } = this.#health
    this.#lanes.done(item, now)
    if (item.stored) {
      this.#report.settle(item)
      this.#hasSettledSome = true
    } else this.#window.pass(item.seq)
    this.#health.succeeded()
    if (!wasProbing) return
    // The receiver has recovered: waiting events are due at once.
    for (const due of [...this.#lanes.dueAt(now), ...this.#retries.makeDue(now)]) this.#report.setAside(due)
    this.#deps.events.emit('resumed', { ...this.#about, failingSince })
    this.#deps.isWellAgain(this.#webhook.endpointUrl)
  }

  #failed(item: Item, outcome: Outcome): void {
    const { clock, random, schedule, events } = this.#deps
    const now = clock()
    const { isProbing: wasProbing } = this.#health
    this.#health.failed(outcome.status, now)
    const { failures, failingSince, isProbing, disabled } = this.#health
    const outageMs = isProbing && failingSince ? now.getTime() - failingSince.getTime() : null
    const { retryAfterMs } = outcome
    const waitMs = schedule.waitMs({ failures: item.attempts, random: random(), retryAfterMs, outageMs })
    item.nextAt = new Date(now.getTime() + waitMs)
    for (const waiting of this.#lanes.failed(item)) if (waiting === item || !waiting.stored) this.#defer(waiting)
    const startsProbing = isProbing && !wasProbing
    if (isProbing || disabled) this.#stopReading()
    if (startsProbing) events.emit('probing', { ...this.#about, failures, failingSince: failingSince ?? now })
  }

  /** Stores the events that the cursor must pass to reach the last event begun; later events are read again. */
  #stopReading(): void {
    this.#readingOver = true
    for (const item of this.#lanes.dropAfter(this.#begun)) this.#defer(item)
  }

  #defer(item: Item): void {
    this.#report.setAside(item)
    if (item.stored) return
    item.stored = true
    this.#window.pass(item.seq)
  }

  /** Reports if a report is due; otherwise makes the session wake when one is. */
  #reportWhenDue(): void {
    if (this.#lost) return
    const now = this.#deps.clock()
    const inMs = this.#report.dueInMs(now)
    if (inMs <= 0) void this.#track(this.#renew(now))
    else if (inMs !== Infinity) this.#signal.raiseWithin(inMs)
  }

  async #renew(now: Date): Promise<void> {
    if (!(await this.#report.renew(this.#state(), now))) this.#lost = true
  }

  #state(): WebhookState {
    return {
      cursor: this.#window.cursor,
      failures: this.#health.failures,
      failingSince: this.#health.failingSince,
      retryAt: this.retryAt,
      disabled: this.#health.disabled,
    }
  }

  /** Returns when this webhook has work again, apart from new journal entries. */
  get retryAt(): Date | null {
    const now = this.#deps.clock()
    const { hasMore, isAhead } = this.#retries
    const first = this.#health.isProbing ? this.#lanes.first() : undefined
    // An event that is not stored for a retry is in progress: a worker that takes over must probe with it at once.
    if (first) return dueOf(first) ?? now
    if (hasMore) return this.#hasSettledSome ? now : this.#lanes.nextDue()
    return isAhead ? now : this.#lanes.nextDue()
  }
}
