import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { openPool, type Pool } from '../../../../src/core/store/db/database.ts'
import { DatabaseOfAnotherLineage } from '../../../../src/core/store/db/migration-lineage.ts'
import { DatabaseTooNew, migrate, schemaVersion } from '../../../../src/core/store/db/migrations.ts'
import { createDatabase, everyServer } from '../../../support/database.ts'

const folder = new URL('../../../../src/core/store/migrations/', import.meta.url)
const files = (await readdir(folder)).filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file)).toSorted()
const names = files.map((file) => file.replace('.sql', ''))
const newestVersion = Number(names.at(-1)!.slice(0, 4))

async function shapeOf(pool: Pool) {
  const columns = await pool<{ name: string }[]>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = current_schema() and table_name in (
      select table_name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE')
    order by 1`
  const versions = await pool<{ version: number }[]>`select version from schema_migrations order by version`
  return { columns: columns.map(({ name }) => name), versions: versions.map(({ version }) => version) }
}

const databases = await Promise.all(
  (await everyServer()).map(async (server) => ({
    server,
    empty: await createDatabase({ server, empty: true }),
    raced: await createDatabase({ server, empty: true }),
    newer: await createDatabase({ server }),
    whole: await createDatabase({ server }),
  })),
)

for (const { server, empty, raced, newer, whole } of databases) {
  describe(`on the ${server} server`, () => {
    test('an empty database gets every migration in order, and a second run changes nothing', async () => {
      assert.deepEqual((await schemaVersion(empty.pool)).current, 0)
      assert.deepEqual(await migrate(empty.pool), names)
      assert.deepEqual(await migrate(empty.pool), [])
      const { current, newest } = await schemaVersion(empty.pool)
      assert.deepEqual([current, newest], [newestVersion, newestVersion])
    })

    test('a database of a build before the first release is refused, with instructions, and not changed', async () => {
      const { pool } = await createDatabase({ server, empty: true })
      // The tables as such builds left them: numbers begin at 1, and the first builds stored no checksums.
      await pool`create table schema_migrations (version int primary key, name text not null, applied_at timestamptz not null)`
      await pool`create table locations (id uuid primary key, document text not null)`
      await pool`insert into schema_migrations values (1, '0001_journal', now()), (36, '0036_refunds', now())`
      const before = await shapeOf(pool)
      for (const tried of [() => migrate(pool), () => schemaVersion(pool)]) {
        await assert.rejects(tried, (error: Error) => {
          assert.ok(error instanceof DatabaseOfAnotherLineage)
          assert.match(
            error.message,
            /from before the first release \(schema version 36\)\. .* has changed nothing\. Run tillgate backup with the build/,
          )
          return true
        })
      }
      assert.deepEqual(await shapeOf(pool), before)
    })

    test('applied migrations are recognized by their contents', async () => {
      const { pool } = await createDatabase({ server, empty: true })
      await migrate(pool)
      const kept = await pool<
        { name: string; checksum: string }[]
      >`select name, checksum from schema_migrations order by version`
      for (const { name, checksum } of kept) {
        const text = await readFile(new URL(`${name}.sql`, folder), 'utf8')
        // Written by hand: without comments, white space as one space, statements separated by a semicolon.
        const bare = text
          .replaceAll(/--.*/g, '')
          .split(';')
          .map((part) => part.trim().replaceAll(/\s+/g, ' '))
          .filter(Boolean)
        assert.equal(checksum, createHash('sha256').update(bare.join(';')).digest('hex'), name)
      }
      await pool`update schema_migrations set checksum = ${'0'.repeat(64)} where version = 102`
      await assert.rejects(schemaVersion(pool), /its migration 0102_figures differs from this version's/)
      await pool`update schema_migrations set name = '0102_other' where version = 102`
      await assert.rejects(schemaVersion(pool), /the database has migration 0102_other, not 0102_figures/)
      await pool`delete from schema_migrations where version = 102`
      await assert.rejects(schemaVersion(pool), /the database has version 108 but lacks migration 0102_figures/)
    })

    test('concurrent processes apply each migration once', async () => {
      const pools = Array.from({ length: 4 }, () => openPool(raced.connection, { connections: 1, pipelining: true }))
      const applied = await Promise.all(pools.map((pool) => migrate(pool)))
      await Promise.all(pools.map((pool) => pool.end()))
      assert.deepEqual(applied.flat().toSorted(), names)
      const rows = await raced.pool<{ name: string }[]>`select name from schema_migrations order by version`
      assert.deepEqual(
        rows.map((row) => row.name),
        names,
      )
    })

    test('a database newer than the program is refused, and not changed', async () => {
      await newer.pool`insert into schema_migrations values (9999, '9999_later', now(), '')`
      await assert.rejects(migrate(newer.pool), DatabaseTooNew)
      await assert.rejects(schemaVersion(newer.pool), /install the newer Tillgate/)
      const [row] = await newer.pool<{ n: number }[]>`select count(*) as n from schema_migrations`
      assert.equal(row?.n, names.length + 1)
    })

    test('the primary key of each distributed table starts with the location (SQL rule 1)', async () => {
      const rows = await whole.pool<{ name: string; first: string }[]>`
        select c.relname as name, a.attname as first
        from pg_index i join pg_class c on c.oid = i.indrelid
        join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
        join pg_namespace n on n.oid = c.relnamespace
        where i.indisprimary and n.nspname = current_schema()`
      assert.ok(rows.length >= 8)
      const copied = new Set([
        'api_keys',
        'console_sessions',
        'console_passkeys',
        'console_challenges',
        'schema_migrations',
      ])
      for (const { name, first } of rows) {
        if (copied.has(name)) continue
        assert.equal(first, name === 'locations' ? 'id' : 'location_id', name)
      }
    })
  })
}

test('migrations are numbered from 100 on without gaps, and use no triggers, enums, domains or extensions', async () => {
  assert.deepEqual(
    names.map((name) => Number(name.slice(0, 4))),
    names.map((_, i) => 100 + i),
  )
  for (const file of files) {
    const text = await readFile(new URL(file, folder), 'utf8')
    assert.doesNotMatch(text, /create\s+(trigger|extension|domain|rule|type)\b|\bserial\b|identity/i, file)
  }
})
