import { LRUCache } from 'lru-cache'
import { randomUUID } from 'node:crypto'
import { nextDelay, type Delay } from '../domain/delays.ts'
import { knowing, knowingOneMore, makesKnown, nothingKnown, type KnownIds } from '../domain/known.ts'
import type { MoneyRules } from '../../../core/contract/money/paid.ts'
import { warnOfEntry, warnOfRecord } from '../domain/records.ts'
import { refundFacts, warnOfRefund, type RefundFacts } from '../domain/refunds.ts'
import { toNamedOrder, warnOfOtherReports, warnOfReportOrders, type NamedOrder } from '../domain/report-orders.ts'
import { Sightings } from '../domain/sightings.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import type { RecordType } from '../../../core/contract/resources.ts'
import type { Warning } from '../../../core/schemas/warnings.ts'
import type { Pool } from '../../../core/store/db/database.ts'
import { GroupCommit } from '../../../core/store/db/group-commit.ts'
import { listRefunds } from '../store/refunds.ts'
import { insertWarnings, type KeptWarning } from '../store/ingest-warnings.ts'
import { findKnownVersion, findNamedOrders, listOtherReports, readKnownIds } from '../store/known-ids.ts'
import { pruneNotices } from '../../../core/store/db/retention.ts'
import type { PushKind, PushWatch, Watcher } from '../../../core/ingest/watching.ts'
import type { NoticeLimits } from '../../../core/ingest/receive/rejected-pruner.ts'
import { comparedOf, type Compared } from './compared.ts'
import type { Incoming } from '../../../core/ingest/records.ts'
import { dayMs } from '../../../core/domain/days/time-units.ts'

/** Milliseconds between checks whether another process has stored a new catalog, by the sequences of its lists. */
const knownForMs = 5_000

/** Maximum number of locations whose catalogs are cached; a catalog of 500 products takes about 100 KB. */
const locationsKept = 100

/** Reports with more orders than this are not compared with their orders. */
const ordersAdded = 1_000

/** Maximum number of warnings stored per batch of a push: a till makes the same mistake in every record. */
const keptOfBatch = 100

export type WarnerOptions = NoticeLimits & {
  /** False if the till marked its records as history. */
  isLive?: boolean
}

/** Maximum number of locations with a count of written warnings in memory. */
const writtenKept = 10_000

/** Maximum number of devices whose delays are remembered: the ones this process saw last. */
const delaysKept = 10_000

/** Stands for the time of a change that has none: the delay of its push is unknown. */
const unknownTime = 'unknown'

/** The constant delay of each device's last pushes, if any, by device. */
type Delays = LRUCache<string, Delay>

/** Maximum number of orders of a dry run that are remembered for its reports. */
const ordersRehearsed = 20_000

/** Recent pushes of all locations. */
type Memory = { delays: Delays; sightings: Sightings }

/** `isLive`: the records are current sales. */
type Push = { dryRun: boolean; isLive: boolean; locationId: string; warner: Warner }

/** Returns the values that this module computed when the record was read. */
const reportOrRefund = ({ compared }: Incoming): Compared => compared ?? {}

type Remembered = { known: KnownIds; version: string; atMs: number }

/** Finds the warnings of one push, from the known data of its location and from the records of the push itself. */
export class PushWarner implements PushWatch {
  readonly #push: Push
  readonly #clock: () => Date
  readonly #delays: Delays
  /** The time of the newest change of each device in this push. */
  readonly #newest = new Map<string, string>()
  readonly #delayOf = (deviceId: string) => this.#delays.get(deviceId.toLowerCase())
  /** For a dry run, which stores no orders: the orders to which its reports may refer. */
  readonly rehearsed: Map<string, NamedOrder> | undefined
  /** For a dry run, which stores no orders: its refunds, by id. */
  readonly rehearsedRefunds = new Map<string, RefundFacts>()
  readonly #sightings: Sightings
  readonly #isLive: boolean
  #known: KnownIds

  /** The settings of the location on which the events of its orders depend. */
  get rules(): MoneyRules {
    return this.#known
  }

  constructor(known: KnownIds, clock: () => Date, push: Memory & Push) {
    const { delays, sightings, dryRun, isLive } = push
    this.#push = push
    this.#known = known
    this.#clock = clock
    this.#delays = delays
    this.#isLive = isLive
    this.#sightings = dryRun ? new Sightings(sightings) : sightings
    this.rehearsed = dryRun ? new Map() : undefined
  }

  /** Returns the warnings of a valid record, whose numbers are parsed, and remembers its data for the next records. */
  warn(type: RecordType, data: unknown): Warning[] {
    const nowMs = this.#clock().getTime()
    const [known, isLive] = [this.#known, this.#isLive]
    const circumstances = { known, nowMs, isLive, delayOf: this.#delayOf, sightings: this.#sightings }
    const found = warnOfRecord(type, data, circumstances)
    if (type === 'order') this.#see(data as Order)
    else if (type !== 'report') this.#known = knowing(this.#known, type, data)
    return found
  }

  /** Returns the warnings of one entry of a list, and adds the entry to the known data. */
  warnOfEntry(type: RecordType, entry: unknown): Warning[] {
    const circumstances = { known: this.#known, nowMs: this.#clock().getTime() }
    const found = type === 'location' ? [] : warnOfEntry(type, entry, circumstances)
    this.#known = knowingOneMore(this.#known, type, entry)
    return found
  }

  compared(type: RecordType, data: unknown, id: string): Compared | undefined {
    return comparedOf(type, data, id)
  }

  async compare(records: readonly Incoming[]): Promise<void> {
    const { warner, locationId } = this.#push
    for (const record of records) await warner.compareReport(locationId, record, this)
    await warner.compareRefunds(locationId, records, this)
  }

  async keep(keyId: string | null, records: readonly Incoming[], accepted: readonly Incoming[]): Promise<void> {
    const { warner, locationId } = this.#push
    if (accepted.some(({ type }) => makesKnown(type))) warner.forget(locationId)
    const warned = records.filter(({ warnings }) => warnings.length > 0)
    if (warned.length > 0) await warner.keep(locationId, keyId, warned)
  }

  /** Called at the end of the push: what its devices sent counts for their next pushes. */
  end(): void {
    const nowMs = this.#clock().getTime()
    for (const [device, newest] of this.#newest) {
      const delay = nextDelay(this.#delays.get(device), nowMs - Date.parse(newest), nowMs)
      if (delay) this.#delays.set(device, delay)
      else this.#delays.delete(device)
    }
  }

  #see(order: Order): void {
    const { id, deviceId, updatedAt } = order
    if (this.rehearsed && this.rehearsed.size < ordersRehearsed) {
      this.rehearsed.set(id.toLowerCase(), toNamedOrder(order))
      const refund = refundFacts(order)
      if (refund) this.rehearsedRefunds.set(refund.id, refund)
      else this.rehearsedRefunds.delete(id.toLowerCase())
    }
    const device = deviceId.toLowerCase()
    const newest = this.#newest.get(device) ?? ''
    // Times in this form sort as text, and before any text that is not a time.
    const changedAt = (updatedAt as string | undefined) ?? unknownTime
    if (newest < changedAt) this.#newest.set(device, changedAt)
  }
}

/** Finds warnings about probable mistakes in records, and stores them (docs/inside/08-warnings.md). */
export class Warner implements Watcher {
  readonly #pool: Pool
  readonly #clock: () => Date
  readonly #options: WarnerOptions
  readonly #remembered = new LRUCache<string, Remembered>({ max: locationsKept })
  /** Warnings to store, by location. One statement stores the warnings of all pushes that end together. */
  readonly #warnings: GroupCommit<readonly KeptWarning[], void>
  /** Number of warnings written since old ones were last deleted, by location. */
  readonly #written = new LRUCache<string, number>({ max: writtenKept })
  readonly #memory: Memory = { delays: new LRUCache({ max: delaysKept }), sightings: new Sightings() }

  constructor(pool: Pool, clock: () => Date, options: WarnerOptions) {
    this.#pool = pool
    this.#clock = clock
    this.#options = options
    this.#warnings = new GroupCommit({
      commit: async (locationId, kept) => {
        const rows = kept.flat()
        await insertWarnings(pool, locationId, rows)
        if (this.#areMany(locationId, rows.length)) await this.#prune(locationId)
        return kept.map(() => {})
      },
      // Pushes that shared a statement end in the same turn.
      gathers: true,
    })
  }

  /** Prepares one push. Queries the database at most every few seconds. */
  async begin(locationId: string, { dryRun = false, isHistory = false }: PushKind = {}): Promise<PushWarner> {
    const isLive = this.#options.isLive === true && !isHistory
    const memory = { ...this.#memory, dryRun, isLive, locationId, warner: this }
    const nowMs = this.#clock().getTime()
    const before = this.#remembered.get(locationId)
    if (before && Math.abs(nowMs - before.atMs) < knownForMs) {
      return new PushWarner(before.known, this.#clock, memory)
    }
    const version = await findKnownVersion(this.#pool, locationId)
    const known = before?.version === version ? before.known : await readKnownIds(this.#pool, locationId, nothingKnown)
    this.#remembered.set(locationId, { known, version, atMs: nowMs })
    return new PushWarner(known, this.#clock, memory)
  }

  /** Forgets a location after a push of this process changed its known data. */
  forget(locationId: string): void {
    this.#remembered.delete(locationId)
  }

  /**
   * Compares a report with its stored orders and with neighboring reports. Runs after the commit, so that orders of the
   * same push are stored. Never rejects: a report that cannot be compared is stored all the same.
   */
  async compareReport(locationId: string, record: Incoming, push: PushWarner): Promise<void> {
    const { report } = reportOrRefund(record)
    const { warnings } = record
    if (!report) return
    const isLong = report.orders.length > ordersAdded
    const ids = report.orders.map((id) => id.toLowerCase())
    const reads = Promise.all([
      isLong ? undefined : findNamedOrders(this.#pool, locationId, ids),
      listOtherReports(this.#pool, locationId, report),
    ])
    const findings = await reads.then(([stored, others]) => {
      for (const id of stored ? ids : []) {
        const rehearsed = push.rehearsed?.get(id)
        if (rehearsed) stored?.set(id, rehearsed)
      }
      return [
        ...(stored ? warnOfReportOrders(report, stored, push.rules.money) : []),
        ...warnOfOtherReports(report, others),
      ]
    }, this.#options.onFailed)
    for (const warning of findings ?? [])
      if (!warnings.some(({ code }) => code === warning.code)) warnings.push(warning)
  }

  /** Compares refunds with their sales and earlier refunds, after the commit like `compareReport`. Never rejects. */
  async compareRefunds(locationId: string, records: readonly Incoming[], push: PushWarner): Promise<void> {
    const pushed = records.flatMap((record) => {
      const { refund } = reportOrRefund(record)
      return refund ? [{ refund, warnings: record.warnings }] : []
    })
    if (pushed.length === 0) return
    const ids = [...new Set(pushed.map(({ refund }) => refund.refundOf))]
    const stored = await Promise.all([
      findNamedOrders(this.#pool, locationId, ids),
      listRefunds(this.#pool, locationId, ids),
    ]).catch(this.#options.onFailed)
    if (!stored) return
    const [sales, refunds] = stored
    const others = refunds.filter(({ id }) => push.rehearsed?.has(id) !== true)
    const known = new Map([...others, ...push.rehearsedRefunds.values()].map((one) => [one.id, one]))
    for (const { refund } of pushed) known.delete(refund.id)
    const { money } = push.rules
    for (const { refund, warnings } of pushed) {
      const { id, refundOf } = refund
      const before = [...known.values()].filter((one) => one.refundOf === refundOf && one.id !== id)
      const sale = push.rehearsed?.get(refundOf) ?? sales.get(refundOf)
      warnings.push(...warnOfRefund(refund, { sale, before }, money))
      known.set(id, refund)
    }
  }

  /**
   * Stores the warnings of stored records, and occasionally deletes the excess of a location. Never rejects: the answer
   * to the till has the warnings even if they cannot be stored.
   */
  async keep(locationId: string, keyId: string | null, records: readonly Incoming[]): Promise<void> {
    const receivedAt = this.#clock()
    const rows = records.flatMap(({ line, type, id: resourceId, warnings }) =>
      warnings.map((warning) => ({ id: randomUUID(), receivedAt, keyId, line, type, resourceId, ...warning })),
    )
    await this.#warnings.add(locationId, rows.slice(0, keptOfBatch)).catch(this.#options.onFailed)
  }

  /**
   * Returns whether to delete old warnings: at the first write of this process for a location, and then each time the
   * process has added half of the kept number. Lists never show more than the kept number.
   */
  #areMany(locationId: string, added: number): boolean {
    const written = (this.#written.get(locationId) ?? Infinity) + added
    const areMany = written > this.#options.noticesKept / 2
    this.#written.set(locationId, areMany ? 0 : written)
    return areMany
  }

  async #prune(locationId: string): Promise<void> {
    const { noticesKept, noticeDays, onFailed } = this.#options
    const before = new Date(this.#clock().getTime() - noticeDays * dayMs)
    await pruneNotices(this.#pool, 'ingest_warnings', locationId, { latest: noticesKept, before }).catch(onFailed)
  }
}
