import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { cliCodes, type CliCode } from '../../../src/core/cli-codes.ts'
import { startApp } from '../../support/app.ts'
import { main, start, tillgate, toUrl, type Ended } from '../../support/cli.ts'
import { atEnd, createDatabase, type TestDatabase } from '../../support/database.ts'
import { needsRoot } from '../../support/tools.ts'

const scratch = await mkdtemp(join(tmpdir(), 'tillgate-codes-'))
atEnd(() => rm(scratch, { recursive: true }))
const app = await startApp()
const onApp = { env: { DATABASE_URL: toUrl(app.database.connection) } }
const [{ name } = { name: '' }] = await app.pool<{ name: string }[]>`
  select document::json ->> 'name' as name from locations where id = ${app.location}`

/** Creates an empty database that reports false properties: `objects` precede `pg_catalog` in its search path. */
async function createPretender(...objects: string[]): Promise<Record<'DATABASE_URL', string>> {
  const database = await createDatabase({ empty: true })
  await database.pool.unsafe('create schema pretended')
  for (const object of objects) await database.pool.unsafe(`create ${object}`)
  await pretend(database)
  return { DATABASE_URL: toUrl(database.connection) }
}

async function pretend({ pool }: TestDatabase): Promise<void> {
  const [row] = await pool<[{ name: string }]>`select quote_ident(current_database()) as name`
  await pool.unsafe(`alter database ${row.name} set search_path = pretended, public, pg_catalog`)
}

/** Returns the SQL of `current_setting` with one setting changed. */
const setting = (
  name: string,
  value: string,
) => `function pretended.current_setting(asked text) returns text language sql
  as $$ select case asked when '${name}' then '${value}' else pg_catalog.current_setting(asked) end $$`

const [old, worker, elsewhere] = await Promise.all([
  createPretender(setting('server_version_num', '140012')),
  createPretender(
    "view pretended.pg_extension as select 'citus' as extname",
    'view pretended.pg_dist_local_group as select 7 as groupid',
  ),
  createPretender(setting('TimeZone', 'Asia/Kathmandu')),
])

/** Returns the code and the sentence that a script gets from a failed command: the last JSON object on stderr. */
function failureOf({ code, stderr }: Ended): { code: CliCode; message: string } {
  assert.equal(code, 2, stderr)
  const { error } = JSON.parse(stderr.slice(stderr.lastIndexOf('{"error"'))) as { error: ReturnType<typeof failureOf> }
  assert.ok(error.message.length > 20, stderr)
  return error
}

async function assertFails(expected: CliCode, args: readonly string[], env: Record<string, string>): Promise<void> {
  const error = failureOf(await tillgate([...args, '--json'], { env }))
  assert.equal(error.code, expected, error.message)
}

const foreign = join(scratch, 'foreign')
await mkdir(foreign)
await writeFile(join(foreign, 'manifest.json'), 'nothing of ours')

describe('a failed command has a code for scripts', () => {
  const missingDatabase = new URL(onApp.env.DATABASE_URL)
  missingDatabase.pathname = '/nowhere'
  const cases: [CliCode, string[], Record<string, string>][] = [
    ['config_invalid', ['serve'], { TILLGATE_RATE_LIMIT: 'many', TILLGATE_PROCESSES: '0' }],
    ['database_error', ['location', 'list'], { DATABASE_URL: missingDatabase.href }],
    ['database_too_old', ['migrate'], old],
    ['database_is_worker', ['migrate'], worker],
    ['database_time_zone', ['migrate'], { ...elsewhere, TILLGATE_DATABASE_POOLER: 'transaction' }],
    ['output_failed', ['export', '--out', join(import.meta.filename, 'records.ndjson')], onApp.env],
    ['location_active', ['location', 'delete', app.location, '--confirm', name], onApp.env],
    ['checkpoint_invalid', ['verify', '--checkpoint', import.meta.filename], onApp.env],
    [
      'year_open',
      ['archive', '--location', app.location, '--year', '2026', '--out', join(scratch, 'a.zip')],
      onApp.env,
    ],
    ['export_foreign', ['export', '--location', app.location, '--format', 'csv', '--out', foreign], onApp.env],
    ['not_confirmed', ['location', 'delete', app.location], onApp.env],
  ]
  for (const [code, args, env] of cases) test(code, () => assertFails(code, args, env))

  test('database_error, if the database refuses a statement of the command', async () => {
    const other = await createDatabase()
    await other.pool`alter table locations rename to locations_elsewhere`
    await assertFails('database_error', ['location', 'list'], { DATABASE_URL: toUrl(other.connection) })
  })

  test('output_closed', async () => {
    const running = start(process.execPath, [main, 'export', '--json'], onApp)
    running.child.stdout?.destroy()
    assert.equal(failureOf(await running.ended).code, 'output_closed')
  })

  test('worker_ended', async () => {
    // Loaded by Node before the program; ends only the workers.
    const dies = "data:text/javascript,import cluster from 'node:cluster'; if (cluster.isWorker) process.exit(7)"
    const env = { ...onApp.env, NODE_OPTIONS: `--import="${dies.replaceAll(' ', '%20')}"` }
    await assertFails('worker_ended', ['serve', '--port', '0', '--processes', '2'], env)
  })

  test('port_forbidden', { skip: process.platform !== 'linux' && 'ports below 1024 are kept on Linux' }, async () => {
    const serve = [process.execPath, main, 'serve', '--port', '1', '--json']
    // The capability is one that root has and other users do not.
    const [program, ...args] =
      process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-net_bind_service', ...serve] : serve
    const running = start(program as string, args, onApp)
    assert.equal(failureOf(await running.ended).code, 'port_forbidden')
  })

  test('service_account', async () => {
    const service = join(scratch, 'service.json')
    await writeFile(
      service,
      JSON.stringify({ environment: '/nowhere', account: 'no-such-account', dataDir: '/nowhere' }),
    )
    await assertFails('service_account', ['status'], { TILLGATE_SERVICE: service })
  })

  test('service_elsewhere', needsRoot('unshare', 'mount'), async () => {
    const unit =
      'mount -t tmpfs none /run && mkdir -p /run/systemd/system && touch /run/systemd/system/tillgate.service'
    const create = [process.execPath, main, 'location', 'create', '--name', 'Bistro', '--json']
    const args = ['--mount', 'sh', '-c', `${unit} && exec "$@"`, 'sh', ...create]
    assert.equal(failureOf(await start('unshare', args, { cwd: scratch }).ended).code, 'service_elsewhere')
    assert.deepEqual(await readdir(scratch), ['foreign', 'service.json'])
  })

  test('other_database', async () => {
    const other = await createDatabase()
    const args = [
      'simulate',
      '--to-url',
      app.url,
      '--from',
      '2026-03-06',
      '--to',
      '2026-03-06',
      '--orders-per-day',
      '1',
    ]
    await assertFails('other_database', args, { DATABASE_URL: toUrl(other.connection) })
  })
})

test('every code of the command line occurs in a test', () => {
  const root = join(import.meta.dirname, '../../..')
  const tests = globSync('test/{core,modules,programs}/**/*.test.ts', { cwd: root })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n')
  const untested = Object.keys(cliCodes).filter((code) => !new RegExp(`\\b${code}\\b`).test(tests))
  assert.deepEqual(untested, [])
})
