import assert from 'node:assert/strict'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openEmbeddedDatabase } from '../../../src/core/embedded/database.ts'
import { askHolding } from '../../../src/core/embedded/presence.ts'
import { isRefused } from '../../../src/core/embedded/socket-directory.ts'
import { makeSandbox, query, until } from './sandbox.ts'

test('a path beyond the limit of Unix sockets works, and clients find the socket at the same place after a crash', async (t) => {
  const sandbox = await makeSandbox(t)
  const dataDir = join(sandbox, 'x'.repeat(80), 'with, "quotes" and \\ é', 'y'.repeat(80))
  const first = await openEmbeddedDatabase(dataDir)
  const { host } = first.connection
  assert.ok(Buffer.byteLength(join(host, '.s.PGSQL.5432')) <= 107)
  assert.equal((await stat(host)).mode & 0o777, 0o700)
  await query(first.connection, 'create table t as select 1 as n')
  assert.equal((await openEmbeddedDatabase(dataDir)).connection.host, host)
  process.kill(first.pid, 'SIGKILL')
  const second = await openEmbeddedDatabase(dataDir)
  assert.equal(second.connection.host, host)
  await query(second.connection, 'select n from t')
  await second.stop()
  await assert.rejects(stat(host), { code: 'ENOENT' })
})

test('the socket of such a path stays in place while processes of a crashed server are still ending', async (t) => {
  const sandbox = await makeSandbox(t)
  const dataDir = join(sandbox, 'x'.repeat(80), 'y'.repeat(80))
  const first = await openEmbeddedDatabase(dataDir)
  const [{ pid }] = (await query(
    first.connection,
    `select pid from pg_stat_activity where backend_type = 'checkpointer'`,
  )) as [{ pid: number }]
  const { host } = first.connection
  process.kill(pid, 'SIGSTOP')
  process.kill(first.pid, 'SIGKILL')
  // No process listens on the socket, although a process of the crashed server still runs.
  await until(() => isRefused(host))
  let opened = false
  const opening = openEmbeddedDatabase(dataDir).finally(() => (opened = true))
  await until(async () => (await readdir(dataDir)).some((name) => name.startsWith('postgres.user.')))
  assert.equal(await askHolding(join(dataDir, 'postgres.running')), 'held')
  assert.equal(opened, false)
  process.kill(pid, 'SIGCONT')
  const second = await opening
  assert.equal(second.connection.host, first.connection.host)
  await second.stop()
})

test('a path with spaces, commas and quotes works', async (t) => {
  const dataDir = join(await makeSandbox(t), `a, "b" 'c' \\d`)
  const database = await openEmbeddedDatabase(dataDir)
  assert.equal(database.connection.host, join(dataDir, 'postgres.socket'))
  await query(database.connection, 'select 1')
})
