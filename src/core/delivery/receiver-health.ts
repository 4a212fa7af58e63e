import { disableReason, isBreakerOpen, type DisableReason } from '../domain/journal/retry-schedule.ts'
import type { WebhookRow } from '../contract/webhooks/rows.ts'

/** The health of a webhook's receiver: its failures in a row, and their consequences. */
export class ReceiverHealth {
  /** Number of failures since the last success. */
  failures: number
  /** Time of the first of these failures; null after a success. */
  failingSince: Date | null
  /** Set by the failure that disables the webhook. */
  disabled: { reason: DisableReason; at: Date } | null = null

  constructor({ failures, failingSince }: Pick<WebhookRow, 'failures' | 'failingSince'>) {
    this.failures = failures
    this.failingSince = failingSince
  }

  /** True while single requests test whether the receiver has recovered. */
  get isProbing(): boolean {
    return isBreakerOpen(this.failures)
  }

  succeeded(): void {
    this.failures = 0
    this.failingSince = null
  }

  /** Counts a failure; `status` is 0 if no answer came. */
  failed(status: number, now: Date): void {
    this.failures += 1
    this.failingSince ??= now
    const reason = disableReason(status, this.failingSince.getTime(), now.getTime())
    if (reason) this.disabled = { reason, at: now }
  }
}
