import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { order, smallOrderOf } from '../../support/records.ts'

const root = join(import.meta.dirname, '../../..')
const app = await startApp()
const inspector = new Session()
inspector.connect()
await inspector.post('Profiler.enable')
await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

/** Resolves to the files of `src/` in which a function was called. */
async function filesOf(work: () => Promise<unknown>): Promise<string[]> {
  await inspector.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  const called = result.filter(({ functions }) => functions.some(({ ranges: [whole] }) => (whole?.count ?? 0) > 0))
  return called.flatMap(({ url }) => /\/src\/(?!.*node_modules)(.+\.ts)$/.exec(url)?.[1] ?? [])
}

/** Files whose functions are called when a commit is complete. */
const notified = [
  'core/http/guard/written-ranges.ts',
  'core/ingest/receive/push-counts.ts',
  'core/http/answers/journal-looks.ts',
  'core/server/metrics/ingest.ts',
  'core/store/db/availability.ts',
  'core/store/db/hints.ts',
]

/** Receives the notification of a commit, which may arrive before or after the response. */
const listener = 'core/store/db/driver/listening.ts'

/** Behind a pooler and on Citus, an order is stored with a lock. */
const skip = process.env['TEST_DATABASE_URL'] ? 'another database may not take the fast path' : false

test('fewer than 40 files take part in committing a pushed order', { skip }, async (t) => {
  // The order is recent: an old one would cause a warning.
  const at = new Date().toISOString()
  const times = { createdAt: at, updatedAt: at, openedAt: at, closedAt: at }
  const push = (n: number) => app.store([order(smallOrderOf(app.location, n, times))])
  for (let n = 0; n < 10; n++) await push(n)
  await app.get('/health/')
  const ofEveryRequest = new Set(await filesOf(() => app.get('/health/')))
  // A statement that only one of several pushes sends is caused by a timer.
  const pushes = [await filesOf(() => push(10)), await filesOf(() => push(11)), await filesOf(() => push(12))]
  const walked = [...pushes.map((files) => new Set(files)).reduce((all, files) => all.intersection(files))]
  assert.deepEqual(
    notified.filter((file) => !walked.includes(file)),
    [],
  )
  const own = walked.filter((file) => !ofEveryRequest.has(file) && file !== listener)
  // Here only the warnings module asks for counts.
  const warning = own.filter((file) => /^(modules\/warnings|core\/contract\/money\/counted)\b/.test(file))
  const committing = own.filter((file) => !warning.includes(file) && !notified.includes(file))
  t.diagnostic(`${committing.length} files commit it, ${warning.length} warn, ${notified.length} hear of it`)
  t.diagnostic(`${walked.length - own.length} are walked by every request`)
  assert.ok(committing.includes('core/ingest/write/fast.ts') && committing.includes('core/store/pushes/statement.ts'))
  assert.ok(committing.length < 40, committing.join('\n'))
})

test('the docs explain how one order is committed in fewer than 800 words', (t) => {
  const page = readFileSync(join(root, 'docs/inside/02-write-path.md'), 'utf8')
  const [, part = ''] = /\n## How one order is committed\n(.*?)\n## /s.exec(page) ?? []
  const words = part.split(/\s+/).filter((word) => /\w/.test(word)).length
  t.diagnostic(`${words} words`)
  assert.ok(words > 300 && words < 800, `${words} words`)
})
