import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { openEmbeddedDatabase, type ConnectionOptions } from '../src/core/embedded/database.ts'
import { files, publicUrl, questions, releasedFolder, settingsOf, type Facts } from '../test/support/kept-releases.ts'
import { soldOn, zOn } from '../test/support/books-site.ts'
import { everyRecord, idOf, linesOf, order, orderOf, report, reportOf, versionOf } from '../test/support/records.ts'

// Creates the data by which a release is tested later (test/released/<version>/): a database, a backup, an archive, a
// proof and openapi.json, as this program writes them, and its responses. It does not overwrite a tagged version.
// `--pg-bin` names a PostgreSQL with pg_dump; an older version writes a dump that more servers read.
const { values } = parseArgs({ options: { 'pg-bin': { type: 'string', default: '/usr/lib/postgresql/15/bin' } } })
const pgBin = values['pg-bin']
const root = join(import.meta.dirname, '..')
const main = join(root, 'src/main.ts')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
const out = join(releasedFolder, version)
const tagged = spawnSync('git', ['rev-parse', '--verify', '--quiet', `v${version}`], { cwd: root })
if (tagged.status === 0 && existsSync(out))
  throw new Error(`${version} is released: its files in test/released must not change`)

const scratch = mkdtempSync(join(tmpdir(), 'tillgate-released-'))
// When run as root, PostgreSQL runs as another account.
chmodSync(scratch, 0o711)
const dataDir = join(scratch, 'data')
const own = ['--data-dir', dataDir, '--pg-bin', pgBin, '--json']
const env = { ...process.env, TILLGATE_CHECKPOINT_KEY: join(scratch, 'checkpoint.pem'), TILLGATE_PUBLIC_URL: publicUrl }

function tillgate(args: readonly string[], input = ''): any {
  const text = execFileSync(process.execPath, [main, ...args, ...own], { encoding: 'utf8', env, input })
  return text === '' ? undefined : JSON.parse(text)
}

/** Polls a condition for up to a minute until it is true. */
async function waitFor(what: string, condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`gave up waiting until ${what}`)
}

type Ask = (path: string, options?: RequestInit) => Promise<{ status: number; text: string }>

/** Runs `work` with a server; requests have the key. */
async function withServer<T>(key: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const quiet = ['--port', '0', '--operations-address', 'off', '--log-level', 'error']
  const options = [...quiet, '--allow-http', '--allow-address', '127.0.0.1']
  const served = spawn(process.execPath, [main, 'serve', ...options, ...own], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env,
  })
  try {
    const [line] = await once(createInterface(served.stdout), 'line')
    const { url } = JSON.parse(line as string)
    return await work(async (path, init = {}) => {
      const headers = { 'x-api-key': key, ...(init.headers as Record<string, string>) }
      const response = await fetch(`${url}${path}`, { ...init, headers })
      return { status: response.status, text: await response.text() }
    })
  } finally {
    served.kill('SIGTERM')
    await once(served, 'exit')
  }
}

const id = idOf('location', 1)
const at = ['--location', id]

/** Pushes one record of each type and delivers to an unreachable receiver: attempts, a failure and a retry. */
async function store(ask: Ask): Promise<void> {
  const post = async (path: string, type: string, body: string) => {
    const answer = await ask(path, { method: 'POST', headers: { 'content-type': type }, body })
    if (answer.status >= 300 && answer.status !== 422) throw new Error(answer.text)
    return JSON.parse(answer.text)
  }
  const push = (records: unknown[]) => post('/v1/ingest/', 'application/x-ndjson', linesOf(records))
  const endpoint = { endpointUrl: 'http://127.0.0.1:9/hook', events: ['order.created', 'order.updated'] }
  const named = { id: idOf('menu', 1), recipientId: idOf('menu', 2), locationId: id, ...endpoint }
  const webhook = await post('/v1/webhooks/', 'application/json', JSON.stringify(named))
  await push(everyRecord(id))
  const many = Array.from({ length: 40 }, (_, n) => order(orderOf(id, n + 2)))
  await push([...many, report(reportOf(id, 2)), order({ id: 'no order' })])
  await push([3, 5, 8].map((n) => order({ ...versionOf(id, n, 2), total: -1 })))
  // A day that can be booked, and an order of the next fiscal year, so that this year can be closed.
  const sold = [1, 2].map((n) => soldOn({ id, key: '' }, 20, n))
  await push([...sold.map(order), report(zOn({ id, key: '' }, 20, sold))])
  const times = { openedAt: '2026-04-01T18:00:00.000Z', closedAt: '2026-04-01T19:00:00.000Z' }
  const changes = { ...times, createdAt: times.openedAt, updatedAt: times.closedAt, reportId: null }
  await push([order(soldOn({ id, key: '' }, 9, 1, changes))])
  const deliveries = `/v1/webhooks/${webhook.id}/deliveries`
  await waitFor('an attempt is made', async () => JSON.parse((await ask(deliveries)).text).data?.length > 0)
}

function dump({ host, port, user, password, database }: ConnectionOptions): string {
  const options = ['--no-owner', '--no-privileges', '--column-inserts', '--rows-per-insert=100', '--schema=public']
  const place = ['-h', host, '-p', String(port), '-U', user, database]
  const text = execFileSync(join(pgBin, 'pg_dump'), [...options, ...place], {
    env: { PGPASSWORD: password, PATH: '/usr/bin:/bin' },
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  // Removes comments, psql commands, and the schema that every database has.
  return text
    .replaceAll(/^(--.*|\\.*|CREATE SCHEMA public;|SET transaction_timeout.*)\n/gm, '')
    .replaceAll(/\n{2,}/g, '\n')
}

const compressed = (text: string) => brotliCompressSync(text)

try {
  rmSync(out, { recursive: true, force: true })
  mkdirSync(out, { recursive: true })
  const created = [
    '--name',
    'Bistro Exemple',
    '--id',
    id,
    '--time-zone',
    'Europe/Paris',
    '--fiscal-year-starts',
    '04-01',
  ]
  tillgate(['location', 'create', ...created])
  tillgate(['location', 'create', '--name', 'Empty', '--id', idOf('location', 2)])
  tillgate(['checkpoint', 'key'])
  const { key } = tillgate(['key', 'create', ...at, '--scope', 'read,ingest,webhooks,books', '--test'])
  await withServer(key, store)
  tillgate(['redact', '--order', idOf('order', 20), '--field', '/operatorName', '--reason', 'asked for', '--yes'])
  tillgate(['books', 'issue', ...at, '--until', '2026-03-31', '--skip'])
  tillgate(['books', 'close', ...at, '--until', '2026-03-31'])
  tillgate(['books', 'close', ...at, '--until', '2026-04-01'])
  tillgate(['checkpoint', 'make', ...at])
  tillgate(['archive', ...at, '--year', '2025', '--out', join(out, files.archive)])
  const { keys } = tillgate(['checkpoint', 'key'])
  const verifierKey = keys.find(({ location }: any) => location === id).key as string
  const answers: Facts['answers'] = {}
  await withServer(key, async (ask) => {
    const dataOf = async (path: string) => JSON.parse((await ask(path)).text).data as Record<string, unknown>[]
    await waitFor('the server closes April and signs it', async () => {
      const closed = await dataOf('/v1/closings/?period=month')
      const events = await dataOf('/v1/events/?after=0&limit=100')
      return closed.some(({ date }) => date === '2026-04-30') && events.at(-1)?.['type'] === 'checkpoint.created'
    })
    const proof = await ask(`/v1/orders/${idOf('order', 3)}/proof`)
    if (proof.status !== 200) throw new Error(proof.text)
    writeFileSync(join(out, files.proof), proof.text)
    for (const path of questions) {
      await waitFor(`${path} is answered`, async () => {
        const { status, text } = await ask(path)
        if (status !== 200 && status !== 503) throw new Error(`${path}: ${text}`)
        if (status === 200) answers[path] = JSON.parse(text)
        return status === 200
      })
    }
  })
  tillgate(['verify'])
  tillgate(['backup', join(scratch, 'backup')])
  const tar = [
    '-C',
    join(scratch, 'backup'),
    '--sort=name',
    '--owner=0',
    '--group=0',
    '--numeric-owner',
    '-cf',
    '-',
    '.',
  ]
  writeFileSync(join(out, files.backup), gzipSync(execFileSync('tar', tar, { maxBuffer: 2 ** 28 }), { level: 9 }))
  const { version: schema } = tillgate(['migrate'])
  const { connection, stop } = await openEmbeddedDatabase(dataDir, { pgBin })
  writeFileSync(join(out, files.database), compressed(dump(connection)))
  await stop()
  writeFileSync(join(out, files.openapi), compressed(readFileSync(join(root, 'openapi.json'), 'utf8')))
  const facts: Facts = { schema, key, verifierKey, answers, settings: settingsOf(root) }
  writeFileSync(join(out, files.facts), compressed(JSON.stringify(facts)))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
