import { acceptanceTime, commits } from '../../../core/domain/journal/chain.ts'
import type { Aside, Returned } from '../../../core/domain/journal/marks.ts'
import { transact, type Pool, type Sql, type Transaction } from '../../../core/store/db/database.ts'
import { archiveDocuments, restoreDocuments, type AsideRow } from '../../../core/store/journal/asides.ts'
import { appendChanges } from '../../../core/store/journal/journal.ts'
import { takeHead, type TakenHead } from '../../../core/store/journal/resumption.ts'
import { findRedacted } from '../../../core/store/repair/redactions.ts'

/** Number of entries per transaction. Pushes to the location wait for the transaction, some tenths of a second. */
const entriesAtOnce = 4_000

export type Interval = { from: number; to: number }

/** The part of an interval of the journal that may be archived. */
export type Chosen = Interval & {
  seqs: number[]
  /** Orders whose latest version is in `seqs`. */
  orders: string[]
  bytes: number
  lastDay: string
}

type EntryRow = { seq: number; id: string; prevSeq: number | null; isOrder: boolean; bytes: number | null }

type Latest = { seq: number; day: string | null }

async function findLatest(sql: Sql, locationId: string, ids: readonly string[]): Promise<Map<string, Latest>> {
  const rows = await sql<(Latest & { id: string })[]>`
    select id, seq, greatest(closed_at, created_at)::date::text as day from orders
    where location_id = ${locationId} and id = any(${[...ids]}::uuid[]) and closed`
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns the entries whose documents are still in the journal. */
async function findWhole(sql: Sql, locationId: string, seqs: readonly number[]): Promise<Set<number>> {
  const rows = await sql<{ seq: number }[]>`
    select seq from journal
    where location_id = ${locationId} and seq = any(${seqs.map(String)}::text[]::bigint[]) and document is not null`
  return new Set(rows.map(({ seq }) => seq))
}

/**
 * Chooses entries of an interval after a number: versions of closed orders whose latest version is in the interval, if
 * all earlier versions are chosen or archived too. So the archived versions of an order are its earliest versions, or
 * all of them. Undefined at the end of the interval.
 */
export async function chooseToArchive(
  sql: Sql,
  locationId: string,
  { from, to }: Interval,
  { after, atOnce = entriesAtOnce }: { after: number; atOnce?: number },
): Promise<Chosen | undefined> {
  const rows = await sql<EntryRow[]>`
    select seq, id, prev_seq as "prevSeq", kind = 'order' as "isOrder", octet_length(document) as bytes from journal
    where location_id = ${locationId} and seq > ${after} and seq <= ${to} order by seq limit ${atOnce}`
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return undefined
  const entries = rows.filter(({ isOrder }) => isOrder)
  const latest = await findLatest(sql, locationId, [...new Set(entries.map(({ id }) => id))])
  const complete = await findWhole(
    sql,
    locationId,
    entries.flatMap(({ prevSeq }) => prevSeq ?? []),
  )
  const chosen: Chosen = { from: first.seq, to: last.seq, seqs: [], orders: [], bytes: 0, lastDay: '0001-01-01' }
  for (const { seq, id, prevSeq, bytes } of entries) {
    const order = latest.get(id)
    if (!order || order.seq < from || order.seq > to || bytes === null) continue
    if (prevSeq !== null && complete.has(prevSeq)) continue
    complete.delete(seq)
    chosen.seqs.push(seq)
    chosen.bytes += bytes
    if (order.seq === seq) chosen.orders.push(id)
    if (order.day !== null && order.day > chosen.lastDay) chosen.lastDay = order.day
  }
  return chosen
}

/**
 * Finds a webhook or projection that has not read the interval yet, which prevents archiving; undefined if all have
 * read it.
 */
async function findReader(sql: Sql, locationId: string, to: number): Promise<string | undefined> {
  const [webhook] = await sql<{ id: string }[]>`
    select id from webhooks w where location_id = ${locationId} and (cursor < ${to} or exists (
      select 1 from webhook_retries r where r.location_id = ${locationId} and r.webhook_id = w.id and r.seq <= ${to}))
    order by id limit 1`
  if (webhook) return `webhook ${webhook.id}`
  const [figures] = await sql<{ name: string }[]>`
    select name from projections where location_id = ${locationId} and seq < ${to} order by name limit 1`
  return figures && `figures ${figures.name}`
}

/** A webhook or a projection has not yet read the entries to archive. */
export class StillRead extends Error {
  readonly reader: string

  constructor(reader: string, to: number) {
    super(`${reader} has not reached sequence ${to}`)
    this.reader = reader
  }
}

/** A redaction was added after the archive was compared with the journal. */
export class BlankedMeanwhile extends Error {}

async function findLastRedaction(sql: Sql, locationId: string): Promise<number> {
  const [row] = await sql<{ seq: number }[]>`
    select seq from journal where location_id = ${locationId} and kind = 'redaction' order by seq desc limit 1`
  return row?.seq ?? 0
}

/** Appends an entry about the journal itself, and resolves to its number. Such entries have no previous version. */
async function appendMark(
  tx: Transaction,
  { locationId, head }: { locationId: string; head: TakenHead },
  { kind, document, now }: { kind: 'aside' | 'returned'; document: Aside | Returned; now: Date },
): Promise<number> {
  const change = { kind, id: locationId, prevSeq: null, types: [], document: JSON.stringify(document) }
  return (await appendChanges(tx, { locationId, head }, [change], acceptanceTime(head, now))).seq
}

/** An archive that was read back and compared, entry by entry, with the journal up to the redaction `redactedAt`. */
export type ProvenArchive = Interval & { archive: string; sha256: string; redactedAt: number }

/**
 * Archives the next part of an interval. One transaction removes the documents and records this in the journal; the
 * latest version of each order stays in its own row. Resolves to the archived part, with the number after which the
 * next one begins; undefined at the end. If it throws `StillRead` or `BlankedMeanwhile`, nothing was changed.
 */
export async function archiveNext(
  pool: Pool,
  locationId: string,
  { from, to, archive, sha256, redactedAt }: ProvenArchive,
  { now, ...place }: { after: number; now: Date; atOnce?: number },
): Promise<Chosen | undefined> {
  return transact(pool, async (tx) => {
    const head = await takeHead(tx, locationId, { now })
    if (!head) return undefined
    if ((await findLastRedaction(tx, locationId)) !== redactedAt) throw new BlankedMeanwhile()
    const chosen = await chooseToArchive(tx, locationId, { from, to }, place)
    if (!chosen || chosen.seqs.length === 0) return chosen
    const reader = await findReader(tx, locationId, chosen.to)
    if (reader !== undefined) throw new StillRead(reader, chosen.to)
    const seqs = chosen.seqs.map(String)
    await tx`
      update journal set document = null
      where location_id = ${locationId} and seq = any(${seqs}::text[]::bigint[])`
    await tx`
      update orders set alone = true
      where location_id = ${locationId} and id = any(${chosen.orders}::uuid[]) and seq = any(${seqs}::text[]::bigint[])`
    const { bytes, lastDay } = chosen
    const document = { from: chosen.from, to: chosen.to, archive, sha256, documents: seqs.length, bytes, lastDay }
    const seq = await appendMark(tx, { locationId, head }, { kind: 'aside', document, now })
    await archiveDocuments(tx, locationId, seq, JSON.stringify(document))
    return chosen
  })
}

/** A document of the archive differs from the document that was accepted under its number. */
export class NotWhatWasAccepted extends Error {
  readonly seq: number

  constructor(seq: number) {
    super(`the archive has a different document at sequence ${seq} than the journal`)
    this.seq = seq
  }
}

/**
 * Restores one archived part in one transaction, which records this in the journal. Each document is proved by the
 * commitment of its entry, or of its redaction. Restore the last part first, because the archived versions of an order
 * are always its earliest versions. Resolves to the number of restored documents. Throws `NotWhatWasAccepted`.
 */
export async function bringBack(
  pool: Pool,
  locationId: string,
  { from, to }: Pick<AsideRow, 'from' | 'to'>,
  { documentOf, now }: { documentOf: (seq: number) => string | undefined; now: Date },
): Promise<number> {
  return transact(pool, async (tx) => {
    const head = await takeHead(tx, locationId, { now })
    if (!head) return 0
    const redacted = await findRedacted(tx, locationId)
    const rows = await tx<{ seq: number; id: string; salt: string; commitment: string }[]>`
      select seq, id, salt, commitment from journal
      where location_id = ${locationId} and seq >= ${from} and seq <= ${to} and document is null order by seq`
    const documents = rows.map(({ seq, salt, commitment }) => {
      const document = documentOf(seq)
      const isProved = (one: string | undefined) => document !== undefined && commits(one, salt, document)
      if (document === undefined || !(isProved(commitment) || isProved(redacted.get(seq))))
        throw new NotWhatWasAccepted(seq)
      return document
    })
    const seqs = rows.map(({ seq }) => String(seq))
    await tx`
      update journal j set document = t.document
      from unnest(${seqs}::text[], ${documents}::text[]) as t(seq, document)
      where j.location_id = ${locationId} and j.seq = t.seq::bigint and j.document is null`
    const ids = [...new Set(rows.map(({ id }) => id))]
    await tx`
      update orders set alone = false
      where location_id = ${locationId} and id = any(${ids}::uuid[]) and alone and seq = any(${seqs}::text[]::bigint[])`
    const document = { from, to }
    await appendMark(tx, { locationId, head }, { kind: 'returned', document, now })
    await restoreDocuments(tx, locationId, JSON.stringify(document))
    return rows.length
  })
}

/** Describes the first difference between the archived intervals and the journal, for `verify`. */
export function findAsidesFault(
  kept: readonly AsideRow[],
  marks: readonly { seq: number; kind: string; document: string }[],
): string | undefined {
  const said = new Map<number, string>()
  for (const { kind, document } of marks) {
    const { from, to } = JSON.parse(document) as Interval
    if (kind === 'aside') said.set(from, `${from} to ${to}`)
    else said.delete(from)
  }
  const named = kept.map(({ from, to }) => `${from} to ${to}`).join(', ')
  const wanted = [...said.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([, text]) => text)
    .join(', ')
  return named === wanted
    ? undefined
    : `${named || 'nothing'} is recorded as archived instead of ${wanted || 'nothing'}`
}
