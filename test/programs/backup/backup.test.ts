import assert from 'node:assert/strict'
import { copyFile, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { personDigest } from '../../../src/core/domain/redaction/redaction.ts'
import { commitTo } from '../../../src/core/domain/journal/chain.ts'
import { createSeal } from '../../../src/modules/backup/format/encryption.ts'
import type { ScryptEncryption } from '../../../src/modules/backup/format/manifest.ts'
import { createPassphraseSeal } from '../../../src/modules/backup/format/passphrase-seal.ts'
import { restoreBackup } from '../../../src/modules/backup/format/restore.ts'
import { writeBackup } from '../../../src/modules/backup/format/write.ts'
import { transact, type Pool } from '../../../src/core/store/db/database.ts'
import { deactivateLocation, deleteLocation } from '../../../src/core/store/repair/location-states.ts'
import { appendChanges, getHead } from '../../../src/core/store/journal/journal.ts'
import { listTextRows } from '../../../src/modules/backup/store/table-rows.ts'
import { startApp } from '../../support/app.ts'
import { createDatabase, everyServer } from '../../support/database.ts'
import { everyRecord, idOf, order, orderOf } from '../../support/records.ts'
import { fill, passphrase, secret } from './filled.ts'
import { backUp, filesOf, newDirectory, restore, stranger, takenAt } from './support.ts'

const rowsOf = async (pool: Pool, table: string, locationId: string) => {
  const column = table === 'locations' ? 'id' : 'location_id'
  return listTextRows(pool, table, { column, locationId })
}

const servers = await everyServer()
const source = await startApp()
await fill(source)

for (const server of servers) {
  // answers.test.ts compares everything that partners can read.
  test(`a restore on the ${server} server has the same tables as before the backup, and continues the journal and the keys`, async () => {
    const dir = newDirectory()
    const { entries } = await backUp(source.pool, dir, { secret: { passphrase } })
    const head = await getHead(source.pool, source.location)
    const database = await createDatabase({ server })
    const restored = await restore(database.pool, dir, { secret: { passphrase } })
    assert.deepEqual(restored, { locations: 2, entries, webhooks: 0, sources: 0, deleted: 0 })
    const target = await startApp({ database })
    const tables = [
      'webhooks',
      'webhook_retries',
      'rejected_records',
      'ingest_warnings',
      'device_statuses',
      'locations',
      'orders',
      'reports',
      'catalog',
    ]
    for (const table of tables) {
      const [here, there] = [source.pool, database.pool].map((pool) => rowsOf(pool, table, source.location))
      assert.deepEqual(await there, await here, table)
      assert.ok((await here)?.length, `${table} has nothing to compare`)
    }
    assert.equal((await verifyLocation(database.pool, source.location)).verified, true)
    const now = await getHead(database.pool, source.location)
    assert.equal(now.epoch, head.epoch)
    assert.ok(now.seq >= head.seq + 1_000_000, 'the journal resumes past what could have been given out')
    const pushed = await target.push([order(orderOf(source.location, 900))], { key: source.key })
    assert.equal(pushed.json.accepted, 1, pushed.text)
    assert.equal((await target.get('/v1/orders/', { key: source.keys.revoked })).status, 401)
    assert.equal((await target.get('/v1/orders/', { key: source.keys.read })).status, 200)
  })
}

test('a restore pauses webhooks unless delivery is requested', async () => {
  const dir = newDirectory()
  await backUp(source.pool, dir)
  const { pool } = await createDatabase()
  assert.equal((await restore(pool, dir, { delivers: false })).webhooks, 1)
  const [row] = await pool`select state, disabled_reason as reason, cursor from webhooks`
  assert.deepEqual({ ...row }, { state: 'disabled', reason: 'restored', cursor: 5 })
})

test('a run writes only new data, never changes a segment, and keeps all files readable by their owner only', async () => {
  const app = await startApp()
  await app.store(everyRecord(app.location))
  const dir = newDirectory()
  const first = await backUp(app.pool, dir)
  const before = await filesOf(dir)
  assert.ok([...before.values()].every(({ mode }) => mode === 0o600))
  assert.deepEqual((await backUp(app.pool, dir)).entries, 0)
  const same = await filesOf(dir)
  for (const [file, { ino }] of before) if (file !== 'manifest.json') assert.equal(same.get(file)?.ino, ino, file)
  assert.deepEqual([...same.keys()].toSorted(), [...before.keys()].toSorted())
  await app.store([order(orderOf(app.location, 50)), order(orderOf(app.location, 51))])
  const second = await backUp(app.pool, dir)
  assert.deepEqual([second.entries, second.segments, second.replaced], [2, 1, 0])
  const after = await filesOf(dir)
  for (const { segments } of first.manifest.locations) {
    for (const { file } of segments) assert.equal(after.get(file)?.ino, before.get(file)?.ino, file)
  }
  const { pool } = await createDatabase()
  assert.equal((await restore(pool, dir)).entries, first.entries + 2)
})

test('with a passphrase no key, secret, name or pushed record is readable, and another passphrase opens nothing', async () => {
  const dir = newDirectory()
  const { manifest } = await backUp(source.pool, dir, { secret: { passphrase } })
  assert.ok(
    [...(await filesOf(dir)).keys()].every((file) => /(^|\/)manifest\S*\.json$/.test(file) || file.endsWith('.sealed')),
  )
  const [key] = await source.pool<{ hash: string }[]>`select hash from api_keys limit 1`
  for (const { file, bytes } of (await filesOf(dir)).values()) {
    const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1')
    for (const word of [secret, key?.hash as string, 'Camille', 'operatorName']) assert.ok(!text.includes(word), file)
  }
  const { pool } = await createDatabase()
  const wrong = { code: 'backup_passphrase' }
  await assert.rejects(restore(pool, dir, { secret: { passphrase: 'something else entirely' } }), wrong)
  await assert.rejects(restore(pool, dir), wrong)
  await assert.rejects(backUp(source.pool, dir, { secret: { passphrase: 'something else entirely' } }), wrong)
  const written = await readFile(join(dir, 'manifest.json'), 'utf8')
  for (const cost of [2 ** 40, 2 ** 18]) {
    await writeFile(join(dir, 'manifest.json'), written.replace(/"cost": \d+/, `"cost": ${cost}`))
    await assert.rejects(restore(pool, dir, { secret: { passphrase } }), { code: 'backup_invalid' })
  }
  // Sealed files cannot replace each other, whatever the manifest states.
  const [one, other] = manifest.locations.map(({ segments }) => segments[0])
  assert.ok(one && other)
  await copyFile(join(dir, other.file), join(dir, one.file))
  Object.assign(one, other, { file: one.file })
  const { opener } = await createPassphraseSeal(passphrase, manifest.encryption as ScryptEncryption)
  await assert.rejects(restoreBackup(pool, manifest, { dir, opener, now: takenAt, delivers: true }), {
    code: 'backup_damaged',
    message: /was changed after/,
  })
  await pool`delete from location_seq`
  await pool`delete from locations`
  const open = newDirectory()
  await backUp(source.pool, open)
  await assert.rejects(backUp(source.pool, open, { secret: { passphrase } }), wrong)
  assert.equal((await pool`select 1 from api_keys`).length, 0)
})

test('a journal that was changed in the database before the backup fails verification', async () => {
  const app = await startApp()
  await app.store(everyRecord(app.location))
  await app.pool`update journal set document = replace(document, 'Camille', 'Hacker') where location_id = ${app.location}`
  const dir = newDirectory()
  await backUp(app.pool, dir)
  const { pool } = await createDatabase()
  await assert.rejects(restore(pool, dir), { code: 'backup_damaged', message: /at sequence \d+/ })
})

test('the next run completes a killed one, and a run that fails leaves the previous backup', async () => {
  const app = await startApp()
  await app.store(everyRecord(app.location))
  const dir = newDirectory()
  const { entries } = await backUp(app.pool, dir)
  await app.store([order(orderOf(app.location, 60))])
  const seal = await createSeal(null, null, stranger)
  const { manifest: before } = await backUp(app.pool, newDirectory())
  // The run is killed between the segments and the manifest, as if the machine had stopped there.
  const dies = () => {
    throw new Error('killed')
  }
  const options = {
    dir,
    seal,
    signer: stranger,
    version: '0',
    now: takenAt,
    before: undefined,
    sweeps: true,
    onEntries: dies,
  }
  await assert.rejects(writeBackup(app.pool, options), /killed/)
  await mkdir(join(dir, 'locations', app.location, 'journal'), { recursive: true })
  await writeFile(join(dir, 'locations', app.location, 'journal', '000000000001-000000000099.ndjson.gz.part'), 'half')
  const earlier = await createDatabase()
  assert.equal((await restore(earlier.pool, dir)).entries, entries)
  assert.equal((await backUp(app.pool, dir)).entries, 1)
  const { pool } = await createDatabase()
  assert.equal(
    (await restore(pool, dir)).entries,
    before.locations.reduce((n, { segments }) => n + (segments[0]?.entries ?? 0), 0),
  )
  assert.ok([...(await filesOf(dir)).keys()].every((file) => !file.endsWith('.part')))
})

test('the next run writes missing and cut-off files again, and reports those of a deleted location', async () => {
  const app = await startApp()
  await app.store(everyRecord(app.location))
  const dir = newDirectory()
  const { entries, manifest } = await backUp(app.pool, dir)
  const [location] = manifest.locations.filter(({ id }) => id === app.location)
  await rm(join(dir, location?.segments[0]?.file ?? ''))
  for (const { file } of [manifest.keys, ...(location?.tables ?? [])]) await truncate(join(dir, file), 10)
  const again = await backUp(app.pool, dir)
  assert.deepEqual([again.entries, again.left], [entries, []])
  const { pool } = await createDatabase()
  assert.equal((await restore(pool, dir)).entries, entries)
  await deactivateLocation(app.pool, app.location, takenAt)
  await deleteLocation(app.pool, app.location, takenAt)
  assert.deepEqual((await backUp(app.pool, dir)).left, [])
  await rm(join(dir, location?.segments[0]?.file ?? ''))
  const { left } = await backUp(app.pool, dir)
  assert.deepEqual(
    left.map(({ id }) => id),
    [app.location],
  )
  assert.match(left[0]?.reason ?? '', /deleted.*missing or cut off/)
})

test('a backup of another database, or of an older state of this one, is not overwritten', async () => {
  const dir = newDirectory()
  await backUp(source.pool, dir)
  const { pool } = await createDatabase()
  await restore(pool, dir)
  const later = newDirectory()
  await backUp(pool, later)
  const files = await filesOf(later)
  await assert.rejects(backUp(source.pool, later), { code: 'backup_signer' })
  const other = await startApp()
  await assert.rejects(backUp(other.pool, later), { code: 'backup_signer' })
  assert.deepEqual((await filesOf(later)).get('manifest.json')?.bytes, files.get('manifest.json')?.bytes)
})

test('redacted data is in no file after the next run, and the backup still verifies', async () => {
  const app = await startApp()
  const customerId = 'Monsieur Untel'
  await app.store(everyRecord(app.location))
  await app.store([order(orderOf(app.location, 70, { customerId })), order(orderOf(app.location, 71))])
  const dir = newDirectory()
  await backUp(app.pool, dir)
  const [entry] = await app.pool<{ seq: number; document: string }[]>`
    select seq, document from journal where location_id = ${app.location} and document like ${`%${customerId}%`}`
  assert.ok(entry)
  const document = entry.document.replace(customerId, '')
  const salt = '0'.repeat(32)
  const commitment = commitTo(salt, document)
  const entries = [{ sequence: entry.seq, pointers: ['/customerId'], commitment }]
  await transact(app.pool, async (tx) => {
    await tx`update journal set document = ${document}, salt = ${salt} where location_id = ${app.location} and seq = ${entry.seq}`
    await tx`update orders set document = ${document} where location_id = ${app.location} and seq = ${entry.seq}`
    const change = {
      kind: 'redaction',
      id: app.location,
      prevSeq: null,
      types: [],
      document: JSON.stringify({ reason: 'asked for', entries }),
    }
    const head = await getHead(tx, app.location)
    await appendChanges(tx, { locationId: app.location, head }, [change], takenAt.toISOString())
  })
  const rules = JSON.stringify([{ customer: personDigest(app.location, customerId), fields: [] }])
  await app.pool`update location_seq set erasures = ${rules} where location_id = ${app.location}`
  assert.deepEqual((await backUp(app.pool, dir)).replaced, 1)
  for (const { file, bytes } of (await filesOf(dir)).values()) {
    if (file.endsWith('.gz')) assert.ok(!gunzipSync(bytes).toString().includes(customerId), file)
  }
  const { pool } = await createDatabase()
  await restore(pool, dir)
  const [row] = await pool`
    select document, erasures from orders join location_seq using (location_id) where id = ${idOf('order', 70)}`
  assert.equal(row?.['document'], document)
  assert.equal(row?.['erasures'], rules, 'what a till sends again stays blank in the restored database')
})
