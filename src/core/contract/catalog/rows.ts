import type { CatalogList } from './schema.ts'
import type { Sql } from '../../store/db/database.ts'
import { readNumbered, type NumberedDocument } from '../paging/numbered.ts'
import type { Reader } from '../../store/db/reader/reader.ts'
import { upsertRows } from '../../store/db/rows.ts'

const byList = 'select seq || document from catalog where location_id = $1 and list = $2'

/** Finds the list as one serialized array; undefined before the till's first push. */
export async function findCatalogBytes(
  reader: Reader,
  locationId: string,
  list: CatalogList,
): Promise<NumberedDocument> {
  return readNumbered(reader, byList, locationId, list)
}

export type CatalogVersionRow = { seq: number; prevSeq: number | null; acceptedAt: Date; document: string }

/**
 * Lists versions of a list, newest first, from the given sequence (null for the latest version) until one of the limits
 * is reached. Follows `prev_seq` by primary key. Returns at least two versions if they exist, of any size; none if the
 * sequence is not a version of the list.
 */
export async function listCatalogVersions(
  sql: Sql,
  locationId: string,
  list: CatalogList,
  { from, entries, bytes }: { from: number | null; entries: number; bytes: number },
): Promise<CatalogVersionRow[]> {
  const first =
    from === null ? sql`(select seq from catalog where location_id = ${locationId} and list = ${list})` : from
  return sql<CatalogVersionRow[]>`
    with recursive versions as (
      select j.*, 1 as nth, octet_length(j.document)::bigint as upto from journal j
      where j.location_id = ${locationId} and j.seq = ${first} and j.kind = ${`catalog.${list}`}
      union all
      select j.*, v.nth + 1, v.upto + octet_length(j.document) from versions v
      cross join lateral (select * from journal where location_id = ${locationId} and seq = v.prev_seq limit 1) j
      where v.location_id = ${locationId} and v.nth < ${entries} and (v.nth = 1 or v.upto < ${bytes})
    )
    select seq, prev_seq as "prevSeq", accepted_at as "acceptedAt", document from versions order by seq desc`
}

/** A stored list. Its id is the id of the location. */
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
