import type { AttemptOfEvent, PendingEvent, WebhookStatistics, WebhookStatisticsStep } from '@tillgate/client'

export type Step = WebhookStatisticsStep

/** The outcomes of one webhook's deliveries per time step: `GET /v1/webhooks/statistics`. */
export type Statistics = WebhookStatistics

export type Attempt = AttemptOfEvent

export type Pending = PendingEvent
