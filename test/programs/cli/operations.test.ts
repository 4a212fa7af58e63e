import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createDataDir, serve, stop, tillgate, tillgateJson, toUrl, type Served } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { eventually } from '../../support/waiting.ts'

const { connection, pool } = await createDatabase()
const unused = await createDataDir()
const env = { DATABASE_URL: toUrl(connection), TILLGATE_DATA_DIR: unused }
const anywhere = ['--operations-address', '127.0.0.1:0']
const { id: location } = await tillgateJson(['location', 'create', '--name', 'Bistro'], { env })
const { key } = await tillgateJson(['key', 'create', '--location', location, '--scope', 'read,ingest'], { env })

const begin = (...args: string[]) => serve(args, { env })
const probe = async ({ line }: Served, path: string) => {
  const response = await fetch(`${line.operationsUrl}${path}`)
  return { status: response.status, body: await response.text() }
}
const readiness = async (served: Served) => {
  const { status, body } = await probe(served, '/readyz')
  return { status, state: JSON.parse(body) }
}

/** Resolves to the sum of a metric's samples whose name and labels contain all of these texts. */
async function sample(served: Served, ...texts: string[]): Promise<number> {
  const { body } = await probe(served, '/metrics')
  const lines = body.split('\n').filter((line) => !line.startsWith('#') && texts.every((text) => line.includes(text)))
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
}

/** Starts a server while the default port is in use, by this test or by another program. */
async function beginWhereTaken(): Promise<{ served: Served; port: string }> {
  const taking = createServer().listen(4748, '127.0.0.1')
  const isOurs = await once(taking, 'listening').then(
    () => true,
    () => false,
  )
  const served = await begin()
  const { port } = new URL(served.line.operationsUrl)
  if (isOurs) taking.close()
  if (isOurs || port !== '4748') return { served, port }
  await stop(served)
  return beginWhereTaken()
}

const read = (url: string) => fetch(`${url}/v1/locations/own`, { headers: { 'x-api-key': key } })

describe('the operations listener', () => {
  test('answers in a role without a public port, including the delivery worker', async () => {
    const served = await begin('--role', 'delivery', ...anywhere)
    assert.equal(served.url, null)
    assert.deepEqual(await probe(served, '/livez'), { status: 200, body: '{"status":"ok"}\n' })
    const { status, state } = await readiness(served)
    const { installation, version, ...known } = state
    assert.deepEqual(
      [status, known],
      [200, { status: 'ok', draining: false, database: 'ok', delivery: 'ok', url: null, role: 'delivery' }],
    )
    assert.match(installation, /^[0-9a-f]{12}$/)
    assert.equal(await sample(served, 'tillgate_build_info{', `role="delivery"`, `version="${version}"`), 1)
    assert.equal((await probe(served, '/v1/orders/')).status, 404)
    // The process was given a port, which it does not use.
    assert.match(served.written.stderr, /^--role delivery answers no requests, so --port and --host have no effect/m)
    assert.equal((await stop(served)).code, 0)
  })

  test('answers if the public probes are off, and not at all if it is off itself', async () => {
    const served = await begin('--role', 'api', '--operations', 'off', ...anywhere)
    assert.equal((await fetch(`${served.url}/readyz`)).status, 404)
    assert.equal((await readiness(served)).state.delivery, 'off')
    assert.doesNotMatch(served.written.stderr, /have no effect/)
    await stop(served)
    const silent = await begin('--operations-address', 'off')
    assert.equal(silent.line.operationsUrl, null)
    await stop(silent)
  })

  test('uses a free port if the default one is taken, and reports it; a configured port must be free', async () => {
    const { served, port } = await beginWhereTaken()
    assert.notEqual(port, '4748')
    assert.match(served.written.stderr, /"level":"warn"[^\n]*4748 is in use/)
    assert.equal((await readiness(served)).status, 200)
    const second = await tillgate(['serve', '--port', '0', '--json', '--operations-address', `127.0.0.1:${port}`], {
      env,
    })
    assert.equal(second.code, 2)
    // Behind a pooler, a warning about missing features may follow the error.
    assert.match(second.stderr, /"error":\{"code":"operations_address_unusable"/)
    await stop(served)
  })

  test('is not ready while the database is unavailable, but live, and leaves out unknown values', async () => {
    const doomed = await createDatabase()
    const own = { env: { ...env, DATABASE_URL: toUrl(doomed.connection) } }
    const served = await serve(anywhere, own)
    assert.equal((await readiness(served)).status, 200)
    await doomed.close()
    await eventually(async () => (await readiness(served)).status === 503, 'it is not ready')
    assert.equal((await readiness(served)).state.database, 'away')
    assert.equal((await probe(served, '/livez')).status, 200)
    const { status, body } = await probe(served, '/metrics')
    assert.equal(status, 200)
    assert.doesNotMatch(body, /^tillgate_delivery_oldest_due_seconds /m)
    assert.doesNotMatch(body, /^tillgate_webhooks\{/m)
    await stop(served)
  })
})

describe('the metrics of several processes', () => {
  let served: Served
  const answered = () => sample(served, 'tillgate_http_request_duration_seconds_count', 'route="/v1/locations/own"')

  test('are totals, whichever process answers', async () => {
    served = await begin('--processes', '2', ...anywhere)
    for (let i = 0; i < 7; i++) {
      // Each request has its own connection, so that both processes get some.
      const response = await fetch(`${served.url}/v1/locations/own`, {
        headers: { 'x-api-key': key, connection: 'close' },
      })
      assert.equal(response.status, 200)
      await response.text()
    }
    // A process counts a request after its response was sent.
    await eventually(async () => (await answered()) === 7, 'seven requests are counted')
    assert.equal(await answered(), 7, 'asking changes nothing')
  })

  test('are those of docs/operate/metrics.md, with the types stated there, and no others', async () => {
    const page = await readFile(join(import.meta.dirname, '../../../docs/operate/metrics.md'), 'utf8')
    const listed = [...page.matchAll(/^\| `(tillgate_\w+)` \| (\w+) \|/gm)].map(([, name, type]) => `${name} ${type}`)
    const { body } = await probe(served, '/metrics')
    const live = [...body.matchAll(/^# TYPE (tillgate_\w+) (\w+)$/gm)].map(([, name, type]) => `${name} ${type}`)
    // This server uses an external database, not the embedded one.
    const bundled = 'tillgate_bundled_postgres_released_timestamp_seconds gauge'
    assert.deepEqual([...live, bundled].toSorted(), listed.toSorted())
  })

  test('include pushes, refusals and look-ups', async () => {
    const headers = { 'x-api-key': key, 'content-type': 'application/x-ndjson' }
    const body = '{"type":"catalog.taxes","data":[]}\n{"type":"nonsense","data":[]}\nno json\n'
    const pushed = await fetch(`${served.url}/v1/ingest/`, { method: 'POST', headers, body })
    assert.equal(pushed.status, 207)
    assert.equal((await fetch(`${served.url}/v1/orders/`)).status, 401)
    assert.equal(await sample(served, 'ingest_records_total{', 'type="catalog.taxes"', 'verdict="accepted"'), 1)
    assert.equal(await sample(served, 'ingest_records_total{', 'type="unknown"', 'verdict="rejected"'), 2)
    assert.equal(await sample(served, 'ingest_rejected_total'), 2)
    assert.equal(await sample(served, 'ingest_batch_records_sum'), 1)
    assert.equal(await sample(served, 'ingest_commit_duration_seconds_count'), 1)
    assert.ok((await sample(served, 'tillgate_db_wait_seconds_count')) >= 1)
    assert.equal(await sample(served, 'tillgate_auth_failures_total{', 'code="key_missing"'), 1)
    assert.ok((await sample(served, 'tillgate_key_cache_total{', 'miss')) >= 1)
    assert.ok((await sample(served, 'tillgate_db_connections{')) >= 1)
    assert.equal(await sample(served, 'tillgate_http_requests_in_flight'), 0)
    assert.ok(Math.abs(await sample(served, 'tillgate_clock_offset_seconds')) < 2)
  })

  test('do not decrease when a process is replaced', async () => {
    const before = await answered()
    assert.ok(before >= 7)
    const [, victim = ''] = /"pid":(\d+),[^\n]*Server listening/.exec(served.written.stderr) ?? []
    process.kill(Number(victim), 'SIGKILL')
    await eventually(async () => (await sample(served, 'tillgate_process_restarts_total')) === 1, 'it was replaced')
    await eventually(async () => (await readiness(served)).status === 200, 'it is ready')
    assert.equal(await answered(), before)
    await read(served.url)
    await eventually(async () => (await answered()) === before + 1, 'it goes on counting')
    assert.equal((await stop(served)).code, 0)
  })
})

describe('webhooks in the metrics', () => {
  test('are counted by state, with the age of the oldest due work', async () => {
    const served = await begin('--role', 'api', ...anywhere)
    const webhook = async (state: string, failures: number, cursor: number) => pool`
      insert into webhooks (location_id, id, recipient_id, events, endpoint_url, created_at, updated_at,
        recipient_since, secret, cursor, state, failures)
      values (${location}, gen_random_uuid(), gen_random_uuid(), '{order.created}', 'https://pos.example/', now(), now(),
        now(), 'whsec_', ${cursor}, ${state}, ${failures})`
    const oldest = () => sample(served, 'tillgate_delivery_oldest_due_seconds')
    const [head] = await pool`select last_seq from location_seq where location_id = ${location}`
    const seq = Number(head?.['last_seq'])
    assert.ok(seq > 0, 'the push before is in the journal')
    await webhook('enabled', 0, seq)
    await webhook('enabled', 7, 0)
    await webhook('disabled', 0, 0)
    assert.equal(await sample(served, 'tillgate_webhooks{', '"healthy"'), 1)
    assert.equal(await sample(served, 'tillgate_webhooks{', '"probing"'), 1)
    assert.equal(await sample(served, 'tillgate_webhooks{', '"disabled"'), 1)
    assert.equal(await oldest(), 0, 'who probes or is disabled has nothing due')
    await stop(served)
    await pool`update journal set accepted_at = now() - interval '1 hour' where location_id = ${location}`
    await webhook('enabled', 0, seq - 1)
    const later = await begin('--role', 'api', ...anywhere)
    const age = await sample(later, 'tillgate_delivery_oldest_due_seconds')
    assert.ok(age >= 3600 && age < 7200, `due for ${age} s`)
    await pool`update webhooks set state = 'disabled' where location_id = ${location}`
    await stop(later)
  })
})

describe('serve --drain-seconds', () => {
  for (const processes of ['1', '2']) {
    test(`is not ready after SIGTERM but still answers, in ${processes} process(es)`, async () => {
      const served = await begin('--drain-seconds', '600', '--processes', processes, ...anywhere)
      assert.equal((await fetch(`${served.url}/readyz`)).status, 200)
      served.child.kill('SIGTERM')
      await eventually(async () => (await readiness(served)).status === 503, 'it is not ready')
      assert.equal((await readiness(served)).state.draining, true)
      const refused = await fetch(`${served.url}/readyz`)
      assert.deepEqual([refused.status, ((await refused.json()) as any).code], [503, 'shutting_down'])
      for (let i = 0; i < 4; i++) assert.equal((await read(served.url)).status, 200)
      // The second signal ends it immediately. If it is sent too soon after the first, both count as one.
      await eventually(async () => {
        served.child.kill('SIGTERM')
        return served.child.exitCode !== null
      }, 'it ends')
      assert.equal((await served.ended).code, 143)
    })
  }

  test('stops by itself at the end of that time', async () => {
    const served = await begin('--drain-seconds', '0.2', ...anywhere)
    const { code, stderr } = await stop(served)
    assert.equal(code, 0, stderr)
    assert.match(stderr, /not ready, stopping in 0\.2 s/)
  })
})
