import { hash } from 'node:crypto'
import type { Sql } from './database.ts'

/** The database was made by migrations with other contents: it is that of another lineage of builds. */
export class DatabaseOfAnotherLineage extends Error {}

/** A migration as a database says that it was applied; `checksum` is null where an unreleased build kept none. */
export type Applied = { version: number; name: string; checksum: string | null }

/** What a lineage has of a migration. */
export type Known = { version: number; name: string; statements: readonly string[] }

/** Tells contents of migrations apart; comments and white space do not count. */
export function checksumOf({ statements }: Pick<Known, 'statements'>): string {
  return hash('sha256', statements.map((text) => text.trim().replaceAll(/\s+/g, ' ')).join(';'))
}

/** Lists what was applied. Early unreleased builds had no column of checksums. */
export async function listApplied(sql: Sql): Promise<Applied[]> {
  return sql<Applied[]>`
    select version, name, to_jsonb(schema_migrations) ->> 'checksum' as checksum from schema_migrations order by version`
}

/**
 * Throws `DatabaseOfAnotherLineage` where what was applied is not what this program has under those versions, by name and checksum.
 * Versions below the first are those of builds from before the first release.
 */
export function refuseAnotherLineage(applied: readonly Applied[], known: readonly Known[]): void {
  const current = applied.at(-1)?.version ?? 0
  const refuse = (what: string) =>
    new DatabaseOfAnotherLineage(
      `the database was made by ${what}. This version cannot upgrade it and has changed nothing. Run tillgate backup with the build ` +
        'that made it, then tillgate restore with this version into a new data directory or database: the backup has history, keys and webhooks',
    )
  const [early] = applied
  if (early !== undefined && early.version < (known[0]?.version ?? 0)) {
    throw refuse(`a build of Tillgate from before the first release (schema version ${current})`)
  }
  const ofAnother = (what: string) => refuse(`another build of Tillgate: ${what}`)
  const rows = new Map(applied.map((row) => [row.version, row]))
  for (const migration of known.filter(({ version }) => version <= current)) {
    const row = rows.get(migration.version)
    if (row === undefined) throw ofAnother(`its version ${current} is without migration ${migration.name}`)
    if (row.name !== migration.name) throw ofAnother(`its migration ${row.name} is here ${migration.name}`)
    if (row.checksum !== checksumOf(migration)) throw ofAnother(`its migration ${row.name} had other contents`)
  }
}
