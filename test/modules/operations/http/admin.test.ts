import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { installationId } from '../../../../src/core/domain/accounts/keys.ts'
import {
  AdminKeyMade,
  AdminKeyPage,
  AdminKeyRevoked,
  AdminLocation,
  AdminLocationNamePage,
  AdminLocationPage,
} from '../../../../src/modules/operations/schemas/admin.ts'
import { assertProblem, okay } from '../../../core/conformance/contract.ts'
import { adminOf, made } from './admin-calls.ts'
import { startApp } from '../../../support/app.ts'
import { order, smallOrderOf } from '../../../support/records.ts'

const now = Date.parse('2026-03-01T10:00:00.000Z')
const app = await startApp({ clock: () => new Date(now) })
const { admin, adminId, get, send, all } = await adminOf(app)

describe('operations below /v1/admin/', () => {
  const operations: [method: string, path: string][] = [
    ['GET', 'locations/'],
    ['POST', 'locations/'],
    ['GET', `locations/${app.location}`],
    ['PATCH', `locations/${app.location}`],
    ['GET', 'keys/'],
    ['POST', 'keys/'],
    ['POST', `keys/${randomUUID()}/rotation`],
    ['DELETE', `keys/${randomUUID()}`],
    ['GET', `rejected/?location=${app.location}`],
    ['GET', 'rejected/summary'],
    ['DELETE', `rejected/?location=${app.location}&before=2026-01-01`],
    ['GET', 'webhooks/'],
    ['GET', 'overview'],
    ['GET', 'system'],
    ['GET', 'acts/'],
  ]

  test('are refused without a key, and with any key of a location', async () => {
    for (const [method, path] of operations) {
      const call = (key: string | null) => app.request(method, `/v1/admin/${path}`, { key })
      assertProblem(await call(null), { status: 401, code: 'key_missing' })
      assertProblem(await call(app.key), { status: 403, code: 'scope_missing' })
    }
  })

  test('refuse invalid values: 400 naming them', async () => {
    for (const path of [
      'locations/?cursor=x',
      'keys/?cursor=x',
      'keys/?state=x',
      'acts/?cursor=0',
      'webhooks/?state=x',
      'rejected/',
    ]) {
      assertProblem(await get(path), { status: 400, code: 'validation_failed' })
    }
    assertProblem(await get(`acts/?location=${randomUUID()}`), { status: 404, code: 'location_not_found' })
    assertProblem(await get(`rejected/?location=${randomUUID()}`), { status: 404, code: 'location_not_found' })
  })
})

describe('locations', () => {
  test('are created and changed, journaled as if pushed by a till, and listed by pages with their state', async () => {
    const id = randomUUID()
    const location = made(
      await send('POST', 'locations/', {
        id: id.toUpperCase(),
        name: 'Bar <b>Exemple',
        city: 'Zürich',
        timeZone: 'europe/zurich',
        currency: 'CHF',
      }),
      AdminLocation,
    )
    assert.deepEqual(
      [
        location.id,
        location.name,
        location.city,
        location.timeZone,
        location.currency,
        location.dayStartsAt,
        location.sequence,
      ],
      [id, 'Bar <b>Exemple', 'Zürich', 'Europe/Zurich', 'CHF', '05:00', 1],
    )
    assertProblem(await send('POST', 'locations/', { id, name: 'Again' }), { status: 409, code: 'location_exists' })
    const gone = randomUUID()
    await app.pool`
      insert into deleted_locations (location_id, epoch, last_seq, last_hash, deleted_at)
      values (${gone}, '00000001', 7, ${'0'.repeat(64)}, now())`
    assertProblem(await send('POST', 'locations/', { id: gone, name: 'Gone' }), {
      status: 409,
      code: 'location_exists',
    })
    assertProblem(await send('POST', 'locations/', { id: installationId, name: 'All' }), {
      status: 409,
      code: 'location_exists',
    })
    const changed = okay(await send('PATCH', `locations/${id}`, { city: 'Basel', dayStartsAt: '04:00' }), AdminLocation)
    assert.deepEqual(
      [changed.name, changed.city, changed.dayStartsAt, changed.currency, changed.sequence],
      ['Bar <b>Exemple', 'Basel', '04:00', 'CHF', 2],
    )
    const { key } = await app.addKey(id)
    assert.equal((await app.get('/v1/locations/own', { key })).json.city, 'Basel')
    const settings = {
      timeZone: 'Asia/Tokyo',
      currency: 'JPY',
      dayStartsAt: '06:00',
      fiscalYearStarts: '04-01',
      eReportingCategories: { takeaway: 'TPS1' },
      retiredDevices: { 'Caisse 3': '2026-03-14' },
      paymentKinds: { 'Liquide bar': 'cash' },
      reportNumbers: 'any',
    }
    const settled = okay(await send('PATCH', `locations/${id}`, settings), AdminLocation)
    assert.deepEqual({ ...settled, ...settings }, settled)
    assert.deepEqual((await app.get('/v1/locations/own/settings', { key })).json, settings)
    const due = await app.pool`select 1 from due_days where location_id = ${id}`
    assert.ok(due.length > 0, 'days that waited for the device are looked at again')
    assert.equal((await send('PATCH', `locations/${id}`, { retiredDevices: {} })).json.currency, 'JPY')
    assert.deepEqual((await app.get('/v1/locations/own/settings', { key })).json, { ...settings, retiredDevices: {} })
    const atOnce = { timeZone: 'Asia/Seoul', currency: 'KRW', dayStartsAt: '03:00', fiscalYearStarts: '07-01' }
    const answers = await Promise.all(
      Object.entries(atOnce).map(([name, value]) => send('PATCH', `locations/${id}`, { [name]: value })),
    )
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    const held = okay(await get(`locations/${id}`), AdminLocation)
    assert.deepEqual({ ...held, ...atOnce }, held, 'changes made at once all hold')
    const former = { timeZone: 'Asia/Tokyo', currency: 'JPY', dayStartsAt: '06:00', fiscalYearStarts: '04-01' }
    await send('PATCH', `locations/${id}`, former)
    await app.store([order(smallOrderOf(id, 1))], key)
    const listed = await all('locations/', AdminLocationPage)
    assert.equal(new Set(listed.map((one) => one.id)).size, listed.length)
    const [row] = await app.pool`select count(*)::int as n from locations`
    assert.equal(listed.length, row?.['n'])
    const own = listed.find((one) => one.id === id)
    assert.equal(own.sequence, 3)
    assert.equal(own.lastAcceptedAt, new Date(now).toISOString())
    assert.notEqual(own.lastOrderAt, null)
    assert.deepEqual(okay(await get(`locations/${id.toUpperCase()}`), AdminLocation), own, 'one is as in the list')
    await app.pool`update locations set deactivated_at = now() where id = ${id}`
    assert.notEqual(okay(await get(`locations/${id}`), AdminLocation).deactivatedAt, null)
  })

  test('with contradictory values are refused', async () => {
    const wrong: [object, string][] = [
      [{}, '/name'],
      [{ name: ' ' }, '/name'],
      [{ name: 'x', timeZone: 'Europe/Atlantis' }, '/timeZone'],
      [{ name: 'x', currency: 'XXZ' }, '/currency'],
      [{ name: 'x', fiscalYearStarts: '02-29' }, '/fiscalYearStarts'],
      [{ name: 'x', dayStartsAt: '24:00' }, '/dayStartsAt'],
      [{ name: 'x', eReportingCategories: { takeaway: 'food' } }, '/eReportingCategories/takeaway'],
      [{ name: 'x', retiredDevices: { till: '2026-02-30' } }, '/retiredDevices'],
      [{ name: 'x', retiredDevices: ['till'] }, '/retiredDevices'],
      [{ name: 'x', more: 1 }, '/more'],
    ]
    for (const [body, pointer] of wrong) {
      assertProblem(await send('POST', 'locations/', body), {
        status: 400,
        code: 'validation_failed',
        pointers: [pointer],
      })
    }
    assert.equal((await send('PATCH', `locations/${app.location}`, {})).status, 400)
    for (const id of [randomUUID(), installationId]) {
      assertProblem(await send('PATCH', `locations/${id}`, { city: 'x' }), { status: 404, code: 'location_not_found' })
      assertProblem(await get(`locations/${id}`), { status: 404, code: 'location_not_found' })
    }
  })
})

describe('the search for locations', () => {
  test('matches a part of the name, the city or the id, without case and accents, page by page', async () => {
    const made = async (name: string, city: string) =>
      (await send('POST', 'locations/', { name, city })).json.id as string
    const [first, second, third] = [
      await made('Crêperie "Zébulon"', 'Quimper'),
      await made('Zebulon', 'Paris'),
      await made('Chez Lou', 'ZÉBULON-sur-Mer'),
    ]
    const found = async (query: string) =>
      (await all(`locations/names${query}`, AdminLocationNamePage)).map(({ id }) => id)
    assert.deepEqual(await found('?q=zebulon'), [first, second, third].toSorted())
    assert.deepEqual(await found(`?q=${encodeURIComponent('"ZÉB')}`), [first])
    assert.deepEqual(await found('?q=quimp'), [first])
    assert.deepEqual(await found(`?q=${second.slice(0, 13).toUpperCase()}`), [second])
    assert.deepEqual(await found('?q=nothing%20of%20the%20kind'), [])
    assert.deepEqual(await found(`?ids=${third},${first},${second}`), [first, second, third].toSorted())
    const everyone = await all('locations/', AdminLocationPage)
    assert.deepEqual(
      await found(''),
      everyone.map(({ id }) => id),
    )
    const [one] = okay(await get(`locations/names?ids=${first}`), AdminLocationNamePage).data
    assert.deepEqual(one, {
      id: first,
      name: 'Crêperie "Zébulon"',
      city: 'Quimper',
      timeZone: 'Europe/Paris',
      currency: 'EUR',
      deactivatedAt: null,
    })
    for (const wrong of ['ids=none', `ids=${Array.from({ length: 51 }, () => randomUUID()).join()}`, 'cursor=1']) {
      const pointers = [`/${wrong.split('=', 1)[0]}`]
      assertProblem(await get(`locations/names?${wrong}`), { status: 400, code: 'validation_failed', pointers })
    }
  })
})

describe('keys', () => {
  test('are created, shown once, replaced without interruption and revoked', async () => {
    const site = await app.addLocation()
    const first = made(
      await send('POST', 'keys/', { locationId: site.id, scopes: ['read', 'webhooks'], name: 'partner' }),
      AdminKeyMade,
    )
    assert.equal((await app.get('/v1/orders/', { key: first.key })).status, 200)
    const second = made(await send('POST', `keys/${first.id}/rotation`, { overlapSeconds: 3_600 }), AdminKeyMade)
    assert.equal(second.formerUntil, new Date(now + 3_600_000).toISOString())
    assert.deepEqual([second.scopes, second.name, second.locationId], [first.scopes, first.name, first.locationId])
    for (const { key } of [first, second]) assert.equal((await app.get('/v1/orders/', { key })).status, 200)
    const webhook = {
      events: ['order.paid'],
      locationId: site.id,
      recipientId: randomUUID(),
      endpointUrl: 'http://127.0.0.1:1/',
    }
    const { json } = await app.request('POST', '/v1/webhooks/', {
      key: second.key,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(webhook),
    })
    const revoked = okay(await send('DELETE', `keys/${second.id}`), AdminKeyRevoked)
    assert.deepEqual([revoked.state, revoked.webhooks], ['revoked', [json.id]])
    assertProblem(await send('POST', `keys/${second.id}/rotation`), { status: 409, code: 'key_ended' })
    assertProblem(await send('POST', `keys/${randomUUID()}/rotation`), { status: 404, code: 'key_not_found' })
    assertProblem(await send('DELETE', `keys/${randomUUID()}`), { status: 404, code: 'key_not_found' })
    const statesOf = async (state: string) =>
      (await all(`keys/?location=${site.id}&state=${state}`, AdminKeyPage)).map((key) => [key.id, key.state])
    assert.ok(!(await statesOf('active')).some(([id]) => id === second.id))
    assert.deepEqual(await statesOf('ended'), [[second.id, 'revoked']])
    const listed = await get('keys/?state=all')
    for (const secret of [first.key, second.key, admin]) assert.ok(!listed.text.includes(secret))
    assert.ok(listed.json.data.some((key: any) => key.id === adminId && key.locationId === null))
  })

  test('of the installation have no location and no other scope; other keys need an active location', async () => {
    const desk = made(await send('POST', 'keys/', { scopes: ['admin'], name: 'desk' }), AdminKeyMade)
    assert.equal((await app.get('/v1/admin/system', { key: desk.key })).status, 200)
    const wrong: [object, string][] = [
      [{ scopes: ['admin', 'read'], locationId: app.location }, '/scopes'],
      [{ scopes: ['admin'], locationId: app.location }, '/locationId'],
      [{ scopes: ['read'] }, '/locationId'],
      [{ scopes: ['read'], locationId: app.location, expiresAt: '2026-01-01T00:00:00.000Z' }, '/expiresAt'],
    ]
    for (const [body, pointer] of wrong) {
      assertProblem(await send('POST', 'keys/', body), { status: 400, code: 'validation_failed', pointers: [pointer] })
    }
    for (const locationId of [randomUUID(), installationId]) {
      assertProblem(await send('POST', 'keys/', { scopes: ['read'], locationId }), {
        status: 404,
        code: 'location_not_found',
      })
    }
  })
})
