import { randomUUID } from 'node:crypto'
import type { Progress } from '../store/leases.ts'
import type { Attempt } from '../store/webhook-attempts.ts'
import type { Retry } from '../store/webhook-retries.ts'
import type { WebhookRow } from '../store/webhooks.ts'
import type { EngineEvents } from './engine-events.ts'
import { toRetry, type Item } from './lanes.ts'
import type { Recorder } from './recorder.ts'

/** A session commits after this many attempts, or after this time. */
const reportSize = 200

const reportMs = 100

/** Where the session stands at the moment of a report. */
export type Standing = Pick<Progress, 'cursor' | 'failures' | 'failingSince' | 'retryAt' | 'disabled'>

type LedgerOptions = {
  webhook: WebhookRow
  /** That of the claim. */
  token: string
  recorder: Recorder
  events: EngineEvents
  leaseMs: number
  startedAt: Date
}

/**
 * What a session did and has not committed yet, and the lease, which every commit renews. One report at a time; what
 * happens while it is written goes into the next.
 */
export class Ledger {
  readonly #webhook: WebhookRow
  readonly #recorder: Recorder
  readonly #events: EngineEvents
  readonly #leaseMs: number
  #token: string
  #attempts: Attempt[] = []
  #setAside = new Map<Item, Retry>()
  #settled: Item[] = []
  #writtenMs: number
  #isWriting = false

  constructor({ webhook, token, recorder, events, leaseMs, startedAt }: LedgerOptions) {
    this.#webhook = webhook
    this.#recorder = recorder
    this.#events = events
    this.#leaseMs = leaseMs
    this.#token = token
    this.#writtenMs = startedAt.getTime()
  }

  /** The database does not keep up: nothing more is sent until the report under way is written. */
  get isBehind(): boolean {
    return this.#isWriting && this.#attempts.length >= reportSize
  }

  log(attempt: Attempt): void {
    this.#attempts.push(attempt)
  }

  setAside(item: Item): void {
    this.#setAside.set(item, toRetry(item))
  }

  /** The event needs no entry in `webhook_retries` any more. */
  settle(item: Item): void {
    this.#setAside.delete(item)
    this.#settled.push(item)
  }

  isDue(now: Date): boolean {
    if (this.#isWriting) return false
    const sinceMs = now.getTime() - this.#writtenMs
    if (this.#attempts.length > 0 && (this.#attempts.length >= reportSize || sinceMs >= reportMs)) return true
    return sinceMs >= this.#leaseMs / 3
  }

  /** Commits and renews the lease. */
  renew(standing: Standing, now: Date): Promise<boolean> {
    return this.#write(standing, now, { token: randomUUID(), until: new Date(now.getTime() + this.#leaseMs) })
  }

  /** Commits and gives the lease back. */
  release(standing: Standing, now: Date): Promise<boolean> {
    return this.#write(standing, now, null)
  }

  /**
   * Resolves to false when the lease is lost. After a rejection nothing may be written any more: whether the report
   * stands is unknown, and a cursor behind events whose setting aside was lost would lose them.
   */
  async #write(standing: Standing, now: Date, lease: Progress['lease']): Promise<boolean> {
    const attempts = this.#attempts
    const setAside = [...this.#setAside.values()]
    const settled = this.#settled
    this.#attempts = []
    this.#setAside = new Map()
    this.#settled = []
    this.#writtenMs = now.getTime()
    this.#isWriting = true
    const { locationId, id: webhookId } = this.#webhook
    const progress = { webhookId, token: this.#token, ...standing, lease, attempts, setAside, settled }
    const startedMs = performance.now()
    const held = await this.#recorder.record(locationId, progress)
    this.#isWriting = false
    if (held && lease) this.#token = lease.token
    this.#tell(held, standing, { attempts: attempts.length, durationMs: performance.now() - startedMs })
    return held
  }

  #tell(held: boolean, { cursor, disabled, failingSince }: Standing, report: { attempts: number; durationMs: number }) {
    const about = { locationId: this.#webhook.locationId, webhookId: this.#webhook.id }
    if (!held) {
      this.#events.emit('leaseLost', about)
      return
    }
    this.#events.emit('reported', { ...about, cursor, ...report })
    if (disabled) this.#events.emit('disabled', { ...about, ...disabled, failingSince })
  }
}
