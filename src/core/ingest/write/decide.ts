import { acceptanceTime, type Change as JournalChange, type Head, type NewEntry } from '../../domain/journal/chain.ts'
import { isSameDocument, toText, type DocumentText } from '../../domain/documents/document-text.ts'
import type { Fault } from '../../contract/errors/errors.ts'
import type { Verdict } from '../../schemas/ingest.ts'
import type { EventType, RecordType } from '../../contract/resources.ts'
import type { DayChange } from '../../contract/paging/day-counts.ts'
import { toEntries } from '../../store/journal/journal.ts'
import type { Resource, StoredRow } from '../../contract/resource.ts'
import type { PartialChange } from '../partials.ts'
import type { Incoming, Times } from '../records.ts'
import { listLimit } from '../record-limits.ts'
import { dataParts } from '../../modules.ts'
import { OpenList } from './open-list.ts'
import { isAhead, isOlder, updatedAtOf, type Arrivals } from './till-times.ts'
import { listArrivals, type Arrival } from '../../store/journal/arrivals.ts'
import type { Sql } from '../../store/db/database.ts'
import type { Warning } from '../../schemas/warnings.ts'

declare module '../../modules.ts' {
  interface ModuleData {
    /** Returns a warning about a version that replaces another. */
    warnOfReplaced?(type: string, document: DocumentText, before: DocumentText): Warning | undefined
  }
}

/** Adds the warnings of modules about a version that replaces another, each code once per record. */
function addReplacedWarnings({ type, warnings }: Incoming, document: DocumentText, before: DocumentText): void {
  for (const { warnOfReplaced } of dataParts()) {
    const warning = warnOfReplaced?.(type, document, before)
    if (warning && !warnings.some(({ code }) => code === warning.code)) warnings.push(warning)
  }
}

export type RecordOutcome = { status: Exclude<Verdict, 'rejected'>; sequence?: number } | Refused

/** A record that is valid in itself but conflicts with stored data. */
export type Refused = { status: 'rejected'; sequence?: undefined; fault: Fault }

type Change = JournalChange & { kind: RecordType; types: EventType[] }

/** The parts of a stored version that are compared with a new one. Only resources with times have times. */
type Before = StoredRow & Partial<Required<Times>>

type Accepted = Required<Times> & { document: DocumentText }

/**
 * The stored versions of one resource that a batch names, updated by each record, so later records see earlier ones.
 * `arrivals` has the result of `readArrivals`.
 */
export type Stored = {
  resource: Resource
  rows: Map<string, StoredRow>
  changed: Set<string>
  arrivals: Map<string, Arrivals>
}

/** A list whose entries are changed one by one; `made` is their combined journal change, once it exists. */
type Open = { list: OpenList; made?: { seq: number; change: Change } }

const listTooLong: Fault = {
  in: 'body',
  pointer: '/data',
  code: 'line_too_long',
  detail: `with this entry the list would exceed ${listLimit / 1024} KiB: remove entries first`,
}

/** Returns the creation time of a record that states none: its `updatedAt` if the till sent it, but not after now. */
const firstTime = ({ updatedAt }: Times, now: string): string =>
  updatedAt !== undefined && updatedAt < now ? updatedAt : now

/**
 * Decides whether a record is a new version (decision 0012). The same document is unchanged. Otherwise the newest
 * `updatedAt` wins, unless it was ahead of the server's clock on arrival; if the times are equal, the later arrival
 * wins. A till without a clock leaves the times out: then different content is a new version, at the server's time.
 * Resources without times use the server's time, and their latest arrival wins.
 */
function decideVersion(
  { dated, complete }: Resource,
  record: Incoming,
  before: Before | undefined,
  { now, arrivals }: { now: string; arrivals: Arrivals | undefined },
): Accepted | 'unchanged' | 'stale' {
  const { createdAt = before?.createdAt ?? firstTime(record.times, now) } = record.times
  const storedAt = before && (updatedAtOf(before) ?? before.updatedAt)
  const sameVersion: Required<Times> = { createdAt, updatedAt: record.times.updatedAt ?? storedAt ?? now }
  const written = record.document(sameVersion)
  const document = complete ? complete(toText(written), before) : written
  if (before === undefined) return { ...sameVersion, document }
  if (isSameDocument(document, before.document)) return 'unchanged'
  if (!dated || before.updatedAt === undefined) return { ...sameVersion, document }
  const arrival = { updatedAt: sameVersion.updatedAt, acceptedAt: now }
  if (arrivals ? isOlder(arrival, arrivals) : arrival.updatedAt < before.updatedAt) return 'stale'
  if (record.times.updatedAt !== undefined) return { ...sameVersion, document }
  const updatedAt = now > before.updatedAt ? now : before.updatedAt
  return { createdAt, updatedAt, document: record.document({ createdAt, updatedAt }) }
}

/** Records how an accepted version arrived, if a later record of the batch may depend on it. */
function noteArrival(arrivals: Map<string, Arrivals>, id: string, arrival: Arrival): void {
  const before = arrivals.get(id)
  if (before || (arrival.updatedAt > arrival.acceptedAt && isAhead(arrival)))
    arrivals.set(id, [...(before ?? []), arrival])
}

/**
 * Reads the arrivals of stored versions, by id, for resources whose decision depends on them: the batch has a record
 * of the resource that is older, or ahead of the clock. Both are rare.
 */
export async function readArrivals(
  sql: Sql,
  locationId: string,
  records: readonly Incoming[],
  { rows, now }: { rows: ReadonlyMap<string, Before>; now: Date },
): Promise<Map<string, Arrivals>> {
  const clock = now.toISOString()
  const ids = new Map<number, string>()
  for (const { id, times } of records) {
    const [row, { updatedAt }] = [rows.get(id), times]
    if (row?.updatedAt === undefined || updatedAt === undefined) continue
    const isWithin = updatedAt < row.updatedAt || (updatedAt === row.updatedAt && updatedAtOf(row) !== updatedAt)
    if (isWithin || updatedAt > clock) ids.set(row.seq, id)
  }
  if (ids.size === 0) return new Map()
  const found = await listArrivals(sql, locationId, [...ids.keys()])
  return new Map([...found].map(([seq, arrivals]) => [ids.get(seq) as string, arrivals]))
}

/** Changes of one location that follow its head, decided in memory in the order of arrival. */
export class Batch {
  readonly acceptedAt: string
  readonly #locationId: string
  readonly #head: Head
  readonly #stored: ReadonlyMap<RecordType, Stored>
  readonly #days = new Map<string, DayChange>()
  readonly #open = new Map<RecordType, Open>()
  #changes: Change[] = []
  #nextSeq: number
  #last: NewEntry | undefined

  constructor(locationId: string, head: Head, stored: ReadonlyMap<RecordType, Stored>, now: Date) {
    this.#locationId = locationId
    this.#head = head
    this.#stored = stored
    this.#nextSeq = head.seq + 1
    this.acceptedAt = acceptanceTime(head, now)
  }

  /** The last entry accepted. */
  get last(): NewEntry | undefined {
    return this.#last
  }

  /** The end of the journal after the accepted entries. */
  get end(): Head {
    const { epoch } = this.#head
    return this.#last ? { epoch, seq: this.#last.seq, hash: this.#last.hash, acceptedAt: this.acceptedAt } : this.#head
  }

  get days(): DayChange[] {
    return [...this.#days.values()].filter(({ n }) => n !== 0)
  }

  /** Returns the results of the records since the last call: journal entries, and rows of the latest state. */
  take(): { entries: NewEntry[]; rows: { resource: Resource; rows: StoredRow[] }[] } {
    for (const type of this.#open.keys()) this.#seal(type)
    const entries = toEntries({ locationId: this.#locationId, head: this.end }, this.#changes, this.acceptedAt)
    this.#changes = []
    this.#last = entries.at(-1) ?? this.#last
    const rows = [...this.#stored.values()].map(({ resource, rows, changed }) => {
      const of = [...changed].map((id) => rows.get(id) as StoredRow)
      changed.clear()
      return { resource, rows: of }
    })
    return { entries, rows: rows.filter((of) => of.rows.length > 0) }
  }

  apply(record: Incoming): RecordOutcome {
    const { type, id, facts } = record
    if (record.partial) return this.#applyPartial(record, record.partial)
    this.#seal(type)
    const { resource, rows, changed, arrivals } = this.#stored.get(type) as Stored
    const before: Before | undefined = rows.get(id)
    if (before && resource.isStale?.(facts, before)) return { status: 'stale' }
    const now = this.acceptedAt
    const version = decideVersion(resource, record, before, { now, arrivals: arrivals.get(id) })
    if (typeof version === 'string') return { status: version }
    if (resource.dated) noteArrival(arrivals, id, { updatedAt: version.updatedAt, acceptedAt: now })
    if (before) addReplacedWarnings(record, version.document, before.document)
    if (resource.journaled === false) {
      rows.set(id, resource.row({ id, seq: 0, ...version }, { facts, types: [], before }))
      changed.add(id)
      return { status: 'accepted' }
    }
    const seq = this.#nextSeq++
    const types = record.isHistory ? [] : resource.events(facts, before)
    const row: StoredRow = resource.row({ id, seq, ...version }, { facts, types, before })
    if (resource.counts) {
      if (before) this.#count(resource.counts.of(before), -1)
      this.#count(resource.counts.of(row), 1)
    }
    rows.set(id, row)
    changed.add(id)
    // A location that was just created has a row but no entry yet.
    const prevSeq = before && before.seq > 0 ? before.seq : null
    this.#changes.push({ kind: type, id, prevSeq, types, document: row.document })
    return { status: 'accepted', sequence: seq }
  }

  /** Applies one entry of a list. Entries of one batch make one version, with the sequence of the first. */
  #applyPartial({ type, id, isHistory }: Incoming, partial: PartialChange): RecordOutcome {
    const { resource, rows } = this.#stored.get(type) as Stored
    const before = rows.get(id)
    const open: Open = this.#open.get(type) ?? { list: new OpenList(resource, before) }
    this.#open.set(type, open)
    const became = open.list.change(partial)
    if (became === 'unchanged') return { status: 'unchanged' }
    if (became === 'too_long') return { status: 'rejected', fault: listTooLong }
    const prevSeq = before && before.seq > 0 ? before.seq : null
    if (!open.made) {
      // Placed in order among the other changes; the document is set when all entries have been read.
      const change: Change = { kind: type, id, prevSeq, types: [], document: '' }
      this.#changes.push(change)
      open.made = { seq: this.#nextSeq++, change }
    }
    if (!isHistory) open.made.change.types = resource.events(null, before)
    return { status: 'accepted', sequence: open.made.seq }
  }

  /** Makes a version of a list whose entries were changed one by one. */
  #seal(type: RecordType): void {
    const open = this.#open.get(type)
    this.#open.delete(type)
    if (!open?.made) return
    const { seq, change } = open.made
    const { resource, rows, changed } = this.#stored.get(type) as Stored
    const times = { createdAt: this.acceptedAt, updatedAt: this.acceptedAt }
    const version = { id: change.id, seq, ...times, document: open.list.document() }
    const row: StoredRow = resource.row(version, { facts: null, types: change.types, before: rows.get(change.id) })
    rows.set(change.id, row)
    changed.add(change.id)
    change.document = row.document
  }

  #count({ kind, createdAt }: { kind: string; createdAt: string }, n: 1 | -1): void {
    // Times have one form, which begins with the day.
    const day = createdAt.slice(0, 10)
    const key = `${kind} ${day}`
    const change = this.#days.get(key)
    if (change) change.n += n
    else this.#days.set(key, { kind, day, n })
  }
}
