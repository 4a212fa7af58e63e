import { locate, partialDays, type DayIndex } from '../../domain/days/day-index.ts'
import { allTime, type Range } from '../../domain/days/day-ranges.ts'
import type { Pool, Sql } from '../../store/db/database.ts'
import type { CountKind, DayCountCache } from './day-counts.ts'
import { headText, type Numbered } from './numbered.ts'
import type { Query, Reader, RowHandler } from '../../store/db/reader/reader.ts'
import { walkDated } from '../../store/db/walk.ts'
import { traced } from '../../tracing.ts'

/** The position of a document in a list by creation date; documents with equal dates are ordered by id. */
export type Position = { at: Date; id: string }

/** With `after` the page begins after that position, regardless of `index`. */
export type PageOf = { index: number; size: number; range: Range; descending: boolean; after: Position | null }

/**
 * `next` is the position of the last document of the page, after which the next page begins; null on the last page. If
 * that document does not show its position, `next` is undefined: the next page is then found by index.
 */
export type PageRead = Numbered & { totalCount: number; count: number; next: Position | null | undefined }

/** Collects the documents of a page in order. The bytes are valid only during the call. */
export type Documents = {
  add(chunk: Buffer, from: number, to: number): void
  /** Discards the collected documents: the page is read again. */
  clear(): void
}

export type Reads = { pool: Pool; reader: Reader; dayCounts: DayCountCache }

/** One list of documents by creation date: its table, its counters, and the condition that selects the counted rows. */
export type DatedList = { table: string; kinds: readonly CountKind[]; condition: string }

/** Documents begin with these fields, in this order, without white space. */
const beginning = /^\{"id":"([^"]+)".*?"createdAt":"([^"]+)"/

/** Reads the position of a stored order or report from its first characters; undefined if they do not match. */
function positionOf(chunk: Buffer, from: number, to: number): Position | undefined {
  const [, id, createdAt] = beginning.exec(chunk.toString('latin1', from, Math.min(from + 256, to))) ?? []
  return id === undefined || createdAt === undefined ? undefined : { at: new Date(createdAt), id }
}

/** Passes on at most a page of documents, and remembers the position of the last one. */
export class PageRows {
  readonly #documents: Documents
  readonly #size: number
  #seen = 0
  #last: Position | undefined

  constructor(documents: Documents, { size }: PageOf) {
    this.#documents = documents
    this.#size = size
  }

  readonly add: RowHandler = (chunk, from, to) => {
    this.#seen += 1
    if (this.#seen > this.#size) return
    if (this.#seen === this.#size) this.#last = positionOf(chunk, from, to)
    this.#documents.add(chunk, from, to)
  }

  clear(): void {
    this.#documents.clear()
    this.#seen = 0
    this.#last = undefined
  }

  /** Ends the page. More documents follow if `totalCount` says so (page by index), or if there was a further row (page by position). */
  end({ index, size, after }: PageOf, totalCount: number): Pick<PageRead, 'count' | 'next'> {
    const areMore = after === null ? index * size + this.#seen < totalCount : this.#seen > size
    return { count: Math.min(this.#seen, size), next: areMore ? this.#last : null }
  }
}

const toIso = (ms: number) => new Date(ms).toISOString()

/** The end of most ranges, formatted once: most callers give no end. */
const endOfTime = toIso(allTime.last)

const iso = (ms: number) => (ms === allTime.last ? endOfTime : toIso(ms))

async function countPart(sql: Sql, list: DatedList, locationId: string, { first, last }: Range): Promise<number> {
  const text = `select count(*) as n from ${list.table}
    where location_id = $1 and created_at >= $2 and created_at <= $3 ${list.condition}`
  const [row] = await sql.unsafe<{ n: number }[]>(text, [locationId, iso(first), iso(last)], { prepare: true })
  return row?.n ?? 0
}

/** Page statements, built once per list: looking up a prepared statement by a newly built text is slow. */
const pageTexts = new WeakMap<DatedList, Record<'asc' | 'desc', { byIndex: string; after: string }>>()

function pageText(list: DatedList, { descending, after }: PageOf): string {
  let texts = pageTexts.get(list)
  if (!texts) pageTexts.set(list, (texts = { asc: toPageTexts(list, 'asc'), desc: toPageTexts(list, 'desc') }))
  const { byIndex, after: behind } = texts[descending ? 'desc' : 'asc']
  return after === null ? byIndex : behind
}

function toPageTexts({ table, condition }: DatedList, direction: 'asc' | 'desc'): { byIndex: string; after: string } {
  const text = (limited: string) => `select document from ${table}
    where location_id = $1 and created_at >= $2 and created_at <= $3 ${condition} ${limited}`
  const order = `order by created_at ${direction}, id ${direction} limit $4`
  return { byIndex: text(`${order} offset $5`), after: text(`and ${isBehind(direction, '$5', '$6')} ${order}`) }
}

/** Returns the condition for rows after a position. `at` and `id` are the parameters of the position. */
export const isBehind = (direction: 'asc' | 'desc', at: string, id: string): string =>
  `(created_at, id) ${direction === 'asc' ? '>' : '<'} (${at}::timestamptz, ${id}::uuid)`

/**
 * Collects a page of documents, oldest or newest first, and resolves to the total count. The cost depends only on the
 * size of the page: the count and the beginning of the page come from the running sums, and only rows skipped within
 * one day are walked. With sums in the cache, the page is read first and then the journal head; if the sums are of that
 * head, count and page belong to one state. Otherwise the sums are refreshed and the page is read after them, so it
 * includes everything up to their sequence.
 */
export function readPage(
  reads: Reads,
  locationId: string,
  what: { list: DatedList; page: PageOf },
  documents: Documents,
): Promise<PageRead> {
  return traced('page read', () => collectPage(reads, locationId, what, documents), {
    attributes: () => ({ 'tillgate.location': locationId, 'tillgate.table': what.list.table }),
  })
}

async function collectPage(
  { pool, reader, dayCounts }: Reads,
  locationId: string,
  { list, page }: { list: DatedList; page: PageOf },
  documents: Documents,
): Promise<PageRead> {
  const { range, size, descending, after } = page
  const rows = new PageRows(documents, page)
  const offset = Math.min(page.index * size, Number.MAX_SAFE_INTEGER)
  const parts = partialDays(range)
  const countParts = () => Promise.all(parts.map((part) => countPart(pool, list, locationId, part)))
  const text = pageText(list, page)

  const queryOf = (index: DayIndex, partial: number[]): { total: number; queries: Query[] } => {
    const { total, range: within, skip } = locate(index, range, partial, { offset, descending })
    if (after !== null) {
      const [first, last] = [iso(range.first), iso(range.last)]
      const parameters = [locationId, first, last, String(size + 1), after.at.toISOString(), after.id]
      return { total, queries: [{ text, parameters, limit: size + 1, row: rows.add }] }
    }
    if (offset >= total) return { total, queries: [] }
    const parameters = [locationId, iso(within.first), iso(within.last), String(size), String(skip)]
    return { total, queries: [{ text, parameters, limit: size, row: rows.add }] }
  }

  const kept = dayCounts.peek(locationId)
  if (kept) {
    let head = ''
    const { total, queries } = queryOf(kept.index(list.kinds), parts.length > 0 ? await countParts() : [])
    await reader.query(...queries, {
      text: headText,
      parameters: [locationId],
      limit: 1,
      row: (chunk, from, to) => (head = chunk.toString('latin1', from, to)),
    })
    if (head === String(kept.seq)) return { sequence: kept.seq, totalCount: total, ...rows.end(page, total) }
    rows.clear()
  }
  const { seq, index } = await dayCounts.refresh(pool, locationId)
  const { total, queries } = queryOf(index(list.kinds), await countParts())
  if (queries.length > 0) await reader.query(...queries)
  const { count } = rows.end(page, total)
  // Documents stored after the sums were read may be on the page, so the total is at least what the page shows.
  const totalCount = count === 0 ? total : Math.max(total, offset + count)
  return { sequence: seq, totalCount, ...rows.end(page, totalCount) }
}

/** Yields every document of a table as bytes, oldest first, in batches along the index. */
export function walkDocuments(
  sql: Sql,
  table: DatedList['table'],
  locationId: string,
  size?: number,
): AsyncGenerator<Buffer[]> {
  return walkDated(
    iso(allTime.first),
    (after, batch) => sql<{ document: string; at: string; id: string }[]>`
      select document, created_at::text as at, id from ${sql(table)}
      where location_id = ${locationId} and (created_at, id) > (${after.at}, ${after.id})
      order by created_at, id limit ${batch}`,
    size,
  )
}
