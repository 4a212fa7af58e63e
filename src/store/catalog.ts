import type { CatalogList } from '../schemas/catalog.ts'
import type { Sql } from './database.ts'
import type { Reader } from './reader/reader.ts'

/** The whole list as one serialised array; undefined before the till pushed one. */
export async function findCatalogBytes(
  reader: Reader,
  locationId: string,
  list: CatalogList,
): Promise<Buffer | undefined> {
  return reader.first('select document from catalog where location_id = $1 and list = $2', [locationId, list])
}

export type CatalogRow = { list: CatalogList; seq: number; document: string }

export async function listCatalog(sql: Sql, locationId: string): Promise<CatalogRow[]> {
  return sql<CatalogRow[]>`select list, seq, document from catalog where location_id = ${locationId}`
}

export async function upsertCatalog(sql: Sql, locationId: string, row: CatalogRow): Promise<void> {
  await sql`
    insert into catalog as c (location_id, list, seq, document) values (${locationId}, ${row.list}, ${row.seq}, ${row.document})
    on conflict (location_id, list) do update set seq = excluded.seq, document = excluded.document`
}
