import { randomUUID } from 'node:crypto'
import type { Message } from '../domain/journal/messages.ts'
import type { Delivery } from '../contract/webhooks/schema.ts'
import type { Attempt } from '../store/webhooks/webhook-attempts.ts'
import type { WebhookRow } from '../contract/webhooks/rows.ts'
import { linksTo, traced, traceHeaders } from '../tracing.ts'
import type { Attempted } from './engine-events.ts'
import type { Outcome } from './sender/outcome.ts'
import { parseSecret } from './secrets.ts'
import type { Sender } from './sender/send.ts'
import { signatureHeaders } from './sign.ts'

/** Where and how one webhook is called; made once per session. */
export type SignedEndpoint = {
  url: string
  /** The location of the webhook, by which connections of the worker are limited. */
  owner: string
  sign: (message: Message, now: Date) => Record<string, string>
}

/** Returns the endpoint with the secrets that sign for it: both during the overlap of a rotation (decision 0018). */
export function endpointOf(webhook: WebhookRow): SignedEndpoint {
  const current = parseSecret(webhook.secret)
  const previous = webhook.previousSecret === null ? null : parseSecret(webhook.previousSecret)
  if (!current) throw new Error(`webhook ${webhook.id} has an unreadable secret`)
  const until = webhook.previousSecretUntil
  return {
    url: webhook.endpointUrl,
    owner: webhook.locationId,
    sign({ id, body }, now) {
      const keys = previous && until && now < until ? [current, previous] : [current]
      return signatureHeaders({ id, timestampS: Math.floor(now.getTime() / 1000), body, keys })
    },
  }
}

/** One sending of an event; `extra` are headers of the test operation and of tracing. */
type Sending = { message: Message; now: Date; extra?: Record<string, string> }

export function sendEvent(
  sender: Sender,
  endpoint: SignedEndpoint,
  { message, now, extra = {} }: Sending,
): Promise<Outcome> {
  const headers = { ...endpoint.sign(message, now), ...extra }
  return sender.send({ url: endpoint.url, headers, body: message.body, owner: endpoint.owner })
}

/** Sends an event of a journal entry; its trace shows the attempt and links to the push that stored the entry. */
export function sendEntry(
  sender: Sender,
  endpoint: SignedEndpoint,
  { message, now }: Sending,
  { locationId, webhookId, seq }: { locationId: string; webhookId: string; seq: number },
): Promise<Outcome> {
  return traced('attempt', () => sendEvent(sender, endpoint, { message, now, extra: traceHeaders() }), {
    attributes: () => ({
      'tillgate.location': locationId,
      'tillgate.sequence': seq,
      'tillgate.webhook': webhookId,
      'tillgate.event': message.type,
    }),
    links: () => linksTo(locationId, seq),
  })
}

/** The facts about an attempt that are not in its outcome. */
type Facts = {
  locationId: string
  webhookId: string
  message: Message
  seq: number
  /** The number of this attempt, 1 for the first attempt of its event. */
  attempt: number
  acceptedAt: string
  /** True if sent by a replay; the event may have been delivered before. */
  isReplayed: boolean
  sentAt: Date
  /** When the event is tried again; null if it is not. */
  nextAt: Date | null
}

/**
 * Maximum characters kept of the body of a successful response. The body of a failed response is kept as far as it was
 * read, to find the cause.
 */
const keptOfSuccess = 1_024

/** Maximum characters kept of the names and values of a response's headers. */
const keptOfHeaders = 4_096

/** Returns the part of a response kept in the delivery log: a receiver must not be able to fill the disk. */
function keptResponse({ ok, responseHeaders, responseBody }: Outcome): Delivery['response'] {
  let left = keptOfHeaders
  const headers = Object.entries(responseHeaders)
  const kept = headers.filter(([name, value]) => {
    left -= name.length + value.length
    return left >= 0
  })
  return {
    headers: kept.length === headers.length ? responseHeaders : Object.fromEntries(kept),
    body: ok ? responseBody.slice(0, keptOfSuccess).toWellFormed() : responseBody,
  }
}

/** Returns the attempt in the form of the delivery log. */
export function toAttempt(
  { webhookId, message: { id: messageId, type }, seq, attempt, sentAt, nextAt }: Facts,
  outcome: Outcome,
): Attempt {
  const id = randomUUID()
  const delivery: Delivery = {
    id,
    webhookId,
    messageId,
    event: type,
    sequence: seq,
    attempt,
    sentAt: sentAt.toISOString(),
    success: outcome.ok,
    status: outcome.status,
    errorClass: outcome.errorClass,
    message: outcome.message,
    nextAttemptAt: nextAt?.toISOString() ?? null,
    durationMs: outcome.durationMs,
    phases: outcome.phases,
    address: outcome.address,
    request: { headers: outcome.requestHeaders },
    response: keptResponse(outcome),
  }
  const { ok, durationMs, errorClass } = outcome
  return { id, at: sentAt, seq, type, ok, durationMs, errorClass, document: JSON.stringify(delivery) }
}

/** Returns the attempt in the form of the engine's event. */
export function toAttempted(facts: Facts, outcome: Outcome, endedAt: Date): Attempted {
  const { locationId, webhookId, message, seq, attempt, acceptedAt, isReplayed, nextAt } = facts
  const { ok, status, errorClass, message: text, durationMs, phases } = outcome
  const address = outcome.refusedAddress ?? outcome.address
  return {
    locationId,
    webhookId,
    event: message.type,
    sequence: seq,
    messageId: message.id,
    attempt,
    outcome: ok ? 'success' : 'failure',
    status,
    errorClass,
    message: text,
    address,
    durationMs,
    phases,
    lagMs: attempt > 1 || isReplayed ? null : Math.max(endedAt.getTime() - Date.parse(acceptedAt), 0),
    nextAttemptAt: nextAt,
  }
}
