import { randomUUID } from 'node:crypto'
import type { DisableReason } from '../domain/journal/retry-schedule.ts'
import type { Progress } from '../store/webhooks/leases.ts'
import type { Attempt } from '../store/webhooks/webhook-attempts.ts'
import type { Retry } from '../store/webhooks/webhook-retries.ts'
import type { WebhookRow } from '../contract/webhooks/rows.ts'
import type { EngineEvents } from './engine-events.ts'
import { keyOf, toRetry, type EventKey, type Item } from './lanes.ts'
import type { Recorder } from './recorder.ts'

/** A session commits after `reportSize` attempts, or `reportMs` after its last report if it has made an attempt. */
const reportSize = 200

const reportMs = 100

/** The state of the webhook at the time of a report. */
export type WebhookState = Pick<Progress, 'cursor' | 'failures' | 'failingSince' | 'retryAt'> & {
  disabled: { reason: DisableReason; at: Date } | null
}

type LeaseReportOptions = {
  webhook: WebhookRow
  /** The token with which the lease was claimed. */
  token: string
  recorder: Recorder
  events: EngineEvents
  leaseMs: number
  startedAt: Date
}

/**
 * Collects what a session does until it is committed, and holds the lease, which each commit renews. Only one report is
 * written at a time: what happens while it is written goes into the next one.
 */
export class LeaseReport {
  readonly #webhook: WebhookRow
  readonly #recorder: Recorder
  readonly #events: EngineEvents
  readonly #leaseMs: number
  #token: string
  #attempts: Attempt[] = []
  /** Retries by event, so that no report contains an event twice: PostgreSQL would refuse the whole report. */
  #setAside = new Map<string, Retry>()
  #settled = new Map<string, EventKey>()
  #writtenMs: number
  #isWriting = false
  /** True once a report has disabled the webhook; later reports leave it disabled. */
  #isDisabled = false
  /** True if a report could not be written: no other report may follow. */
  hasFailed = false

  constructor({ webhook, token, recorder, events, leaseMs, startedAt }: LeaseReportOptions) {
    this.#webhook = webhook
    this.#recorder = recorder
    this.#events = events
    this.#leaseMs = leaseMs
    this.#token = token
    this.#writtenMs = startedAt.getTime()
  }

  /** True if the database is too slow: nothing more is sent until the current report is written. */
  get isBehind(): boolean {
    return this.#isWriting && this.#attempts.length >= reportSize
  }

  log(attempt: Attempt): void {
    this.#attempts.push(attempt)
  }

  setAside(item: Item): void {
    this.#settled.delete(keyOf(item))
    this.#setAside.set(keyOf(item), toRetry(item))
  }

  /** Records that the event no longer needs a row in `webhook_retries`. */
  settle({ seq, type }: EventKey): void {
    this.#setAside.delete(keyOf({ seq, type }))
    this.#settled.set(keyOf({ seq, type }), { seq, type })
  }

  /**
   * Returns the milliseconds until a report is due because of its contents or the lease; Infinity while one is written.
   */
  dueInMs(now: Date): number {
    if (this.#isWriting) return Infinity
    if (this.#attempts.length >= reportSize) return 0
    const sinceMs = now.getTime() - this.#writtenMs
    return (this.#attempts.length > 0 ? Math.min(reportMs, this.#leaseMs / 3) : this.#leaseMs / 3) - sinceMs
  }

  /** Commits the collected work and renews the lease. */
  renew(state: WebhookState, now: Date): Promise<boolean> {
    return this.#write(state, now, { token: randomUUID(), until: new Date(now.getTime() + this.#leaseMs) })
  }

  /** Commits and releases the lease. */
  release(state: WebhookState, now: Date): Promise<boolean> {
    return this.#write(state, now, null)
  }

  /**
   * Writes what was collected. Resolves to false if the lease is lost or the write failed. The session must then stop:
   * if the report was not committed, its retries are lost, and a later report could move the cursor past events that
   * were never delivered.
   */
  async #write(state: WebhookState, now: Date, lease: Progress['lease']): Promise<boolean> {
    const attempts = this.#attempts
    const setAside = [...this.#setAside.values()]
    const settled = [...this.#settled.values()]
    this.#attempts = []
    this.#setAside = new Map()
    this.#settled = new Map()
    this.#writtenMs = now.getTime()
    this.#isWriting = true
    const { locationId, id: webhookId, recipientSince } = this.#webhook
    const disabled = state.disabled && { ...state.disabled, isJournaled: this.#isDisabled }
    const about = { webhookId, recipientSince, token: this.#token }
    const progress = { ...about, ...state, disabled, lease, attempts, setAside, settled }
    const startedMs = performance.now()
    const held = await this.#recorder.record(locationId, progress).catch((error: unknown) => {
      this.hasFailed = true
      this.#events.emit('failed', { work: 'report', error, locationId, webhookId })
      return null
    })
    if (held === null) return false
    this.#isWriting = false
    if (held && lease) this.#token = lease.token
    this.#emitReported(held, state, { attempts: attempts.length, durationMs: performance.now() - startedMs })
    return held
  }

  #emitReported(
    held: boolean,
    { cursor, disabled, failingSince }: WebhookState,
    report: { attempts: number; durationMs: number },
  ) {
    const about = { locationId: this.#webhook.locationId, webhookId: this.#webhook.id }
    if (!held) {
      this.#events.emit('leaseLost', about)
      return
    }
    this.#events.emit('reported', { ...about, cursor, ...report })
    if (!disabled || this.#isDisabled) return
    this.#isDisabled = true
    this.#events.emit('disabled', { ...about, ...disabled, failingSince })
  }
}
