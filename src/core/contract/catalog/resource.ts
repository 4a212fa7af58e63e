import { toText } from '../../domain/documents/document-text.ts'
import { listEntries } from './list-entries.ts'
import { catalogLists, type CatalogList } from './schema.ts'
import { findCatalogList, upsertCatalogList, type CatalogRow } from './rows.ts'
import type { Resource } from '../resource.ts'

/** Makes the resource of a catalog list. A location has one of each kind: a document, which each push replaces. */
const listResource = (list: CatalogList): Resource<CatalogRow, unknown, null> => ({
  type: `catalog.${list}`,
  plural: 'catalogLists',
  table: { name: 'catalog', key: 'list', location: 'location_id' },
  dated: false,
  locationField: null,
  idOf: (_data, locationId) => locationId,
  facts: () => null,
  entries: {
    read: (before) => (before === undefined ? [] : listEntries(before)),
    write: (entries) => `[${entries.join(',')}]`,
  },
  events: () => [`catalog.${list}.updated`],
  row: ({ id, seq, document }) => ({ id, seq, document: toText(document) }),
  async find(sql, locationId) {
    const row = await findCatalogList(sql, locationId, list)
    return new Map(row && [[row.id, row]])
  },
  async upsert(sql, locationId, rows) {
    for (const row of rows) await upsertCatalogList(sql, locationId, list, row)
  },
  async *walk(sql, locationId) {
    const row = await findCatalogList(sql, locationId, list)
    if (row) yield [row.document]
  },
  counts: null,
})

export const catalog = (Object.keys(catalogLists) as CatalogList[]).map(listResource)
