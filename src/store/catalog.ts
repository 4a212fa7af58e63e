import type { CatalogList } from '../schemas/catalog.ts'
import type { Sql } from './database.ts'
import { readNumbered, type NumberedDocument } from './numbered.ts'
import type { Reader } from './reader/reader.ts'
import { upsertRows } from './rows.ts'

/** The whole list as one serialised array; undefined before the till pushed one. */
export async function findCatalogBytes(
  reader: Reader,
  locationId: string,
  list: CatalogList,
): Promise<NumberedDocument> {
  return readNumbered(reader, 'select document from catalog where location_id = $1 and list = $2', [locationId, list])
}

/** One list; its id is that of the location. */
export type CatalogRow = { id: string; seq: number; document: string }

export async function findCatalogList(
  sql: Sql,
  locationId: string,
  list: CatalogList,
): Promise<CatalogRow | undefined> {
  const [row] = await sql<CatalogRow[]>`
    select location_id as id, seq, document from catalog where location_id = ${locationId} and list = ${list}`
  return row
}

export async function upsertCatalogList(
  sql: Sql,
  locationId: string,
  list: CatalogList,
  { seq, document }: Omit<CatalogRow, 'id'>,
): Promise<void> {
  await upsertRows(sql, 'catalog', 'location_id, list', [{ location_id: locationId, list, seq, document }])
}
