import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { settingNames, settingsOf } from '../../../src/core/contract/location/settings.ts'
import { defaultLocationSettings } from '../../../src/core/ingest/write/locations.ts'
import type { LocationSettings } from '../../../src/core/contract/location/schema.ts'
import { listResources } from '../../../src/core/contract/all-resources.ts'
import type { Answer, TestApp } from '../../support/app.ts'
import { startApp } from '../../support/app.ts'
import { findRealData, tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { everyRecord, idOf, linesOf, order, orderOf, report, reportOf, smallOrderOf } from '../../support/records.ts'

const scratch = await mkdtemp(join(tmpdir(), 'tillgate-export-'))
atEnd(() => rm(scratch, { recursive: true }))

const publicUrl = 'https://pos.example'
const [source, target] = [await createDatabase(), await createDatabase()]
const from = { env: { DATABASE_URL: toUrl(source.connection) } }
const to = { env: { DATABASE_URL: toUrl(target.connection) } }
const apps = [await startApp({ database: source, publicUrl }), await startApp({ database: target, publicUrl })] as const

const location = idOf('location', 7)

/**
 * Returns orders with details that are easily lost: notation of numbers, ties, open orders, all texts, missing times.
 */
function generated(): string {
  const orders = Array.from({ length: 620 }, (_, n) => order(smallOrderOf(location, 10 + n)))
  const tied = [3, 2, 1].map((n) => order(orderOf(location, 1000 + n, { createdAt: '2026-03-02T10:00:00.000Z' })))
  const open = order(orderOf(location, 2000, { closedAt: null, reportId: null }))
  const text = order(orderOf(location, 2001, { customerId: 'é\u2028"\\ 🍕 \t</script>', cancelReason: '' }))
  const { createdAt: _, updatedAt: __, ...timeless } = reportOf(location, 2)
  const lines = linesOf([...everyRecord(location), ...orders, ...tied, open, text, report(timeless)])
  const written = JSON.stringify(order(orderOf(location, 2002))).replace('"total":22', '"total":22.00')
  return `${lines}${written.replace('"taxRate":0.1', '"taxRate":1.0e-1')}\n`
}

async function readPages(path: string, read: (path: string) => Promise<Answer>): Promise<Buffer[]> {
  const pages: Buffer[] = []
  for (let next: string | null = path; next !== null;) {
    const page: Answer = await read(next)
    assert.equal(page.status, 200, page.text)
    pages.push(page.bytes)
    const { meta } = page.json
    next = meta.currentPageIndex + 1 < meta.totalPage ? `${path}&index=${meta.currentPageIndex + 1}` : null
  }
  return pages
}

/** Reads everything that a key of the location can read. */
async function readAll(app: TestApp, locationId: string): Promise<Buffer[]> {
  const { key } = await app.addKey(locationId)
  const read = (path: string) => app.get(path, { key })
  const single = ['/v1/locations/own', '/v1/locations/own?devices=true', '/v1/catalog/']
  const lists = ['modifiers', 'payments', 'taxes'].map((list) => `/v1/catalog/${list}/`)
  const answers = await Promise.all([...single, ...lists].map(read))
  const orders = await readPages('/v1/orders/?size=100&state=all', read)
  return [...answers.map(({ bytes }) => bytes), ...orders, ...(await readPages('/v1/reports/?size=100', read))]
}

async function assertSameReads(locationId: string): Promise<void> {
  const [one, other] = await Promise.all(apps.map((app) => readAll(app, locationId)))
  assert.equal(one?.length, other?.length)
  for (const [i, bytes] of one?.entries() ?? []) assert.ok(other?.[i] && bytes.equals(other[i]), `answer ${i} differs`)
}

describe('export', () => {
  test('writes a file that only its owner can read', async () => {
    const file = join(scratch, 'private.ndjson.gz')
    const { code, stderr } = await tillgate(['export', '--out', file], from)
    assert.equal(code, 0, stderr)
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    await rm(file)
  })

  test('can be imported into a new installation, with byte-identical reads', async () => {
    const given = await tillgateJson(['import', '-'], { ...from, input: generated() })
    assert.equal(given.rejected, 0)
    const { code, stdout, stderr } = await tillgate(['export', '--location', location], from)
    assert.equal(code, 0, stderr)
    assert.match(stdout, /"total":22\.00,.*"taxRate":1\.0e-1/)
    const taken = await tillgateJson(['import', '-'], { ...to, input: stdout })
    assert.deepEqual(taken, { accepted: given.accepted, unchanged: 0, stale: 0, rejected: 0, warned: given.warned })
    await assertSameReads(location)
    const again = await tillgate(['export', '--location', location], to)
    assert.ok(again.stdout === stdout, 'an export of the import is the same file')
  })

  test('writes every location, compressed for a file name ending in .gz, and reports what it wrote', async () => {
    const out = join(scratch, 'all.ndjson.gz')
    const counts = await tillgateJson(['export', '--out', out], from)
    const lines = gunzipSync(await readFile(out))
      .toString('utf8')
      .trimEnd()
      .split('\n')
    const types = lines.map((line) => JSON.parse(line).type as string)
    const expected: Record<string, number> = {}
    for (const { plural, type, journaled } of listResources()) {
      const there = types.filter((one) => one === type).length
      if (journaled !== false) expected[plural] = (expected[plural] ?? 0) + there
    }
    assert.deepEqual(counts, expected)
    assert.ok(Number(counts['orders']) > 100 && counts['catalogLists'] === 4)
    assert.equal(counts.locations, 3)
    assert.deepEqual(await readdir(scratch), ['all.ndjson.gz'])
  })

  test('contains the settings of a location, which also replace those of an existing one', async () => {
    const id = idOf('location', 70)
    const create = ['location', 'create', '--name', 'Zunfthaus', '--id', id]
    const swiss = ['--time-zone', 'Europe/Zurich', '--currency', 'CHF', '--e-reporting-categories', 'takeaway=TPS1']
    const days = ['--day-starts-at', '04:00', '--fiscal-year-starts', '07-01']
    const payments = ['--payment-kinds', 'Liquide bar=cash,Twint=card', '--report-numbers', 'any']
    assert.equal((await tillgate([...create, ...swiss, ...days, ...payments], from)).code, 0)
    await source.pool`update locations set retired_devices = '{"Caisse 9":"2026-03-14"}' where id = ${id}`
    const { stdout } = await tillgate(['export', '--location', id], from)
    const settingsIn = async (where: typeof from) => {
      const listed = (await tillgateJson(['location', 'list'], where)) as (LocationSettings & { id: string })[]
      return settingsOf(listed.find((one) => one.id === id) ?? defaultLocationSettings)
    }
    const settings = await settingsIn(from)
    for (const name of settingNames) assert.notDeepEqual(settings[name], defaultLocationSettings[name], name)
    const counts = await tillgateJson(['import', '-'], { ...to, input: stdout })
    assert.deepEqual(counts, { accepted: 1, unchanged: 0, stale: 0, rejected: 0, warned: 0 })
    assert.deepEqual(await settingsIn(to), settings)
    for (const way of [
      ['import', '-'],
      ['import', '-', '--location', id],
    ]) {
      await target.pool`
        update locations set time_zone = 'Europe/Paris', currency = 'EUR', day_starts_at = '05:00', fiscal_year_starts = '01-01',
          e_reporting_categories = '{}', retired_devices = '{}' where id = ${id}`
      const again = await tillgateJson(way, { ...to, input: stdout })
      assert.deepEqual(again, { accepted: 0, unchanged: 1, stale: 0, rejected: 0, warned: 0 })
      assert.deepEqual(await settingsIn(to), settings, way.join(' '))
    }
    const [wrong, wrongZone] = [stdout.replace('"CHF"', '"chf"'), stdout.replace('Europe/Zurich', 'Mars/Base')]
    for (const input of [wrong, wrongZone]) {
      const stopped = await tillgate(['import', '-'], { ...to, input })
      assert.equal(stopped.code, 1)
      assert.match(stopped.stderr, /stopped at line 1: the settings of location .+ are not valid/)
    }
  })

  test('refuses table filters for the export of records, and writes nothing', async () => {
    for (const [name, ...value] of [
      ['--since', '2026-03'],
      ['--until', '2026-03'],
      ['--tables', 'orders'],
      ['--include-open'],
    ]) {
      const { code, stdout, stderr } = await tillgate(['export', name as string, ...value], from)
      assert.deepEqual([code, stdout], [2, ''])
      assert.equal(stderr, `error: ${name} applies to tables only: add --format parquet, csv, excel-fr, or remove it\n`)
    }
  })

  test('leaves no incomplete file if it fails', async () => {
    const { code, stderr } = await tillgate(['export', '--out', join(scratch, 'no/such.ndjson')], from)
    assert.equal(code, 2)
    assert.match(stderr, /^error: .+such\.ndjson cannot be written: ENOENT/)
    const unknown = idOf('location', 99)
    assert.equal((await tillgate(['export', '--location', unknown, '--out', join(scratch, 'x')], from)).code, 2)
    assert.deepEqual(await readdir(scratch), ['all.ndjson.gz'])
  })

  const path = findRealData('takeaway-2015-2019.ndjson.gz')
  const skip = path === undefined && 'the files lie beside the checkout, in ../shared/data'
  test('of real orders can be imported with byte-identical reads too', { skip }, async () => {
    const real = '5f67858f-c313-588c-a852-8a62f5b9347d'
    const lines = gunzipSync(await readFile(path as string))
      .toString('utf8')
      .split('\n')
    const input = `${lines.slice(0, 3_000).join('\n')}\n`
    assert.equal((await tillgateJson(['import', '-'], { ...from, input })).accepted, 3_000)
    const { stdout } = await tillgate(['export', '--location', real], from)
    assert.equal((await tillgateJson(['import', '-'], { ...to, input: stdout })).accepted, 3_000)
    await assertSameReads(real)
  })
})
