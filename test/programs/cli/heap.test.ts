import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve, stop, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { eventually } from '../../support/waiting.ts'

const { connection } = await createDatabase()
const report = join(import.meta.dirname, '../../support/heap-report.ts')

test('a server collects its heap at about twice the live size, and does not promote short-lived objects', async () => {
  const env = { DATABASE_URL: toUrl(connection), NODE_OPTIONS: `--import=${report}` }
  const running = await serve(['--operations-address', 'off'], { env })
  process.kill(running.pid, 'SIGUSR2')
  // The report allocates 2 GB, which takes minutes on a machine that is busy with other tests.
  const hasReported = () => running.written.stderr.includes('old: ')
  await eventually(hasReported, 'it has reported what its collector does', 250_000)
  const [, least, old] = /heap: (\d+)\n[^]*old: (\d+)/.exec(running.written.stderr) ?? []
  // Another 60 MiB are in use. Without the setting of the collector, the heap always grows to 540 MiB or more.
  assert.ok(Number(least) < 430, `${least} MiB of which 100 are in use`)
  // Without the setting, lists are promoted to the old generation in all rounds.
  assert.ok(Number(old) < 50, `${old} of 100 rounds made old at once what nobody keeps`)
  await stop(running)
})
