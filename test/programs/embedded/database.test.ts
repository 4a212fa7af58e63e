import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFile, cp, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  EmbeddedDatabaseError,
  openEmbeddedDatabase,
  type ConnectionOptions,
} from '../../../src/core/embedded/database.ts'
import { placeDatabase } from '../../support/data-template.ts'
import { isPostgres, makeFilledSandbox, makeSandbox, query, startOpener, until } from './sandbox.ts'

const settingsQuery = `select name, setting from pg_settings where name = any(array['fsync', 'synchronous_commit',
  'full_page_writes', 'listen_addresses', 'data_checksums', 'server_encoding', 'TimeZone', 'jit', 'lc_messages', 'wal_init_zero'])`

test('a new directory gets an empty, durable database that is not reachable over the network', async (t) => {
  const sandbox = await makeSandbox(t)
  const database = await openEmbeddedDatabase(join(sandbox, 'a/b'))
  assert.equal(database.started, true)
  assert.deepEqual(database.notices, [])
  const [who] = await query(
    database.connection,
    `select current_user, current_database(), rolsuper from pg_roles where rolname = current_user`,
  )
  assert.deepEqual({ ...who }, { current_user: 'tillgate', current_database: 'tillgate', rolsuper: false })
  const settings = await query(database.connection, settingsQuery)
  assert.deepEqual(Object.fromEntries(settings.map(({ name, setting }) => [name, setting])), {
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    listen_addresses: '',
    data_checksums: 'on',
    server_encoding: 'UTF8',
    TimeZone: 'UTC',
    jit: 'off',
    lc_messages: 'C',
    wal_init_zero: 'off',
  })
  const [text] = await query(database.connection, `select upper('é') as upper, 'a' < 'B' as dictionary`)
  assert.deepEqual({ ...text }, { upper: 'É', dictionary: false })
})

test('a second open uses the running server; after a stop an open starts it again with the committed data', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  const first = await openEmbeddedDatabase(dataDir)
  await query(first.connection, 'create table t as select 42 as n')
  const second = await openEmbeddedDatabase(dataDir)
  assert.equal(second.started, false)
  assert.equal(second.pid, first.pid)
  assert.deepEqual(second.connection, first.connection)
  assert.match(second.notices.join(), /is already running/)
  await second.stop()
  assert.equal(isPostgres(first.pid), false)
  await first.stop()
  const third = await openEmbeddedDatabase(dataDir)
  assert.equal(third.started, true)
  assert.deepEqual(await query(third.connection, 'select n from t').then(([row]) => row?.['n']), 42)
})

test('a committed row survives kill -9 of the postmaster, even if another program now has its process id', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  const first = await openEmbeddedDatabase(dataDir)
  await query(first.connection, 'create table t (n int)', 'insert into t values (1)')
  process.kill(first.pid, 'SIGKILL')
  const second = await openEmbeddedDatabase(dataDir)
  assert.equal(second.started, true)
  await query(second.connection, 'insert into t values (2)')
  process.kill(second.pid, 'SIGKILL')
  await until(() => !isPostgres(second.pid))

  // As after the restart of a container, the id in postmaster.pid belongs to a live process of the same user.
  const { uid, gid } = await stat(join(dataDir, 'postgres'))
  const stranger = spawn('sleep', ['60'], { uid: uid | 0, gid: gid | 0, stdio: 'ignore' })
  t.after(() => stranger.kill('SIGKILL'))
  for (const file of ['postgres/postmaster.pid', 'postgres.socket/.s.PGSQL.5432.lock']) {
    const text = await readFile(join(dataDir, file), 'utf8')
    await writeFile(join(dataDir, file), text.replace(String(second.pid), String(stranger.pid)))
  }
  const third = await openEmbeddedDatabase(dataDir)
  assert.equal(third.started, true)
  assert.deepEqual(
    [...(await query(third.connection, 'select n from t order by n'))].map(({ n }) => n),
    [1, 2],
  )
  assert.equal(stranger.exitCode, null)
})

test('after kill -9 of Tillgate the next open uses the server that still runs', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  const opener = startOpener(t, dataDir)
  const { pid, started } = await opener.opened
  assert.equal(started, true)
  opener.child.kill('SIGKILL')
  await once(opener.child, 'exit')
  const database = await openEmbeddedDatabase(dataDir)
  assert.equal(database.started, false)
  assert.equal(database.pid, pid)
  assert.equal(await database.release(), true)
  assert.equal(isPostgres(pid), false)
})

test('Ctrl-C in the terminal does not reach the server, and the server does not keep Tillgate running', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  const interrupted = startOpener(t, dataDir, { detached: true })
  const { pid } = await interrupted.opened
  process.kill(-interrupted.child.pid!, 'SIGINT')
  const [, signal] = await once(interrupted.child, 'exit')
  assert.equal(signal, 'SIGINT')
  const other = startOpener(t, dataDir)
  assert.equal((await other.opened).pid, pid)
  await other.end('stop')

  const ending = startOpener(t, dataDir)
  const opened = await ending.opened
  assert.equal(opened.started, true)
  await ending.end()
  assert.equal(ending.child.exitCode, 0)
  assert.equal(isPostgres(opened.pid), true)
})

test('release leaves the server to another process that uses it; the last process stops it', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  const command = await openEmbeddedDatabase(dataDir)
  const serve = startOpener(t, dataDir)
  assert.equal((await serve.opened).started, false)
  assert.equal(await command.release(), false)
  assert.equal(isPostgres(command.pid), true)
  await serve.end('release')
  assert.equal(isPostgres(command.pid), false)
  const names = (await readdir(dataDir)).filter((name) => !name.startsWith('postgres.lock.'))
  assert.deepEqual(names.toSorted(), ['postgres', 'postgres.log', 'postgres.password', 'postgres.socket'])
})

test('only the password opens the database, even for the account that the server runs as', async (t) => {
  const dataDir = await makeSandbox(t)
  const { connection } = await openEmbeddedDatabase(dataDir)
  await assert.rejects(query({ ...connection, password: 'guess' }, 'select 1'), /password authentication failed/)
  await assert.rejects(query({ ...connection, user: 'postgres' }, 'select 1'), /password authentication failed/)
  await assert.rejects(query({ ...connection, database: 'postgres', password: '' }, 'select 1'), /password|SASL/i)
  assert.equal((await stat(connection.host)).mode & 0o777, 0o700)
  assert.equal((await stat(join(dataDir, 'postgres'))).mode & 0o777, 0o700)
  for (const file of ['postgres.password', 'postgres.log']) {
    const { mode, uid } = await stat(join(dataDir, file))
    assert.deepEqual({ file, mode: mode & 0o777, uid }, { file, mode: 0o600, uid: process.getuid?.() })
  }
})

test('a missing password file is reported while the server runs, and replaced at the next start', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  const first = await openEmbeddedDatabase(dataDir)
  await rm(join(dataDir, 'postgres.password'))
  await assert.rejects(openEmbeddedDatabase(dataDir), {
    name: 'EmbeddedDatabaseError',
    message: /password file.*missing/,
  })
  await first.stop()
  const second = await openEmbeddedDatabase(dataDir)
  assert.notEqual(second.connection.password, first.connection.password)
  await query(second.connection, 'select 1')
})

test('a copied data directory has its own database, a moved one keeps its running server', async (t) => {
  const sandbox = await makeSandbox(t)
  const original = join(sandbox, 'original')
  await placeDatabase(original)
  const first = await openEmbeddedDatabase(original)
  await query(first.connection, `create table t as select 'original' as place`, 'checkpoint')
  const copy = join(sandbox, 'copy')
  // The copy includes the postmaster.pid of the running server.
  const isSocket = async (path: string) => (await stat(path)).isSocket()
  await cp(original, copy, { recursive: true, filter: async (path) => !(await isSocket(path)) })
  await copyOwner(join(original, 'postgres'), join(copy, 'postgres'))
  const second = await openEmbeddedDatabase(copy)
  assert.notEqual(second.pid, first.pid)
  await query(second.connection, `update t set place = 'copy'`)
  assert.deepEqual(await place(first.connection), 'original')

  const moved = join(sandbox, 'moved')
  await rename(original, moved)
  // This server occupies the path where the moved server expects its socket.
  const successor = await openEmbeddedDatabase(original)
  assert.notEqual(successor.pid, first.pid)
  const third = await openEmbeddedDatabase(moved)
  assert.equal(third.pid, first.pid)
  assert.deepEqual(await place(third.connection), 'original')
})

async function place(connection: ConnectionOptions): Promise<unknown> {
  const [row] = await query(connection, 'select place from t')
  return row?.['place']
}

async function copyOwner(from: string, to: string): Promise<void> {
  const { uid, gid } = await stat(from)
  const chown = spawn('chown', ['-R', `${uid}:${gid}`, to], { stdio: 'ignore' })
  await once(chown, 'exit')
}

test('a cluster of another major version is refused with what to do', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  await (await openEmbeddedDatabase(dataDir)).stop()
  await writeFile(join(dataDir, 'postgres/PG_VERSION'), '17\n')
  await assert.rejects(openEmbeddedDatabase(dataDir), (error) => {
    assert.ok(error instanceof EmbeddedDatabaseError)
    assert.match(error.message, /PostgreSQL 17.*PostgreSQL 18.*--pg-bin.*tillgate backup.*tillgate restore/)
    return true
  })
})

test('a folder “postgres” that is not a database is not changed and named', async (t) => {
  const dataDir = await makeSandbox(t)
  await cp(import.meta.dirname, join(dataDir, 'postgres'), { recursive: true })
  await assert.rejects(openEmbeddedDatabase(dataDir), {
    name: 'EmbeddedDatabaseError',
    message: /not a PostgreSQL database/,
  })
  assert.deepEqual(await readdir(join(dataDir, 'postgres')), await readdir(import.meta.dirname))
})

test('a data directory that is a file, or below one, is named', async (t) => {
  const file = join(await makeSandbox(t), 'file')
  await writeFile(file, '')
  await assert.rejects(openEmbeddedDatabase(file), {
    name: 'EmbeddedDatabaseError',
    message: /file is a file: remove it/,
  })
  await assert.rejects(openEmbeddedDatabase(join(file, 'x')), {
    name: 'EmbeddedDatabaseError',
    message: /part of the path is a file/,
  })
})

test('if the server does not start, the end of its log is shown', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  await (await openEmbeddedDatabase(dataDir)).stop()
  await appendFile(join(dataDir, 'postgres/postgresql.conf'), 'no_such_setting = 1\n')
  await assert.rejects(openEmbeddedDatabase(dataDir), {
    name: 'EmbeddedDatabaseError',
    message: /did not start.*postgres\.log.*\n[^]*no_such_setting/,
  })
})

test('an abort leaves nothing running, and the next open works', async (t) => {
  const dataDir = await makeSandbox(t)
  const reason = new Error('enough')
  for (const moment of [() => true, isInitializing, isStarting]) {
    const abort = new AbortController()
    // A server that started before the abort is stopped; nothing may remain at any of the three moments.
    const opening = openEmbeddedDatabase(dataDir, { signal: abort.signal }).then((database) => database.stop())
    opening.catch(() => {})
    await until(() => moment(dataDir))
    abort.abort(reason)
    if (moment === isStarting) await opening.catch((error) => assert.equal(error, reason))
    else await assert.rejects(opening, reason)
    assert.deepEqual(
      (await readdir(dataDir)).filter((name) => /user|init|draft/.test(name)),
      [],
    )
    await assert.rejects(stat(join(dataDir, 'postgres/postmaster.pid')), { code: 'ENOENT' })
  }
  const database = await openEmbeddedDatabase(dataDir)
  assert.equal(database.started, true)
  await query(database.connection, 'select 1')
})

async function isInitializing(dataDir: string): Promise<boolean> {
  return (await readdir(dataDir)).some((name) => name.startsWith('postgres.init-'))
}

async function isStarting(dataDir: string): Promise<boolean> {
  return (await readdir(dataDir)).includes('postgres')
}

test('a log over 10 MB is renamed at the next start', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  await (await openEmbeddedDatabase(dataDir)).stop()
  await truncate(join(dataDir, 'postgres.log'), 11 * 2 ** 20)
  await openEmbeddedDatabase(dataDir)
  assert.equal((await stat(join(dataDir, 'postgres.log.1'))).size, 11 * 2 ** 20)
  assert.ok((await stat(join(dataDir, 'postgres.log'))).size < 10_000)
})
