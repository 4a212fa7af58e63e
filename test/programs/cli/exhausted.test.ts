import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  commandsOn,
  createDataDir,
  findPostmaster,
  main,
  start,
  stop,
  tillgate,
  toUrl,
  type Served,
} from '../../support/cli.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { eventually } from '../../support/waiting.ts'

const isRoot = process.geteuid?.() === 0
const { connection } = await createDatabase()
const dataDir = await createDataDir({ filled: true })
const env = { DATABASE_URL: toUrl(connection), TILLGATE_OPERATIONS_ADDRESS: 'off' }
const { json } = commandsOn({ env })

test('a server without file descriptors logs this once, and again when some are free', async () => {
  const command = `ulimit -n 150 && exec '${process.execPath}' '${main}' serve --port 0 --json`
  const running = start('/bin/sh', ['-c', command], { env })
  await eventually(() => running.written.stdout.includes('\n'), 'serve listens')
  const { url } = JSON.parse(running.written.stdout) as Served['line']
  const sockets: Socket[] = []
  for (let n = 0; n < 200; n++) {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.on('error', () => {})
    sockets.push(socket)
  }
  const count = (words: string) => running.written.stderr.split(words).length - 1
  await eventually(() => count('out of file descriptors') === 1, 'it says that none are left')
  for (const socket of sockets) socket.destroy()
  await eventually(() => count('file descriptors are available again') === 1, 'it says that some are left')
  assert.equal(count('out of file descriptors'), 1)
  assert.equal((await fetch(`${url}/livez`)).status, 200)
  assert.equal((await stop(running)).code, 0)
})

test(
  'backup verify names a temporary directory that is full',
  { skip: !isRoot && 'only root mounts one' },
  async (t) => {
    const [backup, small] = [
      await mkdtemp(join(tmpdir(), 'tillgate-full-')),
      await mkdtemp(join(tmpdir(), 'tillgate-full-')),
    ]
    atEnd(() => rm(backup, { recursive: true, force: true }))
    atEnd(() => rm(small, { recursive: true, force: true }))
    await json`backup ${backup}`
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=36m', 'tmpfs', small], { stdio: 'ignore' })
    } catch {
      return t.skip('nothing can be mounted here')
    }
    try {
      const { code, stderr } = await tillgate(['backup', 'verify', backup, '--json'], {
        env: { ...env, TMPDIR: small },
      })
      assert.equal(code, 2)
      const { error } = JSON.parse(stderr.trim().split('\n').at(-1) as string)
      assert.equal(error.code, 'output_failed')
      assert.match(error.message, new RegExp(`temporary files, ${small}, is full: set TMPDIR`))
    } finally {
      execFileSync('umount', [small])
    }
  },
)

test(
  'the error for a cluster of another account states the remedy',
  { skip: !isRoot && 'only root gives files away' },
  async () => {
    const own = { TILLGATE_DATA_DIR: dataDir, TILLGATE_OPERATIONS_ADDRESS: 'off' }
    await commandsOn({ env: own }).json`location create --name Bistro`
    await eventually(async () => (await findPostmaster(dataDir)) === undefined, 'the server is stopped')
    const cluster = join(dataDir, 'postgres')
    const owner = execFileSync('stat', ['-c', '%u', cluster], { encoding: 'utf8' }).trim()
    // The state after root has unpacked an archive over the cluster.
    execFileSync('chown', ['-R', '0:0', cluster])
    const { code, stderr } = await commandsOn({ env: own }).run`location list`
    assert.equal(code, 2)
    const [, advice = ''] = /belongs to the user 0, and its server runs as .*: (chown -R \d+ \S+)/.exec(stderr) ?? []
    assert.equal(advice, `chown -R ${owner} ${cluster}`, stderr)
    execFileSync('/bin/sh', ['-c', advice])
    assert.equal((await commandsOn({ env: own }).run`location list`).code, 0)
    await chown(cluster, Number(owner), -1)
  },
)
