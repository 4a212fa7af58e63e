import type { KnownIds } from '../domain/warnings/known.ts'
import { idsOf } from '../domain/warnings/known.ts'
import type { CatalogList } from '../schemas/catalog.ts'
import type { Sql } from './database.ts'

/** The journal numbers of the stored lists and devices of a location, by which a change is detected. */
export async function findKnownVersion(sql: Sql, locationId: string): Promise<string> {
  const rows = await sql<{ list: string; seq: string }[]>`
    select list, seq::text as seq from catalog where location_id = ${locationId}
    union all select 'location', seq::text from locations where id = ${locationId}`
  return rows
    .map(({ list, seq }) => `${list} ${seq}`)
    .toSorted()
    .join()
}

/** The ids that orders of a location may refer to, read from its stored lists. A list that is empty knows nothing. */
export async function readKnownIds(sql: Sql, locationId: string, nothing: KnownIds): Promise<KnownIds> {
  const [lists, locations] = await Promise.all([
    sql<{ list: CatalogList; document: string }[]>`
      select list, document from catalog where location_id = ${locationId} and list <> 'modifiers'`,
    sql<{ document: string }[]>`select document from locations where id = ${locationId}`,
  ])
  const parts = [
    ...lists.map(({ list, document }) => idsOf(`catalog.${list}`, JSON.parse(document))),
    ...locations.map(({ document }) => idsOf('location', JSON.parse(document))),
  ]
  return Object.assign({}, nothing, ...parts) as KnownIds
}

/**
 * The sum of the totals of these orders in cents, canceled and training orders left out; null unless all of them are
 * stored. Each document is read: for a report, of which there are a few a day.
 */
export async function sumOrders(sql: Sql, locationId: string, ids: readonly string[]): Promise<number | null> {
  const rows = await sql<{ document: string }[]>`
    select document from orders where location_id = ${locationId} and id = any(${ids as string[]})`
  if (rows.length < new Set(ids).size) return null
  const orders = rows.map(
    ({ document }) => JSON.parse(document) as { total: number; isCanceled: boolean; isTraining: boolean },
  )
  return orders
    .filter(({ isCanceled, isTraining }) => !isCanceled && !isTraining)
    .reduce((sum, { total }) => sum + Math.round(total * 100), 0)
}
