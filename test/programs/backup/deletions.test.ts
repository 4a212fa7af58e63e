import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkFields } from '../../../src/core/acts/locations.ts'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { createLocation, defaultLocationSettings } from '../../../src/core/ingest/write/locations.ts'
import { getHead } from '../../../src/core/store/journal/journal.ts'
import { deleteLocation } from '../../../src/core/store/repair/location-states.ts'
import { addKey, startApp } from '../../support/app.ts'
import { createDatabase } from '../../support/database.ts'
import { everyRecord, order, orderOf } from '../../support/records.ts'
import { backUp, filesOf, newDirectory, restore, takenAt } from './support.ts'

const app = await startApp()
await app.store(everyRecord(app.location))

/** Creates a location with records, and a backup that contains them. */
async function backedUp(n: number) {
  const dir = newDirectory()
  const site = await app.addLocation()
  const store = (id: number) => app.store([order(orderOf(site.id, id))], site.key)
  await store(n)
  const { manifest } = await backUp(app.pool, dir)
  const before = manifest.locations.find(({ id }) => id === site.id)
  assert.ok(before)
  return { dir, site, store, before }
}

const journalsOf = async (dir: string) => [...(await filesOf(dir)).keys()].filter((file) => file.includes('journal'))

test('a backup continues after a location was deleted, keeps its data, and reports this', async () => {
  const { dir, site, store, before } = await backedUp(100)
  const files = await filesOf(dir)
  await store(101)
  const { seq } = await getHead(app.pool, site.id)
  await deleteLocation(app.pool, site.id, takenAt)
  await app.store([order(orderOf(app.location, 102))])
  const after = await backUp(app.pool, dir)
  assert.equal(after.entries, 1, 'what others had is in it')
  const kept = { ...before, deletedAt: takenAt.toISOString(), ended: seq }
  assert.deepEqual(after.deleted, [kept])
  const now = await filesOf(dir)
  for (const { file } of [...before.segments, ...before.tables, ...before.stored])
    assert.deepEqual(now.get(file), files.get(file))
  const again = await backUp(app.pool, dir)
  assert.deepEqual([again.manifest.deleted, again.deleted], [[kept], []])

  const usual = await createDatabase()
  const left = await restore(usual.pool, dir)
  assert.equal(left.deleted, 1)
  assert.equal((await usual.pool`select 1 from locations where id = ${site.id}`).length, 0)
  const { pool } = await createDatabase()
  const whole = await restore(pool, dir, { withDeleted: true })
  assert.deepEqual([whole.locations - left.locations, whole.entries - left.entries, whole.deleted], [1, seq - 1, 0])
  assert.equal((await verifyLocation(pool, site.id)).verified, true)
  assert.equal((await pool`select 1 from orders where location_id = ${site.id}`).length, 1)
})

test('a deletion in progress, or an interrupted one, does not block the backup of the others', async () => {
  const { dir, site } = await backedUp(110)
  await app.pool`alter table reports rename to reports_away`
  await assert.rejects(deleteLocation(app.pool, site.id, takenAt))
  await app.pool`alter table reports_away rename to reports`
  const { manifest, deleted } = await backUp(app.pool, dir)
  assert.deepEqual(
    [deleted.map(({ id }) => id), manifest.locations.some(({ id }) => id === site.id)],
    [[site.id], false],
  )
  await deleteLocation(app.pool, site.id, takenAt)
})

test('a location created again with the id of a deleted one has its own files', async () => {
  const { dir, site, before } = await backedUp(120)
  await deleteLocation(app.pool, site.id, takenAt)
  await createLocation(app.pool, checkFields(site.id, { name: 'Again' }), defaultLocationSettings, takenAt)
  const again = await addKey(app.pool, site.id)
  await app.store([order(orderOf(site.id, 121))], again.key)
  const { manifest } = await backUp(app.pool, dir)
  await app.store([order(orderOf(site.id, 122))], again.key)
  assert.equal((await backUp(app.pool, dir)).entries, 1)
  const [first, ...others] = (await journalsOf(dir)).filter((file) => file.includes(site.id)).toSorted()
  assert.equal(first, before.segments[0]?.file)
  assert.equal(others.length, 2)
  assert.notEqual(manifest.locations.find(({ id }) => id === site.id)?.epoch, before.epoch)
  const { pool } = await createDatabase()
  assert.equal((await restore(pool, dir, { withDeleted: true })).deleted, 1, 'its id is in use again')
  assert.equal((await verifyLocation(pool, site.id)).verified, true)
  assert.equal((await pool`select 1 from orders where location_id = ${site.id}`).length, 2)
})

test('a restored database continues its backup, unless the original did meanwhile', async () => {
  const { dir, site, store } = await backedUp(130)
  const { pool } = await createDatabase()
  await restore(pool, dir)
  assert.ok((await backUp(pool, dir)).entries > 0)
  const second = newDirectory()
  await backUp(app.pool, second)
  const restored = await createDatabase()
  await restore(restored.pool, second)
  await store(131)
  await backUp(app.pool, second)
  const { left } = await backUp(restored.pool, second)
  assert.deepEqual(
    left.map(({ id }) => id),
    [site.id],
  )
  // If no location can be continued, the directory has the backup of another database.
  const stranger = await startApp()
  await stranger.store(everyRecord(stranger.location))
  const theirs = newDirectory()
  await backUp(stranger.pool, theirs)
  const copy = await createDatabase()
  await restore(copy.pool, theirs)
  await stranger.store([order(orderOf(stranger.location, 132))])
  await stranger.store(everyRecord(stranger.other.id), stranger.other.key)
  await backUp(stranger.pool, theirs)
  await assert.rejects(backUp(copy.pool, theirs), { code: 'backup_foreign' })
})
