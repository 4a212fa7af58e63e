import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { addKey, addLocation } from '../../support/app.ts'
import { findPostmaster, isAlive, serve, start, stop, tillgate, tillgateJson } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { startNetwork } from '../../support/network.ts'
import { linesOf, order, orderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const { connection, pool } = await createDatabase()
const network = await startNetwork(connection)
/** A deadline shorter than the default, so that the tests do not wait long. */
const env = { DATABASE_URL: network.connection.url, TILLGATE_DB_TIMEOUT: '1' }

const changes = (stderr: string) => stderr.match(/does not answer|answers again/g) ?? []

const linesAbout = (stderr: string, words: string) => stderr.split('\n').filter((line) => line.includes(words))

describe('serve without its database', () => {
  after(() => network.close())

  test('waits for an unavailable one at start-up, logs this once, and then serves', async () => {
    network.become('closes')
    const starting = start(process.execPath, ['src/main.ts', 'serve', '--port', '0', '--json'], { env })
    await eventually(() => starting.written.stderr.includes('waiting up to 30 s'), 'it says that it waits')
    const { taken } = network
    await eventually(() => network.taken > taken + 2, 'it tries again')
    assert.equal(starting.written.stdout, '')
    network.become('open')
    await eventually(() => starting.written.stdout.includes('\n'), 'it serves')
    assert.equal(linesAbout(starting.written.stderr, 'waiting up to').length, 1)
    assert.equal((await stop(starting)).code, 0)
  })

  test('exits with code 2 and one line at the end of the wait', async () => {
    network.become('closes')
    const { code, stderr } = await tillgate(['serve', '--port', '0', '--db-wait', '0'], { env })
    assert.equal(code, 2)
    assert.match(stderr, /^error: the database postgres:\/\/.* cannot be reached: .*\n$/)
    network.become('open')
  })

  test('stopped during the wait exits with 0', async () => {
    network.become('closes')
    const starting = start(process.execPath, ['src/main.ts', 'serve', '--port', '0'], { env })
    await eventually(() => starting.written.stderr.includes('waiting up to'), 'it waits')
    const { code, stderr } = await stop(starting)
    assert.equal(code, 0, stderr)
    network.become('open')
  })

  for (const state of ['closes', 'hears', 'silent'] as const) {
    test(`logs one line when it is lost and one when it is back, and shuts down cleanly without it (${state})`, async () => {
      const served = await serve(['--log-level', 'info'], { env })
      network.become(state)
      const ready = async () => (await fetch(`${served.url}/readyz`)).status
      for (let n = 0; n < 5; n++) assert.deepEqual(await Promise.all([ready(), ready()]), [503, 503])
      await eventually(() => changes(served.written.stderr).at(-1) === 'does not answer', 'it says that it is away')
      network.become('open')
      await eventually(() => changes(served.written.stderr).at(-1) === 'answers again', 'it says that it is back')
      await eventually(async () => (await ready()) === 200, 'it is ready again')
      network.become(state)
      const { code, signal, stderr } = await stop(served)
      network.become('open')
      assert.deepEqual([code, signal], [0, null], stderr)
      assert.doesNotMatch(stderr, /internal_error|Unhandled|^error:/m)
      // On a busy machine a response may exceed the deadline once more, which is reported in the same way.
      for (const [i, change] of changes(stderr).entries()) {
        assert.equal(change, i % 2 === 0 ? 'does not answer' : 'answers again', stderr)
      }
      assert.equal(linesAbout(stderr, '"level":"error"').length, linesAbout(stderr, 'does not answer').length, stderr)
    })
  }

  test('reports an unresponsive database at both its probes, while a request still waits for it', async () => {
    const { key } = await addKey(pool, await addLocation(pool))
    const served = await serve([], { env: { ...env, TILLGATE_DB_TIMEOUT: '600', TILLGATE_DB_CONNECTIONS: '1' } })
    const ask = (url: string) => fetch(url, { headers: { 'x-api-key': key } }).then(({ status }) => status)
    assert.equal(await ask(`${served.url}/health/`), 200)
    network.become('silent')
    let isAnswered = false
    const waiting = ask(`${served.url}/health/`).finally(() => (isAnswered = true))
    for (const url of [served.url, served.line.operationsUrl]) assert.equal(await ask(`${url}/readyz`), 503)
    assert.equal(isAnswered, false)
    network.become('open')
    await Promise.allSettled([waiting, stop(served)])
  })

  test('ends its processes without an error when the first of them is killed', async () => {
    const served = await serve(['--processes', '2', '--log-level', 'info'], { env })
    const workers = () =>
      [...served.written.stderr.matchAll(/"pid":(\d+),[^\n]*Server listening/g)].map(([, pid]) => Number(pid))
    await eventually(() => workers().length === 2, 'both listen')
    // The workers are busy, so that they have a message for the closed reader.
    const asking = Promise.allSettled(Array.from({ length: 50 }, () => fetch(`${served.url}/readyz`)))
    // When the workers continue, they find new connections and a query, but the clients are gone.
    const ids = workers()
    for (const pid of ids) process.kill(pid, 'SIGSTOP')
    const metrics = fetch(`${served.line.operationsUrl}/metrics`).catch(() => {})
    await fetch(`${served.line.operationsUrl}/livez`)
    served.child.kill('SIGKILL')
    await metrics
    for (const pid of ids) process.kill(pid, 'SIGCONT')
    await asking
    await eventually(() => workers().every((pid) => !isAlive(pid)), 'the workers are gone')
    assert.doesNotMatch((await served.ended).stderr, /Unhandled|throw er|EPIPE/)
  })
})

describe('serve on a full disk', () => {
  const isRoot = process.getuid?.() === 0
  const skip = process.platform === 'linux' && isRoot ? false : 'needs root, to mount a small tmpfs'

  test(
    'refuses pushes with 503 database_full, still reads, accepts pushes again, and shuts down cleanly while full',
    { skip },
    async (t) => {
      const place = await mkdtemp(join(tmpdir(), 'tillgate-full-'))
      const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=220m,mode=0755', 'tillgate-full', place])
      if (mounted.status !== 0) return t.skip('no tmpfs can be mounted here')
      after(async () => {
        spawnSync('umount', ['-l', place])
        await rm(place, { recursive: true, force: true })
      })
      const on = ['--data-dir', join(place, 'data')]
      // Without a reserve the disk fills up completely.
      const served = await serve([...on, '--disk-reserve', '0'])
      const { id: location } = await tillgateJson(['location', 'create', '--name', 'Bistro', ...on])
      const { key } = await tillgateJson(['key', 'create', '--location', location, '--scope', 'read,ingest', ...on])
      const push = async (first: number) => {
        const records = Array.from({ length: 200 }, (_, n) => order(orderOf(location, first + n)))
        const headers = { 'x-api-key': key, 'content-type': 'application/x-ndjson' }
        const answer = await fetch(`${served.url}/v1/ingest/`, { method: 'POST', headers, body: linesOf(records) })
        return { status: answer.status, body: (await answer.json()) as any }
      }
      const statusOf = async (path: string) =>
        (await fetch(served.url + path, { headers: { 'x-api-key': key } })).status
      assert.equal((await push(1)).status, 200)

      await fill(join(place, 'ballast'))
      let first = 1_000
      let refused = await push(first)
      for (let tries = 0; refused.status === 200 && tries < 100; tries++) refused = await push((first += 200))
      assert.deepEqual([refused.status, refused.body.code], [503, 'database_full'])
      // PostgreSQL may restart after a write to the full disk.
      await eventually(async () => (await statusOf('/v1/orders/')) === 200, 'orders are still read')
      assert.equal(await statusOf('/readyz'), 503)

      await rm(join(place, 'ballast'))
      await eventually(async () => (await push(first)).status === 200, 'pushes are taken again')
      await eventually(async () => (await statusOf('/readyz')) === 200, 'it is ready again')

      await fill(join(place, 'ballast'))
      const postmaster = (await findPostmaster(join(place, 'data'))) as number
      const { code, stderr } = await stop(served)
      assert.equal(code, 0, stderr)
      assert.doesNotMatch(stderr, /internal_error|ENOSPC/)
      assert.equal(isAlive(postmaster), false, 'the database must not stay behind')
      await rm(join(place, 'ballast'))
    },
  )
})

/** Writes until the disk is full. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w')
  try {
    for (const size of [2 ** 20, 4096]) {
      const block = Buffer.alloc(size, 1)
      for (;;) await file.write(block)
    }
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, 'ENOSPC')
  } finally {
    await file.close()
  }
}
