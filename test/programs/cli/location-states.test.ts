import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findHead, getHead } from '../../../src/core/store/journal/journal.ts'
import { deleteLocation, listDeletedJournals } from '../../../src/core/store/repair/location-states.ts'
import { assertProblem } from '../../core/conformance/contract.ts'
import { startApp } from '../../support/app.ts'
import { tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { everyRecord, idOf, order, orderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const app = await startApp()
const env = { DATABASE_URL: toUrl(app.database.connection) }
const run = (...args: string[]) => tillgate(['location', ...args], { env })

async function addWebhook(locationId: string, key: string) {
  const body = {
    events: ['order.paid'],
    endpointUrl: 'https://you.example/',
    locationId,
    recipientId: idOf('order', 9),
  }
  const headers = { 'content-type': 'application/json' }
  const answer = await app.request('POST', '/v1/webhooks/', { key, headers, body: JSON.stringify(body) })
  assert.equal(answer.status, 201, answer.text)
  return answer.json.id as string
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
  const webhook = await addWebhook(site.id, site.key)
  const stateOf = async () => (await app.get(`/v1/webhooks/${webhook}/status`, { key: site.key })).json
  assert.equal((await run('deactivate', site.id)).code, 0)
  const statusOf = async () => (await app.get('/v1/orders/', { key: site.key })).status
  await eventually(async () => (await statusOf()) === 403, 'its keys are refused')
  assertProblem(await app.get('/v1/orders/', { key: site.key }), { status: 403, code: 'location_inactive' })
  assertProblem(await app.push(everyRecord(site.id), { key: site.key }), { status: 403, code: 'location_inactive' })
  const [row] = await app.pool`select state, disabled_reason as reason from webhooks where id = ${webhook}`
  assert.deepEqual({ ...row }, { state: 'disabled', reason: 'location' })
  assert.equal((await app.get('/v1/orders/')).status, 200, 'others go on')
  const made = await tillgate(['key', 'create', '--location', site.id, '--scope', 'read', '--json'], { env })
  assert.match(made.stderr, /location_inactive/)

  assert.equal((await run('activate', site.id)).code, 0)
  await eventually(async () => (await statusOf()) === 200, 'its keys are let in')
  assert.equal((await stateOf()).state, 'enabled')
})

test('a webhook disabled by an operator or a 410 stays disabled when its location is activated', async () => {
  const site = await app.addLocation()
  const webhook = await addWebhook(site.id, site.key)
  await app.pool`update webhooks set state = 'disabled', disabled_reason = 'gone', disabled_at = now() where id = ${webhook}`
  await run('deactivate', site.id)
  await run('activate', site.id)
  const [row] = await app.pool`select state, disabled_reason as reason from webhooks where id = ${webhook}`
  assert.deepEqual({ ...row }, { state: 'disabled', reason: 'gone' })
})

test('a location is deleted only by its name, while it is not in use, with all its data', async () => {
  const site = await app.addLocation()
  await app.store(everyRecord(site.id), site.key)
  await addWebhook(site.id, site.key)
  const others = await rowsOf(app.other.id)
  for (const args of [[], ['--confirm', 'Bistro'], ['--confirm', '']]) {
    const { code, stderr } = await run('delete', site.id, ...args)
    assert.equal(code, 2)
    assert.match(stderr, /make a backup first/)
  }
  const listed = (await tillgateJson(['location', 'list'], { env })) as { id: string; name: string }[]
  const name = listed.find(({ id }) => id === site.id)?.name ?? ''
  assert.match((await run('delete', site.id, '--confirm', name)).stderr, /is active/)
  await run('deactivate', site.id)
  assert.ok(Object.keys(await rowsOf(site.id)).length > 6)
  const { code, stderr } = await run('delete', site.id, '--confirm', name, '--grace', '0')
  assert.equal(code, 0, stderr)
  assert.deepEqual(await rowsOf(site.id), {})
  assert.match((await run('delete', site.id, '--confirm', name)).stderr, /location \S+ does not exist/)
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
  const { name } = JSON.parse((await app.get('/v1/locations/own', { key: site.key })).text)
  const answers = new Set<string>()
  let isDeleted = false
  const till = (async () => {
    for (let n = 1; !isDeleted; n++) {
      const pushed = await app.push([order(orderOf(site.id, n))], { key: site.key })
      const read = await app.get('/v1/events/', { key: site.key })
      for (const { status, json } of [pushed, read]) answers.add(status === 200 ? '200' : `${status} ${json.code}`)
    }
  })()
  await eventually(async () => answers.size > 0, 'the till is answered')
  await run('deactivate', site.id)
  const { code, stderr } = await run('delete', site.id, '--confirm', name, '--grace', '0')
  isDeleted = true
  await till
  assert.equal(code, 0, stderr)
  const known = new Set(['200', '403 location_inactive', '401 key_unknown'])
  assert.deepEqual(
    [...answers].filter((answer) => !known.has(answer)),
    [],
  )
})
