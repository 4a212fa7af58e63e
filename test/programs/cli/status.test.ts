import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createDataDir, serve, start, stop, tillgate, tillgateJson, main } from '../../support/cli.ts'
import { atEnd } from '../../support/database.ts'
import { eventually } from '../../support/waiting.ts'

const folder = await mkdtemp(join(tmpdir(), 'tillgate-status-'))
atEnd(() => rm(folder, { recursive: true, force: true }))

/** Resolves to the output of `status` once the server answers in time, which may take a while on a busy machine. */
async function statusInTime(env: Record<string, string>): Promise<any> {
  let status: any
  await eventually(async () => {
    status = await tillgateJson(['status'], { env })
    return status.server !== null
  }, 'the server answers status')
  return status
}

test('status shows what an operator needs first, before and after a backup and a verification', async () => {
  const dataDir = await createDataDir({ filled: true })
  const served = await serve(['--data-dir', dataDir, '--sample', '--operations-address', '127.0.0.1:0'])
  const { operationsUrl, key } = served.line
  // The server caches what it reads from the database for ten seconds, so nothing is read before the end.
  const silent = { TILLGATE_DATA_DIR: dataDir, TILLGATE_OPERATIONS_ADDRESS: 'off' }
  const env = { ...silent, TILLGATE_OPERATIONS_ADDRESS: new URL(operationsUrl).host }

  const before = await tillgateJson(['status'], { env: silent })
  assert.equal(before.server, null)
  assert.equal(before.locations.all, 1)
  assert.ok(before.entries > 0 && before.diskFreeBytes > 0 && before.database.bytes > 0)
  assert.deepEqual(before.backup, { oldest: null, missing: 1 })
  assert.deepEqual(before.verify, { oldest: null, missing: 1, broken: 0 })

  // `serve` has sampled the disk once: the trend is unknown.
  assert.equal(before.diskTrend, null)
  const samples = join(dataDir, 'postgres.disk')
  await eventually(async () => (await readFile(samples, 'utf8').catch(() => '')) !== '', 'the disk was looked at')
  const [, free = '', total = ''] = /^\S+ (\d+) (\d+)\n$/.exec(await readFile(samples, 'utf8')) ?? []
  const earlier = [6, 5, 4].map(
    (day) => `${new Date(Date.now() - day * 86_400_000).toISOString()} ${Number(free) + day * 2 ** 30} ${total}\n`,
  )
  await writeFile(samples, earlier.join(''))
  const { stdout } = await tillgate(['status'], { env: silent })
  assert.match(
    stdout,
    /^disk +\S+ [GM]iB free, filling by (1\.\d GiB|9\d\d MiB|10\d\d MiB) a day since \S+: pushes will be refused in \d+ days?/m,
  )

  const refused = await fetch(`${served.url}/v1/ingest/`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: '{"type":"order","data":{}}',
  })
  assert.equal(refused.status, 400)
  await refused.text()
  await tillgateJson(['backup', join(folder, 'backup')], { env })
  await tillgateJson(['verify'], { env })
  const after = await statusInTime(env)
  assert.deepEqual(after.server, {
    address: new URL(operationsUrl).host,
    version: after.version,
    role: 'all',
    ready: true,
    url: served.url,
    installation: after.database.installation,
  })
  assert.equal(after.rejectedOfLastDay, 1)
  assert.equal(after.backup.missing + after.verify.missing, 0)
  assert.ok(Date.parse(after.backup.oldest) > Date.parse(before.at))
  assert.ok(Date.parse(after.verify.oldest) > Date.parse(before.at))

  const metrics = await (await fetch(`${operationsUrl}/metrics`)).text()
  const value = (name: string) => Number(new RegExp(`^${name} (.*)$`, 'm').exec(metrics)?.[1])
  assert.equal(value('tillgate_backup_last_success_timestamp_seconds'), Date.parse(after.backup.oldest) / 1000)
  assert.equal(value('tillgate_verify_failed'), 0)
  assert.ok(value('tillgate_disk_free_bytes') > 0)

  let screen = await tillgate(['status'], { env })
  while (!/^server +ready, role all, version .+, at 127\.0\.0\.1:\d+$/m.test(screen.stdout))
    screen = await tillgate(['status'], { env })
  assert.match(screen.stdout, /^last backup +\d+ (second|minute)s? ago$/m)
  const watching = start(process.execPath, [main, 'status', '--watch', '1', '--json'], { env })
  await eventually(() => watching.written.stdout.split('\n').length > 2, 'it is printed twice')
  await stop(watching, 'SIGINT')
  await stop(served)
})
