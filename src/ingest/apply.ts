import { acceptanceTime, type Change as JournalChange } from '../domain/chain.ts'
import { dayOf } from '../domain/day-ranges.ts'
import { listEvents, orderEvents } from '../domain/events.ts'
import type { CatalogList } from '../schemas/catalog.ts'
import type { EventType } from '../schemas/events.ts'
import type { RecordType, Verdict } from '../schemas/ingest.ts'
import type { Location } from '../schemas/locations.ts'
import { listCatalog, upsertCatalog, type CatalogRow } from '../store/catalog.ts'
import { reusePlans, type Transaction } from '../store/database.ts'
import { addDayCounts, type CountKind, type DayChange } from '../store/day-counts.ts'
import { appendChanges, lockHead } from '../store/journal.ts'
import { findLocation, updateLocation, type LocationRow } from '../store/locations.ts'
import { findOrders, upsertOrders, type OrderRow } from '../store/orders.ts'
import { findReports, upsertReports, type ReportRow } from '../store/reports.ts'
import type { Incoming, Times } from './records.ts'

export type Outcome = { status: Exclude<Verdict, 'rejected'>; sequence?: number }

type Of<Type extends RecordType> = Extract<Incoming, { type: Type }>

type Change = JournalChange & { kind: RecordType; types: EventType[] }

type Version = { createdAt: string; updatedAt: string; document: string }

/** What is stored of the resources that a batch names; it moves with each record, so later ones see earlier ones. */
type Stored = {
  orders: Map<string, OrderRow>
  reports: Map<string, ReportRow>
  catalog: Map<CatalogList, CatalogRow>
  location: LocationRow | undefined
}

async function readStored(tx: Transaction, locationId: string, records: readonly Incoming[]): Promise<Stored> {
  const ids = (type: RecordType) => [...new Set(records.filter((r) => r.type === type).map((r) => r.id))].toSorted()
  const has = (prefix: string) => records.some((record) => record.type.startsWith(prefix))
  const [orders, reports, catalog, location] = await Promise.all([
    findOrders(tx, locationId, ids('order')),
    findReports(tx, locationId, ids('report')),
    has('catalog.') ? listCatalog(tx, locationId) : [],
    has('location') ? findLocation(tx, locationId) : undefined,
  ])
  return { orders, reports, catalog: new Map(catalog.map((row) => [row.list, row])), location }
}

/**
 * Newest `updatedAt` wins; the same document again is unchanged; among equals the later arrival wins (decision 0012).
 * A till without a clock leaves the times out: then only a different content is a new version, at the server's time.
 */
function decide(
  record: Of<'order' | 'report'>,
  before: Version | undefined,
  now: string,
): Version | 'unchanged' | 'stale' {
  const createdAt = record.times.createdAt ?? before?.createdAt ?? now
  const sameVersion: Required<Times> = { createdAt, updatedAt: record.times.updatedAt ?? before?.updatedAt ?? now }
  const document = record.document(sameVersion)
  if (before === undefined) return { ...sameVersion, document }
  if (document === before.document) return 'unchanged'
  if (sameVersion.updatedAt < before.updatedAt) return 'stale'
  if (record.times.updatedAt !== undefined) return { ...sameVersion, document }
  const updatedAt = now > before.updatedAt ? now : before.updatedAt
  return { createdAt, updatedAt, document: record.document({ createdAt, updatedAt }) }
}

/** One transaction's worth of changes of one location, applied in memory in the order of arrival. */
class Batch {
  readonly changes: Change[] = []
  readonly changedOrders = new Set<string>()
  readonly changedReports = new Set<string>()
  readonly changedLists = new Set<CatalogList>()
  locationChanged = false
  readonly #days = new Map<string, DayChange>()
  readonly #stored: Stored
  readonly #firstSeq: number
  readonly #now: string

  constructor(stored: Stored, lastSeq: number, now: string) {
    this.#stored = stored
    this.#firstSeq = lastSeq + 1
    this.#now = now
  }

  get days(): DayChange[] {
    return [...this.#days.values()].filter(({ n }) => n !== 0)
  }

  apply(record: Incoming): Outcome {
    if (record.type === 'order') return this.#order(record)
    if (record.type === 'report') return this.#report(record)
    if (record.type === 'location') return this.#location(record)
    return this.#list(record)
  }

  #append(change: Change): Outcome {
    this.changes.push(change)
    return { status: 'accepted', sequence: this.#nextSeq - 1 }
  }

  get #nextSeq(): number {
    return this.#firstSeq + this.changes.length
  }

  #count(kind: CountKind, createdAt: string, n: 1 | -1): void {
    const day = dayOf(Date.parse(createdAt))
    const key = `${kind} ${day}`
    const change = this.#days.get(key)
    if (change) change.n += n
    else this.#days.set(key, { kind, day, n })
  }

  #order(record: Of<'order'>): Outcome {
    const before = this.#stored.orders.get(record.id)
    const version = decide(record, before, this.#now)
    if (typeof version === 'string') return { status: version }
    const { facts } = record
    const types = orderEvents(before, facts)
    const paid = (before?.paid ?? false) || types.includes('order.paid')
    const kindOf = (closedAt: string | null): CountKind => (closedAt === null ? 'order.open' : 'order.closed')
    if (before) this.#count(kindOf(before.closedAt), before.createdAt, -1)
    this.#count(kindOf(facts.closedAt), version.createdAt, 1)
    const row = {
      ...version,
      id: record.id,
      closedAt: facts.closedAt,
      reportId: facts.reportId,
      canceled: facts.isCanceled,
      transferred: facts.isTransferred,
      paid,
      seq: this.#nextSeq,
    }
    this.#stored.orders.set(record.id, row)
    this.changedOrders.add(record.id)
    const { document } = version
    return this.#append({ kind: 'order', id: record.id, prevSeq: before?.seq ?? null, types, document })
  }

  #report(record: Of<'report'>): Outcome {
    const before = this.#stored.reports.get(record.id)
    const version = decide(record, before, this.#now)
    if (typeof version === 'string') return { status: version }
    if (before) this.#count('report', before.createdAt, -1)
    this.#count('report', version.createdAt, 1)
    this.#stored.reports.set(record.id, { ...version, id: record.id, seq: this.#nextSeq })
    this.changedReports.add(record.id)
    const types = listEvents('report', before === undefined)
    return this.#append({
      kind: 'report',
      id: record.id,
      prevSeq: before?.seq ?? null,
      types,
      document: version.document,
    })
  }

  #list(record: Exclude<Incoming, { type: 'order' | 'report' | 'location' }>): Outcome {
    const list = record.type.slice('catalog.'.length) as CatalogList
    const before = this.#stored.catalog.get(list)
    const document = record.document({})
    if (document === before?.document) return { status: 'unchanged' }
    this.#stored.catalog.set(list, { list, seq: this.#nextSeq, document })
    this.changedLists.add(list)
    const types = listEvents(record.type, before === undefined)
    return this.#append({ kind: record.type, id: record.id, prevSeq: before?.seq ?? null, types, document })
  }

  /** A push without `deviceList` leaves the devices as they are: a till may send back what it read. */
  #location(record: Of<'location'>): Outcome {
    const before = this.#stored.location as LocationRow
    const { deviceList, ...fields } = JSON.parse(record.document({})) as Location
    const document = JSON.stringify(fields)
    const devices = record.facts.hasDevices ? JSON.stringify(deviceList) : before.devices
    if (document === before.document && devices === before.devices) return { status: 'unchanged' }
    this.#stored.location = { ...before, document, devices, seq: this.#nextSeq }
    this.locationChanged = true
    const whole = `${document.slice(0, -1)},"deviceList":${devices}}`
    const prevSeq = before.seq === 0 ? null : before.seq
    return this.#append({
      kind: 'location',
      id: record.id,
      prevSeq,
      types: listEvents('location', false),
      document: whole,
    })
  }
}

function changed<K, T>(stored: ReadonlyMap<K, T>, keys: ReadonlySet<K>): T[] {
  return [...keys].map((key) => stored.get(key) as T)
}

class LocationMissing extends Error {}

/**
 * Applies records of one location in the caller's transaction: state, day counts and journal together. Takes the
 * location's head first, so writers of one location follow each other and each compares with the latest version.
 * Outcomes come in the order of the records. Throws `LocationMissing`.
 */
export async function applyRecords(
  tx: Transaction,
  locationId: string,
  records: readonly Incoming[],
  now: Date,
): Promise<Outcome[]> {
  // Sent together and carried out in this order: what is stored is read once the head is ours.
  const [, head, stored] = await Promise.all([
    reusePlans(tx),
    lockHead(tx, locationId),
    readStored(tx, locationId, records),
  ])
  if (!head) throw new LocationMissing(`there is no location ${locationId}`)
  const acceptedAt = acceptanceTime(head, now)
  const batch = new Batch(stored, head.seq, acceptedAt)
  const outcomes = records.map((record) => batch.apply(record))
  if (batch.changes.length === 0) return outcomes
  const lastSeq = head.seq + batch.changes.length
  await Promise.all([
    upsertOrders(tx, locationId, changed(stored.orders, batch.changedOrders)),
    upsertReports(tx, locationId, changed(stored.reports, batch.changedReports)),
    ...changed(stored.catalog, batch.changedLists).map((row) => upsertCatalog(tx, locationId, row)),
    batch.locationChanged && stored.location ? updateLocation(tx, stored.location) : undefined,
    addDayCounts(tx, locationId, batch.days, lastSeq),
    appendChanges(tx, { locationId, head }, batch.changes, acceptedAt),
  ])
  return outcomes
}
