import type { AttemptOfEvent, PendingEvent, WebhookStatistics, WebhookStatisticsStep } from '@tillgate/client'

export type Step = WebhookStatisticsStep

/** What came of the deliveries of one webhook, per step of time: `GET /v1/webhooks/statistics`. */
export type Statistics = WebhookStatistics

export type Attempt = AttemptOfEvent

export type Pending = PendingEvent
