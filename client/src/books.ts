import type {
  BookAccounts,
  BookAccountsOwn,
  BookBatch,
  BookBatchInput,
  BookBatchList,
  BookDayList,
  BookingEntriesOfSource,
  BookingEntryList,
  BookHindrance,
  ListBookBatchesQuery,
  ListBookDaysQuery,
  ListBookingEntriesQuery,
  ListUnmappedQuery,
} from './api.ts'
import type { Transport } from './transport.ts'

type Options = { signal?: AbortSignal }

/** The format of a file of booking entries. */
export type BookFileForm = Pick<ListBookingEntriesQuery, 'dialect' | 'encoding'> & { format: 'fec' | 'csv' | 'hledger' }

const bytesOf = async (response: Response): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await response.arrayBuffer())

/** Booking entries and their batches. `setAccounts` and `issue` need the scope `books`. */
export class Books {
  readonly #transport: Transport

  constructor(transport: Transport) {
    this.#transport = transport
  }

  /** Gets the accounts. */
  accounts({ signal }: Options = {}): Promise<BookAccounts> {
    return this.#transport.json({ path: '/v1/books/accounts', signal })
  }

  /** Replaces all own accounts (`own`) with the given ones. Code `accounts_changed` if `version` is not the current one. */
  setAccounts(own: BookAccountsOwn, version: number, { signal }: Options = {}): Promise<BookAccounts> {
    const headers = { 'if-match': `"${version}"` }
    return this.#transport.json({
      method: 'PUT',
      path: '/v1/books/accounts',
      headers,
      json: own,
      signal,
      repeatable: false,
    })
  }

  /** Previews a page of the entries of business days, and lists what cannot be booked and why. */
  entries({ signal, ...query }: Omit<ListBookingEntriesQuery, 'format'> & Options = {}): Promise<BookingEntryList> {
    return this.#transport.json({ path: '/v1/books/entries/', query, signal })
  }

  /** Gets the entries of business days as a file. Code `books_incomplete` if something cannot be booked, unless `skip` is set. */
  async entriesFile({
    signal,
    ...query
  }: Omit<ListBookingEntriesQuery, 'format'> & BookFileForm & Options): Promise<Uint8Array<ArrayBuffer>> {
    return bytesOf(await this.#transport.send({ path: '/v1/books/entries/', query, signal }))
  }

  /** Previews the entries of a Z report by its id, or of a day without a Z report by its date. */
  entriesOf(id: string, { signal }: Options = {}): Promise<BookingEntriesOfSource> {
    return this.#transport.json({ path: `/v1/books/entries/${encodeURIComponent(id)}`, signal })
  }

  /** Previews the entries of a Z report. */
  entriesOfReport(id: string, { signal }: Options = {}): Promise<BookingEntriesOfSource> {
    return this.#transport.json({ path: `/v1/reports/${encodeURIComponent(id)}/entry`, signal })
  }

  /** Lists business days with their booking state. */
  days({ signal, ...query }: ListBookDaysQuery & Options = {}): Promise<BookDayList> {
    return this.#transport.json({ path: '/v1/books/days/', query, signal })
  }

  /** Lists what blocks a batch: names without an account, and sources that cannot be booked. */
  unmapped({ signal, ...query }: ListUnmappedQuery & Options = {}): Promise<BookHindrance[]> {
    return this.#transport.json({ path: '/v1/books/unmapped/', query, signal })
  }

  /**
   * Issues the next batch; null if nothing is due. `after` is the number of the last batch, so a repeated call issues nothing twice
   * (code `batch_exists`).
   */
  async issue(input: BookBatchInput, { signal }: Options = {}): Promise<BookBatch | null> {
    const answer = await this.#transport.json<BookBatch | { batch: null }>({
      method: 'POST',
      path: '/v1/books/batches/',
      json: input,
      signal,
    })
    return 'number' in answer ? answer : null
  }

  /** Lists issued batches without their entries, newest first. */
  batches({ signal, ...query }: ListBookBatchesQuery & Options = {}): Promise<BookBatchList> {
    return this.#transport.json({ path: '/v1/books/batches/', query, signal })
  }

  /** Gets an issued batch. */
  batch(number: number, { signal }: Options = {}): Promise<BookBatch> {
    return this.#transport.json({ path: `/v1/books/batches/${number}`, signal })
  }

  /** Gets an issued batch as a file. */
  async batchFile(number: number, { signal, ...query }: BookFileForm & Options): Promise<Uint8Array<ArrayBuffer>> {
    return bytesOf(await this.#transport.send({ path: `/v1/books/batches/${number}`, query, signal }))
  }
}
