import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { openEmbeddedDatabase, type ConnectionOptions } from '../src/core/embedded/database.ts'
import { openPool, type Pool } from '../src/core/store/db/database.ts'
import { statementsOf } from '../src/core/store/db/migrations.ts'
import { dumpsFolder, publicUrl, questions, type Told } from '../test/support/schema-dumps.ts'
import { everyRecord, idOf, linesOf, order, orderOf, report, reportOf, versionOf } from '../test/support/records.ts'

// Makes the dumps that test/core/store/upgrade.test.ts starts from: one for each version of the schema, with data that this
// program stored and what it answered. Those that are there stay. `--pg-bin` names a PostgreSQL with pg_dump; the older
// its version, the more servers read the dump.
const { values } = parseArgs({ options: { 'pg-bin': { type: 'string', default: '/usr/lib/postgresql/15/bin' } } })
const pgBin = values['pg-bin']
const main = join(import.meta.dirname, '../src/main.ts')
const migrations = join(import.meta.dirname, '../src/core/store/migrations')
const dataDir = await mkdtemp(join(tmpdir(), 'tillgate-dumps-'))
const own = ['--data-dir', dataDir, '--pg-bin', pgBin, '--json']

function tillgate(...args: string[]): any {
  const text = execFileSync(process.execPath, [main, ...args, ...own], { encoding: 'utf8' })
  return text === '' ? undefined : JSON.parse(text)
}

/** Whether it becomes true, asked again and again for a minute. */
async function waitFor(what: string, condition: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`it never came that ${what}`)
}

type Ask = (path: string, options?: RequestInit) => Promise<{ status: number; json: any }>

/** Works with a server that runs meanwhile, as the owner of the key. */
async function withServer<T>(key: string, work: (ask: Ask) => Promise<T>): Promise<T> {
  const quiet = ['--port', '0', '--operations-address', 'off', '--log-level', 'error', '--public-url', publicUrl]
  const options = [...quiet, '--allow-http', '--allow-address', '127.0.0.1']
  const served = spawn(process.execPath, [main, 'serve', ...options, ...own], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = await once(createInterface(served.stdout), 'line')
    const { url } = JSON.parse(line as string)
    return await work(async (path, options = {}) => {
      const headers = { 'x-api-key': key, ...(options.headers as Record<string, string>) }
      const response = await fetch(`${url}${path}`, { ...options, headers })
      return { status: response.status, json: await response.json() }
    })
  } finally {
    served.kill('SIGTERM')
    await once(served, 'exit')
  }
}

/** Something of everything, pushed and delivered to nobody: attempts, a failure and a retry. */
async function store(ask: Ask, locationId: string): Promise<void> {
  const post = async (path: string, type: string, body: string) => {
    const answer = await ask(path, { method: 'POST', headers: { 'content-type': type }, body })
    if (answer.status >= 300 && answer.status !== 422) throw new Error(JSON.stringify(answer))
    return answer.json
  }
  const push = (records: unknown[]) => post('/v1/ingest/', 'application/x-ndjson', linesOf(records))
  const endpoint = { endpointUrl: 'http://127.0.0.1:9/hook', events: ['order.created', 'order.updated'] }
  const named = { id: idOf('menu', 1), recipientId: idOf('menu', 2), locationId, ...endpoint }
  const { id } = await post('/v1/webhooks/', 'application/json', JSON.stringify(named))
  await push(everyRecord(locationId))
  const many = Array.from({ length: 40 }, (_, n) => order(orderOf(locationId, n + 2)))
  await push([...many, report(reportOf(locationId, 2)), order({ id: 'no order' })])
  await push([3, 5, 8].map((n) => order({ ...versionOf(locationId, n, 2), total: -1 })))
  await waitFor('an attempt is made', async () => (await ask(`/v1/webhooks/${id}/deliveries`)).json.data?.length > 0)
}

/** An installation, and what it answers when all is added up. */
async function fill(): Promise<Told> {
  const locationId = idOf('location', 1)
  tillgate('location', 'create', '--name', 'Bistro Exemple', '--id', locationId, '--time-zone', 'Europe/Paris')
  tillgate('location', 'create', '--name', 'Empty', '--id', idOf('location', 2))
  const { key } = tillgate('key', 'create', '--location', locationId, '--scope', 'read,ingest,webhooks', '--test')
  await withServer(key, (ask) => store(ask, locationId))
  tillgate('redact', '--order', idOf('order', 20), '--field', '/operatorName', '--reason', 'asked for', '--yes')
  tillgate('verify')
  tillgate('backup', join(dataDir, 'backup'))
  const answers: Told['answers'] = {}
  await withServer(key, async (ask) => {
    for (const { path } of questions) {
      await waitFor(`${path} is answered`, async () => {
        const { status, json } = await ask(path)
        if (status !== 200 && status !== 503) throw new Error(`${path}: ${JSON.stringify(json)}`)
        answers[path] = json
        return status === 200
      })
    }
  })
  return { key, answers }
}

/** The rows that the tables of an older schema had: all of `from` that fits into their columns. */
async function copyRows(from: Pool, to: Pool): Promise<void> {
  const tables = await to<{ name: string }[]>`
    select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
      and relname <> 'schema_migrations' order by oid`
  for (const { name } of tables) {
    const [row] = await from.unsafe<{ rows: string }[]>(
      `select coalesce(json_agg(t), '[]')::text as rows from ${name} t`,
    )
    await to.unsafe(`insert into ${name} select * from json_populate_recordset(null::${name}, $1::text::json)`, [
      row!.rows,
    ])
  }
}

function dump({ host, port, user, password }: ConnectionOptions, database: string): string {
  const options = ['--no-owner', '--no-privileges', '--column-inserts', '--rows-per-insert=100', '--schema=public']
  const env = { PGPASSWORD: password, PATH: '/usr/bin:/bin' }
  const place = ['-h', host, '-p', String(port), '-U', user, database]
  const text = execFileSync(join(pgBin, 'pg_dump'), [...options, ...place], {
    env,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  // Comments, words to psql alone, and the schema that every database has.
  return text
    .replaceAll(/^(--.*|\\.*|CREATE SCHEMA public;|SET transaction_timeout.*)\n/gm, '')
    .replaceAll(/\n{2,}/g, '\n')
}

const files = (await readdir(migrations)).filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file)).toSorted()
try {
  await mkdir(dumpsFolder, { recursive: true })
  const missing = files.filter((file) => !existsSync(join(dumpsFolder, `${file.slice(0, 4)}.sql.gz`)))
  if (missing.length === 0) throw new Error('there is a dump of every version: delete one to make it anew')
  const told = await fill()
  const { connection, stop } = await openEmbeddedDatabase(dataDir, { pgBin })
  const full = openPool(connection, { connections: 1, pipelining: true })
  for (const file of missing) {
    const version = Number(file.slice(0, 4))
    const database = `schema_${version}`
    await full.unsafe(`create database ${database}`)
    const pool = openPool({ ...connection, database }, { connections: 1, pipelining: true })
    await pool`create table schema_migrations (version int primary key, name text not null, applied_at timestamptz not null)`
    for (const former of files.slice(0, files.indexOf(file) + 1)) {
      const rows = join(migrations, former.replace('.sql', '.rows.sql'))
      for (const path of [join(migrations, former), rows].filter((path) => existsSync(path))) {
        for (const statement of statementsOf(await readFile(path, 'utf8'))) await pool.unsafe(statement)
      }
      await pool`insert into schema_migrations values (${Number(former.slice(0, 4))}, ${former.replace('.sql', '')}, now())`
    }
    await copyRows(full, pool)
    // A projection that is younger than its table would say that it has added up what an older one has no place for.
    if (version === 5) await pool`delete from projections where name = 'days'`
    await pool.end()
    const target = join(dumpsFolder, `${file.slice(0, 4)}.sql.gz`)
    await writeFile(target, gzipSync(`-- ${JSON.stringify(told)}\n${dump(connection, database)}`, { level: 9 }))
    console.log(target)
  }
  await full.end()
  await stop()
} finally {
  await rm(dataDir, { recursive: true, force: true })
}
