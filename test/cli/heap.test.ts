import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { serve, stop, toUrl } from '../support/cli.ts'
import { createDatabase } from '../support/database.ts'
import { eventually } from '../support/waiting.ts'

const { connection } = await createDatabase()
const growth = join(import.meta.dirname, '../support/heap-growth.ts')

test('a server collects its heap when it has grown to about twice what is in use', async () => {
  const env = { DATABASE_URL: toUrl(connection), NODE_OPTIONS: `--import=${growth}` }
  const running = await serve(['--operations-address', 'off'], { env })
  process.kill(running.pid, 'SIGUSR2')
  await eventually(() => running.written.stderr.includes('heap: '), 'it has told how far its heap grew')
  const [, least] = /heap: (\d+)/.exec(running.written.stderr) ?? []
  // Sixty are in use besides. V8 by itself lets it grow to 540 and more where the machine has them, each time.
  assert.ok(Number(least) < 430, `${least} MiB of which 100 are in use`)
  await stop(running)
})
