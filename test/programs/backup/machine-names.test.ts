import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../../support/database.ts'

/**
 * Columns that refer to the machine or its network, and the check that prevents a manipulated row from using them. A
 * backup, or anyone who can write to the database, controls the values of these columns.
 */
const named: Record<string, string> = {
  'sources.secret':
    'env:SOURCE_… or a file of TILLGATE_SOURCE_SECRETS_DIR (test/programs/cli/source-limits.test.ts); paused by a restore',
  'sources.bell_secret': 'as sources.secret',
  'sources.base_url': 'the address of the adapter, or one of TILLGATE_SOURCE_URLS; paused by a restore',
  'webhooks.endpoint_url': 'disabled by a restore; addresses by TILLGATE_ALLOW_ADDRESS, at each connection',
  'asides.archive':
    'the name of a file that is printed and never opened: year bring-back takes its path from the command line',
}

/** Column names that may refer to the machine: files, addresses, hosts, variables, commands. */
const suspicious = /(url|uri|host|path|file|dir|folder|address|endpoint|secret|command|archive|variable|env)/

/** Columns with one of these names that do not refer to the machine. */
const harmless: Record<string, string> = {
  'console_passkeys.return_url': 'a page that a browser is led to; in no backup',
  'console_sessions.address': 'the network that a session is bound to; in no backup',
  'console_sessions.return_url': 'the same page as in console_passkeys',
  'sources.profile': 'names of devices and payments',
  'webhooks.previous_secret': 'signs deliveries: it comes with the backup and leaves with nothing',
  'webhooks.secret': 'as webhooks.previous_secret',
}

test('every column that names a file, address or variable of the machine is listed, with its restriction', async () => {
  const { pool } = await createDatabase()
  const columns = await pool<{ name: string }[]>`
    select table_name || '.' || column_name as name from information_schema.columns
    where table_schema = 'public' and data_type in ('text', 'ARRAY', 'jsonb', 'json', 'bytea', 'inet') order by 1`
  const found = columns.map(({ name }) => name).filter((name) => suspicious.test(name.slice(name.indexOf('.') + 1)))
  const known = { ...named, ...harmless }
  assert.deepEqual(
    found.filter((name) => !(name in known)),
    [],
    'say here what keeps a foreign row from using it',
  )
  assert.deepEqual(
    Object.keys(known).filter((name) => !columns.some((one) => one.name === name)),
    [],
  )
})
