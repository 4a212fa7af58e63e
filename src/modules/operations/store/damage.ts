import type { Sql } from '../../../core/store/db/database.ts'
import { sqlState } from '../../../core/store/db/sql-state.ts'

/** The unreadable data: `table` is the table of the damaged file, null if the database does not name it. */
export type Damage = { table: string | null; isIndex: boolean; message: string }

/** `data_corrupted` and `index_corrupted` of PostgreSQL. */
const states = new Set<unknown>(['XX001', 'XX002'])

/**
 * Finds the data that an error reports as unreadable; undefined if it is not about the checksum or structure of a page.
 */
export async function findDamage(sql: Sql, error: unknown): Promise<Damage | undefined> {
  if (!states.has(sqlState(error))) return undefined
  const message = (error as Error).message
  // `invalid page in block 0 of relation "base/5/16431"`: PostgreSQL 15 to 17 write no quotes, and a fork or segment may follow.
  const [, node = '0'] = /\bbase\/\d+\/(\d+)/.exec(message) ?? []
  const [row] = await sql<{ table: string | null; isIndex: boolean }[]>`
    select coalesce(owner.relname, toast.relname, own.relname) as table, own.relkind = 'i' as "isIndex"
    from pg_class own
      left join pg_index x on x.indexrelid = own.oid
      left join pg_class owner on owner.oid = x.indrelid
      left join pg_class toast on toast.reltoastrelid = coalesce(owner.oid, own.oid)
    where own.oid = pg_filenode_relation(0, ${node}::oid)`
  return { table: row?.table ?? null, isIndex: row?.isIndex ?? false, message }
}

export function describeDamage({ table, isIndex, message }: Damage): string {
  const what = table === null ? 'a page' : `a page of ${isIndex ? 'an index of ' : ''}the table ${table}`
  return `${what} is damaged: ${message}`
}
