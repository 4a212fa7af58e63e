import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openEmbeddedDatabase, type EmbeddedDatabase } from '../../../src/core/embedded/database.ts'
import { askHolding, bePresent } from '../../../src/core/embedded/presence.ts'
import { needsRoot, run } from '../../support/tools.ts'
import { makeFilledSandbox, makeSandbox, query, until } from './sandbox.ts'

/** Ends a server as a power failure does, and waits until the last of its processes is gone. */
async function kill(dataDir: string, { pid }: EmbeddedDatabase): Promise<void> {
  process.kill(pid, 'SIGKILL')
  await until(async () => (await askHolding(join(dataDir, 'postgres.running'))) === 'free')
}

const isOnNetwork = async () => true

test('a killed process is no longer present, and a child that inherits its lock keeps it', async (t) => {
  const directory = join(await makeSandbox(t), 'x'.repeat(120))
  await mkdir(directory)
  const path = join(directory, 'presence')
  assert.equal(await askHolding(path), 'none')
  const presence = await bePresent(path)
  assert.equal(await askHolding(path), 'held')
  const child = spawn('sleep', ['600'], { stdio: ['ignore', 'ignore', 'ignore', presence.fd] })
  await once(child, 'spawn')
  const left = `${path}.left`
  await rename(path, left)
  await presence.end()
  assert.equal(await askHolding(left), 'held')
  child.kill('SIGKILL')
  await once(child, 'exit')
  assert.equal(await askHolding(left), 'free')
})

test('a postmaster.pid damaged by a power cut does not prevent a start, with the committed data', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  const first = await openEmbeddedDatabase(dataDir)
  await query(first.connection, 'create table t as select 42 as n')
  await kill(dataDir, first)
  for (const damaged of ['', '\0'.repeat(512), 'nonsense\n/nowhere\n', '12']) {
    await writeFile(join(dataDir, 'postgres/postmaster.pid'), damaged)
    const database = await openEmbeddedDatabase(dataDir)
    assert.equal(database.started, true)
    assert.equal((await query(database.connection, 'select n from t'))[0]?.['n'], 42)
    await kill(dataDir, database)
  }
})

test('with an empty postmaster.pid no second server starts while a process of the first one lives', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  const first = await openEmbeddedDatabase(dataDir)
  const file = join(dataDir, 'postgres/postmaster.pid')
  const text = await readFile(file, 'utf8')
  await writeFile(file, '')
  const opening = openEmbeddedDatabase(dataDir)
  await until(async () => (await readdir(dataDir)).filter((name) => name.startsWith('postgres.user.')).length === 2)
  assert.equal(await readFile(file, 'utf8'), '')
  await writeFile(file, text)
  const second = await opening
  assert.deepEqual([second.started, second.pid], [false, first.pid])
})

test('on a network file system, a server started by another machine is not assumed to be dead', async (t) => {
  const dataDir = await makeFilledSandbox(t)
  await kill(dataDir, await openEmbeddedDatabase(dataDir))
  const path = join(dataDir, 'postgres.host')
  const own = await readFile(path, 'utf8')
  assert.equal(own.split('\n')[0], hostname())
  const pidFile = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')
  const open = (on: () => Promise<boolean>) => openEmbeddedDatabase(dataDir, { machine: { isOnNetwork: on } })
  await writeFile(path, 'kitchen\nanother-boot\npid:[1]\n')
  await assert.rejects(open(isOnNetwork), {
    name: 'EmbeddedDatabaseError',
    message: new RegExp(`started on the machine kitchen .* delete ${path}. Nothing was changed`),
  })
  assert.equal(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), pidFile)
  // A file that this machine left before its restart does not prevent a start, nor does a file of another machine on a
  // local file system.
  await writeFile(path, `${hostname()}\nanother-boot\npid:[1]\n`)
  await kill(dataDir, await open(isOnNetwork))
  await writeFile(path, 'kitchen\nanother-boot\npid:[1]\n')
  await kill(dataDir, await open(async () => false))
  await rm(path)
  const last = await open(isOnNetwork)
  await last.stop()
  assert.equal((await readdir(dataDir)).includes('postgres.host'), false)
})

test(
  'a server with an unreachable socket is reported as such, and nothing is changed',
  needsRoot('unshare'),
  async (t) => {
    // The socket for such a long path is in /run or /tmp, which the other namespace does not share.
    const dataDir = join(await makeSandbox(t), 'x'.repeat(80), 'y'.repeat(80))
    const first = await openEmbeddedDatabase(dataDir)
    const before = await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8')
    const opener = fileURLToPath(new URL('opener.ts', import.meta.url))
    const hide = `mount -t tmpfs none ${first.connection.host} && exec "$0" "$@"`
    const args = ['-pf', '--ipc', '--mount-proc', 'sh', '-c', hide, process.execPath, opener, dataDir]
    const failed = await run('unshare', args).catch((error: { stdout: string }) => error)
    assert.match(
      JSON.parse(failed.stdout).error,
      /in another container or namespace, and its socket .* cannot be reached.*Nothing was changed/,
    )
    assert.equal(await readFile(join(dataDir, 'postgres/postmaster.pid'), 'utf8'), before)
    await query(first.connection, 'select 1')
    assert.equal(await first.release(), true)
  },
)
