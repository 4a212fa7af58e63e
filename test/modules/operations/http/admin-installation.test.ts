import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { readConfig, settingNames, settings } from '../../../../src/core/config.ts'
import { AccessPage, AdminActPage } from '../../../../src/core/schemas/access.ts'
import { AdminKeyMade, AdminLocationPage } from '../../../../src/modules/operations/schemas/admin.ts'
import { AdminMetrics, AdminSettings, AdminSystem } from '../../../../src/modules/operations/schemas/installation.ts'
import { okay } from '../../../core/conformance/contract.ts'
import { adminOf, made } from './admin-calls.ts'
import { startApp } from '../../../support/app.ts'
import { showSettings } from '../../../../src/core/shown-settings.ts'
import { findAccessFault } from '../../../../src/core/store/accounts/access.ts'
import { eventually } from '../../../support/waiting.ts'
import { idOf, order, smallOrderOf } from '../../../support/records.ts'

const now = Date.parse('2026-03-05T10:00:00.000Z')
const app = await startApp({ clock: () => new Date(now) })
const { adminId, get, send, all } = await adminOf(app)

describe('the installation', () => {
  test('describes itself: version, database, tables and migrations, and no secret', async () => {
    const answer = await get('system')
    const system = okay(answer, AdminSystem)
    assert.ok(system.database.tables.some(({ name }: any) => name === 'journal'))
    assert.ok(system.database.migrations.length >= 8)
    assert.ok(Math.abs(system.clockOffsetMs) > 86_400_000, 'the clock of this test stands in March')
    assert.ok(system.connections.some(({ state, count }: any) => state === 'active' && count > 0))
    assert.doesNotMatch(answer.text, /password|postgres:\/\//)
  })

  test('returns its settings in the form in which they are set, and no secret', async () => {
    const shownOf = (flags: Record<string, unknown>) =>
      new Map(showSettings(readConfig(settingNames, flags, {})).map((one) => [one.name, one]))
    const { data } = okay(await get('settings'), AdminSettings)
    assert.equal(data.find(({ name }: any) => name === 'TILLGATE_ALLOW_ADDRESS').value, '127.0.0.0/8')
    const byDefault = shownOf({})
    assert.deepEqual(
      [...byDefault.values()].filter(({ isDefault }) => !isDefault),
      [],
    )
    const flags = {
      databaseUrl: 'postgres://tillgate:hush@db.example/tillgate',
      publicUrl: 'https://pos.example/',
      trustProxy: ['10.0.0.0/8', 'fd00::1'],
      operationsAddress: '[::1]:4748',
      docs: 'off',
      rateLimit: '5',
    }
    const shown = shownOf(flags)
    const values = Object.keys(flags).map((name) => shown.get(settings[name as keyof typeof flags].env)?.value)
    assert.deepEqual(values, [null, 'https://pos.example', '10.0.0.0/8,fd00::1/128', '[::1]:4748', 'off', '5'])
    assert.deepEqual([...shown.values()].filter(({ isDefault }) => !isDefault).length, values.length)
    assert.doesNotMatch(JSON.stringify([...shown.values()]), /hush/)
  })

  test('counts the calls of each route, with their outcomes and durations', async () => {
    const site = await app.addLocation()
    const read = async () => {
      const { routes } = okay(await get('metrics'), AdminMetrics)
      return routes.find(({ route, method }: any) => method === 'GET' && route === '/v1/orders/:id')
    }
    const before = (await read()) ?? { requests: 0, refused: 0, failed: 0 }
    const missing = await app.get(`/v1/orders/${randomUUID()}`, { key: site.key })
    assert.equal(missing.status, 404)
    await eventually(async () => ((await read())?.requests ?? 0) > before.requests, 'it is counted')
    const { medianMs, p95Ms, ...after } = await read()
    assert.deepEqual(after, {
      method: 'GET',
      route: '/v1/orders/:id',
      requests: before.requests + 1,
      refused: before.refused + 1,
      failed: before.failed,
    })
    assert.ok(medianMs >= 1 && medianMs <= p95Ms)
  })

  test('returns the sales of each location on its business day, equal to the location’s own figures', async () => {
    const site = await app.addLocation()
    const at = new Date(now).toISOString()
    const today = async () =>
      (await all('locations/', AdminLocationPage)).find((location) => location.id === site.id).today
    assert.equal(await today(), null)
    const times = { createdAt: at, openedAt: at, closedAt: at, updatedAt: at }
    await app.store(
      [order(smallOrderOf(site.id, 1, { ...times, total: 12.5 })), order(smallOrderOf(site.id, 2))],
      site.key,
    )
    const own = (await app.get('/v1/sales/', { key: site.key })).json
    assert.deepEqual(await today(), { businessDay: own.meta.since, orders: 1, salesInclTax: 1250 })
    assert.equal(own.totals.salesInclTax, 1250)
  })

  test('logs what each operation changed, before and after, and of a webhook only its host', async () => {
    const site = await app.addLocation()
    const patch = (body: object) => send('PATCH', `locations/${site.id}`, body)
    assert.equal((await patch({ dayStartsAt: '04:00', city: 'Lyon' })).status, 200)
    assert.equal((await patch({ dayStartsAt: '04:00' })).status, 200)
    const register = (body: object) =>
      app.request('POST', '/v1/webhooks/', {
        key: site.key,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ locationId: site.id, recipientId: idOf('device', 9), ...body }),
      })
    const { json } = await register({ events: ['order.paid'], endpointUrl: 'http://127.0.0.1:1/s3cret?t=s3cret' })
    await register({ id: json.id, events: ['order.paid', 'order.created'], endpointUrl: 'http://127.0.0.1:2/s3cret' })
    const answer = await get(`acts/?location=${site.id}`)
    const acts = okay(answer, AdminActPage).data.toReversed()
    assert.deepEqual(
      acts.map(({ act, changes }: any) => [
        act,
        (changes ?? []).map(({ field, before, after }: any) => [field, before, after]),
      ]),
      [
        [
          'location.changed',
          [
            // The city may identify a person, so the chain stores that it changed, and not its values.
            ['city', null, null],
            ['dayStartsAt', '05:00', '04:00'],
          ],
        ],
        ['location.changed', []],
        [
          'webhook.created',
          [
            ['endpointUrl', null, 'http://127.0.0.1:1'],
            ['events', null, 'order.paid'],
            ['recipientId', null, idOf('device', 9)],
          ],
        ],
        [
          'webhook.changed',
          [
            ['endpointUrl', 'http://127.0.0.1:1', 'http://127.0.0.1:2'],
            ['events', 'order.paid', 'order.paid, order.created'],
          ],
        ],
      ],
    )
    assert.doesNotMatch(answer.text, /s3cret/)
    assert.equal(await findAccessFault(app.pool, site.id), undefined)
  })

  test('logs operations of operators in a chain, and shows them to the location concerned', async () => {
    const site = await app.addLocation()
    const key = made(await send('POST', 'keys/', { locationId: site.id, scopes: ['read'] }), AdminKeyMade)
    const acts = async (query = '') => okay(await get(`acts/${query}`), AdminActPage)
    const own = (await acts('?size=100')).data.find(({ subject, locationId }: any) => subject === key.id && locationId)
    assert.deepEqual([own.act, own.by, own.locationId, own.from], ['key.created', adminId, site.id, '127.0.0.1'])
    assert.deepEqual(
      (await acts(`?location=${site.id}`)).data.map(({ act, subject }: any) => [act, subject]),
      [['key.created', key.id]],
    )
    // The log names a key wherever it acted or was changed, revoked or not. A key without a name is named by its first
    // characters.
    assert.deepEqual([own.byName, own.subjectName], ['test', `${key.hint}…`])
    const gone = made(
      await send('POST', 'keys/', { locationId: site.id, name: 'Cabinet', scopes: ['read'] }),
      AdminKeyMade,
    )
    await send('DELETE', `keys/${gone.id}`)
    const { data: entries } = okay(await app.get('/v1/access/', { key: site.key }), AccessPage)
    assert.deepEqual(entries.map(({ act, subjectName }: any) => [act, subjectName]).slice(-2), [
      ['key.created', 'Cabinet'],
      ['key.revoked', 'Cabinet'],
    ])
    const { data: newest } = okay(await get('acts/?size=1'), AdminActPage)
    assert.deepEqual([newest[0].act, newest[0].subjectName], ['key.revoked', 'Cabinet'])
    assert.deepEqual(own.changes, [
      { field: 'name', before: null, after: '' },
      { field: 'scopes', before: null, after: 'read' },
    ])
    assert.deepEqual((await acts('?since=2030-01-01')).data, [])
    for (const query of [`location=${site.id}`, 'since=2026-01-01']) {
      const all = (await acts(`?size=100&${query}`)).data
      const pages: unknown[] = []
      for (let next: string | null | undefined; next !== null;) {
        const page = await acts(`?size=2&${query}${next === undefined ? '' : `&cursor=${next}`}`)
        pages.push(...page.data)
        next = page.meta.next
      }
      assert.deepEqual(pages, all, 'page by page')
      const times = all.map(({ at }: any) => at)
      assert.deepEqual(times, times.toSorted().toReversed(), 'newest first')
    }
    assert.equal(
      (await app.get('/v1/access/', { key: site.key })).json.data.some(({ subject }: any) => subject === key.id),
      true,
    )
  })
})
