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
  /** Keeps single resources and catalog lists for their `ETag`, such as `new Map()`; without it nothing is kept. */
  cache?: CacheStore
}

/**
 * Calls the Tillgate API with one key, which decides the location. Every method throws `TillgateError`. Reads are
 * repeated after a broken connection, a 429 and a 503, never sooner than the server says, within `deadlineMs`.
 */
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

  /** `for await (const order of tillgate.orders({ since: '2026-01-01' }))`, or `.pages()` for whole pages. */
  orders(query: ListOrdersQuery & Options = {}): List<Order, OrderPage> {
    return listOrders(this.#transport, query)
  }

  /** Gets the order as it stands now. Throws the code `order_not_found` when the location has no such order. */
  order(id: string, options: Options = {}): Promise<Order> {
    return getOrder(this.#caching, id, options)
  }

  /** Lists every version of an order, oldest first. */
  orderHistory(id: string, options: Options = {}): ReturnType<typeof getOrderHistory> {
    return getOrderHistory(this.#transport, id, options)
  }

  /** Lists Z reports, oldest first unless `sort` says otherwise; `.pages()` as with orders. */
  reports(query: ListReportsQuery & Options = {}): List<Report, ReportPage> {
    return listReports(this.#transport, query)
  }

  /** Gets the Z report as it stands now. Throws the code `report_not_found` when the location has no such report. */
  report(id: string, options: Options = {}): Promise<Report> {
    return getReport(this.#caching, id, options)
  }

  /** Lists every version of a Z report, oldest first. */
  reportHistory(id: string, options: Options = {}): ReturnType<typeof getReportHistory> {
    return getReportHistory(this.#transport, id, options)
  }

  /** A Z report added up again from its orders. */
  reconciliation(id: string, query: GetReportReconciliationQuery & Options = {}): Promise<Reconciliation> {
    return reconcileReport(this.#transport, id, query)
  }

  /** Lists the verdict of the reconciliation of every Z report of some business days; `.pages()` as with orders. */
  reportChecks(query: ListReportChecksQuery & Options = {}): List<ReportCheck, ReportCheckPage> {
    return listReportChecks(this.#transport, query)
  }

  /** Sums up sales by business day; `sequence` of `meta` is the number at which the figures hold. */
  sales({ signal, ...query }: GetSalesQuery & Options = {}): Promise<Sales> {
    return this.#caching.json({ path: '/v1/sales/', query, signal })
  }

  /** Reads what the locations of the key or session sold, each beside its week before, and together by currency. */
  salesOfLocations({ signal, ...query }: ListSalesOfLocationsQuery & Options = {}): Promise<SalesOfLocations> {
    return this.#transport.json({ path: '/v1/sales/locations', query, signal })
  }

  /** Reads what was taken off the bill: canceled orders and items, losses and discounts, by operator, hour and reason. */
  deductions({ signal, ...query }: GetDeductionsQuery & Options = {}): Promise<Deductions> {
    return this.#transport.json({ path: '/v1/deductions/', query, signal })
  }

  /** Lists business days, the last 31 when none are named, each with whether all of it is here. */
  businessDays(query: ListBusinessDaysQuery & Options = {}): Promise<BusinessDayList> {
    return listBusinessDays(this.#transport, query)
  }

  /** Lists the business days that changed after they were complete, and with `orders` by which orders. */
  revisedDays(query: ListRevisedDaysQuery & Options = {}): Promise<DayRevisionList> {
    return listRevisedDays(this.#transport, query)
  }

  /** Gets one business day with its Z reports and devices; `date` is `2026-03-14`. */
  businessDay(date: string, options: Options = {}): Promise<BusinessDay> {
    return getBusinessDay(this.#transport, date, options)
  }

  /** Gets one business day as a message for people, in English or French: its subject, as text and as HTML. */
  dayMessage(date: string, options: Pick<GetDayMessageQuery, 'language'> & Options = {}): Promise<DayMessage> {
    return getDayMessage(this.#transport, date, options)
  }

  /** Tells until when everything has arrived, of the location and of each device. */
  completeness(options: Options = {}): Promise<Completeness> {
    return getCompleteness(this.#transport, options)
  }

  /** Gets what French e-reporting asks for, by business day, category and rate; in cents. */
  eReport({ signal, ...query }: GetEReportQuery & Options = {}): Promise<EReport> {
    return this.#transport.json({ path: '/v1/e-reporting/', query, signal })
  }

  /** Orders, reports and products that a person means by a few words: a number, an id, a name. */
  search(q: string, { signal, ...query }: Omit<SearchQuery, 'q'> & Options = {}): Promise<SearchAnswer> {
    return this.#transport.json({ path: '/v1/search/', query: { q, ...query }, signal })
  }

  /** Gets the location of the key; with `devices` its tills too. */
  location({ signal, ...query }: GetOwnLocationQuery & Options = {}): Promise<Location> {
    return this.#caching.json({ path: '/v1/locations/own', query, signal })
  }

  /** The tills of the location, and how each stands. */
  devices(options: Options = {}): Promise<DeviceList> {
    return this.#transport.json({ path: '/v1/devices/', ...options })
  }

  /** Gets time zone, currency and start of the business day. */
  locationSettings({ signal }: Options = {}): Promise<LocationSettings> {
    return this.#caching.json({ path: '/v1/locations/own/settings', signal })
  }

  /** State of the service and the versions it serves. */
  health(options: Options = {}): Promise<Health> {
    return this.#transport.json({ path: '/health/', ...options })
  }

  /** Gets the end of the journal, with the hash that everything before leads to. */
  journalHead(options: Options = {}): Promise<JournalHead> {
    return getJournalHead(this.#caching, options)
  }

  /** Gets one entry of the journal, of any kind, with its place in the chain. Throws the code `entry_not_found`. */
  journalEntry(sequence: number, options: Options = {}): Promise<JournalEntry> {
    return getJournalEntry(this.#transport, sequence, options)
  }

  /** Begins to verify the journal, or joins the verification that runs. */
  verifyJournal({ signal, ...json }: VerificationInput & Options = {}): Promise<Verification> {
    return this.#transport.json({ path: verificationsPath, method: 'POST', json, repeatable: true, signal })
  }

  /** What a verification found, or how far it is. Code `verification_not_found`. */
  verification(id: string, options: Options = {}): Promise<Verification> {
    return this.#transport.json({ path: `${verificationsPath}/${id}`, ...options })
  }

  /** Lists the newest verifications of the journal, newest first. */
  verifications(options: Options = {}): Promise<VerificationList> {
    return this.#transport.json({ path: `${verificationsPath}/`, ...options })
  }

  /** Lists who read what of the location, oldest first, after a number of that log. */
  access(query: ListAccessQuery & Options = {}): AsyncGenerator<AccessPage['data'][number]> {
    return listAccess(this.#transport, query)
  }

  /**
   * Yields the journal as events, in order, for ever; it resumes by itself. See `EventsOptions` for where it begins.
   */
  async *events(options: EventsOptions = {}): AsyncGenerator<TillgateEvent> {
    for await (const { event } of readEvents(this.#transport, options)) yield event
  }

  /** Yields the same events, each beside its text, for callers that sign, forward or store it as it was accepted. */
  eventTexts(options: EventsOptions = {}): AsyncGenerator<EventText> {
    return readEvents(this.#transport, options)
  }

  /**
   * Makes any call, such as one of an operation that is newer than this client. Resolves to its answer below 400, or
   * 304, as `fetch` has it.
   */
  send(call: Call): Promise<Response> {
    return this.#transport.send(call)
  }

  /** Gets one page of the feed as the server answers it, for callers that keep the place themselves. */
  eventsPage({ signal, ...query }: ListEventsQuery & Options = {}): Promise<EventPage> {
    return this.#transport.json({ path: '/v1/events/', query, signal })
  }

  /** Pushes records, or lines of NDJSON as they stand, and yields a verdict for each. Sending the same again is always right. */
  ingest<Given extends PushedRecord | string = PushedRecord>(
    records: AsyncIterable<Given> | Iterable<Given>,
    options: IngestOptions = {},
  ): AsyncGenerator<IngestVerdict<Given>> {
    return pushRecords(this.#transport, records, options)
  }

  /** Stored records that look like a mistake, the newest first. */
  warnings({ signal, ...query }: ListIngestWarningsQuery & Options = {}): Promise<ListIngestWarningsAnswer> {
    return this.#transport.json({ path: '/v1/ingest/warnings/', query, signal })
  }

  /** Brings a copy of the location in step with the server, and with `follow` keeps it there. */
  sync(store: CopyStore, options: SyncOptions = {}): Promise<SyncResult> {
    return syncCopy(this.#transport, store, options)
  }
}
