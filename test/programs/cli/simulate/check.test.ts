import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkSites, type Checked } from '../../../../simulator/cli/simulate/check.ts'
import { drive } from '../../../../simulator/cli/simulate/load.ts'
import { siteOfKey } from '../../../../simulator/cli/simulate/setup.ts'
import type { Scenario, Site } from '../../../../simulator/cli/simulate/sites.ts'
import { createTillClient } from '../../../../simulator/cli/simulate/till-client.ts'
import { announceDays } from '../../../../src/modules/figures/projections/announcements.ts'
import { daysProjection } from '../../../../src/modules/figures/projections/days.ts'
import { stepProjection } from '../../../../src/modules/figures/projections/projection.ts'
import type { Report } from '../../../../src/core/contract/reports/schema.ts'
import { startApp } from '../../../support/app.ts'
import { order, report } from '../../../support/records.ts'

const app = await startApp()
const client = createTillClient(app.url, { connections: 4, patienceMs: 5_000 })
const { signal } = new AbortController()
const onProgress = () => {}

const scenario: Scenario = {
  seed: 'check',
  from: new Date('2026-03-06T04:00:00.000Z'),
  to: new Date('2026-03-07T04:00:00.000Z'),
  ordersPerDay: 20,
  kind: 'ordinary',
  finalOnly: false,
  faults: {},
}

/** Pushes one simulated day to a new location. Resolves to the location as the run knows it. */
async function pushDay(concurrency = 4, batch = 10): Promise<Site> {
  const { key } = await app.addLocation()
  const site = { ...(await siteOfKey(scenario, key, client, signal)), isNew: true }
  const result = await drive({ sites: [site], scenario, client, concurrency, batch, speed: null, signal, onProgress })
  assert.deepEqual([result.stale, result.rejected], [0, 0])
  return site
}

const check = (site: Site): Promise<Checked> =>
  checkSites({ sites: [site], client, concurrency: 2, signal, onProgress })

const mismatchesOf = async (site: Site) => (await check(site)).mismatches.map((text) => text.split(': ')[1] ?? '')

test('a location with all pushed records matches, however many concurrent requests there were', async () => {
  for (const [concurrency, batch] of [
    [1, 500],
    [7, 3],
  ] as const) {
    const site = await pushDay(concurrency, batch)
    assert.deepEqual(await check(site), { locations: 1, reports: 1, mismatches: [], mismatchCount: 0 })
  }
})

test('events that Tillgate itself adds for a business day are not counted as pushed records', async () => {
  const site = await pushDay()
  while ((await stepProjection(app.pool, daysProjection, site.locationId)) === 'behind');
  assert.equal(await announceDays(app.pool, site.locationId, new Date('2026-03-08T12:00:00.000Z')), 1)
  assert.deepEqual(await check(site), { locations: 1, reports: 1, mismatches: [], mismatchCount: 0 })
})

test('an additional order is reported, and so is its journal entry', async () => {
  const site = await pushDay()
  const [stored] = (await app.get('/v1/orders/?size=1', { key: site.key })).json.data
  const id = '0a0a0a0a-0000-4000-8000-00000000ffff'
  await app.store([order({ ...stored, id, reportId: null })], site.key)
  const { orders, closed } = site.expected
  const grown = site.accepted + 1
  assert.deepEqual(await mismatchesOf(site), [
    `${orders + 1} orders instead of ${orders}`,
    `${closed + 1} closed orders instead of ${closed}`,
    `the journal has grown by ${grown} entries and ${site.accepted} records were accepted`,
  ])
})

test('missing records are reported, also at a location that existed before', async () => {
  const site = await pushDay()
  site.expected.orders += 1
  site.expected.reports += 1
  assert.deepEqual(await mismatchesOf({ ...site, isNew: false }), [
    `${site.expected.orders - 1} orders instead of ${site.expected.orders}`,
    `1 report instead of 2`,
  ])
})

test('a report that is not balanced is reported', async () => {
  const site = await pushDay()
  const [stated] = (await app.get('/v1/reports/?size=1', { key: site.key })).json.data as Report[]
  assert.ok(stated)
  const updatedAt = '2026-03-08T00:00:00.000Z'
  await app.store(
    [report({ ...stated, updatedAt, totalSales: stated.totalSales + 1, orders: stated.orders.slice(1) })],
    site.key,
  )
  const [journal, balance] = await mismatchesOf(site)
  assert.match(journal ?? '', /^the journal has grown by/)
  assert.equal(balance, `report ${stated.reportNumber} is not balanced`)
})

test('after a missing answer the record may or may not be stored', async () => {
  const site = await pushDay()
  site.accepted -= 2
  assert.equal((await check(site)).mismatchCount, 1)
  site.uncertain = 2
  assert.equal((await check(site)).mismatchCount, 0)
})

test('a run ends at the first refusal and prints the answer of the server', async () => {
  const site = { ...(await siteOfKey(scenario, app.key, client, signal)), key: app.keys.read }
  const load = { sites: [site], scenario, client, concurrency: 2, batch: 10, speed: null, signal, onProgress }
  await assert.rejects(
    drive(load),
    /the server answered 403 to \/v1\/ingest\/: the key has only read, but the scope "ingest" is required: /,
  )
})

test('a missing server is retried until the time limit', async () => {
  const nobody = createTillClient('http://127.0.0.1:1', { connections: 1, patienceMs: 300 })
  const call = nobody.ask(app.key, (tillgate) => tillgate.location())
  const message = /127\.0\.0\.1:1 does not accept \/v1\/locations\/own/
  await assert.rejects(call, { code: 'server_unreachable', message })
  await nobody.close()
})

test.after(() => client.close())
