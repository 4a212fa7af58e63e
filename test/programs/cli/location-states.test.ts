import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Log } from '../../../src/core/server/log.ts'
import { noteLosses } from '../../../src/core/server/losses.ts'
import { findHead, getHead } from '../../../src/core/store/journal/journal.ts'
import { listLosses } from '../../../src/core/store/journal/losses.ts'
import {
  deleteDueLocations,
  deleteLocation,
  listDeletedJournals,
} from '../../../src/core/store/repair/location-states.ts'
import { assertProblem } from '../../core/conformance/contract.ts'
import { startApp, type Site } from '../../support/app.ts'
import { commandsOn, newFolder, toUrl } from '../../support/cli.ts'
import { everyRecord, idOf, linesOf, locationOf, order, orderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'
import { newShop } from './shop.ts'

const app = await startApp()
const { run, json, refuses } = commandsOn({ env: { DATABASE_URL: toUrl(app.database.connection) } })
const scratch = newFolder()
const dayMs = 86_400_000

async function addWebhook({ id: locationId, key }: Site): Promise<string> {
  const target = { endpointUrl: 'https://you.example/', locationId, recipientId: idOf('order', 9) }
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ events: ['order.paid'], ...target })
  const answer = await app.request('POST', '/v1/webhooks/', { key, headers, body })
  assert.equal(answer.status, 201, answer.text)
  return answer.json.id
}

async function assertWebhook(id: string, expected: { state: string; reason: string | null }): Promise<void> {
  const [row] = await app.pool`select state, disabled_reason as reason from webhooks where id = ${id}`
  assert.deepEqual({ ...row }, expected)
}

const statusOf = async ({ key }: Site) => (await app.get('/v1/orders/', { key })).status

const hashesOf = async ({ id }: Site) =>
  (await app.pool<{ hash: string }[]>`select hash from journal where location_id = ${id} order by seq`).map(
    ({ hash }) => hash,
  )

/** Creates a location with four orders, a webhook and a key. Also returns the contents of its journal. */
async function filled() {
  const site = await app.addLocation()
  const orders = [1, 2, 3, 4].map((n) => order(orderOf(site.id, n)))
  await app.store(orders, site.key)
  return { ...site, webhook: await addWebhook(site), entries: await hashesOf(site) }
}

const nameOf = async (id: string): Promise<string> =>
  (await json`location list`).find((one: { id: string }) => one.id === id).name

async function end(id: string, ...flags: string[]) {
  await json`location deactivate ${id}`
  return json`location delete ${id} --confirm ${await nameOf(id)} ${flags}`
}

/** Counts the rows of a location, by table, for every table that has some. */
async function rowsOf(locationId: string): Promise<Record<string, number>> {
  const tables = await app.pool<{ name: string }[]>`
    select table_name as name from information_schema.columns
    where table_schema = current_schema() and column_name = 'location_id' order by table_name`
  const rows: Record<string, number> = {}
  for (const { name } of tables) {
    // This table stores the ends of journals of deleted locations.
    if (name === 'deleted_locations') continue
    const [row] = await app.pool<{ n: number }[]>`
      select count(*) as n from ${app.pool(name)} where location_id = ${locationId}`
    if (row && row.n > 0) rows[name] = row.n
  }
  return rows
}

test('the keys of a deactivated location are refused and its webhooks stop, until it is activated', async () => {
  const site = await app.addLocation()
  const webhook = await addWebhook(site)
  await json`location deactivate ${site.id}`
  await eventually(async () => (await statusOf(site)) === 403, 'its keys are refused')
  assertProblem(await app.get('/v1/orders/', { key: site.key }), { status: 403, code: 'location_inactive' })
  assertProblem(await app.push(everyRecord(site.id), { key: site.key }), { status: 403, code: 'location_inactive' })
  await assertWebhook(webhook, { state: 'disabled', reason: 'location' })
  assert.equal((await app.get('/v1/orders/')).status, 200, 'others go on')
  await refuses(/location_inactive/)`key create --location ${site.id} --scope read --json`

  await json`location activate ${site.id}`
  await eventually(async () => (await statusOf(site)) === 200, 'its keys are let in')
  await assertWebhook(webhook, { state: 'enabled', reason: null })
})

test('a webhook disabled by an operator or a 410 stays disabled when its location is activated', async () => {
  const site = await app.addLocation()
  const webhook = await addWebhook(site)
  await app.pool`update webhooks set state = 'disabled', disabled_reason = 'gone', disabled_at = now() where id = ${webhook}`
  await json`location deactivate ${site.id}`
  await json`location activate ${site.id}`
  await assertWebhook(webhook, { state: 'disabled', reason: 'gone' })
})

test('a location is deleted only by its name, while it is not in use, with all its data', async () => {
  const site = await app.addLocation()
  await app.store(everyRecord(site.id), site.key)
  await addWebhook(site)
  const others = await rowsOf(app.other.id)
  for (const args of [[], ['--confirm', 'Bistro'], ['--confirm', '']])
    await refuses(/make a backup first/)`location delete ${site.id} ${args}`
  const confirmed = ['--confirm', await nameOf(site.id)]
  await refuses(/is active/)`location delete ${site.id} ${confirmed}`
  await json`location deactivate ${site.id}`
  assert.ok(Object.keys(await rowsOf(site.id)).length > 6)
  await json`location delete ${site.id} ${confirmed} --grace 0`
  assert.deepEqual(await rowsOf(site.id), {})
  await refuses(/location \S+ does not exist/)`location delete ${site.id} ${confirmed}`
  assert.deepEqual(await rowsOf(app.other.id), others, 'others keep theirs')
})

test('a deletion in chunks of one row that is interrupted and repeated has the same result, and states the head of the journal', async () => {
  const site = await app.addLocation()
  await app.store(everyRecord(site.id), site.key)
  const { epoch, seq, hash } = await getHead(app.pool, site.id)
  const rows = Object.entries(await rowsOf(site.id)).filter(([table]) => table !== 'api_keys')
  const before = rows.reduce((sum, [, n]) => sum + n, 0)
  const [first, second] = [new Date('2026-04-01T10:00:00.000Z'), new Date('2026-04-01T11:00:00.000Z')]
  await app.pool`alter table reports rename to reports_away`
  await assert.rejects(deleteLocation(app.pool, site.id, first, 1), /reports/)
  await app.pool`alter table reports_away rename to reports`
  assert.equal(await findHead(app.pool, site.id), undefined, 'nobody writes to it meanwhile')
  const left = await deleteLocation(app.pool, site.id, second, 1)
  assert.ok(left > 0 && left < before, `${left} of ${before}`)
  assert.deepEqual(await rowsOf(site.id), {})
  const ended = (await listDeletedJournals(app.pool)).filter(({ locationId }) => locationId === site.id)
  assert.deepEqual(ended, [{ locationId: site.id, epoch, seq, hash, deletedAt: first }])
})

test('every push is answered correctly while its location is deleted at once', async () => {
  const site = await app.addLocation()
  const answers = new Set<string>()
  let isDeleted = false
  const till = (async () => {
    for (let n = 1; !isDeleted; n++) {
      const pushed = await app.push([order(orderOf(site.id, n))], { key: site.key })
      const read = await app.get('/v1/events/', { key: site.key })
      for (const { status, json: body } of [pushed, read])
        answers.add(status === 200 ? '200' : `${status} ${body.code}`)
    }
  })()
  await eventually(async () => answers.size > 0, 'the till is answered')
  await end(site.id, '--grace', '0')
  isDeleted = true
  await till
  for (const known of ['200', '403 location_inactive', '401 key_unknown']) answers.delete(known)
  assert.deepEqual([...answers], [])
})

test('a deletion is pending for a week, in which it can be canceled and keeps keys and webhooks', async () => {
  const site = await filled()
  const before = Date.now()
  const { deleteAt } = await end(site.id)
  assert.ok(Math.abs(Date.parse(deleteAt) - before - 7 * dayMs) < 3_600_000)
  await deleteDueLocations(app.pool, new Date(before + 6 * dayMs))
  assert.deepEqual(await hashesOf(site), site.entries)
  const { stdout } = await run`location list`
  assert.match(stdout, new RegExp(`${site.id}.*deleted at ${deleteAt.slice(0, 16)}Z`))

  await json`location activate ${site.id}`
  await deleteDueLocations(app.pool, new Date(before + 30 * dayMs))
  assert.deepEqual(await hashesOf(site), site.entries)
  await eventually(async () => (await statusOf(site)) === 200, 'its key is let in')
  await assertWebhook(site.webhook, { state: 'enabled', reason: null })

  await end(site.id, '--grace', '12h')
  await deleteDueLocations(app.pool, new Date(before + dayMs))
  assert.deepEqual(await hashesOf(site), [])
})

test('a deleted location is restored into the installation in use: journal, sequences, key, paused webhook', async () => {
  const [site, other] = [await filled(), await filled()]
  const dir = join(scratch, 'back')
  await json`backup ${dir}`
  await end(site.id, '--grace', '0')
  await json`backup ${dir}`
  assert.equal((await app.pool`select 1 from api_keys where location_id = ${site.id}`).length, 0)
  const restored = await json`restore ${dir} --location ${site.id}`
  assert.deepEqual([restored.locations, restored.entries, restored.webhooks], [1, site.entries.length, 1])
  await assertWebhook(site.webhook, { state: 'disabled', reason: 'restored' })
  const after = await hashesOf(site)
  assert.deepEqual(after.slice(0, site.entries.length), site.entries)
  // One more entry, which states that sequences were skipped: it is beyond all sequences used before.
  assert.equal(after.length, site.entries.length + 1)
  assert.ok((await getHead(app.pool, site.id)).seq > site.entries.length + 100_000)
  assert.deepEqual(await hashesOf(other), other.entries)
  await eventually(async () => (await statusOf(site)) === 200, 'its key is good again')
  assert.equal((await app.get('/v1/orders/', { key: site.key })).json.data.length, 4)
  await app.store([order(orderOf(site.id, 5))], site.key)
  assert.equal((await run`verify`).code, 0)
  // The backup continues, and includes the location again.
  await json`backup ${dir}`
  await json`backup verify ${dir}`
  await refuses(/target_not_empty.*location .* already exists/)`restore ${dir} --location ${site.id} --json`
})

test('an import does not replace a journal that is in the backups, and one of several with a name must be chosen', async () => {
  const site = await filled()
  const [dir, file] = [join(scratch, 'namesakes'), join(scratch, 'records.ndjson')]
  const { epoch } = await getHead(app.pool, site.id)
  await json`backup ${dir}`
  await end(site.id, '--grace', '0')
  const again = { type: 'location', data: locationOf(site.id, { name: 'Again' }) }
  writeFileSync(file, linesOf([again, order(orderOf(site.id, 1))]))
  const advice = new RegExp(`location_deleted.*tillgate restore <backup> --location ${site.id}`)
  await refuses(advice)`import ${file} --json`
  await refuses(/./)`location create --id ${site.id} --name Again`
  assert.deepEqual(await hashesOf(site), [])

  await json`import ${file} --new-journal`
  // A process knows the last number of the deleted journal, and one of an even later entry of another copy.
  for (const known of [site.entries.length, site.entries.length + 1])
    await noteLosses(app.pool, new Map([[site.id, known]]), { error() {} } as unknown as Log, new Date())
  const losses = (await listLosses(app.pool)).filter(({ locationId }) => locationId === site.id)
  assert.deepEqual(
    losses.map(({ from, to }) => [from, to]),
    [[site.entries.length + 1, site.entries.length + 1]],
  )
  assert.match((await run`backup ${dir}`).stderr, /was deleted and now has another journal/)
  await end(site.id, '--grace', '0')
  const { stderr } = await refuses(/2 journals of location/)`restore ${dir} --location ${site.id}`
  assert.match(stderr, new RegExp(`--epoch ${epoch}: up to ${site.entries.length}, deleted at`))
  await json`restore ${dir} --location ${site.id} --epoch ${epoch}`
  assert.deepEqual((await hashesOf(site)).slice(0, site.entries.length), site.entries)
})

test('a restore of one location makes no statement about the rest of the backup, whose files may be damaged', async () => {
  const [source, one, all] = [await newShop(), await newShop(), await newShop()]
  const ids = [await source.json`location create --name One`, await source.json`location create --name Two`]
  const dir = join(scratch, 'two')
  await source.json`backup ${dir}`
  // A file of the other location is damaged.
  const folder = join(dir, 'locations', ids[1].id)
  const file = readdirSync(folder).find((name) => name.startsWith('tables-')) ?? assert.fail('no tables')
  rmSync(join(folder, file))
  writeFileSync(join(folder, file), 'damaged')
  const restored = await one.run`restore ${dir} --location ${ids[0].id}`
  assert.equal(restored.code, 0, restored.stderr)
  assert.match(restored.stderr, /The restored data is intact, /)
  assert.doesNotMatch(restored.stderr, /The backup is intact/)
  assert.doesNotMatch((await all.refuses(/./)`restore ${dir}`).stderr, /intact/)
})
