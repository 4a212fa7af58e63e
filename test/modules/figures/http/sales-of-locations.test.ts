import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SalesOfLocations } from '../../../../src/modules/figures/schemas/sales-of-locations.ts'
import { assertProblem, okay } from '../../../core/conformance/contract.ts'
import { startApp, type Site } from '../../../support/app.ts'
import { order, orderOf } from '../../../support/records.ts'
import { soundOrder } from '../../../support/z-reports.ts'
import { consoleOf } from '../../console/http/console-calls.ts'

const now = new Date('2026-03-14T20:00:00.000Z')
const app = await startApp({ clock: () => now })
const { call, codeFor, signedIn } = consoleOf(app, () => now.getTime())

const path = '/v1/sales/locations'

const sold = ({ id }: Site, n: number, at: string, total: number) => {
  const times = { createdAt: at, updatedAt: at, openedAt: at, closedAt: at }
  const made = orderOf(id, n, times)
  return soundOrder({
    ...made,
    items: made.items
      .slice(0, 1)
      .map((item) => ({ ...item, total, unitPrice: total, quantity: 1, discountsApplied: [] })),
  })
}

const read = async (cookie: string, query = ''): Promise<SalesOfLocations> => {
  const answer = await call('GET', `/console/api${path}${query}`, { headers: { cookie } })
  return okay(answer, SalesOfLocations)
}

test('sixty restaurants are in one answer and one sum, in each kind of session, and an owner sees all of them', async () => {
  const sites: Site[] = []
  for (let n = 0; n < 60; n++) {
    const site = await app.addLocation()
    await app.store([order(sold(site, 1, '2026-03-14T12:00:00.000Z', 10))], site.key)
    sites.push(site)
  }
  const ids = sites.map(({ id }) => id)
  const owner = await signedIn({
    code: await codeFor({ kind: 'link', role: 'owner', scopes: ['read'], locationIds: ids }),
  })
  assert.deepEqual(owner.session.locations.map(({ id }: Site) => id).toSorted(), ids.toSorted())
  const operator = await signedIn({ code: await codeFor() })
  for (const [cookie, isOperator] of [
    [owner.cookie, false],
    [operator.cookie, true],
  ] as const) {
    const { data, totals, meta } = await read(cookie)
    const of = data.filter(({ locationId }) => ids.includes(locationId))
    assert.equal(of.length, 60)
    assert.ok(of.every(({ sales }) => sales?.salesInclTax === 1_000))
    assert.equal(totals[0]?.salesInclTax, 60_000)
    assert.deepEqual([meta.locations, meta.isComplete], [isOperator ? data.length : 60, true])
  }
  // A key reads its own location; a session that selects a location reads only that one.
  const { data }: SalesOfLocations = okay(await app.get(path, { key: sites[0]?.key ?? null }), SalesOfLocations)
  assert.deepEqual(
    data.map(({ locationId }) => locationId),
    [ids[0]],
  )
  const chosen = await call('GET', `/console/api${path}`, {
    headers: { cookie: owner.cookie, 'tillgate-location': ids[1] as string },
  })
  assert.deepEqual(
    chosen.json.data.map(({ locationId }: any) => locationId),
    [ids[1]],
  )
  // Each location logs that it was read.
  await app.context.access.flush(true)
  const seen = await app.get('/v1/access/', { key: sites[59]?.key ?? null })
  assert.ok(
    seen.json.data.some(({ operation, keyId }: any) => operation === `GET ${path}` && keyId === owner.session.id),
    seen.text,
  )
})

test('the comparison of the sum covers the restaurants that sold before', async () => {
  const [a, b] = [await app.addLocation(), await app.addLocation()]
  await app.store(
    [order(sold(a, 1, '2026-03-07T12:00:00.000Z', 1_000)), order(sold(a, 2, '2026-03-14T12:00:00.000Z', 900))],
    a.key,
  )
  await app.store([order(sold(b, 1, '2026-03-14T12:00:00.000Z', 500))], b.key)
  const { cookie } = await signedIn({
    code: await codeFor({ kind: 'link', role: 'owner', scopes: ['read'], locationIds: [a.id, b.id] }),
  })
  const { data, totals } = await read(cookie)
  assert.deepEqual(totals[0]?.comparison, {
    locations: 1,
    salesInclTax: 90_000,
    salesInclTaxBefore: 100_000,
    change: -0.1,
  })
  assert.equal(totals[0]?.salesInclTax, 140_000)
  assert.equal(data.find(({ locationId }) => locationId === b.id)?.sales?.comparison, null)
  const yesterday = await read(cookie, '?range=yesterday')
  assert.equal(yesterday.totals[0]?.salesInclTax, 0)
  const days = await read(cookie, '?since=2026-03-07&until=2026-03-14')
  assert.equal(days.totals[0]?.salesInclTax, 240_000)
})

test('a named range together with days, a reversed range and a key without the scope are refused', async () => {
  const wrong = await app.get(`${path}?range=7d&since=2026-03-01`, { key: app.key })
  assertProblem(wrong, { status: 400, code: 'validation_failed', pointers: ['/range'] })
  const reversed = await app.get(`${path}?since=2026-03-02&until=2026-03-01`, { key: app.key })
  assertProblem(reversed, { status: 400, code: 'validation_failed', pointers: ['/since'] })
  assertProblem(await app.get(path, { key: app.keys.webhooks }), { status: 403, code: 'scope_missing' })
})
