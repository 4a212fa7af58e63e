import { hash } from 'node:crypto'
import type { Sql } from './database.ts'

/** The database was made by migrations with other contents, so it belongs to another lineage of builds. */
export class DatabaseOfAnotherLineage extends Error {}

/** A migration recorded as applied; `checksum` is null if an unreleased build stored none. */
export type Applied = { version: number; name: string; checksum: string | null }

/** A migration of this program's lineage. */
export type Known = { version: number; name: string; statements: readonly string[] }

/** Returns a checksum of a migration's statements; comments and white space do not count. */
export function checksumOf({ statements }: Pick<Known, 'statements'>): string {
  return hash('sha256', statements.map((text) => text.trim().replaceAll(/\s+/g, ' ')).join(';'))
}

/** Lists the applied migrations. Early unreleased builds had no column of checksums. */
export async function listApplied(sql: Sql): Promise<Applied[]> {
  return sql<Applied[]>`
    select version, name, to_jsonb(schema_migrations) ->> 'checksum' as checksum from schema_migrations order by version`
}

/**
 * Throws `DatabaseOfAnotherLineage` if an applied migration differs from this program's in name or checksum. Versions
 * below the first are from builds before the first release.
 */
export function refuseAnotherLineage(applied: readonly Applied[], known: readonly Known[]): void {
  const current = applied.at(-1)?.version ?? 0
  const refuse = (what: string) =>
    new DatabaseOfAnotherLineage(
      `the database was made by ${what}. This version cannot upgrade the database and has changed nothing. Run tillgate backup with the build ` +
        'that made the database, then tillgate restore with this version into a new data directory or database: the backup has history, keys and webhooks',
    )
  const [early] = applied
  if (early !== undefined && early.version < (known[0]?.version ?? 0)) {
    throw refuse(`a build of Tillgate from before the first release (schema version ${current})`)
  }
  const ofAnother = (what: string) => refuse(`another build of Tillgate: ${what}`)
  const rows = new Map(applied.map((row) => [row.version, row]))
  for (const migration of known.filter(({ version }) => version <= current)) {
    const row = rows.get(migration.version)
    if (row === undefined) throw ofAnother(`the database has version ${current} but lacks migration ${migration.name}`)
    if (row.name !== migration.name) throw ofAnother(`the database has migration ${row.name}, not ${migration.name}`)
    if (row.checksum !== checksumOf(migration)) throw ofAnother(`its migration ${row.name} differs from this version's`)
  }
}
