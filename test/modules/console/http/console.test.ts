import assert from 'node:assert/strict'
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { installationId } from '../../../../src/core/domain/accounts/keys.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { consoleOf } from './console-calls.ts'
import { startApp } from '../../../support/app.ts'
import { atEnd } from '../../../support/database.ts'
import { order, smallOrderOf } from '../../../support/records.ts'

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

const { call, pageOf, signIn, signedIn, codeFor, linkBy } = consoleOf(app, () => now)

test('answers to the console are compressed if its browser accepts it, answers to a key are not', async () => {
  const { cookie } = await signedIn({ key: app.key })
  const page = { cookie, 'tillgate-page': pageOf(cookie) ?? '' }
  const headers = { 'accept-encoding': 'gzip, br', 'sec-fetch-site': 'same-origin', ...page }
  const path = '/v1/orders/?size=1'
  const plain = await fetch(`${app.url}${path}`, { headers: { 'x-api-key': app.key, 'accept-encoding': 'gzip' } })
  assert.equal(plain.headers.get('content-encoding'), null)
  const whole = await plain.text()
  const answer = await fetch(`${app.url}/console/api${path}`, { headers: headers })
  assert.deepEqual([answer.status, answer.headers.get('content-encoding')], [200, 'gzip'])
  assert.match(answer.headers.get('vary') ?? '', /Cookie.*Accept-Encoding/)
  assert.ok(Number(answer.headers.get('content-length')) < whole.length / 2)
  // Only `data`, because links have the scheme of the request.
  assert.deepEqual(JSON.parse(await answer.text()).data, JSON.parse(whole).data)
  const without = { ...headers, 'accept-encoding': 'br' }
  const other = await fetch(`${app.url}/console/api${path}`, { headers: without })
  assert.deepEqual([other.status, other.headers.get('content-encoding')], [200, null])
  const small = await fetch(`${app.url}/console/api/v1/journal/head`, { headers: headers })
  assert.equal(small.headers.get('content-encoding'), null)
})

describe('the console pages', () => {
  test('have a policy that runs only files of the console, are not cached, and use paths relative to their own', async () => {
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

  test('load files that are cacheable for a year, compressed as the browser accepts', async () => {
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

  test('never return a file outside their folder, and are not returned to a program', async () => {
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

  test('explain how to build them if they are not built, and are 404 if the console is switched off', async () => {
    const bare = await startApp({ database: app.database, console: { ...settings, folder: join(folder, 'none') } })
    const page = await bare.get('/console/', { key: null, headers: { accept: 'text/html' } })
    assert.equal(page.status, 503)
    assert.match(page.text, /npm run make -- console/)
    const off = await startApp({ database: app.database, console: { ...settings, isOn: false } })
    for (const path of ['/console/', '/console/api/session', '/console/api/v1/orders/']) {
      assertProblem(await off.get(path, { key: null }), { status: 404, code: 'route_not_found' })
    }
  })
})

describe('a cross-site request', () => {
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

  test('is refused by Sec-Fetch-Site, or by Origin if that is missing, with any cookie', async () => {
    const { cookie } = await signedIn({ key: app.key })
    for (const [method, headers, isTaken] of shapes) {
      const shape = `${method} ${JSON.stringify(headers)}`
      const path = method === 'GET' ? '/console/api/v1/orders/' : '/console/api/v1/webhooks/'
      const body = method === 'GET' ? {} : { body: '{}' }
      const json = { cookie, 'tillgate-page': pageOf(cookie) ?? '', 'content-type': 'application/json' }
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

  test('whose host name resolves to this server is refused by that name', async () => {
    const { cookie } = await signedIn({ key: app.key })
    for (const host of ['evil.example', `evil.example:${app.port}`, '127.0.0.1.evil.example']) {
      const answer = await call('GET', '/console/api/v1/orders/', { headers: { cookie, host } })
      assertProblem(answer, { status: 421, code: 'host_unknown' })
    }
    const local = { cookie, host: `localhost:${app.port}` }
    assert.equal((await call('GET', '/console/api/v1/orders/', { headers: local })).status, 200)
  })
})

describe('an installation key', () => {
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

  test('creates links for any location, and its session acts for the installation, whichever location a page shows', async () => {
    const { key } = await app.addKey(installationId, { scopes: ['admin'] })
    const made = await linkBy(key, { role: 'accountant', locationIds: [app.location, app.other.id] })
    assert.deepEqual([made.status, made.json.scopes], [201, ['read', 'books']], made.text)
    assertProblem(await linkBy(key, { locationIds: [installationId] }), { status: 404, code: 'location_not_found' })
    const { cookie } = await signedIn({ key })
    const headers = { cookie, 'tillgate-location': app.location }
    for (const path of ['keys/own', 'console/sessions/', 'console/passkeys/', 'admin/overview'])
      assert.equal((await call('GET', `/console/api/v1/${path}`, { headers })).status, 200, path)
    const refused = { status: 403, code: 'scope_missing' }
    assertProblem(await call('GET', '/console/api/v1/orders/', { headers }), refused)
  })
})

describe('the log', () => {
  test('contains no code, cookie or key of a whole visit, including refused steps', async () => {
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

  test('of access contains who started and who ended a session', async () => {
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
