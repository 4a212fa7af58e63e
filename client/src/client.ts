import type {
  GetOwnLocationQuery,
  GetReportReconciliationQuery,
  Health,
  ListOrdersQuery,
  ListReportsQuery,
  Location,
  Order,
  OrderPage,
  Reconciliation,
  Report,
  ReportPage,
} from './api.ts'
import { createCatalog, type Catalog } from './catalog.ts'
import { Caching, type CacheStore } from './etags.ts'
import { readEvents, type EventsOptions, type TillgateEvent } from './events.ts'
import { pushRecords, type IngestOptions, type IngestVerdict, type PushedRecord } from './ingest.ts'
import { getOrder, getOrderHistory, listOrders } from './orders.ts'
import type { List } from './pages.ts'
import { getReport, listReports, reconcileReport } from './reports.ts'
import { syncCopy, type CopyStore, type SyncOptions, type SyncResult } from './sync.ts'
import { Transport, type TransportOptions } from './transport.ts'
import { Webhooks } from './webhooks.ts'

type Options = { signal?: AbortSignal }

export type ClientOptions = TransportOptions & {
  /** Keeps single resources and catalog lists for their `ETag`, such as `new Map()`; without it nothing is kept. */
  cache?: CacheStore
}

/**
 * The Tillgate API with one key, which decides the location. Every method throws `TillgateError`. Reads are repeated after
 * a broken connection, a 429 and a 503, never sooner than the server says, within `deadlineMs`.
 */
export class Tillgate {
  readonly catalog: Catalog
  readonly webhooks: Webhooks
  readonly #transport: Transport
  readonly #caching: Caching

  constructor({ cache, ...options }: ClientOptions) {
    this.#transport = new Transport(options)
    this.#caching = new Caching(this.#transport, cache)
    this.catalog = createCatalog(this.#caching)
    this.webhooks = new Webhooks(this.#transport)
  }

  /** `for await (const order of tillgate.orders({ since: '2026-01-01' }))`, or `.pages()` for whole pages. */
  orders(query: ListOrdersQuery & Options = {}): List<Order, OrderPage> {
    return listOrders(this.#transport, query)
  }

  order(id: string, options: Options = {}): Promise<Order> {
    return getOrder(this.#caching, id, options)
  }

  /** Every version of an order, oldest first. */
  orderHistory(id: string, options: Options = {}): ReturnType<typeof getOrderHistory> {
    return getOrderHistory(this.#transport, id, options)
  }

  reports(query: ListReportsQuery & Options = {}): List<Report, ReportPage> {
    return listReports(this.#transport, query)
  }

  report(id: string, options: Options = {}): Promise<Report> {
    return getReport(this.#caching, id, options)
  }

  /** A Z report added up again from its orders. */
  reconciliation(id: string, query: GetReportReconciliationQuery & Options = {}): Promise<Reconciliation> {
    return reconcileReport(this.#transport, id, query)
  }

  /** The location of the key; with `devices` its tills too. */
  location({ signal, ...query }: GetOwnLocationQuery & Options = {}): Promise<Location> {
    return this.#caching.json({ path: '/v1/locations/own', query, signal })
  }

  health({ signal }: Options = {}): Promise<Health> {
    return this.#transport.json({ path: '/health/', signal })
  }

  /** The journal as events, in order, for ever; it resumes by itself. See `EventsOptions` for where it begins. */
  events(options: EventsOptions = {}): AsyncGenerator<TillgateEvent> {
    return readEvents(this.#transport, options)
  }

  /** Pushes records as a till does, and yields a verdict for each. Sending the same again is always right. */
  ingest(
    records: AsyncIterable<PushedRecord> | Iterable<PushedRecord>,
    options: IngestOptions = {},
  ): AsyncGenerator<IngestVerdict> {
    return pushRecords(this.#transport, records, options)
  }

  /** Brings a copy of the location in step with the server, and with `follow` keeps it there. */
  sync(store: CopyStore, options: SyncOptions = {}): Promise<SyncResult> {
    return syncCopy(this.#transport, store, options)
  }
}
