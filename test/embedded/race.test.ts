import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openEmbeddedDatabase } from '../../src/embedded/database.ts'
import { withLock } from '../../src/embedded/lock.ts'
import { findProcessMark } from '../../src/embedded/processes.ts'
import { isPostgres, makeFilledSandbox, makeSandbox, query, startOpener, until } from './sandbox.ts'

test('of processes that open a fresh directory at once exactly one makes and starts the database', async (t) => {
  const dataDir = join(await makeSandbox(t), 'data')
  const openers = [0, 1, 2, 3].map(() => startOpener(t, dataDir))
  const opened = await Promise.all(openers.map((opener) => opener.opened))
  assert.deepEqual(
    opened.map(({ error }) => error).filter((error) => error !== undefined),
    [],
  )
  assert.equal(opened.filter(({ started }) => started).length, 1)
  assert.equal(new Set(opened.map(({ pid }) => pid)).size, 1)
  const [one, , , other] = opened
  await query(one!.connection, 'create table t as select 1 as n')
  await query(other!.connection, 'select n from t')
  await Promise.all(openers.map((opener) => opener.end('release')))
  assert.equal(isPostgres(one!.pid), false)
})

test('calls in one process at once share one server', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  const databases = await Promise.all([0, 1, 2].map(() => openEmbeddedDatabase(dataDir)))
  assert.equal(databases.filter(({ started }) => started).length, 1)
  const stopped = await Promise.all(databases.map((database) => database.release()))
  assert.equal(stopped.filter(Boolean).length, 1)
})

test('a process killed while it makes the database is no hindrance for the next', async (t) => {
  const dataDir = await makeSandbox(t)
  const killed = startOpener(t, dataDir)
  killed.opened.catch(() => {})
  await until(async () => (await readdir(dataDir)).some((name) => name.startsWith('postgres.init-')))
  killed.child.kill('SIGKILL')
  await once(killed.child, 'exit')
  const database = await openEmbeddedDatabase(dataDir)
  assert.equal(database.started, true)
  await query(database.connection, 'select 1')
  assert.deepEqual(
    (await readdir(dataDir)).filter((name) => /init|lock$/.test(name)),
    [],
  )
})

test('an open waits for a server that is still stopping, and then starts it', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  const first = await openEmbeddedDatabase(dataDir)
  process.kill(first.pid, 'SIGINT')
  await until(() =>
    query(first.connection, 'select 1').then(
      () => false,
      () => true,
    ),
  )
  const second = await openEmbeddedDatabase(dataDir)
  await query(second.connection, 'select 1')
  assert.equal(second.started, true)
  assert.notEqual(second.pid, first.pid)
})

test('a lock is held by one at a time, and by none after its work, failed work included', async (t) => {
  const path = join(await makeSandbox(t), 'lock')
  let inside = 0
  let most = 0
  const work = async () => {
    most = Math.max(most, (inside += 1))
    await readdir('/')
    inside -= 1
  }
  await Promise.all(Array.from({ length: 20 }, () => withLock(path, undefined, work)))
  assert.equal(most, 1)
  await assert.rejects(
    withLock(path, undefined, async () => Promise.reject(new Error('failed'))),
    /failed/,
  )
  await withLock(path, undefined, work)
  assert.deepEqual(await readdir(join(path, '..')), [])
})

test('the lock of a process that is gone is taken over, also when its id was given to another', async (t) => {
  const path = join(await makeSandbox(t), 'lock')
  const child = spawn('true')
  const mark = findProcessMark(child.pid!)
  await once(child, 'exit')
  for (const dead of [`${mark} a1`, `${process.pid} another-boot:1 a1`, 'nonsense', '']) {
    await writeFile(path, dead)
    await withLock(path, undefined, async () => {})
  }
})

test('the lock of a live process is waited for until the caller gives up', async (t) => {
  const directory = await makeSandbox(t)
  const path = join(directory, 'lock')
  await mkdir(directory, { recursive: true })
  await writeFile(path, `${findProcessMark(process.pid)} a1`)
  const reason = new Error('enough')
  await assert.rejects(
    withLock(path, AbortSignal.abort(reason), async () => {}),
    reason,
  )
  assert.deepEqual(await readdir(directory), ['lock'])
})
