import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { getHead } from '../../../src/core/store/journal/journal.ts'
import { deleteDueLocations } from '../../../src/core/store/repair/location-states.ts'
import { startApp } from '../../support/app.ts'
import { tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { atEnd } from '../../support/database.ts'
import { idOf, linesOf, locationOf, order, orderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const app = await startApp()
const env = { DATABASE_URL: toUrl(app.database.connection) }
const scratch = await mkdtemp(join(tmpdir(), 'tillgate-deletion-'))
atEnd(() => rm(scratch, { recursive: true }))

const dayMs = 86_400_000

/** Creates a location with four orders, a webhook and a key. Also returns the contents of its journal. */
async function filled() {
  const site = await app.addLocation()
  await app.store(
    [1, 2, 3, 4].map((n) => order(orderOf(site.id, n))),
    site.key,
  )
  const body = {
    events: ['order.paid'],
    endpointUrl: 'https://you.example/',
    locationId: site.id,
    recipientId: idOf('order', 9),
  }
  const headers = { 'content-type': 'application/json' }
  const made = await app.request('POST', '/v1/webhooks/', { key: site.key, headers, body: JSON.stringify(body) })
  assert.equal(made.status, 201, made.text)
  const entries = await entriesOf(site.id)
  return { ...site, webhook: made.json.id as string, entries }
}

const entriesOf = async (id: string) =>
  (await app.pool<{ hash: string }[]>`select hash from journal where location_id = ${id} order by seq`).map(
    ({ hash }) => hash,
  )

const statusOf = async (key: string) => (await app.get('/v1/orders/', { key })).status

async function end(id: string, ...flags: string[]) {
  await tillgateJson(['location', 'deactivate', id], { env })
  const { name } = (await tillgateJson(['location', 'list'], { env })).find((one: { id: string }) => one.id === id)
  return tillgateJson(['location', 'delete', id, '--confirm', name, ...flags], { env })
}

test('a deletion is pending for a week, in which it can be canceled and keeps keys and webhooks', async () => {
  const site = await filled()
  const before = Date.now()
  const { deleteAt } = await end(site.id)
  assert.ok(Math.abs(Date.parse(deleteAt) - before - 7 * dayMs) < 3_600_000)
  await deleteDueLocations(app.pool, new Date(before + 6 * dayMs))
  assert.deepEqual(await entriesOf(site.id), site.entries)
  const listed = await tillgate(['location', 'list'], { env })
  assert.match(listed.stdout, new RegExp(`${site.id}.*deleted at ${deleteAt.slice(0, 16)}Z`))

  await tillgateJson(['location', 'activate', site.id], { env })
  await deleteDueLocations(app.pool, new Date(before + 30 * dayMs))
  assert.deepEqual(await entriesOf(site.id), site.entries)
  await eventually(async () => (await statusOf(site.key)) === 200, 'its key is let in')
  const [webhook] = await app.pool`select state from webhooks where id = ${site.webhook}`
  assert.equal(webhook?.['state'], 'enabled')

  await end(site.id, '--grace', '12h')
  await deleteDueLocations(app.pool, new Date(before + dayMs))
  assert.deepEqual(await entriesOf(site.id), [])
})

test('a deleted location is restored into the installation in use: journal, sequences, key, paused webhook', async () => {
  const [site, other] = [await filled(), await filled()]
  const dir = join(scratch, 'back')
  await tillgateJson(['backup', dir], { env })
  await end(site.id, '--grace', '0')
  await tillgateJson(['backup', dir], { env })
  assert.equal((await app.pool`select 1 from api_keys where location_id = ${site.id}`).length, 0)
  const others = await entriesOf(other.id)

  const restored = await tillgateJson(['restore', dir, '--location', site.id], { env })
  assert.deepEqual([restored.locations, restored.entries, restored.webhooks], [1, site.entries.length, 1])
  const [webhook] = await app.pool`select state, disabled_reason as reason from webhooks where id = ${site.webhook}`
  assert.deepEqual({ ...webhook }, { state: 'disabled', reason: 'restored' })
  const after = await entriesOf(site.id)
  assert.deepEqual(after.slice(0, site.entries.length), site.entries)
  // One more entry, which states that sequences were skipped: it is beyond all sequences used before.
  assert.equal(after.length, site.entries.length + 1)
  assert.ok((await getHead(app.pool, site.id)).seq > site.entries.length + 100_000)
  assert.deepEqual(await entriesOf(other.id), others)
  await eventually(async () => (await statusOf(site.key)) === 200, 'its key is good again')
  assert.equal((await app.get('/v1/orders/', { key: site.key })).json.data.length, 4)
  await app.store([order(orderOf(site.id, 5))], site.key)
  assert.equal((await tillgate(['verify'], { env })).code, 0)
  // The backup continues, and includes the location again.
  await tillgateJson(['backup', dir], { env })
  await tillgateJson(['backup', 'verify', dir], { env })

  const again = await tillgate(['restore', dir, '--location', site.id, '--json'], { env })
  assert.equal(again.code, 2)
  assert.match(again.stderr, /target_not_empty.*location .* already exists/)
})

test('an import does not replace a journal that is in the backups, and one of several with a name must be chosen', async () => {
  const site = await filled()
  const dir = join(scratch, 'namesakes')
  const { epoch } = await getHead(app.pool, site.id)
  await tillgateJson(['backup', dir], { env })
  await end(site.id, '--grace', '0')
  const file = join(scratch, 'records.ndjson')
  await writeFile(
    file,
    linesOf([{ type: 'location', data: locationOf(site.id, { name: 'Again' }) }, order(orderOf(site.id, 1))]),
  )
  const refused = await tillgate(['import', file, '--json'], { env })
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, new RegExp(`location_deleted.*tillgate restore <backup> --location ${site.id}`))
  assert.equal((await tillgate(['location', 'create', '--id', site.id, '--name', 'Again'], { env })).code, 2)
  assert.deepEqual(await entriesOf(site.id), [])

  await tillgateJson(['import', file, '--new-journal'], { env })
  assert.match((await tillgate(['backup', dir], { env })).stderr, /was deleted and now has another journal/)
  await end(site.id, '--grace', '0')
  const { stderr } = await tillgate(['restore', dir, '--location', site.id], { env })
  assert.match(stderr, /2 journals of location/)
  assert.match(stderr, new RegExp(`--epoch ${epoch}: up to ${site.entries.length}, deleted at`))
  await tillgateJson(['restore', dir, '--location', site.id, '--epoch', epoch], { env })
  assert.deepEqual((await entriesOf(site.id)).slice(0, site.entries.length), site.entries)
})
