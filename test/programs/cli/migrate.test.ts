import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandsOn, toUrl, type Commands } from '../../support/cli.ts'
import { createDatabase, type TestDatabase } from '../../support/database.ts'

const commandsIn = ({ connection }: Pick<TestDatabase, 'connection'>): Commands =>
  commandsOn({ env: { DATABASE_URL: toUrl(connection) } })

const empty = await createDatabase({ empty: true })
const others = await createDatabase({ empty: true })
const folder = join(import.meta.dirname, '../../../src/core/store/migrations')

test('migrate applies and lists the missing migrations, then has nothing to do, and refuses a database of a newer Tillgate', async () => {
  const names = (await readdir(folder)).flatMap((file) => /^(\d{4}_[a-z_]+)\.sql$/.exec(file)?.[1] ?? []).toSorted()
  const newest = Number(names.at(-1)?.slice(0, 4))
  const { run, json, refuses } = commandsIn(empty)
  assert.deepEqual(await json`migrate`, { applied: names, version: newest })
  const { code, stdout } = await run`migrate`
  assert.deepEqual([code, stdout], [0, `nothing to do: the database is at version ${newest}\n`])

  await empty.pool`insert into schema_migrations values (9999, '9999_later', now(), '')`
  await refuses(/"database_too_new".*version 9999, .+ install the newer Tillgate again/)`location list --json`
})

test('every command refuses a database with other migrations, and states what to do', async () => {
  const other = await createDatabase()
  const { run, refuses } = commandsIn(other)
  await other.pool`update schema_migrations set version = 1, name = '0001_journal' where version = 100`
  const advice =
    /"database_other_line".*from before the first release .* has changed nothing\. Run tillgate backup with the build/
  for (const command of ['location list', 'status', 'migrate', 'verify', 'backup /nowhere'])
    await refuses(advice)`${command.split(' ')} --json`
  const { stdout } = await run`doctor --port 0`
  assert.match(stdout, /^fail {2}\S+ +.*a build of Tillgate from before the first release/m)
})

test('a database of another program is refused with the names of its tables, and not changed', async () => {
  const { pool: sql } = others
  const { refuses } = commandsIn(others)
  await sql`create table orders (id int)`
  await refuses(
    /"database_error".*has tables of another program \(orders\): use a separate database for Tillgate"/,
  )`migrate --json`
  await sql`drop table orders`
  await sql`create table schema_migrations (version text primary key)`
  await refuses(/has tables of another program \(schema_migrations\): use/)`migrate`
  const tables = await sql`select from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'`
  assert.equal(tables.length, 1)
})

test('a database whose encoding cannot store every text is refused with the command that creates a suitable one', async () => {
  const name = `${others.pool.opener.target.database}_ascii`
  await others.pool.unsafe(`create database ${name} encoding 'SQL_ASCII' locale 'C' template template0`)
  const connection = { ...others.connection, database: name }
  const advice = /"database_error".*has the encoding SQL_ASCII, not UTF8: create one with: create database/
  await commandsIn({ connection }).refuses(advice)`migrate --json`
  await others.pool.unsafe(`drop database ${name} with (force)`)
})

test('every command refuses a database whose row-level security hides rows, and names table, account and remedy', async () => {
  const hiding = await createDatabase()
  const { pool } = hiding
  const { run, refuses } = commandsIn(hiding)
  const list = async () => (await run`location list`).code
  await pool`alter table orders enable row level security`
  assert.equal(await list(), 0, 'it leaves the owner alone')
  await pool`alter table orders force row level security`
  const advice =
    /^error: row-level security hides rows of orders from the account \S+: .+ no force .+ bypassrls as a superuser$/m
  for (const command of ['location list', 'migrate', 'verify']) await refuses(advice)`${command.split(' ')}`
  assert.match((await run`doctor --port 0`).stdout, /^fail .+row-level security hides rows of orders/m)
  await pool`create policy few on orders for select using (false)`
  assert.equal(await list(), 2, 'a policy that hides some')
  await pool`create policy everyone on orders using (true)`
  assert.equal(await list(), 0, 'a policy that shows all')
  await pool`create policy fewer on orders as restrictive using (false)`
  assert.equal(await list(), 2, 'a policy that takes some away')
  await pool`alter table schema_migrations enable row level security`
  await pool`alter table schema_migrations force row level security`
  await refuses(/hides rows of orders and 1 more from/)`migrate`
})
