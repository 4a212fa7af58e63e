const longestMs = 300_000

type Rest = { untilMs: number; failures: number }

/**
 * The webhooks that this worker skips for a while. If a report could not be written, its events would be sent again at
 * once. So the worker waits, twice as long after each failure in a row, up to 5 minutes. After a session without work
 * it waits a moment.
 */
export class RestingWebhooks {
  readonly #resting = new Map<string, Rest>()
  readonly #nowMs: () => number

  /** `nowMs` is a clock in milliseconds that never goes back. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** Counts a failure; `ms` is the wait after the first one. */
  failed(webhookId: string, ms: number): void {
    const failures = (this.#resting.get(webhookId)?.failures ?? 0) + 1
    const waitMs = Math.min(ms * 2 ** (failures - 1), longestMs)
    this.#resting.set(webhookId, { untilMs: this.#nowMs() + waitMs, failures })
  }

  idled(webhookId: string, ms: number): void {
    this.#resting.set(webhookId, { untilMs: this.#nowMs() + ms, failures: 0 })
  }

  /** Called when a session has reported, or when the webhook was changed. */
  wake(webhookId: string): void {
    this.#resting.delete(webhookId)
  }

  /** Lists the webhooks that are resting now. */
  get ids(): string[] {
    if (this.#resting.size === 0) return []
    const now = this.#nowMs()
    return [...this.#resting].filter(([, { untilMs }]) => untilMs > now).map(([id]) => id)
  }
}
