import { headText } from './numbered.ts'
import { isBehind, PageRows, type DatedList, type Documents, type PageOf, type PageRead } from './pages.ts'
import type { Reader } from '../../store/db/reader/reader.ts'

/**
 * A condition on a column, with `$` in place of its value: `report_id = $`. If `rows` is given, the rows that match it
 * are read first. Otherwise the index on `created_at` is read.
 */
export type Filter = { condition: string; value: string; rows?: string | undefined }

/** Makes a subquery that is evaluated first: `offset 0` keeps the planner from scanning the index on `created_at`. */
export const toFenced = (table: string, condition: string): string =>
  `select * from ${table} where location_id = $1 and ${condition} offset 0`

export type FilteredPage = { list: DatedList; filters: readonly Filter[]; page: PageOf }

/**
 * Collects a page of rows that match the filters, and resolves to their total number. One statement reads everything
 * from one state: its first row is the journal head, the second the count. Matches are counted by reading them, so each
 * filter needs an index that leaves few rows.
 */
export async function readFilteredPage(
  reader: Reader,
  locationId: string,
  { list, filters, page }: FilteredPage,
  documents: Documents,
): Promise<PageRead> {
  const { index, size, range, descending, after } = page
  const direction = descending ? 'desc' : 'asc'
  const order = `order by created_at ${direction}, id ${direction}`
  const narrowed = filters.map(({ condition }, i) => `and ${condition.replace('$', `$${i + 5}`)}`).join(' ')
  const [at, id] = [`$${filters.length + 5}`, `$${filters.length + 6}`]
  const place = filters.findIndex(({ rows }) => rows !== undefined)
  const rows = filters[place]?.rows?.replaceAll('$', `$${place + 5}`)
  const table = rows === undefined ? list.table : `(${toFenced(list.table, rows)}) ${list.table}`
  const selected =
    after === null ? `${order} limit $4 offset ${at}` : `and ${isBehind(direction, at, id)} ${order} limit $4`
  const from = `from ${table}
    where location_id = $1 and created_at >= $2 and created_at <= $3 ${list.condition} ${narrowed}`
  const text = `
    select answer from (
      select 0 as part, head.answer, null::timestamptz as created_at, null::uuid as id from (${headText}) head
      union all
      select 1, count(*)::text, null, null ${from}
      union all
      (select 2, document, created_at, id ${from} ${selected})
    ) answers ${order.replace('by', 'by part,')}`
  const read = new PageRows(documents, page)
  const bounds = [range.first, range.last].map((ms) => new Date(ms).toISOString())
  const behind =
    after === null ? [String(Math.min(index * size, Number.MAX_SAFE_INTEGER))] : [after.at.toISOString(), after.id]
  const limit = String(after === null ? size : size + 1)
  const numbers: number[] = []
  await reader.query({
    text,
    parameters: [locationId, ...bounds, limit, ...filters.map(({ value }) => value), ...behind],
    limit: size + 3,
    row: (chunk, from, to) => {
      if (numbers.length < 2) numbers.push(Number(chunk.toString('latin1', from, to)))
      else read.add(chunk, from, to)
    },
  })
  const [sequence = 0, totalCount = 0] = numbers
  return { sequence, totalCount, ...read.end(page, totalCount) }
}
