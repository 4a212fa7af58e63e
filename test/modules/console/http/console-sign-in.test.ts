import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { RateLimiter } from '../../../../src/core/http/guard/rate-limit.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { codeOf, consoleOf, cookieOf, own } from './console-calls.ts'
import { startApp } from '../../../support/app.ts'

let now = Date.parse('2026-03-01T10:00:00.000Z')
const settings = { isOn: true, isInsecureAllowed: false }
const app = await startApp({ clock: () => new Date(now), console: settings })
const { call, signIn, signedIn, codeFor, linkBy } = consoleOf(app, () => now)

describe('signing in', () => {
  test('with the code of a link works once, even if two people try at the same time', async () => {
    const code = await codeFor()
    const answers = await Promise.all([signIn({ code }), signIn({ code }), signIn({ code })])
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 401, 401],
    )
    const used = assertProblem(await signIn({ code }), { status: 401, code: 'code_invalid' })
    const wrong = assertProblem(await signIn({ code: `tgc_${'x'.repeat(43)}` }), { status: 401, code: 'code_invalid' })
    const late = await codeFor()
    now += 601_000
    const over = assertProblem(await signIn({ code: late }), { status: 401, code: 'code_invalid' })
    assert.deepEqual([used.detail, used.title], [wrong.detail, wrong.title])
    assert.deepEqual([used.detail, used.title], [over.detail, over.title])
    assertProblem(await signIn({ code: '' }), { status: 401, code: 'code_invalid' })
  })

  test('sets a cookie that scripts cannot read, other sites cannot send and only the console API receives', async () => {
    const answer = await signIn({ code: await codeFor() })
    const cookie = String(answer.headers['set-cookie'])
    const form = new RegExp(
      `^tillgate_${app.port}=tgs_[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/console/api/; Max-Age=\\d+$`,
    )
    assert.match(cookie, form)
    const secure = await startApp({
      database: app.database,
      publicUrl: 'https://pos.example/till',
      clock: () => new Date(now),
    })
    const headers = { ...own, origin: 'https://pos.example' }
    const body = JSON.stringify({ code: await codeFor() })
    const proxied = await secure.request('POST', '/console/api/session', { key: null, headers, body })
    assert.match(
      String(proxied.headers['set-cookie']),
      /^__Secure-tillgate=tgs_[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/till\/console\/api\/; Max-Age=\d+; Secure$/,
    )
    const again = await secure.get('/console/api/session', {
      key: null,
      headers: { cookie: cookieOf(proxied), 'tillgate-page': proxied.json.pageSecret },
    })
    assert.equal(again.status, 200)
    assert.equal(again.json.server.baseUrl, 'https://pos.example/till')
  })

  test('again ends the browser’s previous session, and no other', async () => {
    const first = await signIn({ code: await codeFor() })
    const stranger = await signIn({ code: await codeFor() })
    const of = (answer: typeof first, page = answer) => ({
      cookie: cookieOf(answer),
      'tillgate-page': page.json.pageSecret as string,
    })
    const body = JSON.stringify({ code: await codeFor() })
    const headers = { ...own, cookie: cookieOf(first) }
    const second = await app.request('POST', '/console/api/session', { key: null, headers, body })
    assert.equal(second.status, 201, second.text)
    const stateOf = async (answer: typeof first) =>
      (await app.get('/console/api/session', { key: null, headers: of(answer) })).status
    assert.deepEqual([await stateOf(first), await stateOf(second), await stateOf(stranger)], [401, 200, 200])
    // A wrong code does not end any session.
    const failed = await app.request('POST', '/console/api/session', {
      key: null,
      headers: { ...own, cookie: cookieOf(second) },
      body,
    })
    assert.equal(failed.status, 401)
    assert.equal(await stateOf(second), 200)
  })

  test('by a key grants the rights of the key, but never the right to push', async () => {
    const { session } = await signedIn({ key: app.key })
    assert.deepEqual(
      [session.kind, session.scopes, session.allLocations],
      ['key', ['read', 'webhooks', 'books'], false],
    )
    assert.deepEqual(
      session.locations.map(({ id }: { id: string }) => id),
      [app.location],
    )
    assertProblem(await signIn({ key: app.keys.ingest }), { status: 403, code: 'scope_missing' })
    assertProblem(await signIn({ key: app.keys.expired }), { status: 401, code: 'key_expired' })
    assertProblem(await signIn({ key: app.keys.revoked }), { status: 401, code: 'key_revoked' })
    assertProblem(await signIn({ key: app.keys.unknown }), { status: 401, code: 'key_unknown' })
    assertProblem(await signIn({ key: 'hunter2' }), { status: 401, code: 'key_unknown' })
    const bound = await app.addKey(app.location, { recipientId: randomUUID() })
    assert.notEqual((await signedIn({ key: bound.key })).session.recipientId, null)
  })

  test('records the network address and the browser of the user; an unused link has neither', async () => {
    const { key } = await app.addKey(app.location)
    const proxied = await startApp({ database: app.database, clock: () => new Date(now), trustProxy: ['127.0.0.0/8'] })
    const codeOfLink = async () => codeOf(await linkBy(key))
    const enter = async (server: typeof app, body: object, headers: Record<string, string>) => {
      const asOwn = { ...own, 'user-agent': 'Browser/1', ...headers }
      const options = { key: null, headers: asOwn, body: JSON.stringify(body) }
      const answer = await server.request('POST', '/console/api/session', options)
      assert.equal(answer.status, 201, answer.text)
      return answer.json.id as string
    }
    const behind = (client: string) => ({
      host: 'pos.example',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': client,
    })
    const forged = { 'x-forwarded-for': '203.0.113.1' }
    const expected = new Map<string, (string | null)[]>([
      [(await linkBy(key)).json.id, [null, null]],
      [await enter(app, { key }, {}), ['127.0.0.1', 'Browser/1']],
      [await enter(app, { code: await codeOfLink() }, { 'user-agent': 'Browser/2' }), ['127.0.0.1', 'Browser/2']],
      [await enter(app, { code: await codeOfLink() }, forged), ['127.0.0.1', 'Browser/1']],
      [await enter(proxied, { key }, behind('198.51.100.7')), ['198.51.100.7', 'Browser/1']],
      [
        await enter(proxied, { code: await codeOfLink() }, behind('203.0.113.1, ::ffff:198.51.100.8')),
        ['198.51.100.8', 'Browser/1'],
      ],
      [await enter(proxied, { key }, behind('[2001:DB8:0:0::7]:443')), ['2001:db8::7', 'Browser/1']],
      [await enter(proxied, { key }, behind('unknown')), [null, 'Browser/1']],
    ])
    const { json: list } = await app.get('/v1/console/sessions/?state=all', { key })
    assert.deepEqual(new Map(list.data.map((one: any) => [one.id, [one.address, one.userAgent]])), expected)
  })

  test('requires either a code or a key, as JSON, and an address has ten attempts a minute, successful or not', async () => {
    assert.equal((await signIn({})).status, 400)
    assert.equal((await signIn({ code: 'a', key: 'b' })).status, 400)
    assert.equal((await signIn({ code: 'a', more: 1 })).status, 400)
    const form = { ...own, 'content-type': 'application/x-www-form-urlencoded' }
    const posted = await app.request('POST', '/console/api/session', { key: null, headers: form, body: 'code=x' })
    assertProblem(posted, { status: 415, code: 'media_type_unsupported' })
    const limited = await startApp({
      database: app.database,
      clock: () => new Date(now),
      signInRate: new RateLimiter(10 / 60, 10, 'an address can try to sign in 10 times per minute'),
    })
    const attempt = (body: object) =>
      limited.request('POST', '/console/api/session', { key: null, headers: own, body: JSON.stringify(body) })
    for (let n = 0; n < 9; n++) assert.equal((await attempt({ code: 'wrong' })).status, 401)
    assert.equal((await attempt({ code: await codeFor() })).status, 201)
    const refused = await attempt({ code: await codeFor() })
    assertProblem(refused, { status: 429, code: 'rate_limited' })
    assert.equal(refused.headers['retry-after'], '6')
    now += 6_000
    assert.equal((await attempt({ code: await codeFor() })).status, 201)
  })

  test('counts one client behind a proxy as one, even if the proxy forwards its port', async () => {
    const signInRate = new RateLimiter(10 / 60, 2, 'an address can try to sign in 10 times per minute')
    const proxied = await startApp({
      database: app.database,
      clock: () => new Date(now),
      trustProxy: ['127.0.0.0/8'],
      signInRate,
    })
    const from = async (client: string) => {
      const headers = { ...own, host: '127.0.0.1', 'x-forwarded-for': client }
      const answer = await proxied.request('POST', '/console/api/session', { key: null, headers, body: '{"code":"x"}' })
      return answer.status
    }
    assert.equal(await from('198.51.100.7:1001'), 401)
    assert.equal(await from('203.0.113.1, ::ffff:198.51.100.7'), 401)
    assert.equal(await from('198.51.100.7:1002'), 429)
    assert.equal(await from('::ffff:198.51.100.8'), 401)
  })

  test('over http from another machine is refused with an explanation, unless it is allowed', async () => {
    const from = (server: typeof app, host: string, headers: Record<string, string> = {}) =>
      server.request('POST', '/console/api/session', {
        key: null,
        headers: { ...own, host, ...headers },
        body: '{"code":"x"}',
      })
    const proxied = await startApp({ database: app.database, trustProxy: ['127.0.0.0/8'], clock: () => new Date(now) })
    const forwarded = { 'x-forwarded-for': '192.0.2.7' }
    const plain = await from(proxied, 'till.example:4747', forwarded)
    assertProblem(plain, { status: 403, code: 'console_insecure' })
    const encrypted = { ...forwarded, 'x-forwarded-proto': 'https' }
    assertProblem(await from(proxied, 'till.example', encrypted), { status: 401, code: 'code_invalid' })
    const allowing = { isOn: true, isInsecureAllowed: true }
    const open = await startApp({ database: app.database, trustProxy: ['127.0.0.0/8'], console: allowing })
    assertProblem(await from(open, 'till.example:4747', forwarded), { status: 401, code: 'code_invalid' })
  })
})

describe('a link', () => {
  test('by a key can have some of the key’s rights; a request for more is refused as a whole', async () => {
    const { key } = await app.addKey(app.location, { scopes: ['read'] })
    const made = await linkBy(key, { name: 'Mme Dupont', returnUrl: 'https://vendor.example/back' })
    assert.equal(made.status, 201)
    assert.ok(made.json.url.startsWith(`${app.url}/console/#code=tgc_`))
    const { session, cookie } = await signedIn({ code: codeOf(made) })
    assert.deepEqual(
      [session.kind, session.name, session.scopes, session.returnUrl, session.id],
      ['link', 'Mme Dupont', ['read'], 'https://vendor.example/back', made.json.id],
    )
    const before = await app.pool`select 1 from console_sessions`
    assertProblem(await linkBy(key, { scopes: ['read', 'webhooks'] }), { status: 403, code: 'scope_missing' })
    assertProblem(await linkBy(key, { role: 'integrator' }), { status: 403, code: 'scope_missing' })
    assert.equal((await linkBy(key, { scopes: ['admin'] })).status, 400)
    assert.equal((await linkBy(key, { returnUrl: 'javascript:alert(1)' })).status, 400)
    assert.equal((await app.pool`select 1 from console_sessions`).length, before.length)
    const further = { headers: { cookie, 'content-type': 'application/json' }, body: '{}' }
    assertProblem(await call('POST', '/console/api/v1/console/links', further), { status: 403, code: 'scope_missing' })
    assertProblem(await linkBy('', {}), { status: 401, code: 'key_missing' })
  })

  test('and its sessions can be listed and ended only by the key that created it', async () => {
    const vendor = await app.addKey(app.location)
    const [link, other] = [await linkBy(vendor.key), await linkBy(app.other.key)]
    const { cookie } = await signedIn({ code: codeOf(link) })
    const list = async (key: string, query = '') => (await app.get(`/v1/console/sessions/${query}`, { key })).json.data
    assert.deepEqual(
      (await list(vendor.key)).map(({ id }: any) => id),
      [link.json.id],
    )
    const seen = await call('GET', '/console/api/v1/console/sessions/', { headers: { cookie } })
    assert.deepEqual(
      seen.json.data.map(({ id, isOwn }: any) => [id, isOwn]),
      [[link.json.id, true]],
    )
    const end = (key: string, id: string) => app.request('DELETE', `/v1/console/sessions/${id}`, { key })
    assertProblem(await end(vendor.key, other.json.id), { status: 404, code: 'session_not_found' })
    assertProblem(await end(app.key, link.json.id), { status: 404, code: 'session_not_found' })
    assert.equal((await end(vendor.key, link.json.id)).status, 204)
    assert.deepEqual(await list(vendor.key), [])
    assert.equal((await list(vendor.key, '?state=ended')).length, 1)
    assert.equal((await end(app.other.key, other.json.id)).status, 204)
    assertProblem(await signIn({ code: codeOf(other) }), { status: 401, code: 'code_invalid' })
    const admin = await signedIn({ code: await codeFor() })
    const all = await call('GET', '/console/api/v1/console/sessions/?state=all&size=2', {
      headers: { cookie: admin.cookie },
    })
    assert.equal(all.json.data.length, 2)
    assert.notEqual(all.json.meta.next, null)
    const rest = await call('GET', `/console/api/v1/console/sessions/?state=all&cursor=${all.json.meta.next}`, {
      headers: { cookie: admin.cookie },
    })
    const ids = [...all.json.data, ...rest.json.data].map(({ id }: any) => id)
    assert.equal(new Set(ids).size, ids.length)
    assert.ok(ids.includes(link.json.id) && ids.includes(other.json.id))
  })

  test('grants the rights of its role at each of the named restaurants, whoever created it', async () => {
    const { cookie } = await signedIn({ code: await codeFor() })
    const ids = [app.location, app.other.id]
    const invite = (body: object, as = cookie) =>
      call('POST', '/console/api/v1/console/links', {
        headers: { cookie: as, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    // Like `tillgate console link --role accountant`: an accountant issues entries, an integrator changes webhooks.
    const scopesOf = { owner: ['read'], accountant: ['read', 'books'], integrator: ['read', 'webhooks'] }
    for (const [role, scopes] of Object.entries(scopesOf)) {
      const made = await invite({ role, locationIds: ids })
      assert.equal(made.status, 201, made.text)
      assert.deepEqual(made.json.scopes, scopes, `the scopes of ${role}`)
      assert.deepEqual(made.json.locationIds, ids)
      const { session } = await signedIn({ code: codeOf(made) })
      assert.deepEqual([session.role, session.scopes], [role, scopes])
      assert.deepEqual(session.locations.map(({ id }: any) => id).toSorted(), ids.toSorted())
    }
    assertProblem(await invite({ role: 'owner' }), { status: 400, code: 'location_required' })
    assertProblem(await invite({ role: 'owner', locationIds: [randomUUID()] }), {
      status: 404,
      code: 'location_not_found',
    })
    // A link leads to no data that its issuer may not read, and grants no right that its issuer does not have.
    const { key } = await app.addKey(app.location, { scopes: ['read', 'books'] })
    assertProblem(await linkBy(key, { role: 'owner', locationIds: ids }), { status: 403, code: 'location_forbidden' })
    assert.equal((await linkBy(key, { role: 'accountant', locationIds: [app.location.toUpperCase()] })).status, 201)
    const { cookie: owners } = await signedIn({ code: codeOf(await invite({ role: 'owner', locationIds: ids })) })
    assertProblem(await invite({ role: 'owner', locationIds: ids }, owners), { status: 403, code: 'scope_missing' })
  })

  test('of an operator is for the chosen location, and a key has a rate limit for links', async () => {
    const { cookie } = await signedIn({ code: await codeFor() })
    const ask = (headers: Record<string, string>) =>
      call('POST', '/console/api/v1/console/links', {
        headers: { cookie, 'content-type': 'application/json', ...headers },
        body: '{}',
      })
    assertProblem(await ask({}), { status: 400, code: 'location_required' })
    const made = await ask({ 'tillgate-location': app.other.id })
    assert.deepEqual([made.status, made.json.locationId], [201, app.other.id])
    const rare = await startApp({ database: app.database, linkRate: new RateLimiter(1, 1, 'one a second') })
    const post = () =>
      rare.request('POST', '/v1/console/links', { headers: { 'content-type': 'application/json' }, body: '{}' })
    assert.equal((await post()).status, 201)
    assertProblem(await post(), { status: 429, code: 'rate_limited' })
    const { key } = await app.addKey(app.location)
    for (let n = 0; n < 60; n++) assert.equal((await linkBy(key)).status, 201)
    assertProblem(await linkBy(key), { status: 429, code: 'rate_limited' })
  })
})
