import assert from 'node:assert/strict'
import { cp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { createOpener } from '../../../src/modules/backup/format/encryption.ts'
import { chooseLocation } from '../../../src/modules/backup/format/manifest.ts'
import { restoreLocation } from '../../../src/modules/backup/format/restore.ts'
import { readManifest } from '../../../src/modules/backup/format/stored-manifest.ts'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { acknowledgeLosses, listLosses } from '../../../src/core/store/journal/losses.ts'
import { deleteLocation } from '../../../src/core/store/repair/location-states.ts'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { assertProblem } from '../../core/conformance/contract.ts'
import { startApp, type Site, type TestApp } from '../../support/app.ts'
import { main, start, stop } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { order, orderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'
import { backUp, newDirectory, restore, takenAt } from './support.ts'

let sold = 0

/** Stores this many orders that exist nowhere else. */
const sell = (app: TestApp, { id, key }: Site, n: number) =>
  app.store(
    Array.from({ length: n }, () => order(orderOf(id, ++sold))),
    key,
  )

type Feed = { data: any[]; meta: { next: number; head: number; epoch: string } }

const feedOf = async (app: TestApp, { key }: Site, query = 'after=0'): Promise<Feed> => {
  const answer = await app.get(`/v1/events/?limit=1000&${query}`, { key })
  assert.equal(answer.status, 200, answer.text)
  return answer.json
}

/** Every event id that was read, with its content: checks that no id has two contents. */
class Ids {
  readonly #seen = new Map<string, string>()

  async read(app: TestApp, site: Site): Promise<Feed> {
    const feed = await feedOf(app, site)
    for (const event of feed.data) {
      const text = JSON.stringify(event)
      assert.equal(this.#seen.get(event.id) ?? text, text, `${event.id} has two contents`)
      this.#seen.set(event.id, text)
    }
    assert.equal((await verifyLocation(app.pool, site.id)).verified, true)
    return feed
  }
}

async function restored(dir: string): Promise<TestApp> {
  const database = await createDatabase()
  await restore(database.pool, dir)
  return startApp({ database })
}

async function restoreOne(pool: Pool, dir: string, id: string, now = takenAt) {
  const manifest = await readManifest(dir)
  const opener = await createOpener(null, manifest.encryption)
  return restoreLocation(pool, manifest, chooseLocation(manifest, id), { dir, opener, now, delivers: true })
}

const origin = await startApp()
let site: Site

before(async () => {
  site = await origin.addLocation()
  await sell(origin, site, 20)
})

/** Checks that `to` refuses a reader at the end of `from`, and states the position from which it misses nothing. */
async function assertRefused(to: TestApp, from: Feed, expected: { withEpoch: number; plain: number }) {
  const { next, epoch } = from.meta
  const head = (await feedOf(to, site)).meta
  for (const accept of ['application/json', 'text/event-stream']) {
    const headers = { accept }
    const refused = await to.get(`/v1/events/?after=${next}&epoch=${epoch}`, { key: site.key, headers })
    assertProblem(refused, { status: 409, code: 'epoch_changed' })
    const { after } = refused.json
    assert.deepEqual([after, refused.json.epoch, refused.json.head], [expected.withEpoch, head.epoch, head.head])
    assert.match(refused.json.detail, new RegExp(`continue from after=${after} with epoch=${head.epoch}$`))
    const plain = await to.get(`/v1/events/?after=${next}`, { key: site.key, headers })
    assertProblem(plain, { status: 409, code: 'sequence_ahead' })
    assert.equal(plain.json.after, expected.plain)
    const last = await to.get('/v1/events/', {
      key: site.key,
      headers: { ...headers, 'last-event-id': `${epoch}_${next}` },
    })
    assertProblem(last, { status: 409, code: 'epoch_changed' })
  }
  const goOn = await feedOf(to, site, `after=${expected.withEpoch}&epoch=${head.epoch}`)
  const known = new Set(from.data.map(({ id }) => id))
  const missed = (await feedOf(to, site)).data.filter(({ id }) => !known.has(id))
  const read = new Set(goOn.data.map(({ id }) => id))
  assert.deepEqual(
    missed.filter(({ id }) => !read.has(id)),
    [],
    'it misses nothing',
  )
  for (const path of ['/v1/orders/', '/v1/journal/head', '/v1/events/', '/v1/locations/own']) {
    const answer = await to.get(path, { key: site.key, headers: { 'tillgate-min-sequence': String(next) } })
    assert.ok([409, 503].includes(answer.status), `${path} says that it has ${next}: ${answer.status}`)
  }
}

describe('an event id stays unique, and a reader of lost events is informed', () => {
  test('when one backup is restored twice, at the same moment', async () => {
    const ids = new Ids()
    const dir = newDirectory()
    const shared = await ids.read(origin, site)
    await backUp(origin.pool, dir)
    const [one, two] = [await restored(dir), await restored(dir)]
    await sell(one, site, 5)
    const ofOne = await ids.read(one, site)
    await sell(two, site, 8)
    const ofTwo = await ids.read(two, site)
    assert.deepEqual([ofOne.data.length - shared.data.length, ofTwo.data.length - shared.data.length], [10, 16])
    // The second journal does not have the epoch of this reader, but has another entry with the sequence of the reader.
    const { next, epoch } = ofOne.meta
    const refused = await two.get(`/v1/events/?after=${next}&epoch=${epoch}`, { key: site.key })
    assertProblem(refused, { status: 409, code: 'epoch_changed' })
    assert.equal(refused.json.after, 0)
    // A reader of the common part continues without an error.
    const goesOn = await feedOf(two, site, `after=${shared.meta.next}&epoch=${shared.meta.epoch}`)
    assert.equal(goesOn.data.length, 16)
    await sell(origin, site, 3)
    await assertRefused(two, await ids.read(origin, site), { withEpoch: shared.meta.next, plain: shared.meta.next })
  })

  test('for a program that listens with a position: it learns where to continue', async () => {
    const dir = newDirectory()
    await backUp(origin.pool, dir)
    const [one, two] = [await restored(dir), await restored(dir)]
    await sell(one, site, 5)
    await sell(two, site, 8)
    const position = join(dir, 'position')
    const listen = ({ url }: TestApp, ...flags: string[]) =>
      start(process.execPath, [main, 'listen', '--url', url, '--json', '--position', position, ...flags], {
        env: { ...process.env, TILLGATE_KEY: site.key },
      })
    const first = listen(one, '--after', '0')
    const { next, epoch } = (await feedOf(one, site)).meta
    const isThere = async () => (await readFile(position, 'utf8').catch(() => '')) === `${epoch}_${next}\n`
    await eventually(isThere, 'its position is that of the last event, with its epoch')
    await stop(first, 'SIGINT')
    const refused = await listen(two).ended
    assert.equal(refused.code, 2)
    const place = /"code":"epoch_changed".+; to continue, write (\S+_0) to /.exec(refused.stderr)?.[1]
    assert.ok(place, refused.stderr)
    await writeFile(position, place)
    const again = listen(two)
    const all = (await feedOf(two, site)).data.length
    await eventually(() => again.written.stdout.split('\n').length - 1 === all, 'it hears all that is there')
    await stop(again, 'SIGINT')
    // A position without an epoch, as in an earlier version, is accepted.
    await writeFile(position, `${(await feedOf(two, site)).meta.next - 1}\n`)
    const old = listen(two)
    await eventually(() => old.written.stdout.split('\n').length - 1 === 2, 'it hears the last order')
    await stop(old, 'SIGINT')
  })

  test("when Monday's backup is restored, then Tuesday's, then a backup of the restored database", async () => {
    const ids = new Ids()
    const [monday, tuesday, later] = [newDirectory(), newDirectory(), newDirectory()]
    await backUp(origin.pool, monday)
    await cp(monday, tuesday, { recursive: true })
    await sell(origin, site, 4)
    const ofTuesday = await ids.read(origin, site)
    await backUp(origin.pool, tuesday)
    const one = await createDatabase()
    await restore(one.pool, monday, { now: new Date(takenAt.getTime() + 60_000) })
    const first = await startApp({ database: one })
    await sell(first, site, 5)
    const ofFirst = await ids.read(first, site)
    const two = await createDatabase()
    await restore(two.pool, tuesday, { now: new Date(takenAt.getTime() + 120_000) })
    const second = await startApp({ database: two })
    await sell(second, site, 2)
    await ids.read(second, site)
    // Only the beginning is certain to be common: the reader of the first has not seen Tuesday's events.
    await assertRefused(second, ofFirst, { withEpoch: 0, plain: 0 })
    await backUp(second.pool, later)
    const ofSecond = await ids.read(second, site)
    await sell(second, site, 2)
    const lost = await ids.read(second, site)
    const three = await createDatabase()
    await restore(three.pool, later, { now: new Date(takenAt.getTime() + 180_000) })
    const third = await startApp({ database: three })
    await sell(third, site, 1)
    await ids.read(third, site)
    await assertRefused(third, lost, { withEpoch: ofSecond.meta.next, plain: ofSecond.meta.next })
    assert.equal(
      (await feedOf(third, site, `after=${ofTuesday.meta.next}&epoch=${ofTuesday.meta.epoch}`)).data.length,
      6,
    )
  })

  test('when one location is deleted and restored, twice', async () => {
    const ids = new Ids()
    const dir = newDirectory()
    const one = await origin.addLocation()
    await sell(origin, one, 3)
    await backUp(origin.pool, dir)
    for (let round = 0; round < 2; round++) {
      await sell(origin, one, 4)
      await ids.read(origin, one)
      await deleteLocation(origin.pool, one.id, takenAt)
      await restoreOne(origin.pool, dir, one.id)
      await sell(origin, one, 2)
      await ids.read(origin, one)
    }
  })
})

/**
 * Returns all possible sequences of this many steps: `B` backs up, `D` deletes the location, `R` restores it from
 * Monday's copy.
 */
function orders(steps: number, isThere = true): string[] {
  if (steps === 0) return ['']
  const next = isThere ? ['B', 'D'] : ['B', 'R']
  return next.flatMap((step) => orders(steps - 1, step === 'B' ? isThere : step === 'R').map((rest) => step + rest))
}

describe("one restaurant is restored to Monday's copy", () => {
  const walks = orders(5)
  for (const walk of walks) {
    test(`in the order ${walk}: the backup of the others continues, with every earlier journal`, async () => {
      const [monday, current] = [newDirectory(), newDirectory()]
      const app = await startApp()
      const [one, other] = [await app.addLocation(), await app.addLocation()]
      const ids = new Ids()
      for (const place of [one, other]) await sell(app, place, 2)
      await backUp(app.pool, monday)
      await cp(monday, current, { recursive: true })
      await sell(app, one, 3)
      await backUp(app.pool, current)
      const tuesday = await ids.read(app, one)
      let isThere = true
      for (const step of walk) {
        if (isThere) await sell(app, one, 1)
        await sell(app, other, 1)
        if (isThere) await ids.read(app, one)
        if (step === 'D') await deleteLocation(app.pool, one.id, takenAt)
        if (step === 'R') await restoreOne(app.pool, monday, one.id)
        if (step === 'B') assert.deepEqual((await backUp(app.pool, current)).left, [])
        if (step !== 'B') isThere = step === 'R'
      }
      const { manifest, left } = await backUp(app.pool, current)
      assert.deepEqual(left, [])
      const read = await restored(current)
      const present = await feedOf(read, other)
      assert.deepEqual(present.data, (await feedOf(app, other)).data)
      if (isThere) assert.deepEqual((await feedOf(read, one)).data, (await ids.read(app, one)).data)
      // The backup still has Tuesday's data, under its epoch.
      const journals = [...manifest.locations, ...manifest.deleted].filter(({ id }) => id === one.id)
      const former = journals.find(({ currentEpoch }) => currentEpoch === undefined)
      assert.ok(former && former.head.seq >= tuesday.meta.head, walk)
      assert.equal(chooseLocation(manifest, one.id, former.epoch), former)
      await Promise.all([app.close(), read.close()])
      await Promise.all([app.database.close(), read.database.close()])
    })
  }
})

test('a location that cannot be continued is left out and named, and the others are backed up', async () => {
  const dir = newDirectory()
  const [one, other] = [await origin.addLocation(), await origin.addLocation()]
  for (const place of [one, other]) await sell(origin, place, 2)
  await backUp(origin.pool, dir)
  const copy = await restored(dir)
  await sell(origin, one, 1)
  const { manifest } = await backUp(origin.pool, dir)
  await sell(copy, other, 1)
  const { left, manifest: after } = await backUp(copy.pool, dir)
  assert.deepEqual(
    left.map(({ id }) => id),
    [one.id],
  )
  assert.match(left[0]?.reason ?? '', /which is not in the database/)
  const of = (id: string, { locations }: typeof manifest) => locations.find((location) => location.id === id)
  assert.deepEqual(of(one.id, after), of(one.id, manifest), 'the backup keeps what it had')
  const read = await restored(dir)
  assert.deepEqual((await feedOf(read, other)).data, (await feedOf(copy, other)).data)
  assert.deepEqual((await feedOf(read, one)).data, (await feedOf(origin, one)).data)
})

test('an unacknowledged loss is still reported after another restore, and an acknowledged one is not', async () => {
  const app = await startApp()
  const sites = [await app.addLocation(), await app.addLocation()] as const
  for (const one of sites) await sell(app, one, 3)
  const older = newDirectory()
  await backUp(app.pool, older)
  const second = await createDatabase()
  await restore(second.pool, older, { acknowledged: new Map(sites.map(({ id }) => [id, 5])) })
  await acknowledgeLosses(second.pool, sites[1].id, takenAt)
  const newer = newDirectory()
  await backUp(second.pool, newer)
  const third = await createDatabase()
  await restore(third.pool, newer)
  const losses = (await listLosses(third.pool)).map(({ locationId, from, to }) => ({ locationId, from, to }))
  assert.deepEqual(losses, [{ locationId: sites[0].id, from: 4, to: 5 }])
})
