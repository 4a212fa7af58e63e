import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openEmbeddedDatabase } from '../../../src/core/embedded/database.ts'
import { withLock } from '../../../src/core/embedded/lock.ts'
import { bePresent } from '../../../src/core/embedded/presence.ts'
import { isPostgres, makeFilledSandbox, makeSandbox, query, startOpener, until } from './sandbox.ts'

test('of processes that open a new directory at once exactly one creates and starts the database', async (t) => {
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

test('concurrent calls in one process share one server', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  const databases = await Promise.all([0, 1, 2].map(() => openEmbeddedDatabase(dataDir)))
  assert.equal(databases.filter(({ started }) => started).length, 1)
  const stopped = await Promise.all(databases.map((database) => database.release()))
  assert.equal(stopped.filter(Boolean).length, 1)
})

test('a process killed while it creates the database does not block the next', async (t) => {
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
    (await readdir(dataDir)).filter((name) => /init|draft/.test(name)),
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

test('a lock has one holder at a time, and none after the work, even if it failed', async (t) => {
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
  // Only the file of the last holder remains.
  assert.deepEqual(await readdir(join(path, '..')), ['lock.22'])
})

test('killed holders and waiters leave a lock that still has one holder at a time', async (t) => {
  const directory = await makeSandbox(t)
  const [path, ledger] = [join(directory, 'lock'), join(directory, 'ledger')]
  const script = fileURLToPath(new URL('lock-holder.ts', import.meta.url))
  const holders = Array.from({ length: 6 }, () => spawn(process.execPath, [script, path, ledger], { stdio: 'ignore' }))
  const exits = holders.map((holder) => once(holder, 'exit'))
  const lines = async () => (await readFile(ledger, 'utf8').catch(() => '')).split('\n').filter(Boolean)
  try {
    for (const [index, holder] of holders.entries()) {
      const before = (await lines()).length
      await until(async () => (await lines()).length > before + 10)
      if (index === holders.length - 1) break
      holder.kill('SIGKILL')
      await exits[index]
    }
  } finally {
    // The directory cannot be removed while a process writes in it.
    for (const holder of holders) holder.kill('SIGKILL')
    await Promise.all(exits)
  }
  // If two processes held the lock at once, lines would be interleaved. A killed holder has no second line.
  const all = await lines()
  for (const [at, line] of all.entries()) {
    const [word, pid] = line.split(' ')
    if (word === 'out') assert.equal(all[at - 1], `in ${pid}`)
  }
  assert.ok(all.length > 60)
})

test('the lock of an ended process is taken over, whatever its file is', async (t) => {
  const directory = await makeSandbox(t)
  const path = join(directory, 'lock')
  for (const number of [7, 8]) {
    const held = await bePresent(`${path}.draft`)
    await rename(`${path}.draft`, `${path}.${number}`)
    await held.end()
    await withLock(path, undefined, async () => {})
  }
  assert.deepEqual(await readdir(directory), ['lock.9'])
})

test('a caller waits for the lock of a live process until its limit', async (t) => {
  const directory = await makeSandbox(t)
  const path = join(directory, 'lock')
  const reason = new Error('enough')
  await withLock(path, undefined, async () => {
    await assert.rejects(
      withLock(path, AbortSignal.abort(reason), async () => {}),
      reason,
    )
  })
  assert.deepEqual(await readdir(directory), ['lock.1'])
})
