import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { batchSize } from '../../../src/core/ingest/write/queue.ts'
import { Hints } from '../../../src/core/store/db/hints.ts'
import { commandsOn, createDataDir, findPostmaster, newFolder, start, stop, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { eventually } from '../../support/waiting.ts'
import { everyRecord, linesOf, locationOf, order, orderOf, smallOrderOf } from '../../support/records.ts'

const scratch = newFolder()
const { connection, pool } = await createDatabase()
const env = { DATABASE_URL: toUrl(connection) }
const { run, json, refuses } = commandsOn({ env })
const given = (input: string | Buffer) => commandsOn({ env, input })
const none = { accepted: 0, unchanged: 0, stale: 0, rejected: 0, warned: 0 }

const first = '1f1f1f1f-0000-4000-8000-00000000000a'
const second = '1f1f1f1f-0000-4000-8000-00000000000b'

/** One location after the other in one file. */
const both = linesOf([...everyRecord(first), ...everyRecord(second)])

async function fileOf(name: string, content: string | Buffer): Promise<string> {
  const path = join(scratch, name)
  await writeFile(path, content)
  return path
}

describe('import', () => {
  test('creates the locations of a file, switching between them, and finds all unchanged the second time', async () => {
    const path = await fileOf('both.ndjson', both)
    // Both locations have a tax whose rate differs from that of their order, and a report that lists an order that does
    // not exist.
    assert.deepEqual(await json`import ${path}`, { ...none, accepted: 14, warned: 4 })
    // Products with another rate are pushed too, which cause a warning once taxes are stored.
    assert.deepEqual(await json`import ${path}`, { ...none, unchanged: 14, warned: 6 })
    const heads = await pool`select location_id, last_seq from location_seq order by location_id`
    assert.deepEqual(
      heads.map((row) => Object.values(row)),
      [
        [first, 7],
        [second, 7],
      ],
    )
    const [begin] = await pool`select kind, document from journal where location_id = ${first} and seq = 1`
    assert.deepEqual([begin?.['kind'], begin?.['document']], ['location', JSON.stringify(locationOf(first))])
  })

  test('a new location has the currency of the file from its first order on, and is new only once', async () => {
    const id = '1f1f1f1f-0000-4000-8000-00000000000c'
    const payments = [{ paymentName: 'Espèces', paymentAmount: 1000, paymentCatalogId: first }]
    const paid = smallOrderOf(id, 1, { total: 1002, payments })
    const settings = JSON.stringify({ type: 'location.settings', data: { id, currency: 'JPY' } })
    const records = linesOf([{ type: 'location', data: locationOf(id) }, order(paid)])
    const path = await fileOf('yen.ndjson', `${settings}\n${records}`)
    assert.match((await run`import ${path}`).stderr, /is a new location/)
    const [entry] = await pool`select types from journal where location_id = ${id} and kind = 'order'`
    assert.deepEqual(entry?.['types'], ['order.created', 'order.paid'])
    assert.doesNotMatch((await run`import ${path}`).stderr, /is a new location/)
    await pool`delete from locations where id = ${id}`
  })

  test('reports that the lines of a file without records are not records', async () => {
    const path = await fileOf('README.md', '# Tillgate\n\nA text.\n')
    await refuses(/line 1: not a record: .*JSON[^\n]*$/m)`import ${path}`
  })

  test('does not report a sale of a year ago as a wrong clock', async () => {
    const at = new Date(Date.now() - 365 * 86_400_000).toISOString()
    const old = orderOf(first, 900, { createdAt: at, updatedAt: at, openedAt: at, closedAt: at })
    const path = await fileOf('old.ndjson', linesOf([order(old)]))
    await json`import ${path} --location ${first}`
    const codes = await pool`select code from ingest_warnings where location_id = ${first} and resource_id = ${old.id}`
    assert.ok(!codes.some(({ code }) => code === 'time_long_ago'), JSON.stringify(codes))
  })

  test('notifies servers of each location that it writes to', async () => {
    const committed = new Set<string>()
    const hints = new Hints(pool)
    hints.subscribe({ committed: (id) => committed.add(id) })
    await hints.listen()
    try {
      const path = await fileOf('both.ndjson', both)
      await run`import ${path}`
      await eventually(() => committed.has(first) && committed.has(second), 'both were notified')
    } finally {
      await hints.close()
    }
  })

  test('recognizes gzip by its content, and - as standard input', async () => {
    const renamed = await fileOf('both.txt', gzipSync(both))
    assert.equal((await json`import ${renamed}`).unchanged, 14)
    assert.equal((await given(gzipSync(both)).json`import -`).unchanged, 14)
    assert.equal((await given(both).json`import -`).unchanged, 14)
  })

  test('exits with 1 if a record was rejected, shows the first, keeps all, and stores the rest', async () => {
    const bad = { ...smallOrderOf(first, 8), total: 'free' }
    const lines = linesOf([order(smallOrderOf(first, 7)), order(bad), order(smallOrderOf(second, 9))]) + '{"type":\n'
    const { code, stdout, stderr } = await given(lines).run`import - --location ${first}`
    assert.equal(code, 1)
    assert.match(stdout, /^1 accepted, 0 unchanged, 0 stale, 3 rejected: 4 records in \d+\.\d s\n$/)
    assert.match(stderr, /^line 2: order 0a0a0a0a-\S+: .*total.* \(at \/data\/total\)$/m)
    assert.match(stderr, /^line 3: order .+location/m)
    assert.match(stderr, /^line 4: .+JSON/m)
    const again = await given(lines).run`import - --location ${first} --json`
    assert.equal(again.code, 1)
    assert.deepEqual(JSON.parse(again.stdout), { ...none, unchanged: 1, rejected: 3 })
    const rejected = await json`rejected list --location ${first}`
    assert.equal(rejected.length, 6)
    assert.equal(rejected.filter(({ code: of }: any) => of === 'invalid_json').length, 2)
    const wrong = rejected.find(({ line }: any) => line === 2)
    assert.deepEqual(JSON.parse(wrong.record), order(bad))
    assert.equal(wrong.errors[0].pointer, '/data/total')
    const limited = await run`rejected list --location ${first} --limit 1`
    assert.equal(limited.stdout.match(/^\S+Z {2}line/gm)?.length, 1)
  })

  test('exits with 2 and stores nothing without a location, or a file', async () => {
    const mistakes: [string[], string, RegExp][] = [
      [['-'], linesOf([order(orderOf(first, 1))]), /line 1: .+ name the location with --location/],
      [['-', '--json'], linesOf([order(orderOf(first, 1))]), /"location_missing"/],
      [['-', '--location', '1f1f1f1f-0000-4000-8000-0000000000ff'], both, /location \S+ does not exist/],
      [['nothing.ndjson'], '', /nothing\.ndjson cannot be read: ENOENT/],
      [[scratch], '', /cannot be read: it is a directory/],
    ]
    for (const [args, input, expected] of mistakes)
      assert.equal((await given(input).refuses(expected)`import ${args}`).stdout, '')
  })

  test('stores the records before a fault in the file, and states its place', async () => {
    const third = '1f1f1f1f-0000-4000-8000-00000000000c'
    const many = Array.from({ length: 400 }, (_, n) => order(smallOrderOf(third, n)))
    const packed = gzipSync(linesOf([...everyRecord(third).slice(0, 1), ...many]))
    const cut = packed.subarray(0, packed.length - 200)
    const { code, stdout } = await given(cut).run`import - --json`
    const { accepted, stopped } = JSON.parse(stdout)
    assert.equal(code, 1)
    assert.equal(stopped.code, 'gzip_invalid')
    assert.equal(stopped.line, accepted + 1)
    const whole = await given(packed).json`import -`
    assert.deepEqual(whole, { ...none, accepted: 401 - accepted, unchanged: accepted })
  })

  test('stops at an invalid location record, because later records would have no location', async () => {
    const unknown = '1f1f1f1f-0000-4000-8000-00000000000d'
    const records = [...everyRecord(second), { type: 'location', data: { id: unknown } }, order(orderOf(unknown, 1))]
    const { code, stdout } = await given(linesOf(records)).run`import - --json`
    const { accepted, unchanged, rejected, stopped } = JSON.parse(stdout)
    assert.deepEqual([code, accepted, unchanged, rejected], [1, 0, 7, 0])
    assert.deepEqual([stopped.line, stopped.code], [8, 'location_invalid'])
  })
})

describe('an interrupted import', () => {
  test('stops the database that it started, and exits by the signal', async () => {
    const fresh = await createDataDir()
    const args = ['src/main.ts', 'import', '-', '--data-dir', fresh]
    const importing = start(process.execPath, args, { input: null })
    importing.child.stdin?.write(linesOf(everyRecord(first)))
    await eventually(async () => (await findPostmaster(fresh)) !== undefined, 'the database starts')
    const { signal, stderr } = await stop(importing)
    assert.equal(signal, 'SIGTERM')
    assert.match(stderr, /^Interrupted: nothing was stored\. Run the same command again to continue; /)
    assert.equal(await findPostmaster(fresh), undefined)
  })
})

describe('an import that is interrupted midway', () => {
  test('states up to which line the file is stored and how to continue', async () => {
    const importing = start(process.execPath, ['src/main.ts', 'import', '-'], { env, input: null })
    const orders = Array.from({ length: batchSize + 200 }, (_, n) => order(smallOrderOf(first, n + 5000)))
    importing.child.stdin?.write(linesOf([{ type: 'location', data: locationOf(first) }, ...orders]))
    const stored = async () => {
      const [row] = await pool`select count(*)::int as n from orders where location_id = ${first}`
      return (row?.['n'] as number) >= batchSize - 1
    }
    await eventually(stored, 'a batch is stored')
    const { stderr } = await stop(importing, 'SIGINT')
    const message = `Interrupted: the file was stored up to line ${batchSize}. Run the same command again to continue`
    assert.ok(stderr.startsWith(message), stderr)
  })
})

describe('a dry run', () => {
  test('returns results and warnings, stores nothing and creates no location', async () => {
    const records = [{ type: 'location', data: locationOf(first) }, order(orderOf(first, 9001, { total: 99 }))]
    const path = await fileOf('try.ndjson', linesOf(records))
    const { accepted, unchanged, warned } = await json`import ${path} --dry-run`
    assert.deepEqual([accepted, unchanged, warned], [1, 1, 1])
    // Nothing is stored, so there is nothing to list.
    const { stderr } = await run`import ${path} --dry-run`
    assert.match(stderr, /1 record may contain a mistake\nDry run: nothing was stored\.\n$/)
    const [row] = await pool`select count(*)::int as n from orders where id = ${orderOf(first, 9001).id}`
    assert.equal(row?.['n'], 0)
    const unknown = '1f1f1f1f-0000-4000-8000-0000000000ff'
    const strange = await fileOf('strange.ndjson', linesOf([{ type: 'location', data: locationOf(unknown) }]))
    const { code, stdout } = await run`import ${strange} --dry-run --json`
    assert.deepEqual([code, JSON.parse(stdout).stopped.code], [1, 'location_not_found'])
    assert.equal((await pool`select 1 from locations where id = ${unknown}`).length, 0)
  })
})
