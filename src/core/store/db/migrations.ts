import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isCitus } from './citus.ts'
import { transact, type Pool, type Sql } from './database.ts'
import { checksumOf, listApplied, refuseAnotherLineage, type Applied } from './migration-lineage.ts'

const folder = join(import.meta.dirname, '../migrations')

/** Key of the advisory lock (SQL rule 14) that all migration runners of a database share. */
const lockKey = 7_417_201_847

type Migration = { version: number; name: string; statements: string[]; tables: string[]; bestEffort: string[] }

/**
 * Splits a migration into statements, which are sent one by one, since Citus forwards everything that is sent with a
 * statement to its nodes. No literal of a migration contains `--` or a semicolon.
 */
function statementsOf(text: string): string[] {
  const bare = text.replaceAll(/--.*/g, '')
  return bare.split(';').filter((statement) => statement.trim() !== '')
}

export class DatabaseTooNew extends Error {}

/** The database belongs to another program. */
export class DatabaseOfOthers extends Error {}

/** The database is a worker of a cluster, where tables must not be changed. */
export class DatabaseIsWorker extends Error {}

/** Row level security hides rows of Tillgate's tables. */
export class DatabaseHidesRows extends Error {}

async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file)).toSorted()
  return Promise.all(
    files.map(async (file) => {
      const name = file.replace('.sql', '')
      const rows = await readFile(join(folder, `${name}.rows.sql`), 'utf8').catch(() => '')
      const bestEffort = statementsOf(rows)
      const text = await readFile(join(folder, file), 'utf8')
      const tables = [...text.matchAll(/^create table (\w+)/gm)].map((match) => match[1] as string)
      return { version: Number(name.slice(0, 4)), name, statements: statementsOf(text), tables, bestEffort }
    }),
  )
}

/** Tables that are small, belong to no location and are read everywhere: Citus copies them to every node. */
const copiedTables = new Set([
  'api_keys',
  'console_sessions',
  'console_passkeys',
  'console_challenges',
  'schema_migrations',
])

/** Returns the tables that Citus has already distributed. */
async function placedTables(sql: Sql): Promise<Set<string>> {
  const rows = await sql<{ name: string }[]>`
    select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    where c.relnamespace = current_schema()::regnamespace`
  return new Set(rows.map(({ name }) => name))
}

/**
 * Distributes the tables, the optional step of SQL rule 3. It runs only if the extension exists, while the tables are
 * new and empty, in the order of the migration: a table comes after the tables that it references.
 */
async function distribute(sql: Sql, tables: readonly string[]): Promise<void> {
  const placed = await placedTables(sql)
  for (const table of tables.filter((name) => !placed.has(name))) {
    if (copiedTables.has(table)) await sql`select create_reference_table(${table})`
    else if (table === 'locations') await sql`select create_distributed_table('locations', 'id')`
    else await sql`select create_distributed_table(${table}, 'location_id', colocate_with => 'locations')`
  }
}

/** Throws if the database is a worker, where a new table would silently stay outside the cluster. */
async function refuseWorker(sql: Sql): Promise<void> {
  const [node] = await sql<{ groupId: number }[]>`select groupid as "groupId" from pg_dist_local_group`
  if (node === undefined || node.groupId === 0) return
  throw new DatabaseIsWorker(
    'this is a worker of a Citus cluster, and migrations run on the coordinator: set TILLGATE_DATABASE_DIRECT_URL to it',
  )
}

const ofOthers = (tables: readonly string[]) =>
  new DatabaseOfOthers(
    `the database has tables of another program (${tables.join(', ')}): use a separate database for Tillgate`,
  )

/**
 * Throws if row level security hides rows of Tillgate's tables from this account. Checked before anything is read: such
 * tables look emptier than they are, and even the table of versions would look like another program's.
 */
async function refuseHiddenRows(sql: Sql, ours: readonly string[]): Promise<void> {
  const rows = await sql<{ name: string; role: string }[]>`
    select relname as name, current_user as role from pg_class c
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname = any(${ours}::text[])
      and relrowsecurity and row_security_active(c.oid)
      and coalesce((
        select not bool_or(polpermissive and pg_get_expr(polqual, polrelid) = 'true') or bool_or(not polpermissive)
        from pg_policy p
        where polrelid = c.oid and polcmd in ('*', 'r')
          and exists (select from unnest(polroles) as r(id) where id = 0 or pg_has_role(id, 'usage'))), true)
    order by relname`
  const [first] = rows
  if (first === undefined) return
  const { name, role } = first
  const others = rows.length > 1 ? ` and ${rows.length - 1} more` : ''
  throw new DatabaseHidesRows(
    `row-level security hides rows of ${name}${others} from the account ${role}: run alter table … no force row level ` +
      `security on each as the owner, or alter role ${role} bypassrls as a superuser`,
  )
}

/**
 * Throws if a database without migrations of Tillgate has tables with the same names, which belong to another program.
 */
async function refuseOthers(sql: Sql, ours: readonly string[]): Promise<void> {
  const rows = await sql<{ name: string }[]>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relname = any(${ours}::text[]) order by relname`
  if (rows.length > 0) throw ofOthers(rows.map(({ name }) => name))
}

/** Lists the applied migrations; none for an empty database. Throws if the table of versions belongs to another program. */
async function findApplied(sql: Sql): Promise<Applied[]> {
  const [table] = await sql<{ found: boolean; ours: boolean }[]>`
    select to_regclass('schema_migrations') is not null as found, exists (
      select from pg_attribute where attrelid = to_regclass('schema_migrations') and attname = 'applied_at') as ours`
  if (!table?.found) return []
  if (!table.ours) throw ofOthers(['schema_migrations'])
  return listApplied(sql)
}

const versionOf = (applied: readonly Applied[]) => applied.at(-1)?.version ?? 0

function refuseNewer(current: number, newest: number): void {
  if (current <= newest) return
  throw new DatabaseTooNew(
    `the database has schema version ${current}, but this Tillgate supports up to ${newest}: install the newer Tillgate again`,
  )
}

/**
 * Returns the applied version and the newest of this program. Throws `DatabaseTooNew` and `DatabaseOfAnotherLineage`
 * like `migrate`, and `DatabaseHidesRows`.
 */
export async function schemaVersion(pool: Pool): Promise<{ current: number; newest: number }> {
  const all = await readMigrations()
  await refuseHiddenRows(pool, ['schema_migrations', ...all.flatMap(({ tables }) => tables)])
  const applied = await findApplied(pool)
  const [current, newest] = [versionOf(applied), all.at(-1)?.version ?? 0]
  refuseNewer(current, newest)
  refuseAnotherLineage(applied, all)
  return { current, newest }
}

/**
 * Applies missing migrations, each file once in its own transaction, forward only. Concurrent processes wait for each
 * other under an advisory lock. Returns the names applied. Throws `DatabaseTooNew`, `DatabaseOfOthers` and
 * `DatabaseOfAnotherLineage` before anything is changed.
 */
export async function migrate(pool: Pool): Promise<string[]> {
  const { current, newest } = await schemaVersion(pool)
  if (current === newest) return []
  const all = await readMigrations()
  const applied: string[] = []
  for (const migration of all.filter(({ version }) => version > current)) {
    const ran = await transact(pool, async (tx) => {
      await tx`select pg_advisory_xact_lock(${lockKey})`
      const distributed = await isCitus(tx)
      if (distributed) {
        await refuseWorker(tx)
        // One connection for all shards of a node: tables that refer to each other are made in one transaction.
        await tx`set local citus.multi_shard_modify_mode = 'sequential'`
      }
      await tx`create table if not exists schema_migrations (
        version int primary key, name text not null, applied_at timestamptz not null, checksum text not null)`
      const applied = await findApplied(tx)
      const version = versionOf(applied)
      refuseNewer(version, newest)
      refuseAnotherLineage(applied, all)
      if (version >= migration.version) return false
      const ours = all.flatMap(({ tables }) => tables)
      if (version === 0) await refuseOthers(tx, ours)
      for (const statement of migration.statements) await tx.unsafe(statement)
      const { version: number, name } = migration
      await tx`
        insert into schema_migrations (version, name, applied_at, checksum)
        values (${number}, ${name}, ${new Date()}, ${checksumOf(migration)})`
      if (distributed) await distribute(tx, ['schema_migrations', ...migration.tables])
      return true
    })
    if (!ran) continue
    applied.push(migration.name)
    for (const statement of migration.bestEffort) await pool.unsafe(statement).catch(() => {})
  }
  return applied
}
