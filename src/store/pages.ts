import type { Row } from 'postgres'
import { locate, partialDays, type DayIndex } from '../domain/day-index.ts'
import { allTime, type Range } from '../domain/day-ranges.ts'
import type { Sql } from './database.ts'
import type { CountKind, DayCountCache } from './day-counts.ts'
import { readTimestamp } from './rows.ts'

export type PageOf = { index: number; size: number; range: Range; descending: boolean }

export type BytesPage = { documents: Buffer[]; totalCount: number }

/** One list of documents by creation date: its table, its counters, and the condition that belongs to them. */
export type DatedList = { table: 'orders' | 'reports'; kinds: readonly CountKind[]; condition: string }

const iso = (ms: number) => new Date(ms).toISOString()

function pageStatement(
  sql: Sql,
  list: DatedList,
  locationId: string,
  range: Range,
  limit: number,
  skip: number,
  descending: boolean,
) {
  const direction = descending ? 'desc' : 'asc'
  const text = `select document from ${list.table}
    where location_id = $1 and created_at >= $2 and created_at <= $3 ${list.condition}
    order by created_at ${direction}, id ${direction} limit $4 offset $5`
  const parameters = [locationId, iso(range.first), iso(range.last), limit, skip]
  return sql.unsafe<Row[]>(text, parameters, { prepare: true })
}

async function countPart(sql: Sql, list: DatedList, locationId: string, { first, last }: Range): Promise<number> {
  const text = `select count(*) as n from ${list.table}
    where location_id = $1 and created_at >= $2 and created_at <= $3 ${list.condition}`
  const [row] = await sql.unsafe<{ n: number }[]>(text, [locationId, iso(first), iso(last)], { prepare: true })
  return row?.n ?? 0
}

const documentsOf = (rows: readonly Buffer[][]) => rows.map((row) => row[0] as Buffer)

/**
 * A page of documents as bytes, oldest first or newest first. The cost depends on the page's size alone: `totalCount`
 * and the place where the page begins come from the running sums; only what is skipped within one day is walked.
 * With sums at hand the page is asked for together with the journal head and stands when the head has not moved.
 */
export async function readPage(
  sql: Sql,
  cache: DayCountCache,
  list: DatedList,
  locationId: string,
  page: PageOf,
): Promise<BytesPage> {
  const { range, size, descending } = page
  const offset = page.index * size
  const partial = await Promise.all(partialDays(range).map((part) => countPart(sql, list, locationId, part)))

  const ask = (index: DayIndex): { totalCount: number; rows: Promise<Buffer[][]> } => {
    const place = locate(
      index,
      range,
      partial,
      Number.isSafeInteger(offset) ? offset : Number.MAX_SAFE_INTEGER,
      descending,
    )
    if (offset >= place.total) return { totalCount: place.total, rows: Promise.resolve([]) }
    const statement = pageStatement(sql, list, locationId, place.range, size, place.skip, descending)
    return { totalCount: place.total, rows: statement.raw() }
  }

  const kept = cache.peek(locationId)
  if (kept) {
    const asked = ask(kept.index(list.kinds))
    const [[head], rows] = await Promise.all([
      sql<{ seq: number }[]>`select last_seq as seq from location_seq where location_id = ${locationId}`,
      asked.rows,
    ])
    if (head?.seq === kept.seq) return { documents: documentsOf(rows), totalCount: asked.totalCount }
  }
  const index = await cache.refresh(sql, locationId)
  const asked = ask(index(list.kinds))
  return { documents: documentsOf(await asked.rows), totalCount: asked.totalCount }
}

/** Every document of a table as bytes, oldest first, in batches along the index: for export, in flat memory. */
export async function* walkDocuments(
  sql: Sql,
  table: DatedList['table'],
  locationId: string,
  batch = 500,
): AsyncGenerator<Buffer[]> {
  let after = { at: iso(allTime.first), id: '00000000-0000-0000-0000-000000000000' }
  for (;;) {
    const rows = await sql
      .unsafe(
        `select document, created_at, id from ${table}
        where location_id = $1 and (created_at, id) > ($2, $3) order by created_at, id limit $4`,
        [locationId, after.at, after.id, batch],
        { prepare: true },
      )
      .raw()
    yield documentsOf(rows)
    const last = rows.at(-1)
    if (!last || rows.length < batch) return
    after = { at: readTimestamp(last[1] as Buffer), id: String(last[2]) }
  }
}
