import { randomUUID } from 'node:crypto'
import { openPool, poolerOf, type Pool } from './database.ts'

const channel = 'tillgate_commits'

/** Minimum milliseconds between two NOTIFYs; the first is sent at once. A hint says that there is news, not what. */
const usualQuietMs = 20

/** Precedes the id of a webhook; an id without it is a location's. */
const webhookMark = 'w:'

/** Precedes the number of a message that tests whether NOTIFY arrives. */
const echoMark = 'e:'

export type HintListener = {
  /** Called when the location's journal has grown. */
  committed: (locationId: string) => void
  /** Called when the webhook was changed or deleted. */
  changed?: (webhookId: string) => void
}

/**
 * Notifies the readers of a location's journal that it has grown: directly in this process, by NOTIFY in other
 * processes. Hints may be lost and are never required: readers also poll at intervals (SQL rule 13).
 */
export class Hints {
  /** Counts since the start: hints sent to other processes, hints that the database refused, and hints received. */
  readonly counts = { sent: 0, failed: 0, heard: 0 }
  /** The pool for NOTIFY and LISTEN. A pooler loses listeners, and a node of a cluster notifies only its own. */
  readonly #pool: Pool
  readonly #isOwn: boolean
  readonly #quietMs: number
  /** First in each payload, since NOTIFY also reaches its sender. */
  readonly #origin = randomUUID()
  readonly #listeners = new Set<HintListener>()
  readonly #pending = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #quietUntil = 0
  #unlisten: (() => Promise<void>) | undefined
  #sent = 0
  #echoed = 0

  constructor(pool: Pool, quietMs = usualQuietMs) {
    const { direct } = pool.from
    this.#quietMs = quietMs
    this.#pool = direct ? openPool(direct, { connections: 1, pipelining: true }) : pool
    this.#isOwn = direct !== undefined
  }

  /** Returns the function that ends the subscription. */
  subscribe(listener: HintListener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Publishes a hint for a location; call it after a commit. */
  committed(locationId: string): void {
    this.#publish(locationId)
  }

  /** Publishes a hint for a webhook; call it after the commit of a change. */
  changed(webhookId: string): void {
    this.#publish(webhookMark + webhookId)
  }

  /** Listens for hints of other processes too, over a separate connection. Does nothing if NOTIFY is unavailable. */
  async listen(): Promise<void> {
    if (poolerOf(this.#pool) !== 'none') return
    try {
      const listening = await this.#pool.listen(channel, (payload) => {
        const [origin, ...hints] = payload.split(',')
        if (hints[0]?.startsWith(echoMark)) {
          if (origin === this.#origin) this.#echoed = Number(hints[0].slice(echoMark.length))
        } else if (origin !== this.#origin) {
          this.counts.heard += hints.length
          for (const hint of hints) this.#callListeners(hint)
        }
      })
      this.#unlisten = () => listening.unlisten()
    } catch {
      this.#unlisten = undefined
    }
  }

  /**
   * Returns whether hints of other processes arrive, that is, whether the NOTIFY sent by the previous call came back;
   * then sends the next one. False on the first call, and without a listener.
   */
  isHearing(): boolean {
    if (!this.#unlisten) return false
    const isHearing = this.#sent > 0 && this.#echoed === this.#sent
    this.#sent += 1
    const payload = `${this.#origin},${echoMark}${this.#sent}`
    this.#pool`select pg_notify(${channel}, ${payload})`.catch(() => {})
    return isHearing
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    if (this.#pending.size > 0) this.#notify()
    const unlisten = this.#unlisten
    this.#unlisten = undefined
    await unlisten?.().catch(() => {})
    if (this.#isOwn) await this.#pool.end({ timeout: 1 })
  }

  #publish(hint: string): void {
    this.#callListeners(hint)
    this.#pending.add(hint)
    this.#timer ??= setTimeout(() => this.#notify(), Math.max(this.#quietUntil - performance.now(), 0)).unref()
  }

  #callListeners(hint: string): void {
    const isWebhook = hint.startsWith(webhookMark)
    for (const listener of this.#listeners) {
      if (isWebhook) listener.changed?.(hint.slice(webhookMark.length))
      else listener.committed(hint)
    }
  }

  #notify(): void {
    this.#timer = undefined
    this.#quietUntil = performance.now() + this.#quietMs
    const hints = [...this.#pending]
    this.#pending.clear()
    // A payload has at most 8,000 bytes; a hint has 38.
    for (let at = 0; at < hints.length; at += 200) {
      const some = hints.slice(at, at + 200)
      this.#pool`select pg_notify(${channel}, ${[this.#origin, ...some].join(',')})`.then(
        () => (this.counts.sent += some.length),
        () => (this.counts.failed += some.length),
      )
    }
  }
}
