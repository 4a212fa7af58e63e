import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { execFileSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { createKeyFile, SigningKey } from '../../../src/modules/proofs/projections/signing-key.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { date, foldAll, soldOn, storeDays } from '../../support/books-site.ts'
import { createDatabase } from '../../support/database.ts'
import { idOf, order } from '../../support/records.ts'
import { backUp, newDirectory, restore } from './support.ts'

const dir = mkdtempSync(join(tmpdir(), 'tillgate-restored-books-'))
after(() => rmSync(dir, { recursive: true }))
const keyFile = join(dir, 'key.pem')
createKeyFile(keyFile)

const script = new URL('../../../docs/verify/verify.mjs', import.meta.url).pathname

const file = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text)
  return join(dir, name)
}

let now = new Date('2026-04-02T12:00:00.000Z')
const clock = () => now
const signing = { signer: new SigningKey(keyFile), logName: 'tillgate.example' }
const source = await startApp({ clock, signing })
const site = { id: source.location, key: source.key }

const post = async (app: TestApp, path: string, body?: object) => {
  const headers = { 'content-type': 'application/json' }
  const sent = body ? { headers, body: JSON.stringify(body) } : {}
  const answer = await app.request('POST', path, { key: site.key, ...sent })
  assert.ok(answer.status === 200 || answer.status === 201, answer.text)
  return answer.json
}

/** All data of the books that must not change. */
const kept = [
  '/v1/books/accounts',
  '/v1/books/batches/',
  '/v1/books/batches/1',
  ...['fec', 'csv', 'hledger'].map((format) => `/v1/books/batches/1?format=${format}`),
  '/v1/closings/?period=day',
  '/v1/closings/?period=month',
  '/v1/closings/day/1',
  '/v1/closings/month/1',
  '/v1/checkpoints/',
  '/v1/checkpoints/latest',
  '/v1/checkpoints/keys',
  `/v1/orders/${idOf('order', 201)}/proof`,
  '/v1/events/1/proof',
]

const read = async (app: TestApp) => {
  const answers = await Promise.all(kept.map((path) => app.get(path, { key: site.key })))
  return answers.map(({ status, text }, i) => `${kept[i]} ${status} ${text.replaceAll(/127\.0\.0\.1:\d+/g, 'host')}`)
}

test('a restore returns accounts, batches, closings, checkpoints and proofs byte for byte, and new ones continue them', async () => {
  await storeDays(source, site, { 2: [soldOn(site, 2, 1), soldOn(site, 2, 2)], 3: [soldOn(site, 3, 1)] })
  const put = await source.request('PUT', '/v1/books/accounts', {
    key: site.key,
    headers: { 'content-type': 'application/json', 'if-match': '*' },
    body: JSON.stringify({ tills: { 'Caisse 1': 'C1' } }),
  })
  assert.equal(put.status, 200, put.text)
  await post(source, '/v1/books/batches/', { until: date(31), after: 0, skip: true })
  await post(source, '/v1/closings/', { until: date(31), after: 0 })
  const april = '2026-04-01T18:00:00.000Z'
  const times = { openedAt: april, closedAt: april, createdAt: april, updatedAt: april }
  await source.store([order(soldOn(site, 9, 9, { ...times, reportId: null }))], site.key)
  await post(source, '/v1/closings/', { until: '2026-04-01', after: 1 })
  const checkpoint = (await post(source, '/v1/checkpoints/')) as {
    size: number
    origin: string
    note: string
    keys: string[]
  }
  const before = await read(source)
  assert.deepEqual(
    before.filter((answer) => !/^\S+ 200 /.test(answer)),
    [],
  )
  const backup = newDirectory()
  await backUp(source.pool, backup)

  const database = await createDatabase()
  await restore(database.pool, backup)
  const target = await startApp({ database, clock, signing })
  await foldAll(target, site)
  assert.deepEqual(await read(target), before)
  assert.equal((await verifyLocation(target.pool, site.id)).verified, true)

  now = new Date('2026-04-03T12:00:00.000Z')
  // After a late order, the entry of its day is reversed and replaced, and only the next closing includes it.
  await storeDays(target, site, { 3: [soldOn(site, 3, 1), soldOn(site, 3, 2)] })
  const batch = await post(target, '/v1/books/batches/', { until: date(31), after: 1, skip: true })
  type Entry = { number: string; reverses: string | null; totals: { debit: number } }
  assert.deepEqual(
    batch.entries.map(({ number, reverses, totals }: Entry) => [number, reverses, totals.debit]),
    [
      ['CA-2026b-000001', 'CA-2026-000002', 1100],
      ['CA-2026b-000002', null, 2200],
    ],
  )
  const [day] = (await post(target, '/v1/closings/', { until: '2026-04-02', after: 2 })).data
  assert.deepEqual([day.number, day.totals.salesInclTax, day.perpetual.salesInclTax], [3, 1100, 5500])
  const latest = await target.get('/v1/checkpoints/latest', { key: site.key })
  assert.equal(latest.text.split('\n')[0], checkpoint.origin)
  const growth = await target.get(`/v1/checkpoints/consistency?from=${checkpoint.size}`, { key: site.key })
  const output = execFileSync(
    process.execPath,
    [script, 'growth', file('growth', growth.text), file('older', checkpoint.note), checkpoint.keys[0] as string],
    { encoding: 'utf8' },
  )
  assert.match(output, new RegExp(`begins with the ${checkpoint.size}`))
})
