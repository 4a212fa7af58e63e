import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { hashKey, installationId } from '../../src/domain/keys.ts'
import { Session, sessionTimes, type SessionScope } from '../../src/schemas/console.ts'
import { RateLimiter } from '../../src/http/rate-limit.ts'
import { Sessions } from '../../src/http/console/sessions.ts'
import { deactivateLocation } from '../../src/store/location-states.ts'
import { createConsoleLink, type LinkGrant } from '../../src/store/console-sessions.ts'
import { assertProblem, assertSchema } from '../conformance/contract.ts'
import { startApp, type Answer, type RequestOptions } from '../support/app.ts'
import { atEnd } from '../support/database.ts'
import { openEventStream } from '../support/event-stream.ts'
import { order, smallOrderOf } from '../support/records.ts'
import { eventually } from '../support/waiting.ts'
import { hourMs } from '../../src/domain/time-units.ts'

const folder = await mkdtemp(join(tmpdir(), 'tillgate-test-console-'))
atEnd(() => rm(folder, { recursive: true, force: true }))
await mkdir(join(folder, 'assets'))
await writeFile(join(folder, 'index.html'), '<!doctype html><script src="/console/assets/a-1.js"></script>')
await writeFile(join(folder, 'assets/a-1.js'), 'plain')
await writeFile(join(folder, 'assets/a-1.js.br'), 'brotli')
await writeFile(join(folder, 'assets/a-1.js.gz'), 'gzip')
await writeFile(join(folder, 'favicon.svg'), '<svg/>')
await writeFile(join(folder, '..', 'tillgate-outside.js'), 'secret')
atEnd(() => rm(join(folder, '..', 'tillgate-outside.js'), { force: true }))

let now = Date.parse('2026-03-01T10:00:00.000Z')
const settings = { isOn: true, isInsecureAllowed: false, folder }
const app = await startApp({ clock: () => new Date(now), console: settings })
await app.store([order(smallOrderOf(app.location, 1))])

const own = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' }
const call = (method: string, path: string, options: RequestOptions = {}) =>
  app.request(method, path, { key: null, ...options, headers: { 'sec-fetch-site': 'same-origin', ...options.headers } })

const signIn = (body: object, headers: Record<string, string> = {}) =>
  app.request('POST', '/console/api/session', {
    key: null,
    headers: { ...own, ...headers },
    body: JSON.stringify(body),
  })

const cookieOf = (answer: Answer) => String(answer.headers['set-cookie']).split(';', 1)[0] as string

async function signedIn(body: object): Promise<{ cookie: string; session: any }> {
  const answer = await signIn(body)
  assert.equal(answer.status, 201, answer.text)
  assertSchema(Session, answer.json)
  return { cookie: cookieOf(answer), session: answer.json }
}

async function codeFor(changes: Partial<LinkGrant> = {}): Promise<string> {
  const scopes: SessionScope[] = ['read', 'webhooks', 'admin']
  const who = { kind: 'operator' as const, name: 'operator', role: 'operator' as const, scopes, recipientId: null }
  const made = { locationIds: null, keyId: null, madeBy: 'cli', returnUrl: null, ...sessionTimes.operator }
  return (await createConsoleLink(app.pool, { ...who, ...made, ...changes }, new Date(now))).code
}

const linkBy = (key: string, body: object = {}) =>
  app.request('POST', '/v1/console/links', {
    key,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const codeOf = (link: Answer) => new URL(link.json.url).hash.replace('#code=', '')

describe('the pages of the console', () => {
  test('are sent with a policy that runs our files only, are not kept, and name what they load by their own place', async () => {
    for (const [path, up] of [
      ['/console/', './'],
      ['/console/today', './'],
      ['/console/ops/keys', '../'],
    ] as const) {
      const answer = await app.get(path, { key: null, headers: { accept: 'text/html' } })
      assert.equal(answer.status, 200)
      assert.ok(answer.text.includes(`src="${up}assets/a-1.js"`), answer.text)
      const policy = String(answer.headers['content-security-policy'])
      assert.deepEqual(policy.split('; ').toSorted(), [
        "base-uri 'none'",
        "connect-src 'self'",
        "default-src 'none'",
        "font-src 'self'",
        "form-action 'self'",
        "frame-ancestors 'none'",
        "img-src 'self' data:",
        "manifest-src 'self'",
        "require-trusted-types-for 'script'",
        "script-src 'self'",
        "style-src 'self'",
        'trusted-types default',
      ])
      assert.equal(answer.headers['x-frame-options'], 'DENY')
      assert.equal(answer.headers['cache-control'], 'no-store')
      assert.equal(answer.headers['cross-origin-opener-policy'], 'same-origin')
    }
    assert.equal((await app.get('/console', { key: null })).headers.location, './console/')
  })

  test('load files that may be kept for a year, packed as the browser takes them', async () => {
    const path = '/console/assets/a-1.js'
    const get = (coding: string) => app.get(path, { key: null, headers: { 'accept-encoding': coding } })
    assert.deepEqual(
      (await Promise.all(['gzip, br', 'gzip;q=0.5', 'br;q=0, gzip;q=0', 'identity'].map(get))).map(({ text }) => text),
      ['brotli', 'gzip', 'plain', 'plain'],
    )
    const answer = await get('br')
    assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(answer.headers['content-encoding'], 'br')
    assert.equal(answer.headers['content-type'], 'text/javascript; charset=utf-8')
    assert.equal((await app.get('/console/favicon.svg', { key: null })).headers['cache-control'], 'no-cache')
  })

  test('lead to no file outside of their folder, and to no page where a program asks', async () => {
    for (const path of [
      '../tillgate-outside.js',
      '..%2ftillgate-outside.js',
      'assets/../../tillgate-outside.js',
      '%2e%2e/tillgate-outside.js',
      '..%5ctillgate-outside.js',
      '..%252ftillgate-outside.js',
      'assets/..%2f..%2ftillgate-outside.js',
      `/${folder}/../tillgate-outside.js`,
      'assets/a-1.js%00',
      '%2e',
      'assets',
    ]) {
      const answer = await app.get(`/console/${path}`, { key: null })
      assert.equal(answer.status, 404, path)
      assert.doesNotMatch(answer.text, /secret/)
    }
    assertProblem(await app.get('/console/none', { key: null }), { status: 404, code: 'route_not_found' })
    const asset = await app.get('/console/assets/none.js', { key: null, headers: { accept: 'text/html' } })
    assertProblem(asset, { status: 404, code: 'route_not_found' })
    assertProblem(await call('GET', '/console/api/none', { headers: { accept: 'text/html' } }), {
      status: 404,
      code: 'route_not_found',
    })
  })

  test('say how to build them where they are not built, and answer nothing where the console is off', async () => {
    const bare = await startApp({ database: app.database, console: { ...settings, folder: join(folder, 'none') } })
    const page = await bare.get('/console/', { key: null, headers: { accept: 'text/html' } })
    assert.equal(page.status, 503)
    assert.match(page.text, /npm run console:build/)
    const off = await startApp({ database: app.database, console: { ...settings, isOn: false } })
    for (const path of ['/console/', '/console/api/session', '/console/api/v1/orders/']) {
      assertProblem(await off.get(path, { key: null }), { status: 404, code: 'route_not_found' })
    }
  })
})

describe('signing in', () => {
  test('by the code of a link works once, also when two try at the same time', async () => {
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

  test('makes a cookie that no script reads, no other site sends and nothing but the API of the console gets', async () => {
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
    const again = await secure.get('/console/api/session', { key: null, headers: { cookie: cookieOf(proxied) } })
    assert.equal(again.status, 200)
    assert.equal(again.json.server.baseUrl, 'https://pos.example/till')
  })

  test('by a key gives what the key may, and never the right to push', async () => {
    const { session } = await signedIn({ key: app.key })
    assert.deepEqual([session.kind, session.scopes, session.allLocations], ['key', ['read', 'webhooks'], false])
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

  test('wants either, as JSON, and counts ten tries a minute of one address, good and bad', async () => {
    assert.equal((await signIn({})).status, 400)
    assert.equal((await signIn({ code: 'a', key: 'b' })).status, 400)
    assert.equal((await signIn({ code: 'a', more: 1 })).status, 400)
    const form = { ...own, 'content-type': 'application/x-www-form-urlencoded' }
    const posted = await app.request('POST', '/console/api/session', { key: null, headers: form, body: 'code=x' })
    assertProblem(posted, { status: 415, code: 'media_type_unsupported' })
    const limited = await startApp({
      database: app.database,
      clock: () => new Date(now),
      signInRate: new RateLimiter(10 / 60, 10, 'one address may try to sign in 10 times a minute'),
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

  test('counts one client behind a proxy as one, also where the proxy forwards its port', async () => {
    const signInRate = new RateLimiter(10 / 60, 2, 'one address may try to sign in 10 times a minute')
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

  test('over http from another machine is refused with what to do, unless it is allowed', async () => {
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

describe('a request of another site', () => {
  const shapes: [method: string, headers: Record<string, string>, isTaken: boolean][] = [
    ['POST', { 'sec-fetch-site': 'same-origin' }, true],
    ['POST', { 'sec-fetch-site': 'same-site' }, false],
    ['POST', { 'sec-fetch-site': 'cross-site' }, false],
    ['POST', { 'sec-fetch-site': 'none' }, false],
    ['POST', { 'sec-fetch-site': 'cross-site', origin: `http://127.0.0.1:${app.port}` }, false],
    ['POST', { origin: `http://127.0.0.1:${app.port}` }, true],
    ['POST', { origin: 'https://evil.example' }, false],
    ['POST', { origin: 'null' }, false],
    ['POST', {}, false],
    ['GET', { 'sec-fetch-site': 'same-origin' }, true],
    ['GET', { 'sec-fetch-site': 'none' }, true],
    ['GET', {}, true],
    ['GET', { 'sec-fetch-site': 'same-site' }, false],
    ['GET', { 'sec-fetch-site': 'cross-site' }, false],
    ['GET', { origin: 'https://evil.example' }, false],
  ]

  test('is refused by Sec-Fetch-Site, and where there is none by Origin, whatever cookie it carries', async () => {
    const { cookie } = await signedIn({ key: app.key })
    for (const [method, headers, isTaken] of shapes) {
      const shape = `${method} ${JSON.stringify(headers)}`
      const path = method === 'GET' ? '/console/api/v1/orders/' : '/console/api/v1/webhooks/'
      const body = method === 'GET' ? {} : { body: '{}' }
      const json = { cookie, 'content-type': 'application/json' }
      const answer = await app.request(method, path, { key: null, headers: { ...json, ...headers }, ...body })
      if (isTaken)
        assert.ok(answer.status === 200 || answer.json.code === 'validation_failed', `${shape}: ${answer.text}`)
      else assertProblem(answer, { status: 403, code: 'cross_site' })
      if (isTaken) continue
      for (const of of method === 'GET' ? ['GET'] : ['POST', 'DELETE']) {
        const door = await app.request(of, '/console/api/session', {
          key: null,
          headers: { ...json, ...headers },
          ...body,
        })
        assertProblem(door, { status: 403, code: 'cross_site' })
      }
    }
    assert.equal((await call('GET', '/console/api/session', { headers: { cookie } })).status, 200)
  })

  test('that has made its name lead here is refused by that name', async () => {
    const { cookie } = await signedIn({ key: app.key })
    for (const host of ['evil.example', `evil.example:${app.port}`, '127.0.0.1.evil.example']) {
      const answer = await call('GET', '/console/api/v1/orders/', { headers: { cookie, host } })
      assertProblem(answer, { status: 421, code: 'host_unknown' })
    }
    const local = { cookie, host: `localhost:${app.port}` }
    assert.equal((await call('GET', '/console/api/v1/orders/', { headers: local })).status, 200)
  })
})

describe('a session', () => {
  test('is answered by the handlers of /v1, byte for byte what its key is answered', async () => {
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
    assert.equal(answer.headers['vary'], 'Cookie, Tillgate-Location')
    const sales = await call('GET', '/console/api/v1/sales/', { headers: { cookie } })
    assert.equal(sales.headers['vary'], 'Cookie, Tillgate-Location, Accept')
    assert.equal(answer.headers['cache-control'], 'private, no-store')
  })

  test('counts under /console/api/ only, and a key does not count there', async () => {
    const { cookie } = await signedIn({ key: app.key })
    for (const path of ['/v1/orders/', '/v1/admin/audit/', '/health/', '//console/api/v1/orders/']) {
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

  test('may do what it was made for and nothing else, at the locations that it was made for', async () => {
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

  test('of an operator chooses one of all locations in Tillgate-Location', async () => {
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

  test('ends by signing out, and what it knew is of no use any more', async () => {
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

  test('ends in a second process, with a stream that is under way, with its key', async () => {
    const { id, key } = await app.addKey(app.location)
    const { cookie } = await signedIn({ key })
    const second = await startApp({ database: app.database, clock: () => new Date(now) })
    const name = cookie.replace(String(app.port), String(second.port))
    const ask = () => second.get('/console/api/v1/orders/', { key: null, headers: { cookie: name } })
    assert.equal((await ask()).status, 200)
    const stream = await openEventStream(`${second.url}/console/api/v1/events/`, { cookie: name })
    await app.pool`update api_keys set revoked_at = now() where id = ${id}`
    await eventually(async () => (await ask()).status === 401, 'the session ends with its key')
    await app.store([order(smallOrderOf(app.location, 2))])
    second.context.hints.committed(app.location)
    await stream.ended
    assert.deepEqual(stream.events, [])
    assertProblem(await ask(), { status: 401, code: 'session_ended' })
  })

  test('ends within 5 s in a process that nobody tells, which asks the database no oftener than every 3 s', async () => {
    const { cookie, session } = await signedIn({ code: await codeFor() })
    let ms = 0
    const sessions = new Sessions(app.pool, () => new Date(now), { monotonic: () => ms })
    const isLive = () =>
      sessions.authenticate(cookie.split('=')[1]).then(
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

  test('ends after twelve hours of disuse, and after seven days in any case', async () => {
    const idle = await signedIn({ code: await codeFor() })
    const busy = await signedIn({ code: await codeFor() })
    const state = async ({ cookie }: { cookie: string }) => {
      // A ring of its own knows nothing from before.
      const sessions = new Sessions(app.pool, () => new Date(now))
      const code = await sessions.authenticate(cookie.split('=')[1]).then(
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
  test('ends when the key expires, and so does one of a link that the key made', async () => {
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

  test('opens nothing of a location that is not active, nor does one of an operator', async () => {
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

describe('a link', () => {
  test('by a key opens a part of what the key may, and is refused as a whole where it asks for more', async () => {
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

  test('and the sessions that came of it are seen and ended by whose key is behind them, and by nobody else', async () => {
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

  test('is made by an operator for the location that is chosen, and so often by one key', async () => {
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

describe('a key of the installation', () => {
  test('is refused by every operation of a location', async () => {
    const { key } = await app.addKey(installationId, { scopes: ['admin'] })
    for (const path of ['/v1/orders/', '/v1/webhooks/', '/health/', '/v1/locations/own', '/v1/events/']) {
      assertProblem(await app.get(path, { key }), { status: 403, code: 'scope_missing' })
    }
    assert.equal((await app.get('/v1/console/sessions/', { key })).status, 200)
    assertProblem(await linkBy(key), { status: 400, code: 'location_required' })
    await assert.rejects(app.addKey(app.location, { scopes: ['admin'] }))
    await assert.rejects(app.addKey(installationId, { scopes: ['read'] }))
  })
})

describe('the log', () => {
  test('holds no code, cookie or key of a whole journey, refused steps among them', async () => {
    const code = await codeFor()
    const { cookie } = await signedIn({ code })
    const token = cookie.split('=')[1] as string
    await signIn({ code })
    await signIn({ key: `${app.key}x` })
    await signIn({ code, key: app.key })
    await call('GET', `/console/api/v1/orders/?code=${code}&token=${token}`, { headers: { cookie } })
    await call('GET', `/console/api/v1/${token}`, { headers: { cookie } })
    await call('GET', '/console/api/v1/orders/', { headers: { cookie, host: `${token}.example` } })
    await call('DELETE', '/console/api/session', { headers: { cookie } })
    assert.ok(app.lines.length > 5)
    const log = JSON.stringify(app.lines)
    for (const secret of [code, token, app.key]) assert.ok(!log.includes(secret.slice(8, 40)), secret.slice(0, 4))
  })

  test('of access says who began and who ended a session', async () => {
    const site = await app.addLocation()
    const { session, cookie } = await signedIn({ key: site.key })
    await call('DELETE', '/console/api/session', { headers: { cookie } })
    const entries = (await app.get('/v1/access/', { key: site.key })).json.data
    const acts = entries.filter(({ kind }: any) => kind === 'act').map(({ act, subject }: any) => [act, subject])
    assert.deepEqual(acts, [
      ['session.started', session.id],
      ['session.ended', session.id],
    ])
  })
})
