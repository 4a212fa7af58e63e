import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transact, type Pool, type Sql } from './database.ts'

const folder = join(import.meta.dirname, 'migrations')

/** One lock for all migration runners of a database (SQL rule 14: this is the one place that takes an advisory lock). */
const lockKey = 7_417_201_847

type Migration = { version: number; name: string; text: string; bestEffort: string[] }

export class DatabaseTooNew extends Error {}

async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file)).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const name = file.replace('.sql', '')
      const rows = await readFile(join(folder, `${name}.rows.sql`), 'utf8').catch(() => '')
      const bestEffort = rows.split(';').filter((statement) => /^(?!--)\S/m.test(statement))
      return { version: Number(name.slice(0, 4)), name, text: await readFile(join(folder, file), 'utf8'), bestEffort }
    }),
  )
}

/** Tables that Citus spreads by location, in the order of colocation; `api_keys` is copied to every node. */
async function distributedTables(sql: Sql): Promise<string[]> {
  const rows = await sql<{ name: string }[]>`
    select c.relname as name from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'location_id'
    where n.nspname = current_schema() and c.relkind = 'r' and c.relname not in ('api_keys', 'schema_migrations')
      and not exists (select 1 from pg_dist_partition p where p.logicalrelid = c.oid)
    order by c.relname`
  return rows.map((row) => row.name)
}

/** The optional step of SQL rule 3: it runs only where the extension is, while the tables are new and empty. */
async function distribute(sql: Sql): Promise<boolean> {
  const citus = await sql`select 1 from pg_extension where extname = 'citus'`
  if (citus.length === 0) return false
  const placed = await sql`select 1 from pg_dist_partition where logicalrelid = 'locations'::regclass`
  if (placed.length === 0) {
    await sql`select create_reference_table('api_keys')`
    await sql`select create_distributed_table('locations', 'id')`
  }
  for (const table of await distributedTables(sql)) {
    await sql`select create_distributed_table(${table}, 'location_id', colocate_with => 'locations')`
  }
  return true
}

/** Applied version, 0 for an empty database. */
async function currentVersion(sql: Sql): Promise<number> {
  const [table] = await sql<{ found: boolean }[]>`select to_regclass('schema_migrations') is not null as found`
  if (!table?.found) return 0
  const [row] = await sql<
    { version: number }[]
  >`select coalesce(max(version), 0)::int as version from schema_migrations`
  return row?.version ?? 0
}

function refuseNewer(current: number, newest: number): void {
  if (current <= newest) return
  throw new DatabaseTooNew(
    `the database is at schema version ${current} and this Tillgate knows up to ${newest}: install the newer Tillgate again`,
  )
}

/** What is applied and what this binary brings. Throws `DatabaseTooNew` like `migrate`. */
export async function schemaVersion(pool: Pool): Promise<{ current: number; newest: number }> {
  const [current, all] = await Promise.all([currentVersion(pool), readMigrations()])
  const newest = all.at(-1)?.version ?? 0
  refuseNewer(current, newest)
  return { current, newest }
}

/**
 * Applies what is missing, each file once in its own transaction, forward only. Processes that race wait for each
 * other under an advisory lock. Returns the names applied. Throws `DatabaseTooNew`.
 */
export async function migrate(pool: Pool): Promise<string[]> {
  const { current, newest } = await schemaVersion(pool)
  if (current === newest) return []
  const all = await readMigrations()
  const applied: string[] = []
  for (const migration of all.filter(({ version }) => version > current)) {
    const ran = await transact(pool, async (tx) => {
      await tx`select pg_advisory_xact_lock(${lockKey})`
      await tx`create table if not exists schema_migrations (
        version int primary key, name text not null, applied_at timestamptz not null)`
      const version = await currentVersion(tx)
      refuseNewer(version, newest)
      if (version >= migration.version) return false
      await tx.unsafe(migration.text)
      await tx`insert into schema_migrations values (${migration.version}, ${migration.name}, ${new Date()})`
      await distribute(tx)
      return true
    })
    if (!ran) continue
    applied.push(migration.name)
    for (const statement of migration.bestEffort) await pool.unsafe(statement).catch(() => {})
  }
  return applied
}
