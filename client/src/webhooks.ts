import type {
  Delivery,
  DeliveryPage,
  EventTypeDescription,
  ListDeliveriesQuery,
  ListWebhooksQuery,
  ReplayWebhookBody,
  UpsertWebhookBody,
  Webhook,
  WebhookPage,
  WebhookSecret,
  WebhookStatus,
  WebhookTestResult,
} from './api.ts'
import { listOf, type List } from './pages.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** The webhooks of the key's location, or of its recipient where the key is bound to one. */
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
   * Creates the webhook, or updates it when it exists: with `id` that one, else the one of location and recipient.
   * Sending the same again changes nothing, so it is repeated after a broken connection.
   */
  upsert(webhook: UpsertWebhookBody, options: Options = {}): Promise<Webhook> {
    return this.#transport.json({ path: '/v1/webhooks/', method: 'POST', json: webhook, repeatable: true, ...options })
  }

  async delete(id: string, options: Options = {}): Promise<void> {
    await this.#transport.send({ path: pathOf(id), method: 'DELETE', ...options })
  }

  /** Sends one payload of fake data per event of the webhook; resolves to what came of each. */
  test(id: string, options: Options = {}): Promise<WebhookTestResult> {
    const path = `/v1/webhooks/test/${encodeURIComponent(id)}`
    return this.#transport.json({ path, method: 'POST', json: {}, ...options })
  }

  /** The secret that signs deliveries, `whsec_…`. */
  async secret(id: string, options: Options = {}): Promise<string> {
    return (await this.#transport.json<WebhookSecret>({ path: `${pathOf(id)}/secret`, ...options })).secret
  }

  /** Makes a new secret and resolves to it. For 24 hours deliveries are signed with the old one as well. */
  async rotateSecret(id: string, options: Options = {}): Promise<string> {
    const path = `${pathOf(id)}/secret/rotate`
    return (await this.#transport.json<WebhookSecret>({ path, method: 'POST', ...options })).secret
  }

  status(id: string, options: Options = {}): Promise<WebhookStatus> {
    return this.#transport.json({ path: `${pathOf(id)}/status`, ...options })
  }

  enable(id: string, options: Options = {}): Promise<WebhookStatus> {
    return this.#transport.json({ path: `${pathOf(id)}/enable`, method: 'POST', repeatable: true, ...options })
  }

  /** Sends again everything from a sequence, or from a moment, on; receivers tell repetitions by `webhook-id`. */
  replay(id: string, from: ReplayWebhookBody, options: Options = {}): Promise<WebhookStatus> {
    return this.#transport.json({ path: `${pathOf(id)}/replay`, method: 'POST', json: from, ...options })
  }

  /** Every delivery attempt that matches, newest first. */
  async *deliveries(id: string, { signal, ...query }: ListDeliveriesQuery & Options = {}): AsyncGenerator<Delivery> {
    let { cursor } = query
    do {
      const path = `${pathOf(id)}/deliveries`
      const page = await this.#transport.json<DeliveryPage>({ path, query: { ...query, cursor }, signal })
      yield* page.data
      cursor = page.meta.next ?? undefined
    } while (cursor !== undefined)
  }

  /** Every event that a webhook can register for, with its JSON Schema and a sample. */
  eventTypes(options: Options = {}): Promise<EventTypeDescription[]> {
    return this.#transport.json({ path: '/v1/webhooks/event-types/', ...options })
  }
}

const pathOf = (id: string) => `/v1/webhooks/${encodeURIComponent(id)}`
