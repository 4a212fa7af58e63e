import { hash } from 'node:crypto'
import type { Sql } from './database.ts'

/** The database was made by migrations with other contents: it is that of another lineage of builds. */
export class DatabaseOfAnotherLineage extends Error {}

/** A migration as a database says that it was applied; `checksum` is null for one of before they were kept. */
export type Applied = { version: number; name: string; checksum: string | null }

/** What a lineage has of a migration. */
export type Known = { version: number; name: string; statements: readonly string[] }

/** Tells contents of migrations apart; comments and white space do not count. */
function checksumOf({ statements }: Pick<Known, 'statements'>): string {
  return hash('sha256', statements.map((text) => text.trim().replaceAll(/\s+/g, ' ')).join(';'))
}

/** Lists what was applied. The column of checksums is not there before this program migrates for the first time. */
export async function listApplied(sql: Sql): Promise<Applied[]> {
  return sql<Applied[]>`
    select version, name, to_jsonb(schema_migrations) ->> 'checksum' as checksum from schema_migrations order by version`
}

/** Divides the inside of a `create table` into what is between its commas. */
function partsOf(body: string): string[] {
  const parts = ['']
  let depth = 0
  for (const char of body) {
    depth += Number(char === '(') - Number(char === ')')
    if (char === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += char
  }
  return parts.map((part) => part.trim())
}

const noColumn = /^(constraint|primary|unique|foreign|check)\b/i

/** Lists the columns that statements make, as `table.column`. No migration takes one away. */
export function columnsMadeBy({ statements }: Pick<Known, 'statements'>): string[] {
  return statements.flatMap((text) => {
    const [, made, body] = /^\s*create table (\w+)\s*\(([\s\S]*)\)\s*$/.exec(text) ?? []
    if (made !== undefined && body !== undefined) {
      return partsOf(body)
        .filter((part) => !noColumn.test(part))
        .map((part) => `${made}.${part.split(/\s/, 1)[0]}`)
    }
    const [, changed, changes = ''] = /^\s*alter table (\w+)([\s\S]*)$/.exec(text) ?? []
    return [...changes.matchAll(/\badd column (\w+)/g)].map(([, column]) => `${changed}.${column}`)
  })
}

async function listColumns(sql: Sql): Promise<Set<string>> {
  const rows = await sql<{ name: string }[]>`
    select relname || '.' || attname as name from pg_attribute join pg_class c on c.oid = attrelid
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and attnum > 0 and not attisdropped`
  return new Set(rows.map(({ name }) => name))
}

const wayOut =
  'nothing was changed. Use the Tillgate that made it: its backup, restored by this one into a new database, has everything; so has export and import, without history, keys and webhooks'

/**
 * Throws `DatabaseOfAnotherLineage` where what was applied is not what this program has under those versions: by name and checksum, and
 * where no checksum was kept, by the columns that must have been made.
 */
export async function refuseAnotherLineage(
  sql: Sql,
  applied: readonly Applied[],
  known: readonly Known[],
): Promise<void> {
  const refuse = (what: string) =>
    new DatabaseOfAnotherLineage(`the database is of another line of Tillgate: ${what}; ${wayOut}`)
  const rows = new Map(applied.map((row) => [row.version, row]))
  const current = applied.at(-1)?.version ?? 0
  const expected = known.filter(({ version }) => version <= current)
  for (const migration of expected) {
    const row = rows.get(migration.version)
    if (row === undefined) throw refuse(`its version ${current} is without migration ${migration.name}`)
    if (row.name !== migration.name) throw refuse(`its migration ${row.name} is here ${migration.name}`)
    if (row.checksum !== null && row.checksum !== checksumOf(migration)) {
      throw refuse(`its migration ${row.name} had other contents`)
    }
  }
  const unproven = expected.filter(({ version }) => rows.get(version)?.checksum === null)
  if (unproven.length === 0) return
  const columns = await listColumns(sql)
  for (const migration of unproven) {
    const missing = columnsMadeBy(migration).find((column) => !columns.has(column))
    if (missing !== undefined) throw refuse(`its migration ${migration.name} made no ${missing}`)
  }
}

/** Keeps the checksums of what was applied, for the next program that looks. The caller has made sure that they are of this lineage. */
export async function keepChecksums(sql: Sql, known: readonly Known[]): Promise<void> {
  for (const migration of known) {
    await sql`
      update schema_migrations set checksum = ${checksumOf(migration)}
      where version = ${migration.version} and checksum is null`
  }
}
