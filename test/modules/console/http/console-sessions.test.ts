import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { hashKey, installationId } from '../../../../src/core/domain/accounts/keys.ts'
import { Sessions } from '../../../../src/modules/console/http/sessions.ts'
import { deactivateLocation } from '../../../../src/core/store/repair/location-states.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { codeOf, consoleOf } from './console-calls.ts'
import { startApp, type Answer } from '../../../support/app.ts'
import { openEventStream } from '../../../support/event-stream.ts'
import { order, smallOrderOf } from '../../../support/records.ts'
import { eventually } from '../../../support/waiting.ts'
import { hourMs } from '../../../../src/core/domain/days/time-units.ts'

let now = Date.parse('2026-03-01T10:00:00.000Z')
const settings = { isOn: true, isInsecureAllowed: false }
const app = await startApp({ clock: () => new Date(now), console: settings })
const { call, pageOf, signedIn, codeFor, linkBy } = consoleOf(app, () => now)

describe('a session', () => {
  test('gets the same answers from the /v1 handlers as its key, byte for byte', async () => {
    const { cookie } = await signedIn({ key: app.key })
    for (const path of [
      '/v1/orders/',
      '/v1/locations/own',
      '/v1/catalog/',
      '/v1/orders/none',
      '/v1/none',
      '/v1/orders/?size=x',
    ]) {
      const [byKey, bySession] = [
        await app.get(path),
        await call('GET', `/console/api${path}`, { headers: { cookie } }),
      ]
      const without = ({ json, text }: Answer) => (json?.requestId ? { ...json, requestId: '' } : text)
      assert.deepEqual([bySession.status, without(bySession)], [byKey.status, without(byKey)], path)
    }
    const answer = await call('GET', '/console/api/v1/orders/', { headers: { cookie } })
    assert.equal(answer.headers['vary'], 'Cookie, Tillgate-Location, Tillgate-Page')
    const sales = await call('GET', '/console/api/v1/sales/', { headers: { cookie } })
    assert.equal(sales.headers['vary'], 'Cookie, Tillgate-Location, Tillgate-Page, Accept')
    assert.equal(answer.headers['cache-control'], 'private, no-store')
  })

  test('is accepted below /console/api/ only, and a key is not accepted there', async () => {
    const { cookie } = await signedIn({ key: app.key })
    for (const path of ['/v1/orders/', '/v1/admin/acts/', '/health/', '//console/api/v1/orders/']) {
      const answer = await app.get(path, { key: null, headers: { cookie, 'sec-fetch-site': 'same-origin' } })
      assert.ok([401, 404].includes(answer.status), `${path} is ${answer.status}`)
    }
    assertProblem(await app.get('/v1/orders/', { key: null, headers: { cookie } }), {
      status: 401,
      code: 'key_missing',
    })
    assertProblem(await app.get('/console/api/v1/orders/'), { status: 401, code: 'session_missing' })
    const both = `${cookie}; ${cookie.replace(/.$/, 'x')}`
    assertProblem(await call('GET', '/console/api/v1/orders/', { headers: { cookie: both } }), {
      status: 401,
      code: 'session_missing',
    })
    assertProblem(await call('GET', '/console/api/session', { headers: { cookie: `tillgate_${app.port}=x` } }), {
      status: 401,
      code: 'session_ended',
    })
  })

  test('has exactly the rights and locations that it was created with', async () => {
    const code = await codeFor({ kind: 'link', role: 'owner', scopes: ['read'], locationIds: [app.location] })
    const { cookie } = await signedIn({ code })
    const at = (location: string) => ({ headers: { cookie, 'tillgate-location': location } })
    assert.equal((await call('GET', '/console/api/v1/orders/', at(app.location.toUpperCase()))).status, 200)
    assertProblem(await call('GET', '/console/api/v1/orders/', at(app.other.id)), {
      status: 403,
      code: 'location_forbidden',
    })
    assertProblem(await call('GET', '/console/api/v1/orders/', at('x')), { status: 400, code: 'validation_failed' })
    assertProblem(await call('GET', '/console/api/v1/webhooks/', at(app.location)), {
      status: 403,
      code: 'scope_missing',
    })
    const pushed = await call('POST', '/console/api/v1/ingest/', {
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify(order(smallOrderOf(app.location, 7))),
    })
    assertProblem(pushed, { status: 403, code: 'scope_missing' })
  })

  test('of an operator chooses one of all locations by Tillgate-Location', async () => {
    const { cookie, session } = await signedIn({ code: await codeFor() })
    assert.equal(session.allLocations, true)
    assertProblem(await call('GET', '/console/api/v1/orders/', { headers: { cookie } }), {
      status: 400,
      code: 'location_required',
    })
    const ids = [app.location, app.other.id]
    const owns = ids.map((id) =>
      call('GET', '/console/api/v1/locations/own', { headers: { cookie, 'tillgate-location': id } }),
    )
    assert.deepEqual(
      (await Promise.all(owns)).map(({ json }) => json.id),
      ids,
    )
    const nowhere = { cookie, 'tillgate-location': randomUUID() }
    assertProblem(await call('GET', '/console/api/v1/orders/', { headers: nowhere }), {
      status: 404,
      code: 'location_not_found',
    })
    const installation = { cookie, 'tillgate-location': installationId }
    assert.notEqual((await call('GET', '/console/api/v1/orders/', { headers: installation })).status, 200)
  })

  test('ends when its user signs out, and its cookie and secret no longer work', async () => {
    const { cookie, session } = await signedIn({ code: await codeFor() })
    const out = await call('DELETE', '/console/api/session', { headers: { cookie } })
    assert.equal(out.status, 204)
    assert.match(String(out.headers['set-cookie']), new RegExp(`^tillgate_${app.port}=; .*Max-Age=0$`))
    assertProblem(await call('GET', '/console/api/session', { headers: { cookie } }), {
      status: 401,
      code: 'session_ended',
    })
    assert.equal((await call('DELETE', '/console/api/session')).status, 204)
    const [row] = await app.pool<{ hash: string }[]>`select hash from console_sessions where id = ${session.id}`
    assert.equal(row?.hash, hashKey(cookie.split('=')[1] as string))
  })

  test('ends with its key in a second process too, with an open stream', async () => {
    const { id, key } = await app.addKey(app.location)
    const { cookie } = await signedIn({ key })
    const second = await startApp({ database: app.database, clock: () => new Date(now) })
    const name = cookie.replace(String(app.port), String(second.port))
    const both = { cookie: name, 'tillgate-page': pageOf(cookie) ?? '' }
    const ask = () => second.get('/console/api/v1/orders/', { key: null, headers: both })
    assert.equal((await ask()).status, 200)
    const stream = await openEventStream(`${second.url}/console/api/v1/events/`, both)
    await app.pool`update api_keys set revoked_at = now() where id = ${id}`
    await eventually(async () => (await ask()).status === 401, 'the session ends with its key')
    await app.store([order(smallOrderOf(app.location, 2))])
    second.context.hints.committed(app.location)
    await stream.ended
    assert.deepEqual(stream.events, [])
    assertProblem(await ask(), { status: 401, code: 'session_ended' })
  })

  test('ends within 5 s in a process without notification, which queries the database at most every 3 s', async () => {
    const { cookie, session } = await signedIn({ code: await codeFor() })
    let ms = 0
    const sessions = new Sessions(app.pool, () => new Date(now), { monotonic: () => ms })
    const isLive = () =>
      sessions.authenticate({ token: cookie.split('=')[1], pageSecret: pageOf(cookie) }).then(
        () => true,
        () => false,
      )
    assert.equal(await isLive(), true)
    await app.pool`update console_sessions set ended_at = ${new Date(now)} where id = ${session.id}`
    ms = 2_999
    assert.equal(await isLive(), true)
    ms = 4_999
    assert.equal(await isLive(), false)
  })

  test('ends after twelve hours without use, and always after seven days', async () => {
    const idle = await signedIn({ code: await codeFor() })
    const busy = await signedIn({ code: await codeFor() })
    const state = async ({ cookie }: { cookie: string }) => {
      // A new key ring has nothing cached.
      const sessions = new Sessions(app.pool, () => new Date(now))
      const code = await sessions.authenticate({ token: cookie.split('=')[1], pageSecret: pageOf(cookie) }).then(
        () => 'live',
        (error: { code: string }) => error.code,
      )
      await sessions.flush()
      return code
    }
    now += 11 * hourMs
    assert.equal(await state(busy), 'live')
    now += 2 * hourMs
    assert.deepEqual([await state(idle), await state(busy)], ['session_ended', 'live'])
    for (let passed = 13; passed < 7 * 24; passed += 11) {
      assert.equal(await state(busy), 'live', `${passed} h`)
      now += 11 * hourMs
    }
    assert.equal(await state(busy), 'session_ended')
  })
})

describe('a session of a key', () => {
  test('ends when the key expires, as does a session from a link that the key created', async () => {
    const expiresAt = new Date(now + hourMs)
    const { key } = await app.addKey(app.location, { expiresAt })
    for (const given of [{ key }, { code: codeOf(await linkBy(key)) }]) {
      const { cookie, session } = await signedIn(given)
      assert.equal(session.expiresAt, expiresAt.toISOString())
      now = expiresAt.getTime() - 1
      assert.equal((await call('GET', '/console/api/session', { headers: { cookie } })).status, 200)
      now = expiresAt.getTime()
      const over = await call('GET', '/console/api/v1/orders/', { headers: { cookie } })
      assertProblem(over, { status: 401, code: 'session_ended' })
      now -= hourMs
    }
  })

  test('cannot access a deactivated location; neither can a session of an operator', async () => {
    const site = await app.addLocation()
    const sessions = [await signedIn({ key: site.key }), await signedIn({ code: await codeFor() })]
    await deactivateLocation(app.pool, site.id, new Date(now))
    for (const { cookie } of sessions) {
      const headers = { cookie, 'tillgate-location': site.id }
      const answer = await call('GET', '/console/api/v1/orders/', { headers })
      assertProblem(answer, { status: 403, code: 'location_inactive' })
    }
  })
})
