import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import { openPool, type Pool } from '../../../../src/core/store/db/database.ts'
import { columnsMadeBy, DatabaseOfAnotherLineage } from '../../../../src/core/store/db/migration-lineage.ts'
import { DatabaseTooNew, migrate, schemaVersion, statementsOf } from '../../../../src/core/store/db/migrations.ts'
import { toFilterText } from '../../../../src/core/domain/documents/filter-text.ts'
import { idOf, orderOf } from '../../../support/records.ts'
import { createDatabase, everyServer } from '../../../support/database.ts'

const folder = new URL('../../../../src/core/store/migrations/', import.meta.url)
const files = (await readdir(folder)).filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file)).toSorted()
const names = files.map((file) => file.replace('.sql', ''))

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
    filled: await createDatabase({ server }),
  })),
)

for (const { server, empty, raced, newer, whole, filled } of databases) {
  describe(`on the ${server} server`, () => {
    test('an empty database gets every file in order, and a second run nothing', async () => {
      assert.deepEqual((await schemaVersion(empty.pool)).current, 0)
      assert.deepEqual(await migrate(empty.pool), names)
      assert.deepEqual(await migrate(empty.pool), [])
      const { current, newest } = await schemaVersion(empty.pool)
      assert.deepEqual([current, newest], [names.length, names.length])
    })

    test('a database of another lineage is refused, with the way out, and stays as it was', async () => {
      const { pool } = await createDatabase({ server, empty: true })
      const other = new URL('another-lineage/', import.meta.url)
      await pool`create table schema_migrations (version int primary key, name text not null, applied_at timestamptz not null)`
      // Those of 21 November 2026, of which the fourth was never there: locations had no time of deactivation.
      for (const file of (await readdir(other)).toSorted()) {
        for (const statement of statementsOf(await readFile(new URL(file, other), 'utf8'))) await pool.unsafe(statement)
        await pool`insert into schema_migrations values (${Number(file.slice(0, 4))}, ${file.replace('.sql', '')}, now())`
      }
      const before = await shapeOf(pool)
      for (const tried of [() => migrate(pool), () => schemaVersion(pool)]) {
        await assert.rejects(tried, (error: Error) => {
          assert.ok(error instanceof DatabaseOfAnotherLineage)
          assert.match(
            error.message,
            /without migration 0004_access; nothing was changed.* its backup, restored by this one/,
          )
          return true
        })
      }
      assert.deepEqual(await shapeOf(pool), before)
      await pool`insert into schema_migrations values (4, '0004_access', now())`
      await assert.rejects(migrate(pool), /0001_journal made no locations.deactivated_at; nothing was changed/)
      assert.deepEqual((await shapeOf(pool)).columns, before.columns)
    })

    test('what was applied is known by its contents, those of earlier programs from the next migration on', async () => {
      const { pool } = await createDatabase({ server, empty: true })
      await migrate(pool)
      const kept = await pool<
        { name: string; checksum: string }[]
      >`select name, checksum from schema_migrations order by version`
      for (const { name, checksum } of kept) {
        const text = await readFile(new URL(`${name}.sql`, folder), 'utf8')
        // By hand: without comments, white space as one blank, statements divided by a semicolon.
        const bare = text
          .replaceAll(/--.*/g, '')
          .split(';')
          .map((part) => part.trim().replaceAll(/\s+/g, ' '))
          .filter(Boolean)
        assert.equal(checksum, createHash('sha256').update(bare.join(';')).digest('hex'), name)
      }
      await pool`update schema_migrations set checksum = ${'0'.repeat(64)} where version = 7`
      await assert.rejects(schemaVersion(pool), /its migration 0007_order_filters had other contents/)
      await pool`update schema_migrations set checksum = null, name = '0007_other' where version = 7`
      await assert.rejects(schemaVersion(pool), /its migration 0007_other is here 0007_order_filters/)
      await pool`update schema_migrations set name = '0007_order_filters' where version = 7`
      const last = names.length
      assert.deepEqual(await schemaVersion(pool), { current: last, newest: last })
    })

    test('the columns that each migration makes are those of the tables, read by PostgreSQL', async () => {
      const made: string[] = []
      for (const name of names) {
        const statements = statementsOf(await readFile(new URL(`${name}.sql`, folder), 'utf8'))
        made.push(...columnsMadeBy({ statements }))
      }
      const there = (await shapeOf(empty.pool)).columns.filter((name) => !name.startsWith('schema_migrations.'))
      assert.deepEqual(made.toSorted(), there.toSorted())
    })

    test('processes that race apply each file once', async () => {
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

    test('orders of before can be found by what they are filtered by', async () => {
      // As migrations do: by the coordinator, and past a pooler.
      const pool = openPool(filled.connection.direct ?? filled.connection, { connections: 1, pipelining: true })
      await pool.unsafe(`
        alter table orders drop column number, drop column device_id, drop column operator_id, drop column channel,
          drop column service_type, drop column training`)
      await pool`create index orders_created on orders (location_id, created_at, id, closed)`
      const locationId = randomUUID()
      const texts = ['1042', '😀'.repeat(300), 'é'.repeat(100), 'a😀'.repeat(51)]
      for (const [n, orderNumber] of texts.entries()) {
        const old = orderOf(locationId, n, { orderNumber, isTraining: n === 1 })
        await pool`
          insert into orders values (${locationId}, ${old.id}, ${old.createdAt}, ${old.updatedAt}, ${old.closedAt}, true, null, false,
            false, true, 1, ${JSON.stringify(old)})`
      }
      // By itself: later migrations stand on it, and are there already.
      const text = await readFile(new URL('0007_order_filters.sql', folder), 'utf8')
      for (const statement of statementsOf(text)) await pool.unsafe(statement)
      const rows = await pool`
        select number, device_id, operator_id, channel, service_type, training from orders order by id`
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        texts.map((orderNumber, n) => ({
          number: toFilterText(orderNumber),
          device_id: idOf('device', 1),
          operator_id: idOf('operator', 1),
          channel: 'pos',
          service_type: 'eat_in',
          training: n === 1,
        })),
      )
      await pool.end()
    })

    test('a database newer than the program is refused, and left as it is', async () => {
      await newer.pool`insert into schema_migrations values (9999, '9999_later', now())`
      await assert.rejects(migrate(newer.pool), DatabaseTooNew)
      await assert.rejects(schemaVersion(newer.pool), /install the newer Tillgate/)
      const [row] = await newer.pool<{ n: number }[]>`select count(*) as n from schema_migrations`
      assert.equal(row?.n, names.length + 1)
    })

    test('each table but those that every node has leads its primary key with the location (SQL rule 1)', async () => {
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

test('files are numbered without a gap and use no triggers, enums, domains or extensions', async () => {
  assert.deepEqual(
    names.map((name) => Number(name.slice(0, 4))),
    names.map((_, i) => i + 1),
  )
  for (const file of files) {
    const text = await readFile(new URL(file, folder), 'utf8')
    assert.doesNotMatch(text, /create\s+(trigger|extension|domain|rule|type)\b|\bserial\b|identity/i, file)
  }
})
