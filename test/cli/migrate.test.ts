import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { tillgate, tillgateJson, toUrl } from '../support/cli.ts'
import { createDatabase } from '../support/database.ts'

const { connection, pool } = await createDatabase({ empty: true })
const env = { DATABASE_URL: toUrl(connection) }
const folder = join(import.meta.dirname, '../../src/store/migrations')

test('migrate applies what is missing, says what, and then has nothing to do', async () => {
  const names = (await readdir(folder)).flatMap((file) => /^(\d{4}_[a-z_]+)\.sql$/.exec(file)?.[1] ?? []).toSorted()
  assert.deepEqual(await tillgateJson(['migrate'], { env }), { applied: names, version: names.length })
  const { code, stdout } = await tillgate(['migrate'], { env })
  assert.deepEqual([code, stdout], [0, `nothing to do: the database is at version ${names.length}\n`])
})

test('every command refuses a database of a newer Tillgate', async () => {
  await pool`insert into schema_migrations values (9999, '9999_later', now())`
  const { code, stderr } = await tillgate(['location', 'list', '--json'], { env })
  assert.equal(code, 2)
  const { error } = JSON.parse(stderr)
  assert.equal(error.code, 'database_too_new')
  assert.match(error.message, /version 9999 .+ install the newer Tillgate again/)
})
