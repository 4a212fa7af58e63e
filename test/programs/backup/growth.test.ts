import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOpener } from '../../../src/modules/backup/format/encryption.ts'
import type { Manifest, Segment, Tables } from '../../../src/modules/backup/format/manifest.ts'
import { entriesAtMost, mergeFrom } from '../../../src/modules/backup/format/merging.ts'
import { readLines } from '../../../src/modules/backup/format/tables.ts'
import { startApp } from '../../support/app.ts'
import { createDatabase } from '../../support/database.ts'
import { everyRecord, order, orderOf } from '../../support/records.ts'
import { backUp, filesOf, newDirectory, restore } from './support.ts'

const app = await startApp()
await app.store(everyRecord(app.location))

/** Writes journals of the same form without a database: a push of some entries at a time. */
function simulate(pushes: number, entriesOf: (push: number) => number) {
  let segments: Segment[] = []
  let [seq, written, most] = [0, 0, 0]
  for (let push = 0; push < pushes; push++) {
    const added = entriesOf(push)
    const from = mergeFrom(segments, added)
    const first = segments[from]?.first ?? seq + 1
    seq += added
    segments = segments.slice(0, from)
    for (let at = first; at <= seq; at += entriesAtMost) {
      const last = Math.min(seq, at + entriesAtMost - 1)
      const file = { file: '', bytes: 0, sha256: '', redactions: 0, text: 1 }
      segments.push({ ...file, first: at, last, entries: last - at + 1 })
    }
    written += seq - first + 1
    most = Math.max(most, segments.filter(({ entries }) => entries < entriesAtMost).length)
  }
  for (const [i, { first }] of segments.entries())
    assert.equal(first, (segments[i - 1]?.last ?? 0) + 1, 'nothing is missing')
  return { seq, segments: segments.length, most, writtenOnce: written / seq }
}

test('after any number of pushes a journal has at most 35 segments that are not full, and an entry is rewritten a few times', () => {
  // 8⁵ is more than 10,000: there are at most five levels of seven segments, and each entry rises through five levels.
  const cases = [
    simulate(300_000, () => 1),
    simulate(100_000, (push) => 1 + (push % 7)),
    simulate(20_000, (push) => (push % 50 === 49 ? 400 : 1)),
    simulate(2_000, (push) => [1, 3_000, 2, 90, 12_000][push % 5] as number),
  ]
  for (const { most, writtenOnce, seq, segments } of cases) {
    assert.ok(most <= 35, `${most} segments that are not full`)
    assert.ok(segments <= 35 + (2 * seq) / entriesAtMost, `${segments} segments for ${seq} entries`)
    assert.ok(writtenOnce <= 6.5, `an entry was written ${writtenOnce} times`)
  }
})

/** Counts the bytes of files that are new or were written again (which then have another inode). */
const written = (now: Awaited<ReturnType<typeof filesOf>>, before: Awaited<ReturnType<typeof filesOf>>) =>
  [...now.values()].reduce((sum, { file, ino, bytes }) => sum + (before.get(file)?.ino === ino ? 0 : bytes.length), 0)

test('over a day of small pushes under --follow files and manifest stay bounded, and the last push costs as much as the first', async () => {
  const dir = newDirectory()
  const pushes = 130
  const sizes: number[] = []
  let before: Manifest | undefined
  let files = new Map() as Awaited<ReturnType<typeof filesOf>>
  let mostFiles = 0
  for (let push = 0; push < pushes; push++) {
    await app.store([order(orderOf(app.location, 1_000 + push))])
    const follows = before ? { before, sweeps: false } : {}
    before = (await backUp(app.pool, dir, follows)).manifest
    const now = await filesOf(dir)
    sizes.push(written(now, files))
    mostFiles = Math.max(mostFiles, now.size)
    files = now
  }
  const sum = (from: number, upTo: number) => sizes.slice(from, upTo).reduce((a, b) => a + b, 0)
  // 130 entries are two levels of seven segments and two segments of 64. Each push causes a warning: the 130 rows are
  // two full blocks of 64 and one partial block. Add a file of deletable rows and a manifest for each of the two
  // locations, then the keys and the main manifest.
  assert.ok(mostFiles <= 16 + 3 + 2 + 4 + 2, `${mostFiles} files`)
  const manifests = [...files.values()].filter(({ file }) => file.endsWith('.json'))
  for (const { file, bytes } of manifests) assert.ok(bytes.length < 12_000, `${file} has ${bytes.length} bytes`)
  // If the cost grew with the size, the last forty pushes would cost about five times the first forty.
  const [first, last] = [sum(1, 41), sum(pushes - 40, pushes)]
  assert.ok(last < 2 * first, `the first forty pushes wrote ${first} bytes, the last ${last}`)
  const { pool } = await createDatabase()
  const restored = await restore(pool, dir)
  const [row] = await app.pool<{ n: number }[]>`select count(*)::int as n from journal`
  assert.equal(restored.entries, row?.n)
})

test('a run without new data writes nothing within a minute, and reports that it checked', async () => {
  const dir = newDirectory()
  const { manifest } = await backUp(app.pool, dir)
  const at = (ms: number) => new Date(Date.parse(manifest.takenAt) + ms)
  const files = await filesOf(dir)
  const same = await backUp(app.pool, dir, { before: manifest, sweeps: false, now: at(59_000) })
  assert.equal(same.manifest, manifest)
  assert.equal(written(await filesOf(dir), files), 0)
  const later = await backUp(app.pool, dir, { before: manifest, sweeps: false, now: at(60_000) })
  assert.equal(later.manifest.takenAt, at(60_000).toISOString())
  const changed = [...(await filesOf(dir)).values()].filter(({ file, ino }) => files.get(file)?.ino !== ino)
  assert.deepEqual(
    changed.map(({ file }) => file),
    ['manifest.json'],
  )
})

test('a push does not rewrite the rejected records of earlier days', async () => {
  const dir = newDirectory()
  await app.push('{"type":"order","data":{"total":"x"}}\n{"type":"order","data":{"total":"y"}}\n')
  await app.pool`update rejected_records set received_at = received_at - interval '2 days'`
  await app.push('{"type":"order","data":{"total":"z"}}\n')
  const tablesOf = async () => {
    const { manifest } = await backUp(app.pool, dir)
    const { tables = [] } = manifest.locations.find(({ id }) => id === app.location) ?? {}
    const opener = await createOpener(null, null)
    const read = ({ file }: { file: string }, i: number) =>
      readLines<{ table: string }>(dir, tables[i] as Tables, opener).then((lines) => ({ file, lines }))
    const all = await Promise.all(tables.map(read))
    return all.map(({ file, lines }) => ({ file, table: lines[0]?.table, rows: lines.length }))
  }
  const ofRejected = ({ table }: { table: string | undefined }) => table === 'rejected_records'
  const before = await tablesOf()
  assert.deepEqual(
    before.filter(ofRejected).map(({ rows }) => rows),
    [2, 1],
  )
  await app.push('{"type":"order","data":{"total":"u"}}\n')
  const after = await tablesOf()
  assert.deepEqual(
    after.filter(ofRejected).map(({ rows }) => rows),
    [2, 2],
  )
  assert.equal(after.find(ofRejected)?.file, before.find(ofRejected)?.file)
  const { pool } = await createDatabase()
  await restore(pool, dir)
  assert.equal((await pool`select 1 from rejected_records`).length, 4)
  const count = (from: typeof pool) =>
    from`select count(*)::int as n from ingest_warnings where location_id = ${app.location}`
  assert.deepEqual(await count(pool), await count(app.pool))
})
