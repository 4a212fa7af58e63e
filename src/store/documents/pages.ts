import { locate, partialDays, type DayIndex } from '../../domain/days/day-index.ts'
import { allTime, type Range } from '../../domain/days/day-ranges.ts'
import type { Pool, Sql } from '../db/database.ts'
import type { CountKind, DayCountCache } from './day-counts.ts'
import { headText, type Numbered } from './numbered.ts'
import type { Query, Reader, RowHandler } from '../db/reader/reader.ts'
import { readTimestamp } from '../db/rows.ts'
import { traced } from '../../tracing.ts'

export type PageOf = { index: number; size: number; range: Range; descending: boolean }

/** Collects the documents of a page in their order. The bytes are valid only during the call. */
export type Documents = {
  add(chunk: Buffer, from: number, to: number): void
  /** Forgets those collected: the page is read again. */
  clear(): void
}

/** Holds what a page is read with. */
export type Reads = { pool: Pool; reader: Reader; dayCounts: DayCountCache }

/**
 * Describes one list of documents by creation date: its table, its counters, and the condition that belongs to them.
 */
export type DatedList = { table: string; kinds: readonly CountKind[]; condition: string }

const toIso = (ms: number) => new Date(ms).toISOString()

/** The end of most pages, whose callers name no days; written once. */
const endOfTime = toIso(allTime.last)

const iso = (ms: number) => (ms === allTime.last ? endOfTime : toIso(ms))

async function countPart(sql: Sql, list: DatedList, locationId: string, { first, last }: Range): Promise<number> {
  const text = `select count(*) as n from ${list.table}
    where location_id = $1 and created_at >= $2 and created_at <= $3 ${list.condition}`
  const [row] = await sql.unsafe<{ n: number }[]>(text, [locationId, iso(first), iso(last)], { prepare: true })
  return row?.n ?? 0
}

/** Statements of pages, made once for each list: with a text put together anew, its prepared statement is found the slow way. */
const pageTexts = new WeakMap<DatedList, { ascending: string; descending: string }>()

function pageText(list: DatedList, descending: boolean): string {
  let texts = pageTexts.get(list)
  if (!texts)
    pageTexts.set(list, (texts = { ascending: toPageText(list, 'asc'), descending: toPageText(list, 'desc') }))
  return descending ? texts.descending : texts.ascending
}

function toPageText({ table, condition }: DatedList, direction: 'asc' | 'desc'): string {
  return `select document from ${table}
    where location_id = $1 and created_at >= $2 and created_at <= $3 ${condition}
    order by created_at ${direction}, id ${direction} limit $4 offset $5`
}

/**
 * Collects a page of documents, oldest first or newest first, and resolves to the number of all. The cost depends on
 * the page's size alone: that number and the place where the page begins come from the running sums; only what is
 * skipped within one day is walked. With sums at hand the page is read first and then the journal head: when that has
 * not moved since the sums were made, all is of one state. Else the sums are made anew, and the rest is read after them,
 * so that everything up to their number is in the page.
 */
export function readPage(
  reads: Reads,
  locationId: string,
  what: { list: DatedList; page: PageOf },
  documents: Documents,
): Promise<Numbered & { totalCount: number }> {
  return traced('page read', () => collectPage(reads, locationId, what, documents), {
    attributes: () => ({ 'tillgate.location': locationId, 'tillgate.table': what.list.table }),
  })
}

async function collectPage(
  { pool, reader, dayCounts }: Reads,
  locationId: string,
  { list, page }: { list: DatedList; page: PageOf },
  documents: Documents,
): Promise<Numbered & { totalCount: number }> {
  const { range, size, descending } = page
  const offset = Math.min(page.index * size, Number.MAX_SAFE_INTEGER)
  const parts = partialDays(range)
  const countParts = () => Promise.all(parts.map((part) => countPart(pool, list, locationId, part)))
  const text = pageText(list, descending)

  const queryOf = (index: DayIndex, partial: number[]): { total: number; queries: Query[] } => {
    const { total, range: within, skip } = locate(index, range, partial, { offset, descending })
    if (offset >= total) return { total, queries: [] }
    const parameters = [locationId, iso(within.first), iso(within.last), String(size), String(skip)]
    const row: RowHandler = (chunk, from, to) => documents.add(chunk, from, to)
    return { total, queries: [{ text, parameters, row }] }
  }

  const kept = dayCounts.peek(locationId)
  if (kept) {
    let head = ''
    const { total, queries } = queryOf(kept.index(list.kinds), parts.length > 0 ? await countParts() : [])
    await reader.query(...queries, {
      text: headText,
      parameters: [locationId],
      row: (chunk, from, to) => (head = chunk.toString('latin1', from, to)),
    })
    if (head === String(kept.seq)) return { sequence: kept.seq, totalCount: total }
    documents.clear()
  }
  const { seq, index } = await dayCounts.refresh(pool, locationId)
  const { total, queries } = queryOf(index(list.kinds), await countParts())
  if (queries.length > 0) await reader.query(...queries)
  return { sequence: seq, totalCount: total }
}

/** Yields every document of a table as bytes, oldest first, in batches along the index: for export, in flat memory. */
export async function* walkDocuments(
  sql: Sql,
  table: DatedList['table'],
  locationId: string,
  batch = 500,
): AsyncGenerator<Buffer[]> {
  let after = { at: iso(allTime.first), id: '00000000-0000-0000-0000-000000000000' }
  for (;;) {
    const rows = await sql<{ document: string; at: string; id: string }[]>`
      select document, created_at::text as at, id from ${sql(table)}
      where location_id = ${locationId} and (created_at, id) > (${after.at}, ${after.id})
      order by created_at, id limit ${batch}`
    yield rows.map(({ document }) => Buffer.from(document))
    const last = rows.at(-1)
    if (!last || rows.length < batch) return
    after = { at: readTimestamp(last.at), id: last.id }
  }
}
