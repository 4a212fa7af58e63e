import type { Delivery, WebhookStatus } from '@tillgate/client'

export type Step = {
  from: string
  successes: number
  failures: number
  p50Ms: number | null
  p95Ms: number | null
  failuresByClass: Record<string, number>
}

/** What came of the deliveries of one webhook, per step of time: `GET /v1/webhooks/statistics`. */
export type Statistics = {
  data: { webhookId: string; steps: Step[] }[]
  meta: { since: string; until: string; step: string }
}

export type Attempt = Pick<Delivery, 'id' | 'sentAt' | 'attempt' | 'success' | 'status' | 'durationMs'>

/** One delivery with the body that was sent, rebuilt from the journal. */
export type DeliveryDetail = Delivery & { request: { body: string | null; isExact: boolean }; attempts: Attempt[] }

export type Pending = {
  messageId: string
  sequence: number
  event: string
  resource: string
  resourceId: string
  attempts: number
  nextAttemptAt: string | null
}

export type PendingPage = { data: Pending[]; meta: { next: string | null } }

export type ReplayAnswer = WebhookStatus & { events: number; eventsAreCounted?: boolean }
