import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { request as httpRequest, type ClientRequest } from 'node:http'
import { createConnection } from 'node:net'
import { after, describe, test } from 'node:test'
import {
  commandsOn,
  createDataDir,
  findPostmaster,
  isAlive,
  serve,
  start,
  stop,
  tillgate,
  tillgateJson,
  toUrl,
  type Served,
} from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { eventually } from '../../support/waiting.ts'

const dataDir = await createDataDir({ filled: true })
const on = ['--data-dir', dataDir]
const { run, json } = commandsOn({}, on)

async function statusOf(url: string, key: string): Promise<number> {
  const { status } = await fetch(`${url}/v1/locations/own`, { headers: { 'x-api-key': key } })
  return status
}

/** Creates a location, and a key for it. */
async function createKey(scope = 'read', args = on): Promise<{ location: string; id: string; key: string }> {
  const { id: location } = await tillgateJson(['location', 'create', '--name', 'Bistro', ...args])
  const made = await tillgateJson(['key', 'create', '--location', location, '--scope', scope, ...args])
  return { location, ...made }
}

/** Begins a push: the server has its headers and waits for its body. */
async function beginPush(url: string, key: string): Promise<ClientRequest> {
  const headers = { 'x-api-key': key, 'content-type': 'application/x-ndjson', expect: '100-continue' }
  const pushing = httpRequest(`${url}/v1/ingest/`, { method: 'POST', headers })
  pushing.flushHeaders()
  await once(pushing, 'continue')
  return pushing
}

describe('serve', () => {
  let served: Served
  let key: string
  let location: string

  test('prints one line with its URL and pid when it listens, and answers there', async () => {
    // The deadline is the longest possible, so that it causes no 503 below.
    served = await serve([...on, '--db-timeout', '600'])
    const { operationsUrl } = served.line
    assert.deepEqual(served.line, { url: served.url, pid: served.pid, operationsUrl })
    assert.match(operationsUrl, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.match(served.url, /^http:\/\/127\.0\.0\.1:\d+$/)
    assert.equal((await fetch(`${served.url}/readyz`)).status, 200)
  })

  test('shares its data directory with concurrent commands, and accepts a key that they create at once', async () => {
    ;({ key, location } = await createKey('read,ingest'))
    assert.equal(await statusOf(served.url, key), 200)
  })

  test('refuses a key after a command revoked it', async () => {
    const made = await json`key create --location ${location} --scope read`
    assert.equal(await statusOf(served.url, made.key), 200)
    await json`key revoke ${made.id}`
    await eventually(async () => (await statusOf(served.url, made.key)) === 401, 'the key is refused')
  })

  test('makes a second serve on the data directory exit with code 2, and continues', async () => {
    const { code, stdout, stderr } = await run`serve --port 0 --json`
    assert.deepEqual([code, stdout, stderr.split('\n').length], [2, '', 2])
    const { error } = JSON.parse(stderr)
    assert.equal(error.code, 'data_dir_in_use')
    assert.match(
      error.message,
      /^another tillgate serve uses the data directory .+: stop it, or choose another --data-dir/,
    )
    assert.equal(await statusOf(served.url, key), 200)
  })

  test('reports a port in use with exit code 2', async () => {
    const { port } = new URL(served.url)
    const other = await createDataDir({ filled: true })
    const { code, stderr } = await tillgate(['serve', '--json', '--port', port, '--data-dir', other])
    assert.equal(code, 2)
    const { error } = JSON.parse(stderr.slice(stderr.lastIndexOf('{"error"')))
    assert.equal(error.code, 'port_in_use')
    assert.equal(await findPostmaster(other), undefined, 'its database must not stay behind')
  })

  test('restarts its database if it is killed', async () => {
    const killed = (await findPostmaster(dataDir)) as number
    process.kill(killed, 'SIGKILL')
    await eventually(async () => (await statusOf(served.url, key)) === 503, '503 while it is away')
    await eventually(async () => (await statusOf(served.url, key)) === 200, 'it answers again')
    assert.notEqual(await findPostmaster(dataDir), killed)
    const { code } = await run`serve --port 0`
    assert.equal(code, 2, 'the data directory must still be its own')
  })

  test('uses the database again after a kill -9, with everything that was acknowledged', async () => {
    const postmaster = await findPostmaster(dataDir)
    const body = JSON.stringify({ type: 'catalog.payments', data: [] })
    const headers = { 'x-api-key': key, 'content-type': 'application/json' }
    const pushed = await fetch(`${served.url}/v1/ingest/`, { method: 'POST', headers, body })
    assert.equal(pushed.status, 200)
    await stop(served, 'SIGKILL')
    served = await serve(on)
    assert.equal(await findPostmaster(dataDir), postmaster)
    const read = await fetch(`${served.url}/v1/catalog/payments/`, { headers: { 'x-api-key': key } })
    assert.equal(await read.text(), '[]')
  })

  test('on SIGTERM accepts no new requests, finishes those in progress, writes the use of keys and stops the database', async () => {
    const postmaster = (await findPostmaster(dataDir)) as number
    const { hostname, port } = new URL(served.url)
    const began = Date.now()
    const pushing = await beginPush(served.url, key)
    const answered = once(pushing, 'response')
    pushing.write('{"type":"catalog.taxes",')
    served.child.kill('SIGTERM')
    const refused = () =>
      new Promise<boolean>((resolve) => {
        const socket = createConnection(Number(port), hostname)
        socket.on('connect', () => resolve(false)).on('error', () => resolve(true))
        socket.on('connect', () => socket.destroy())
      })
    await eventually(refused, 'connections are refused')
    assert.equal(served.child.exitCode, null)
    pushing.end('"data":[]}\n')
    const [response] = await answered
    assert.equal(response.statusCode, 200)
    response.resume()
    const { code, signal, stderr } = await served.ended
    assert.deepEqual([code, signal], [0, null], stderr)
    assert.equal(isAlive(postmaster), false)
    const [listed] = (await json`key list`).filter(({ state }: any) => state === 'active')
    assert.ok(Date.parse(listed.lastUsedAt) >= began - 1_000, `last used ${listed.lastUsedAt}`)
  })

  test('exits at once on a second signal', async () => {
    const running = await serve(on)
    const hanging = await beginPush(running.url, key)
    let isAnswered = false
    hanging.on('error', () => {}).on('response', () => (isAnswered = true))
    const again = setInterval(() => running.child.kill('SIGINT'), 100)
    after(() => clearInterval(again))
    const { code } = await running.ended
    clearInterval(again)
    assert.equal(code, 130)
    assert.equal(isAnswered, false, 'it must not wait for the request')
  })

  test('stopped during its start leaves nothing running and exits with 0', async () => {
    const fresh = await createDataDir()
    const starting = start(process.execPath, ['src/main.ts', 'serve', '--port', '0', '--data-dir', fresh])
    await eventually(async () => (await findPostmaster(fresh)) !== undefined, 'the database starts')
    const { code, stdout } = await stop(starting)
    assert.deepEqual([code, stdout.includes('running')], [0, false])
    assert.equal(await findPostmaster(fresh), undefined)
  })
})

describe('serve --processes', () => {
  test('prints its line once, replaces a process that dies, and stops them all', async () => {
    const served = await serve([...on, '--processes', '2'])
    const { key } = await createKey()
    assert.equal(await statusOf(served.url, key), 200)
    const workers = () => listening(served)
    assert.equal(workers().length, 2)
    const [victim = 0] = workers()
    process.kill(victim, 'SIGKILL')
    await eventually(() => workers().length === 3, 'another process listens')
    for (let i = 0; i < 4; i++) assert.equal(await statusOf(served.url, key), 200)
    const { code, stdout, stderr } = await stop(served)
    assert.deepEqual([code, stdout.split('\n').length], [0, 2], stderr)
    for (const pid of workers()) assert.equal(isAlive(pid), false)
    assert.equal(await findPostmaster(dataDir), undefined)
  })

  /** Returns the processes that have logged that they listen. */
  function listening({ written }: Served): number[] {
    return [...written.stderr.matchAll(/"pid":(\d+),[^\n]*Server listening/g)].map(([, pid]) => Number(pid))
  }
})

describe('serve on an external database', () => {
  test('can run several times, recovers from cut connections, and starts no embedded one', async () => {
    const { connection, pool } = await createDatabase()
    const fresh = await createDataDir()
    const options = { env: { DATABASE_URL: toUrl(connection), TILLGATE_DATA_DIR: fresh } }
    const served = await Promise.all([serve([], options), serve([], options)])
    for (const { url } of served) assert.equal((await fetch(`${url}/readyz`)).status, 200)
    await pool`
      select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`
    for (const { url } of served) {
      await eventually(async () => (await fetch(`${url}/readyz`)).status === 200, 'it answers again')
    }
    for (const { code } of await Promise.all(served.map((one) => stop(one)))) assert.equal(code, 0)
    assert.deepEqual(await readdir(fresh), [])
  })
})
