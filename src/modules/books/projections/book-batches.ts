import { hash } from 'node:crypto'
import { addDays } from '../../../core/domain/days/business-time.ts'
import type { AccountFinder } from '../domain/accounts.ts'
import { numberText, seriesOf } from '../domain/numbers.ts'
import { reverse } from '../domain/reversal.ts'
import { sirenOf } from '../domain/texts.ts'
import { acceptanceTime } from '../../../core/domain/journal/chain.ts'
import { entryId } from '../../../core/domain/journal/entry-ids.ts'
import type { BookBatch, BookBatchDue, BookBatchInput, BookingEntry } from '../schemas/books.ts'
import type { Location } from '../../../core/contract/location/schema.ts'
import type { Sql, Transaction } from '../../../core/store/db/database.ts'
import { countResumed, findBatch, listSeries, putBatch, type IssuedRow } from '../store/batches.ts'
import { listBookDocuments } from '../store/documents.ts'
import type { LocationRow } from '../../../core/contract/location/rows.ts'
import { appendChanges } from '../../../core/store/journal/journal.ts'
import type { TakenHead } from '../../../core/store/journal/resumption.ts'
import type { BookedSource } from './books.ts'

/** Maximum entries and bytes of a batch; further entries are in the next batch. */
const entriesAtMost = 400
const bytesAtMost = 2 * 1024 * 1024

/** An entry before it has a number. */
type Unnumbered = Omit<BookingEntry, 'number' | 'batch'>

/** The content of a batch: a source is in it completely or not at all. */
export type Planned = { entries: Unnumbered[]; hasMore: boolean }

/** Reads the batches that contain these rows, and returns all their entries by number. */
async function readIssued(
  sql: Sql,
  locationId: string,
  rows: readonly IssuedRow[],
): Promise<Map<string, BookingEntry>> {
  const numbers = [...new Set(rows.map(({ batch }) => batch))]
  const batches = await Promise.all(numbers.map((number) => findBatch(sql, locationId, number)))
  const documents = await listBookDocuments(
    sql,
    locationId,
    'batch',
    batches.flatMap((batch) => batch?.seq ?? []),
  )
  const entries = [...documents.values()].flatMap((document) => (JSON.parse(document) as BookBatch).entries)
  return new Map(entries.map((entry) => [entry.number as string, entry]))
}

function reversed(issued: BookingEntry, { accounts }: AccountFinder, accountsVersion: number): Unnumbered {
  const { closedUntil } = accounts
  const date = closedUntil !== null && issued.date <= closedUntil ? addDays(closedUntil, 1) : issued.date
  return { ...reverse(issued, date), accountsVersion }
}

const sides = ['all', 'sales', 'cash'] as const

const sideOf = ({ id }: Pick<BookingEntry, 'id'>) => id.split('/')[1] ?? 'all'

/** Returns the entries to issue for a source; a reversal directly precedes the entry that replaces it. */
function entriesOf(
  { state, entries, issued }: BookedSource,
  known: ReadonlyMap<string, BookingEntry>,
  { finder, version }: { finder: AccountFinder; version: number },
): Unnumbered[] {
  const undone = state === 'changed' ? issued : []
  return sides.flatMap((side) => [
    ...undone
      .filter((row) => row.side === side)
      .map((row) => {
        const number = numberText(row.series, row.ordinal)
        const entry = known.get(number)
        if (!entry) throw new Error(`the journal has no booking entry ${number}`)
        return reversed(entry, finder, version)
      }),
    ...entries
      .filter((entry) => sideOf(entry) === side)
      .map((entry) => {
        const { number: _, batch: __, ...rest } = entry
        return { ...rest, state: 'issued' as const }
      }),
  ])
}

/** Plans the entries to issue, in the order of the sources. */
export async function planBatch(
  sql: Sql,
  locationId: string,
  sources: readonly BookedSource[],
  by: { finder: AccountFinder; version: number },
): Promise<Planned> {
  const due = sources.filter(({ state }) => state === 'ready' || state === 'changed')
  const known = await readIssued(
    sql,
    locationId,
    due.flatMap(({ state, issued }) => (state === 'changed' ? issued : [])),
  )
  const planned: Unnumbered[] = []
  let bytes = 0
  for (const source of due) {
    const entries = entriesOf(source, known, by)
    bytes += Buffer.byteLength(JSON.stringify(entries))
    const isFull = planned.length + entries.length > entriesAtMost || bytes > bytesAtMost
    if (isFull && planned.length > 0) return { entries: planned, hasMore: true }
    planned.push(...entries)
  }
  return { entries: planned, hasMore: false }
}

/** Counts what a plan would issue; `plan` is a hash that identifies exactly these entries. */
export function dueOf({ entries, hasMore }: Planned): BookBatchDue {
  const days = entries.map(({ date }) => date).toSorted((a, b) => (a < b ? -1 : 1))
  return {
    entries: entries.length,
    reversals: entries.filter(({ reverses }) => reverses !== null).length,
    since: days[0] ?? null,
    until: days.at(-1) ?? null,
    debit: entries.reduce((sum, { totals }) => sum + totals.debit, 0),
    hasMore,
    plan: hash('sha256', entries.map((entry) => `${entry.hash} ${entry.reverses ?? ''}`).join('\n')),
  }
}

type Made = {
  input: BookBatchInput
  planned: Planned
  accountsVersion: number
  /** Journal sequence at which the batch was computed. */
  sequence: number
  skipped: string[]
  location: LocationRow
  now: Date
}

/** Numbers, journals and stores a batch. The caller holds the head's lock and has checked that the plan still holds. */
export async function appendBatch(
  tx: Transaction,
  locationId: string,
  head: TakenHead,
  { input, planned, accountsVersion, sequence, skipped, location, now }: Made,
): Promise<{ batch: BookBatch; document: string; seq: number }> {
  const [series, resumed] = [await listSeries(tx, locationId), await countResumed(tx, locationId)]
  const createdAt = acceptanceTime(head, now)
  const number = input.after + 1
  const entries = planned.entries.map((entry): BookingEntry => {
    const of = { day: entry.date, startsOn: location.fiscalYearStarts, resumed }
    const name = seriesOf(entry.journal.code, of)
    const ordinal = (series.get(name) ?? 0) + 1
    series.set(name, ordinal)
    const { reverses, warnings, ...rest } = entry
    return { ...rest, number: numberText(name, ordinal), batch: number, reverses, warnings }
  })
  const booked = new Set(entries.map(({ id }) => id.split('/')[0]))
  const batch: BookBatch = {
    number,
    createdAt,
    until: input.until,
    accountsVersion,
    sequence,
    currency: location.currency,
    timeZone: location.timeZone,
    siren: sirenOf((JSON.parse(location.withoutDevices) as Location).siret),
    entries,
    accepted: (input.accept ?? []).filter(({ reportId }) => booked.has(reportId.toLowerCase())),
    skipped,
    hasMore: planned.hasMore,
  }
  const document = JSON.stringify(batch)
  const change = {
    kind: 'batch',
    id: entryId(locationId, `batch ${number}`),
    prevSeq: null,
    types: ['batch.created'],
    document,
  }
  const { seq } = await appendChanges(tx, { locationId, head }, [change], createdAt)
  await putBatch(tx, locationId, seq, document)
  return { batch, document, seq }
}
