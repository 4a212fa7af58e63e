import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'

const { connection, pool } = await createDatabase({ empty: true })
const env = { DATABASE_URL: toUrl(connection) }
const others = await createDatabase({ empty: true })
const folder = join(import.meta.dirname, '../../../src/core/store/migrations')

test('migrate applies and lists the missing migrations, and then has nothing to do', async () => {
  const names = (await readdir(folder)).flatMap((file) => /^(\d{4}_[a-z_]+)\.sql$/.exec(file)?.[1] ?? []).toSorted()
  const newest = Number(names.at(-1)?.slice(0, 4))
  assert.deepEqual(await tillgateJson(['migrate'], { env }), { applied: names, version: newest })
  const { code, stdout } = await tillgate(['migrate'], { env })
  assert.deepEqual([code, stdout], [0, `nothing to do: the database is at version ${newest}\n`])
})

test('every command refuses a database of a newer Tillgate', async () => {
  await pool`insert into schema_migrations values (9999, '9999_later', now(), '')`
  const { code, stderr } = await tillgate(['location', 'list', '--json'], { env })
  assert.equal(code, 2)
  const { error } = JSON.parse(stderr)
  assert.equal(error.code, 'database_too_new')
  assert.match(error.message, /version 9999, .+ install the newer Tillgate again/)
})

test('every command refuses a database with other migrations, and states what to do', async () => {
  const { connection, pool } = await createDatabase()
  const env = { DATABASE_URL: toUrl(connection) }
  await pool`update schema_migrations set version = 1, name = '0001_journal' where version = 100`
  for (const command of [['location', 'list'], ['status'], ['migrate'], ['verify'], ['backup', '/nowhere']]) {
    const { code, stderr } = await tillgate([...command, '--json'], { env })
    assert.equal(code, 2)
    const { error } = JSON.parse(stderr)
    assert.equal(error.code, 'database_other_line', command.join(' '))
    assert.match(
      error.message,
      /from before the first release .* has changed nothing\. Run tillgate backup with the build/,
    )
  }
  const { stdout } = await tillgate(['doctor', '--port', '0'], { env })
  assert.match(stdout, /^fail {2}\S+ +.*a build of Tillgate from before the first release/m)
})

test('a database of another program is refused with the names of its tables, and not changed', async () => {
  const at = { env: { DATABASE_URL: toUrl(others.connection) } }
  const { pool: sql } = others
  const refusal = async () => {
    const { code, stderr } = await tillgate(['migrate', '--json'], at)
    assert.equal(code, 2)
    return (JSON.parse(stderr) as { error: { code: string; message: string } }).error
  }
  await sql`create table orders (id int)`
  const { code, message } = await refusal()
  assert.equal(code, 'database_error')
  assert.match(message, /has tables of another program \(orders\): use a separate database for Tillgate$/)
  await sql`drop table orders`
  await sql`create table schema_migrations (version text primary key)`
  assert.match((await refusal()).message, /has tables of another program \(schema_migrations\): use/)
  const tables = await sql`select from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'`
  assert.equal(tables.length, 1)
})

test('a database whose encoding cannot store every text is refused with the command that creates a suitable one', async () => {
  const name = `${others.pool.opener.target.database}_ascii`
  await others.pool.unsafe(`create database ${name} encoding 'SQL_ASCII' locale 'C' template template0`)
  const connection = { ...others.connection, database: name }
  const { code, stderr } = await tillgate(['migrate', '--json'], { env: { DATABASE_URL: toUrl(connection) } })
  await others.pool.unsafe(`drop database ${name} with (force)`)
  assert.equal(code, 2)
  const { error } = JSON.parse(stderr) as { error: { code: string; message: string } }
  assert.equal(error.code, 'database_error')
  assert.match(error.message, /has the encoding SQL_ASCII, not UTF8: create one with: create database/)
})

test('every command refuses a database whose row-level security hides rows, and names table, account and remedy', async () => {
  const { connection, pool } = await createDatabase()
  const env = { DATABASE_URL: toUrl(connection) }
  const run = async (command: string[]) => tillgate([...command, '--json'], { env })
  await pool`alter table orders enable row level security`
  assert.equal((await run(['location', 'list'])).code, 0, 'it leaves the owner alone')
  await pool`alter table orders force row level security`
  for (const command of [['location', 'list'], ['migrate'], ['verify']]) {
    const { code, stderr } = await run(command)
    assert.equal(code, 2)
    const { error } = JSON.parse(stderr)
    assert.equal(error.code, 'database_error')
    assert.match(
      error.message,
      /^row-level security hides rows of orders from the account \S+: .+ no force .+ bypassrls as a superuser$/,
    )
  }
  const { stdout } = await tillgate(['doctor', '--port', '0'], { env })
  assert.match(stdout, /^fail .+row-level security hides rows of orders/m)
  await pool`create policy few on orders for select using (false)`
  assert.equal((await run(['location', 'list'])).code, 2, 'a policy that hides some')
  await pool`create policy everyone on orders using (true)`
  assert.equal((await run(['location', 'list'])).code, 0, 'a policy that shows all')
  await pool`create policy fewer on orders as restrictive using (false)`
  assert.equal((await run(['location', 'list'])).code, 2, 'a policy that takes some away')
  await pool`alter table schema_migrations enable row level security`
  await pool`alter table schema_migrations force row level security`
  assert.match((await run(['migrate'])).stderr, /hides rows of orders and 1 more from/)
})
