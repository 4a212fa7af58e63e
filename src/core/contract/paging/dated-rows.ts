import { rowsOfIds } from '../../store/db/by-id.ts'
import type { Sql } from '../../store/db/database.ts'
import { walkDocuments } from './pages.ts'
import { upsertRows } from '../../store/db/rows.ts'

/** The columns of every table of dated documents. Times are those of the till, in ISO 8601 with milliseconds. */
export type DatedRow = { id: string; createdAt: string; updatedAt: string; seq: number; document: string }

/** The SQL part of a descriptor: how rows of one table are found by id, written and walked. */
type DatedRows<Row extends DatedRow> = {
  /** Finds stored versions by lower-case id. The caller holds the head's lock if they must be the latest. */
  find(sql: Sql, locationId: string, ids: readonly string[]): Promise<Map<string, Row>>
  /** Writes rows with distinct ids. The caller has decided that these versions win. */
  upsert(sql: Sql, locationId: string, rows: readonly Row[]): Promise<void>
  /** Yields every document, oldest first, in batches. */
  walk(sql: Sql, locationId: string): AsyncIterable<readonly Buffer[]>
}

type Stored = Omit<DatedRow, 'createdAt' | 'updatedAt'> & Record<'createdAt' | 'updatedAt', Date>

/**
 * Makes the statements for a table of dated documents with the primary key `(location_id, id)`. `own` are its columns
 * in addition to those of `DatedRow`, named like the members of its rows. Orders have too many columns and use their
 * own statements.
 */
export function datedRows<Row extends DatedRow>(
  table: 'reports',
  own: readonly (Exclude<keyof Row, keyof DatedRow> & string)[] = [],
): DatedRows<Row> {
  const columns = ['id', 'seq', 'document', ...own]
  return {
    async find(sql, locationId, ids) {
      if (ids.length === 0) return new Map()
      const rows = await sql<(Row & Stored)[]>`
        select created_at as "createdAt", updated_at as "updatedAt", ${sql(columns)}
        from ${rowsOfIds(sql, table, locationId, ids)}`
      return new Map(
        rows.map((row) => {
          return [row.id, { ...row, createdAt: row.createdAt.toISOString(), updatedAt: row.updatedAt.toISOString() }]
        }),
      )
    },
    async upsert(sql, locationId, rows) {
      const values = rows.map((row) => ({
        location_id: locationId,
        created_at: row.createdAt,
        updated_at: row.updatedAt,
        ...Object.fromEntries(columns.map((column) => [column, row[column as keyof Row]])),
      }))
      await upsertRows(sql, table, 'location_id, id', values)
    },
    walk: (sql, locationId) => walkDocuments(sql, table, locationId),
  }
}
