import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { hashKey, installationId, newToken } from '../../../../src/core/domain/accounts/keys.ts'
import { RateLimiter } from '../../../../src/core/http/guard/rate-limit.ts'
import { Sessions } from '../../../../src/modules/console/http/sessions.ts'
import { redeemCode } from '../../../../src/modules/console/store/console-sessions.ts'
import {
  activateLocation,
  deactivateLocation,
  deleteLocation,
} from '../../../../src/core/store/repair/location-states.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { addLocation, startApp } from '../../../support/app.ts'
import { order, smallOrderOf } from '../../../support/records.ts'
import { codeOf, consoleOf } from './console-calls.ts'

let now = Date.parse('2026-03-01T10:00:00.000Z')
const settings = { isOn: true, isInsecureAllowed: false }
const app = await startApp({ clock: () => new Date(now), console: settings })
const { call, signIn, signedIn, codeFor, linkBy } = consoleOf(app, () => now)
const admin = await app.addKey(installationId, { scopes: ['admin'] })
const json = { 'content-type': 'application/json' }

const post = (key: string, path: string, body: object) =>
  app.request('POST', path, { key, headers: json, body: JSON.stringify(body) })

/**
 * Columns with which a right is proven: the hash of a secret, or a public key. Add a new one here and to
 * `store/accounts/rights.ts`.
 */
const holders = [
  'api_keys.hash',
  'console_sessions.hash',
  'console_sessions.page_hash',
  'console_sessions.code_hash',
  'console_challenges.hash',
  'console_passkeys.public_key',
]

test('every column with the hash of a secret, or a public key, has a known end of validity', () => {
  const folder = join(import.meta.dirname, '../../../../src/core/store/migrations')
  const text = readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll(/--.*/g, ''))
    .join('\n')
  const made = [...text.matchAll(/create table (\w+) \(([\s\S]*?)\n\);/g)].flatMap(([, table, body = '']) =>
    [...body.matchAll(/^ {2}((?:\w+_)?hash|public_key) text/gm)].map(([, column]) => `${table}.${column}`),
  )
  const added = [...text.matchAll(/alter table (\w+) add column ((?:\w+_)?hash) text/g)].map(([, a, b]) => `${a}.${b}`)
  // Hashes of journals, of the access log, of booking entries and of signers of backups give no rights.
  const chains =
    /^(journal|book_entries|tree_nodes|location_seq|deleted_locations|access_\w+|verifications|backup_signers)\./
  const found = [...made, ...added].filter((name) => !chains.test(name))
  assert.deepEqual(found.toSorted(), holders.toSorted())
})

test('a key rotated from a key of a deactivated location has no access either', async () => {
  const site = await app.addLocation()
  const { id } = await app.addKey(site.id)
  await deactivateLocation(app.pool, site.id, new Date(now))
  const rotated = await post(admin.key, `/v1/admin/keys/${id}/rotation`, {})
  assert.equal(rotated.status, 201, rotated.text)
  const { key } = rotated.json as { key: string }
  const closed = { status: 403, code: 'location_inactive' }
  assertProblem(await app.get('/v1/orders/', { key }), closed)
  assertProblem(await app.push([order(smallOrderOf(site.id, 1))], { key }), closed)
  await activateLocation(app.pool, site.id, new Date(now))
  const again = await app.addKey(site.id)
  assert.equal((await app.get('/v1/orders/', { key: again.key })).status, 200)
})

test('the keys, sessions and unused links of a deleted location end for good, even if its id is used again', async () => {
  const site = await app.addLocation()
  const [used, unused] = [await linkBy(site.key), await linkBy(site.key)]
  const { cookie } = await signedIn({ code: codeOf(used) })
  const shared = await signedIn({ code: await codeFor({ kind: 'link', locationIds: [site.id, app.location] }) })
  const headers = { cookie }
  assert.equal((await call('GET', '/console/api/v1/orders/', { headers })).status, 200)
  await deactivateLocation(app.pool, site.id, new Date(now))
  await deleteLocation(app.pool, site.id, new Date(now))
  await addLocation(app.pool, site.id)
  assertProblem(await signIn({ code: codeOf(unused) }), { status: 401, code: 'code_invalid' })
  // Another process has nothing cached.
  const sessions = new Sessions(app.pool, () => new Date(now))
  const token = cookie.split('=')[1]
  await assert.rejects(sessions.authenticate({ token, pageSecret: 'x' }), { code: 'session_ended' })
  const later = await startApp({ database: app.database, clock: () => new Date(now) })
  assertProblem(await later.get('/v1/orders/', { key: site.key }), { status: 401, code: 'key_unknown' })
  await later.close()
  const [left] = await app.pool<{ ids: string[] }[]>`
    select location_ids as ids from console_sessions where id = ${shared.session.id}`
  assert.deepEqual(left?.ids, [app.location])
})

test('a key can have every right of a location', async () => {
  const scopes = ['read', 'webhooks', 'ingest', 'books']
  const made = await post(admin.key, '/v1/admin/keys/', { locationId: app.location, scopes })
  assert.equal(made.status, 201, made.text)
  assert.deepEqual(made.json.scopes, scopes)
})

test('an admin key ends with the session that created it, and so does a key that it created', async () => {
  const { cookie, session } = await signedIn({ code: await codeFor() })
  const make = (body: object) =>
    call('POST', '/console/api/v1/admin/keys/', { headers: { cookie, ...json }, body: JSON.stringify(body) })
  const first = await make({ scopes: ['admin'] })
  assert.equal(first.status, 201, first.text)
  assert.equal(first.json.expiresAt, session.expiresAt)
  const second = await post(first.json.key, '/v1/admin/keys/', { scopes: ['admin'], name: 'of the key' })
  assert.equal(second.status, 201, second.text)
  const till = await make({ scopes: ['ingest'], locationId: app.location })
  assert.equal((await call('DELETE', '/console/api/session', { headers: { cookie } })).status, 204)
  const later = await startApp({ database: app.database, clock: () => new Date(now) })
  for (const { json: made } of [first, second])
    assertProblem(await later.get('/v1/admin/keys/', { key: made.key }), { status: 401, code: 'key_revoked' })
  assert.equal((await later.get('/v1/admin/keys/', { key: admin.key })).status, 200, 'made by the command line')
  await later.close()
  // The operator signed in to create a key for a till.
  assert.equal((await app.push([order(smallOrderOf(app.location, 3))], { key: till.json.key })).status, 200)
})

describe('a session cookie', () => {
  test('grants no access without the secret of its page, which no other port of the host can read', async () => {
    const { cookie } = await signedIn({ code: await codeFor() })
    const bare = (method: string, path: string, more: Record<string, string> = {}) =>
      app.request(method, path, { key: null, headers: { 'sec-fetch-site': 'same-origin', cookie, ...more } })
    const missing = { status: 401, code: 'session_missing' }
    for (const [method, path] of [
      ['GET', '/console/api/session'],
      ['GET', '/console/api/v1/admin/keys/'],
      ['POST', '/console/api/v1/admin/keys/'],
      ['GET', '/console/api/v1/events/'],
    ] as const) {
      assertProblem(await bare(method, path), missing)
      assertProblem(await bare(method, path, { 'tillgate-page': 'tgp_wrong' }), missing)
    }
    assert.equal((await call('GET', '/console/api/session', { headers: { cookie } })).status, 200)
  })

  test('does not work with the secret of another session', async () => {
    const [one, other] = [await signedIn({ code: await codeFor() }), await signedIn({ code: await codeFor() })]
    const headers = { cookie: one.cookie, 'tillgate-page': other.session.pageSecret }
    assertProblem(await call('GET', '/console/api/session', { headers }), { status: 401, code: 'session_missing' })
  })
})

test('signing in is not delayed by strangers with invented cookies', async () => {
  const sessions = new Sessions(app.pool, () => new Date(now), { unknownPerSecond: 5, monotonic: () => 0 })
  const tryOut = (token: string) => sessions.authenticate({ token, pageSecret: 'x' }).catch((error) => error.code)
  const codes = []
  for (let n = 0; n < 6; n++) codes.push(await tryOut(newToken('tgs_')))
  assert.deepEqual(codes, [...Array.from({ length: 5 }, () => 'session_ended'), 'rate_limited'])
  const token = newToken('tgs_')
  const use = { token, pageSecret: 'x', userAgent: null, address: null, now: new Date(now) }
  assert.equal(await redeemCode(app.pool, hashKey(await codeFor()), use), true)
  assert.equal((await sessions.welcome(token)).kind, 'operator')
  assert.equal((await sessions.authenticate({ token, pageSecret: 'x' })).kind, 'operator')
})

test('signing in refuses a body over one kilobyte', async () => {
  assertProblem(await signIn({ code: 'x'.repeat(2_000) }), { status: 413, code: 'body_too_large' })
})

describe('a webhook disabled by an operator', () => {
  const reasons = ['operator', 'key_revoked', 'restored'] as const
  for (const reason of reasons) {
    test(`cannot be enabled by a partner: ${reason}`, async () => {
      const site = await app.addLocation()
      const made = await post(site.key, '/v1/webhooks/', {
        events: ['order.paid'],
        endpointUrl: 'http://127.0.0.1:9/hook',
        locationId: site.id,
        recipientId: site.id,
      })
      const { id } = made.json as { id: string }
      await app.pool`
        update webhooks set state = 'disabled', disabled_reason = ${reason}, disabled_at = now()
        where location_id = ${site.id} and id = ${id}`
      assertProblem(await post(site.key, `/v1/webhooks/${id}/enable`, {}), { status: 409, code: 'webhook_stopped' })
      const { cookie } = await signedIn({ code: await codeFor() })
      const headers = { cookie, 'tillgate-location': site.id, ...json }
      const enabled = await call('POST', `/console/api/v1/webhooks/${id}/enable`, { headers, body: '{}' })
      assert.equal(enabled.status, 200, enabled.text)
      assert.equal(enabled.json.state, 'enabled')
    })
  }

  test('differs from one that was disabled automatically, which the partner can enable', async () => {
    const site = await app.addLocation()
    const input = { events: ['order.paid'], endpointUrl: 'http://127.0.0.1:9/hook', locationId: site.id }
    const { json: made } = await post(site.key, '/v1/webhooks/', { ...input, recipientId: site.id })
    await app.pool`
      update webhooks set state = 'disabled', disabled_reason = 'gone', disabled_at = now()
      where location_id = ${site.id} and id = ${made.id}`
    assert.equal((await post(site.key, `/v1/webhooks/${made.id}/enable`, {})).status, 200)
  })
})

test('a key can read secrets and resend events at most once a second on average', async () => {
  const limited = await startApp({ clock: () => new Date(now), actRate: new RateLimiter(1, 3, 'acts') })
  const body = JSON.stringify({
    events: ['order.paid'],
    endpointUrl: 'http://127.0.0.1:9/hook',
    locationId: limited.location,
    recipientId: limited.location,
  })
  const made = await limited.request('POST', '/v1/webhooks/', { headers: json, body })
  const read = () => limited.get(`/v1/webhooks/${made.json.id}/secret`)
  assert.deepEqual([(await read()).status, (await read()).status, (await read()).status], [200, 200, 429])
  const [acts] = await limited.pool<{ n: number }[]>`select count(*)::int as n from access_entries`
  assert.equal(acts?.n, 3)
  await limited.close()
})

test('the user of a link sees nothing about the key that created it', async () => {
  const { cookie } = await signedIn({ code: codeOf(await linkBy(app.key)) })
  const own = await call('GET', '/console/api/v1/keys/own', { headers: { cookie } })
  assert.equal(own.json.kind, 'session')
  assert.equal(own.json.hint, '')
  assert.ok(!own.json.scopes.includes('ingest'))
})
