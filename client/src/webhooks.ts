import type {
  Delivery,
  DeliveryDetail,
  DeliveryFailureList,
  EventTypeDescription,
  GetWebhookStatisticsQuery,
  ListDeliveriesQuery,
  ListDeliveryFailuresQuery,
  ListPendingEventsQuery,
  ListWebhooksQuery,
  PendingEvent,
  ReplayAnswer,
  ReplayWebhookBody,
  Resent,
  UpsertWebhookBody,
  Webhook,
  WebhookPage,
  WebhookSecret,
  WebhookStatistics,
  WebhookStatus,
  WebhookTestResult,
} from './api.ts'
import { listByCursor, listOf, type List } from './pages.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** Webhooks of the key's location, or of its recipient if the key is bound to one. */
export class Webhooks {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  list({ signal, ...query }: ListWebhooksQuery & Options = {}): List<Webhook, WebhookPage> {
    return listOf<Webhook, WebhookPage>(this.#transport, '/v1/webhooks/', query, signal)
  }

  get(id: string, options: Options = {}): Promise<Webhook> {
    return this.#transport.json({ path: pathOf(id), ...options })
  }

  /**
   * Updates the webhook with `id`; without `id`, the webhook of the location and recipient. Creates it if it does not
   * exist.
   */
  upsert(webhook: UpsertWebhookBody, options: Options = {}): Promise<Webhook> {
    return this.#transport.json({ path: '/v1/webhooks/', method: 'POST', json: webhook, repeatable: true, ...options })
  }

  async delete(id: string, options: Options = {}): Promise<void> {
    await this.#transport.send({ path: pathOf(id), method: 'DELETE', ...options })
  }

  /** Sends one event of each registered type with sample data; resolves to the results. */
  test(id: string, options: Options = {}): Promise<WebhookTestResult> {
    const path = `/v1/webhooks/test/${encodeURIComponent(id)}`
    return this.#transport.json({ path, method: 'POST', json: {}, ...options })
  }

  /** Gets the signing secret, `whsec_…`. */
  async secret(id: string, options: Options = {}): Promise<string> {
    return (await this.#transport.json<WebhookSecret>({ path: `${pathOf(id)}/secret`, ...options })).secret
  }

  /** Creates a new secret. For 24 hours, or until the next rotation, deliveries are signed with the old secret as well. */
  async rotateSecret(id: string, options: Options = {}): Promise<string> {
    const path = `${pathOf(id)}/secret/rotate`
    return (await this.#transport.json<WebhookSecret>({ path, method: 'POST', ...options })).secret
  }

  status(id: string, options: Options = {}): Promise<WebhookStatus> {
    return this.#transport.json({ path: `${pathOf(id)}/status`, ...options })
  }

  /** Pauses deliveries until `enable`. */
  disable(id: string, options: Options = {}): Promise<WebhookStatus> {
    return this.#transport.json({ path: `${pathOf(id)}/disable`, method: 'POST', repeatable: true, ...options })
  }

  enable(id: string, options: Options = {}): Promise<WebhookStatus> {
    return this.#transport.json({ path: `${pathOf(id)}/enable`, method: 'POST', repeatable: true, ...options })
  }

  /**
   * Sends events again from a sequence or a time on: all of them, or those of selected types. With `dryRun` it only counts them. Receivers recognize
   * repetitions by `webhook-id`.
   */
  replay(id: string, from: ReplayWebhookBody, options: Options = {}): Promise<ReplayAnswer> {
    return this.#transport.json({ path: `${pathOf(id)}/replay`, method: 'POST', json: from, ...options })
  }

  /** Counts failed attempts by class and status, the most frequent first. */
  failures(id: string, { signal, ...query }: ListDeliveryFailuresQuery & Options = {}): Promise<DeliveryFailureList> {
    return this.#transport.json({ path: `${pathOf(id)}/failures`, query, ...(signal && { signal }) })
  }

  /** Lists delivery attempts, newest first. */
  deliveries(id: string, query: ListDeliveriesQuery & Options = {}): AsyncGenerator<Delivery> {
    return listByCursor(this.#transport, `${pathOf(id)}/deliveries`, query)
  }

  /** Gets an attempt with its request, its answer, and the other attempts of the event. Code `delivery_not_found`. */
  delivery(id: string, deliveryId: string, options: Options = {}): Promise<DeliveryDetail> {
    return this.#transport.json({ path: deliveryPath(id, deliveryId), ...options })
  }

  /** Sends the event of an attempt again; resolves to the result. */
  resend(id: string, deliveryId: string, options: Options = {}): Promise<Resent> {
    return this.#transport.json({ path: `${deliveryPath(id, deliveryId)}/resend`, method: 'POST', ...options })
  }

  /** Lists events that wait for a retry, and later events that wait for them. */
  pending(id: string, query: ListPendingEventsQuery & Options = {}): AsyncGenerator<PendingEvent> {
    return listByCursor(this.#transport, `${pathOf(id)}/pending`, query)
  }

  /** Counts attempts of every webhook by time: successes, failures by class, durations. */
  statistics({ signal, ...query }: GetWebhookStatisticsQuery & Options = {}): Promise<WebhookStatistics> {
    return this.#transport.json({ path: '/v1/webhooks/statistics', query, signal })
  }

  /** Lists every event type with its JSON Schema and a sample. */
  eventTypes(options: Options = {}): Promise<EventTypeDescription[]> {
    return this.#transport.json({ path: '/v1/webhooks/event-types/', ...options })
  }
}

const deliveryPath = (id: string, deliveryId: string) => `${pathOf(id)}/deliveries/${encodeURIComponent(deliveryId)}`

const pathOf = (id: string) => `/v1/webhooks/${encodeURIComponent(id)}`
