import { Admin } from './admin.ts'
import type {
  AccessPage,
  BusinessDay,
  BusinessDayList,
  DayMessage,
  DayRevisionList,
  Deductions,
  GetDayMessageQuery,
  GetDeductionsQuery,
  ListRevisedDaysQuery,
  Completeness,
  DeviceList,
  EReport,
  EventPage,
  GetEReportQuery,
  GetOwnLocationQuery,
  GetReportReconciliationQuery,
  GetSalesQuery,
  ListSalesOfLocationsQuery,
  Health,
  JournalEntry,
  JournalHead,
  ListAccessQuery,
  ListBusinessDaysQuery,
  ListEventsQuery,
  ListIngestWarningsAnswer,
  ListIngestWarningsQuery,
  ListOrdersQuery,
  ListReportChecksQuery,
  ListReportsQuery,
  Location,
  LocationSettings,
  Order,
  OrderPage,
  Reconciliation,
  Report,
  ReportCheck,
  ReportCheckPage,
  ReportPage,
  Sales,
  SalesOfLocations,
  SearchAnswer,
  SearchQuery,
  Verification,
  VerificationInput,
  VerificationList,
} from './api.ts'
import { Books } from './books.ts'
import { Checkpoints } from './checkpoints.ts'
import { Exports } from './exports.ts'
import { Closings } from './closings.ts'
import { getBusinessDay, getCompleteness, getDayMessage, listBusinessDays, listRevisedDays } from './business-days.ts'
import { createCatalog, type Catalog } from './catalog.ts'
import { ConsoleAccess } from './console.ts'
import { Caching, type CacheStore } from './etags.ts'
import { readEvents, type EventsOptions, type EventText, type TillgateEvent } from './events.ts'
import { pushRecords, type IngestOptions, type IngestVerdict, type PushedRecord } from './ingest.ts'
import { getJournalEntry, getJournalHead, listAccess } from './journal.ts'
import { getOrder, getOrderHistory, listOrders } from './orders.ts'
import { OwnKeyOperations } from './keys.ts'
import type { List } from './pages.ts'
import { getReport, getReportHistory, listReportChecks, listReports, reconcileReport } from './reports.ts'
import { syncCopy, type CopyStore, type SyncOptions, type SyncResult } from './sync.ts'
import { Transport, type Call, type TransportOptions } from './transport.ts'
import { Webhooks } from './webhooks.ts'

type Options = { signal?: AbortSignal }

const verificationsPath = '/v1/journal/verifications'

export type ClientOptions = TransportOptions & {
  /** Cache of single resources and catalog lists, revalidated by `ETag`: for example `new Map()`. By default nothing is cached. */
  cache?: CacheStore
}

/** Calls the Tillgate API with one key, which determines the location. Every method throws `TillgateError`. */
export class Tillgate {
  readonly catalog: Catalog
  readonly webhooks: Webhooks
  readonly key: OwnKeyOperations
  readonly books: Books
  readonly closings: Closings
  readonly checkpoints: Checkpoints
  readonly exports: Exports
  readonly console: ConsoleAccess
  readonly admin: Admin
  readonly #transport: Transport
  readonly #caching: Caching

  constructor({ cache, ...options }: ClientOptions) {
    this.#transport = new Transport(options)
    this.#caching = new Caching(this.#transport, cache)
    this.catalog = createCatalog(this.#transport, this.#caching)
    this.webhooks = new Webhooks(this.#transport)
    this.key = new OwnKeyOperations(this.#transport)
    this.books = new Books(this.#transport)
    this.closings = new Closings(this.#transport)
    this.checkpoints = new Checkpoints(this.#transport)
    this.exports = new Exports(this.#transport)
    this.console = new ConsoleAccess(this.#transport)
    this.admin = new Admin(this.#transport)
  }

  /** Lists orders, oldest first unless `sort` changes that. */
  orders(query: ListOrdersQuery & Options = {}): List<Order, OrderPage> {
    return listOrders(this.#transport, query)
  }

  /** Gets the latest version of an order. Code `order_not_found`. */
  order(id: string, options: Options = {}): Promise<Order> {
    return getOrder(this.#caching, id, options)
  }

  /** Lists every version of an order, oldest first. */
  orderHistory(id: string, options: Options = {}): ReturnType<typeof getOrderHistory> {
    return getOrderHistory(this.#transport, id, options)
  }

  /** Lists Z reports, oldest first unless `sort` changes that. */
  reports(query: ListReportsQuery & Options = {}): List<Report, ReportPage> {
    return listReports(this.#transport, query)
  }

  /** Gets the latest version of a Z report. Code `report_not_found`. */
  report(id: string, options: Options = {}): Promise<Report> {
    return getReport(this.#caching, id, options)
  }

  /** Lists every version of a Z report, oldest first. */
  reportHistory(id: string, options: Options = {}): ReturnType<typeof getReportHistory> {
    return getReportHistory(this.#transport, id, options)
  }

  /** Compares a Z report with its orders. */
  reconciliation(id: string, query: GetReportReconciliationQuery & Options = {}): Promise<Reconciliation> {
    return reconcileReport(this.#transport, id, query)
  }

  /** Lists the verdict on each Z report of a range of business days. */
  reportChecks(query: ListReportChecksQuery & Options = {}): List<ReportCheck, ReportCheckPage> {
    return listReportChecks(this.#transport, query)
  }

  /** Gets sales by business day, as of the journal number `meta.sequence`. */
  sales({ signal, ...query }: GetSalesQuery & Options = {}): Promise<Sales> {
    return this.#caching.json({ path: '/v1/sales/', query, signal })
  }

  /** Gets sales of all locations of the key or session, compared with the same weekdays of earlier weeks, and totals by currency. */
  salesOfLocations({ signal, ...query }: ListSalesOfLocationsQuery & Options = {}): Promise<SalesOfLocations> {
    return this.#transport.json({ path: '/v1/sales/locations', query, signal })
  }

  /** Gets canceled orders and items, losses and discounts, by operator, hour and reason. */
  deductions({ signal, ...query }: GetDeductionsQuery & Options = {}): Promise<Deductions> {
    return this.#transport.json({ path: '/v1/deductions/', query, signal })
  }

  /** Lists business days, by default the last 31, and whether each is complete. */
  businessDays(query: ListBusinessDaysQuery & Options = {}): Promise<BusinessDayList> {
    return listBusinessDays(this.#transport, query)
  }

  /** Lists business days that changed after they were complete; with `orders`, also the orders that changed. */
  revisedDays(query: ListRevisedDaysQuery & Options = {}): Promise<DayRevisionList> {
    return listRevisedDays(this.#transport, query)
  }

  /** Gets a business day, for example `2026-03-14`, with its Z reports and devices. */
  businessDay(date: string, options: Options = {}): Promise<BusinessDay> {
    return getBusinessDay(this.#transport, date, options)
  }

  /** Gets a business day as a message in English or French: subject, text and HTML. */
  dayMessage(date: string, options: Pick<GetDayMessageQuery, 'language'> & Options = {}): Promise<DayMessage> {
    return getDayMessage(this.#transport, date, options)
  }

  /** Gets the time up to which all data has arrived, for the location and each device. */
  completeness(options: Options = {}): Promise<Completeness> {
    return getCompleteness(this.#transport, options)
  }

  /** Gets the totals for French e-reporting by business day, category and rate, in minor units. */
  eReport({ signal, ...query }: GetEReportQuery & Options = {}): Promise<EReport> {
    return this.#transport.json({ path: '/v1/e-reporting/', query, signal })
  }

  /** Finds orders, reports and products by a number, an id or a name. */
  search(q: string, { signal, ...query }: Omit<SearchQuery, 'q'> & Options = {}): Promise<SearchAnswer> {
    return this.#transport.json({ path: '/v1/search/', query: { q, ...query }, signal })
  }

  /** Gets the location of the key; with `devices`, its tills too. */
  location({ signal, ...query }: GetOwnLocationQuery & Options = {}): Promise<Location> {
    return this.#caching.json({ path: '/v1/locations/own', query, signal })
  }

  /** Lists the tills of the location with their state. */
  devices(options: Options = {}): Promise<DeviceList> {
    return this.#transport.json({ path: '/v1/devices/', ...options })
  }

  /** Gets time zone, currency and start of the business day. */
  locationSettings({ signal }: Options = {}): Promise<LocationSettings> {
    return this.#caching.json({ path: '/v1/locations/own/settings', signal })
  }

  /** Gets the state of the service, and its API versions. */
  health(options: Options = {}): Promise<Health> {
    return this.#transport.json({ path: '/health/', ...options })
  }

  /** Gets the last number and hash of the journal. */
  journalHead(options: Options = {}): Promise<JournalHead> {
    return getJournalHead(this.#caching, options)
  }

  /** Gets an entry of the journal with its place in the chain. Code `entry_not_found`. */
  journalEntry(sequence: number, options: Options = {}): Promise<JournalEntry> {
    return getJournalEntry(this.#transport, sequence, options)
  }

  /** Starts a verification of the journal, or returns the running one. */
  verifyJournal({ signal, ...json }: VerificationInput & Options = {}): Promise<Verification> {
    return this.#transport.json({ path: verificationsPath, method: 'POST', json, repeatable: true, signal })
  }

  /** Gets the result or progress of a verification. Code `verification_not_found`. */
  verification(id: string, options: Options = {}): Promise<Verification> {
    return this.#transport.json({ path: `${verificationsPath}/${id}`, ...options })
  }

  /** Lists verifications, newest first. */
  verifications(options: Options = {}): Promise<VerificationList> {
    return this.#transport.json({ path: `${verificationsPath}/`, ...options })
  }

  /** Lists the access log, oldest first, after a number of that log. */
  access(query: ListAccessQuery & Options = {}): AsyncGenerator<AccessPage['data'][number]> {
    return listAccess(this.#transport, query)
  }

  /** Yields events in order, without end; it resumes by itself after a failure. */
  async *events(options: EventsOptions = {}): AsyncGenerator<TillgateEvent> {
    for await (const { event } of readEvents(this.#transport, options)) yield event
  }

  /** Yields events with their original text, to sign, forward or store them unchanged. */
  eventTexts(options: EventsOptions = {}): AsyncGenerator<EventText> {
    return readEvents(this.#transport, options)
  }

  /** Makes any call, for example of an operation that is newer than this client. Resolves to the `Response` if its status is below 400. */
  send(call: Call): Promise<Response> {
    return this.#transport.send(call)
  }

  /** Gets one page of the feed, for callers that store the position themselves. */
  eventsPage({ signal, ...query }: ListEventsQuery & Options = {}): Promise<EventPage> {
    return this.#transport.json({ path: '/v1/events/', query, signal })
  }

  /** Pushes records, or lines of NDJSON, and yields a verdict for each. Sending the latest records again is harmless. */
  ingest<Given extends PushedRecord | string = PushedRecord>(
    records: AsyncIterable<Given> | Iterable<Given>,
    options: IngestOptions = {},
  ): AsyncGenerator<IngestVerdict<Given>> {
    return pushRecords(this.#transport, records, options)
  }

  /** Lists warnings about stored records, newest first. */
  warnings({ signal, ...query }: ListIngestWarningsQuery & Options = {}): Promise<ListIngestWarningsAnswer> {
    return this.#transport.json({ path: '/v1/ingest/warnings/', query, signal })
  }

  /** Updates a copy of the location; with `follow` it keeps running. */
  sync(store: CopyStore, options: SyncOptions = {}): Promise<SyncResult> {
    return syncCopy(this.#transport, store, options)
  }
}
