import assert from 'node:assert/strict'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openEmbeddedDatabase } from '../../../../../src/core/embedded/database.ts'
import { isUnavailable, openPool } from '../../../../../src/core/store/db/database.ts'
import { findPassword } from '../../../../../src/core/store/db/driver/passfile.ts'
import { createDataDir } from '../../../../support/cli.ts'
import { atEnd } from '../../../../support/database.ts'
import { eventually } from '../../../../support/waiting.ts'

const directory = await createDataDir({ filled: true })
const file = join(await createDataDir(), 'pass')
const write = (...lines: string[]) => writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 })

test('the first matching line has the password, and backslash escapes are decoded', async () => {
  await write(
    '# host:port:database:user:password',
    'db.example:5432:tillgate:till:one',
    String.raw`[\:\:1]:5432:a\:b:till:t\:w\\o:more`,
    '/run/pg:*:*:*:three',
    'localhost:6432:*:*:four',
    '*:*:*:other:five',
  )
  const find = (host: string, port: number, database: string, user: string) =>
    findPassword(file, { host, port }, { database, user })
  assert.equal(find('db.example', 5432, 'tillgate', 'till'), 'one')
  assert.equal(find('[::1]', 5432, 'a:b', 'till'), String.raw`t:w\o`)
  assert.equal(find('/run/pg', 1, 'x', 'y'), 'three')
  assert.equal(find('/run/other', 6432, 'x', 'y'), 'four')
  assert.equal(find('elsewhere', 1, 'x', 'other'), 'five')
  assert.equal(find('elsewhere', 1, 'x', 'nobody'), '')
})

test('a changed password applies to the next connection', async () => {
  const { connection, release } = await openEmbeddedDatabase(directory)
  atEnd(release)
  assert.ok('host' in connection)
  const { host, port, user, database } = connection
  const query = new URLSearchParams({ host, port: String(port), passfile: file })
  const open = () =>
    openPool({ url: `postgres://${user}@/${database}?${query.toString()}` }, { connections: 1, pipelining: true })
  const [pool, admin] = [open(), openPool(connection, { connections: 1, pipelining: true })]
  atEnd(() => Promise.all([pool.end({ timeout: 1 }), admin.end({ timeout: 1 })]))
  const answers = async () => (await pool<{ one: number }[]>`select 1 as one`)[0]?.one === 1

  await write(`*:*:*:${user}:${connection.password}`)
  assert.equal(await answers(), true)
  await admin`alter role current_user password 'second'`
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and usename = current_user`
  await assert.rejects(
    async () => {
      for (;;) await answers()
    },
    (error) => isUnavailable(error),
  )
  await write(`*:*:*:${user}:second`)
  await eventually(() => answers().catch(() => false), 'the new password')

  await chmod(file, 0o644)
  const refused = open()
  atEnd(() => refused.end({ timeout: 1 }))
  await assert.rejects(async () => refused`select 1`, /is readable by other users: chmod 600/)
})
