import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { serve, start, stop, toUrl } from '../../support/cli.ts'
import { addKey, addLocation } from '../../support/app.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { createAuthority } from '../../support/fault-certificates.ts'
import { freePort } from '../../support/ports.ts'
import { order, orderOf, versionOf } from '../../support/records.ts'
import { needs } from '../../support/tools.ts'
import { eventually } from '../../support/waiting.ts'
import { transact } from '../../../src/core/store/db/database.ts'

const page = await readFile(join(import.meta.dirname, '../../../docs/operate/proxies.md'), 'utf8')
const printed = (language: string) => new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'm').exec(page)?.[1] ?? ''

const isBuilt = existsSync(join(import.meta.dirname, '../../../dist/console/index.html'))
const folder = await mkdtemp(join(tmpdir(), 'tillgate-proxy-'))
atEnd(() => rm(folder, { recursive: true, force: true }))
const { cert: ca, issue } = createAuthority('Proxies')
const { cert, key: privateKey } = issue(['pos.example'])
const files = { 'fullchain.pem': cert, 'privkey.pem': privateKey, 'both.pem': cert + privateKey }
for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)

const { connection, pool } = await createDatabase()
const env = { DATABASE_URL: toUrl(connection), TILLGATE_DATA_DIR: join(folder, 'data') }
// Only four requests are allowed, so that requests let through by a second server are noticed.
const args = ['--public-url', 'https://pos.example/pos', '--trust-proxy', '127.0.0.1', '--operations-address', 'off']
const rate = ['--rate-limit', '0.001', '--rate-burst', '4']
const servers = await Promise.all([1, 2].map(() => serve([...args, ...rate], { env })))
atEnd(async () => void (await Promise.all(servers.map((served) => stop(served)))))
const locationId = await addLocation(pool)
const newKey = async () => (await addKey(pool, locationId, { scopes: ['read', 'ingest'] })).key

/** Returns the documented configuration, with the ports and files of this test. */
async function adapt(text: string): Promise<{ text: string; port: number }> {
  const port = await freePort()
  const [first = '', second = ''] = servers.map(({ url }) => new URL(url).port)
  const adapted = text
    .replaceAll('/etc/tillgate/tls', folder)
    .replaceAll(':4747', `:${first}`)
    .replaceAll(':4757', `:${second}`)
    .replace('listen 443', `listen 127.0.0.1:${port}`)
    .replace('bind :443', `bind 127.0.0.1:${port}`)
    .replace(/^pos\.example \{/m, `https://pos.example:${port} {`)
  return { text: adapted, port }
}

type Sent = { method?: string; headers?: Record<string, string>; body?: string }

/** Requests on a new connection, like a new client. */
async function ask(port: number, path: string, { method = 'GET', headers = {}, body }: Sent = {}) {
  const to = { host: '127.0.0.1', port, path, method, ca, agent: false as const, servername: 'pos.example' }
  const sent = request({ ...to, headers: { host: 'pos.example', ...headers } })
  sent.end(body)
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return response
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of response) text += chunk
  return text
}

/** Resolves to the sum of a metric of one server over all its labels. */
async function measure({ url }: { url: string }, metric: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  return [...text.matchAll(new RegExp(`^${metric}(?:\\{.*\\})? (\\S+)$`, 'gm'))].reduce(
    (sum, [, n]) => sum + Number(n),
    0,
  )
}

const onEach = (metric: string) => Promise.all(servers.map((served) => measure(served, metric)))

/** Resolves to the increase of a metric on each server during the work, largest first. */
async function growthOf(metric: string, work: () => Promise<unknown>): Promise<number[]> {
  const before = await onEach(metric)
  await work()
  return (await onEach(metric)).map((n, i) => n - (before[i] as number))
}

const withKey = (key: string, isBearer: boolean): Record<string, string> =>
  isBearer ? { authorization: `Bearer ${key}` } : { 'x-api-key': key }

/** Pushes one order through the proxy. Resolves to the status. */
async function push(port: number, headers: Record<string, string>, id: number): Promise<number | undefined> {
  const type = { 'content-type': 'application/x-ndjson' }
  const body = `${JSON.stringify(order(orderOf(locationId, id)))}\n`
  const response = await ask(port, '/pos/v1/ingest/', { method: 'POST', headers: { ...headers, ...type }, body })
  await textOf(response)
  return response.statusCode
}

let pushed = 50_000

/** Checks that one server counts all reads and pushes of a key, and that not all keys use the same server. */
async function assertKeysStay(port: number): Promise<void> {
  const chosen = new Set<number>()
  for (let n = 0; n < 4 || (chosen.size < servers.length && n < 30); n++) {
    const headers = withKey(await newKey(), n % 2 === 1)
    const statuses: (number | undefined)[] = []
    const committed = await growthOf('tillgate_ingest_commit_duration_seconds_count', async () => {
      for (let i = 0; i < 3; i++) {
        statuses.push(await push(port, headers, ++pushed))
        const read = await ask(port, '/pos/v1/locations/own', { headers })
        await textOf(read)
        statuses.push(read.statusCode)
      }
    })
    assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429])
    assert.deepEqual(new Set(committed), new Set([0, 2]), 'the pushes of a key are stored by one server')
    chosen.add(committed.indexOf(2))
  }
  assert.equal(chosen.size, servers.length, 'each server has some of the keys')
}

/** Checks that pushes of one key are stored by one server, in fewer transactions, if its location is locked. */
async function assertPushesShare(port: number): Promise<void> {
  const headers = withKey(await newKey(), false)
  const committed = await growthOf('tillgate_ingest_commit_duration_seconds_count', async () => {
    const inFlight = async () => (await onEach('tillgate_http_requests_in_flight')).reduce((sum, n) => sum + n)
    const idle = await inFlight()
    const pushes = await transact(pool, async (tx) => {
      await tx`select 1 from location_seq where location_id = ${locationId} for update`
      const sent = Array.from({ length: 4 }, () => push(port, headers, ++pushed))
      await eventually(async () => (await inFlight()) >= idle + sent.length, 'the pushes are under way')
      return { sent }
    })
    assert.deepEqual(await Promise.all(pushes.sent), [200, 200, 200, 200])
  })
  const [none, some] = committed.toSorted((a, b) => a - b) as [number, number]
  assert.equal(none, 0)
  assert.ok(some < 4, `${some} transactions for 4 pushes`)
}

const proxies = [
  {
    name: 'nginx',
    language: 'nginx',
    wrap: (text: string) =>
      `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}\nhttp { access_log off;\n` +
      ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${folder}/${of};\n`).join('') +
      `${text}}\n`,
    command: (file: string) => ['-c', file],
  },
  { name: 'haproxy', language: 'haproxy', wrap: (text: string) => text, command: (file: string) => ['-f', file] },
  {
    name: 'caddy',
    language: 'caddyfile',
    wrap: (text: string) => `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${text}`,
    command: (file: string) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
]

for (const { name, language, wrap, command } of proxies) {
  describe(`${name}, configured as in docs/operate/proxies.md`, needs(name), () => {
    test('serves below a path, routes the reads and pushes of a key to one server, and forwards pushes and event streams at once', async () => {
      // nginx ends its workers on SIGTERM; Caddy then waits for its streams.
      const signal = name === 'caddy' ? 'SIGKILL' : 'SIGTERM'
      const { text, port } = await adapt(printed(language))
      const file = join(folder, `${name}.conf`)
      await writeFile(file, wrap(text))
      const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
      const running = start(name, command(file), { env: { ...env, PATH: `${process.env['PATH']}:/usr/sbin` } })
      atEnd(async () => void running.child.kill(signal))
      const key = await newKey()
      const answers = async () => {
        const response = await ask(port, '/pos/livez').catch(() => undefined)
        if (response) await textOf(response)
        return response?.statusCode === 200
      }
      await eventually(answers, `${name} answers: ${running.written.stderr}`)

      const health = await ask(port, '/pos/health/', { headers: { 'x-api-key': key } })
      assert.equal(JSON.parse(await textOf(health)).docURL, 'https://pos.example/pos/docs')

      await assertKeysStay(port)
      await assertPushesShare(port)

      const headers = { 'x-api-key': await newKey(), accept: 'text/event-stream' }
      const stream = await ask(port, '/pos/v1/events/', { headers })
      assert.equal(stream.statusCode, 200)
      let heard = ''
      stream.setEncoding('utf8').on('data', (chunk: string) => (heard += chunk))
      const n = proxies.findIndex((one) => one.name === name) + 1
      const pushed = await ask(port, '/pos/v1/ingest/', {
        method: 'POST',
        headers: { 'x-api-key': await newKey(), 'content-type': 'application/x-ndjson' },
        body: `${JSON.stringify(order(versionOf(locationId, n, 1)))}\n`,
      })
      assert.equal(pushed.statusCode, 200, await textOf(pushed))
      const { id } = versionOf(locationId, n, 1)
      await eventually(() => heard.includes(id), 'the stream tells of the order')
      stream.destroy()

      // HTML pages and their files stay under the path prefix; the console is checked only if it was built.
      const pages = ['/pos/docs/', '/pos/docs/webhooks', ...(isBuilt ? ['/pos/console/'] : [])]
      for (const page of pages) {
        const response = await ask(port, page)
        const html = await textOf(response)
        assert.equal(response.statusCode, 200, `${page} ${html}`)
        for (const [, path = ''] of html.matchAll(/(?:src|href)="([^"#?]+\.(?:js|css|json|svg))"/g)) {
          const { href, pathname } = new URL(path, `https://pos.example${page}`)
          assert.match(href, /^https:\/\/pos\.example\/pos\//, `${page} names ${path}`)
          const loaded = await ask(port, pathname)
          await textOf(loaded)
          assert.equal(loaded.statusCode, 200, `${page} loads ${path}`)
        }
      }
      // The body exceeds what any of the three accepts by default: nginx 1 MB.
      const many = Array.from({ length: 800 }, (_, i) => JSON.stringify(order(orderOf(locationId, 1_000 * n + i))))
      const long = await ask(port, '/pos/v1/ingest/', {
        method: 'POST',
        headers: { 'x-api-key': await newKey(), 'content-type': 'application/x-ndjson' },
        body: `${many.join('\n')}\n`,
      })
      assert.equal(long.statusCode, 200, await textOf(long))
      running.child.kill(signal)
      await running.ended
    })
  })
}
