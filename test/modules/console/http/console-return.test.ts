import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { dayMs, minuteMs, secondMs } from '../../../../src/core/domain/days/time-units.ts'
import { RateLimiter } from '../../../../src/core/http/guard/rate-limit.ts'
import { revokeApiKey } from '../../../../src/core/store/accounts/api-keys.ts'
import {
  endConsoleSession,
  pruneConsoleSessions,
  type LinkGrant,
} from '../../../../src/modules/console/store/console-sessions.ts'
import { deactivateLocation, deleteLocation } from '../../../../src/core/store/repair/location-states.ts'
import { assertProblem } from '../../../core/conformance/contract.ts'
import { startApp, type Answer } from '../../../support/app.ts'
import { Authenticator, type Twist } from '../../../support/authenticator.ts'
import { codeOf, consoleOf, own } from './console-calls.ts'

const origin = 'https://pos.example'

let now = Date.parse('2026-03-01T10:00:00.000Z')
const app = await startApp({
  clock: () => new Date(now),
  console: { isOn: true, isInsecureAllowed: false },
  publicUrl: origin,
  linkRate: null,
  signInRate: null,
})
const { call, signIn, signedIn, codeFor, linkBy } = consoleOf(app, () => now)

const json = { ...own, origin }
const refused = { status: 401, code: 'passkey_refused' }

/** Returns the grant of a link of `tillgate console link`: 30 days, and up to 60 days with renewals. */
const grant = (changes: Partial<LinkGrant> = {}): Partial<LinkGrant> => ({
  kind: 'link',
  name: 'Mme Dupont',
  role: 'owner',
  scopes: ['read'],
  locationIds: [app.location],
  lastsS: 30 * 86_400,
  idleS: null,
  renewS: 60 * 86_400,
  ...changes,
})

const byLink = async (changes: Partial<LinkGrant> = {}) => signedIn({ code: await codeFor(grant(changes)) })

const post = (path: string, body: object, cookie?: string, headers: Record<string, string> = {}) =>
  call('POST', path, {
    headers: { ...json, ...(cookie === undefined ? {} : { cookie }), ...headers },
    body: JSON.stringify(body),
  })

const renew = (cookie: string) => post('/console/api/session/renewal', {}, cookie)
const sessionOf = (cookie: string) => call('GET', '/console/api/session', { headers: { cookie } })
const offer = async (cookie: string) => (await post('/console/api/passkeys/offer', {}, cookie)).json
const challenge = async () => (await post('/console/api/session/challenge', {})).json

/** Adds a passkey of a new authenticator to a session. */
async function added(cookie: string, device = new Authenticator()): Promise<{ id: string; device: Authenticator }> {
  const answer = device.create(await offer(cookie), origin)
  const made = await post('/console/api/passkeys', { label: 'Phone', answer }, cookie)
  assert.equal(made.status, 201, made.text)
  return { id: made.json.id, device }
}

const enter = async (device: Authenticator, twist: Twist = {}): Promise<Answer> =>
  post('/console/api/session/passkey', device.get(await challenge(), origin, twist))

/** Signs in with a passkey. Resolves to the cookie with the secret of its page. */
async function entered(device: Authenticator): Promise<{ cookie: string; session: any }> {
  const answer = await enter(device)
  assert.equal(answer.status, 201, answer.text)
  return { cookie: remember(answer), session: answer.json }
}

const secrets = new Map<string, string>()

function remember(answer: Answer): string {
  const cookie = String(answer.headers['set-cookie']).split(';', 1)[0] as string
  secrets.set(cookie, answer.json.pageSecret)
  return cookie
}

const read = (cookie: string, path = '/v1/orders/') =>
  call('GET', `/console/api${path}`, { headers: { cookie, 'tillgate-page': secrets.get(cookie) ?? '' } })

async function acts(): Promise<string[]> {
  const { json: log } = await app.get('/v1/access/?limit=1000')
  return log.data.filter(({ kind }: any) => kind === 'act').map(({ act }: any) => act)
}

describe('a session', () => {
  test('can be renewed until the limit of its link, with the same rights, and the access log records it', async () => {
    const began = now
    const { cookie, session } = await byLink()
    assert.equal(session.renewableUntil, new Date(began + 60 * dayMs).toISOString())
    assert.equal(session.expiresAt, new Date(began + 30 * dayMs).toISOString())
    now = began + 25 * dayMs
    const first = await renew(cookie)
    assert.equal(first.status, 200, first.text)
    assert.equal(first.json.expiresAt, new Date(began + 55 * dayMs).toISOString())
    assert.match(String(first.headers['set-cookie']), new RegExp(`^${cookie}; .*Max-Age=${30 * 86_400};`))
    assert.deepEqual([first.json.scopes, first.json.locations.length], [['read'], 1])
    now = began + 54 * dayMs
    assert.equal((await renew(cookie)).json.expiresAt, new Date(began + 60 * dayMs).toISOString())
    assertProblem(await renew(cookie), { status: 409, code: 'session_not_renewable' })
    now = began + 60 * dayMs - secondMs
    assert.equal((await sessionOf(cookie)).status, 200)
    now = began + 60 * dayMs
    for (const answer of [await sessionOf(cookie), await renew(cookie)])
      assertProblem(answer, { status: 401, code: 'session_ended' })
    assert.equal((await acts()).filter((act) => act === 'session.renewed').length, 2)
  })

  test('cannot be renewed if it comes from a key, an operator’s link, or a link that does not allow it', async () => {
    const cookies = [
      (await signedIn({ key: app.key })).cookie,
      (await signedIn({ code: await codeFor() })).cookie,
      (await signedIn({ code: codeOf(await linkBy(app.key)) })).cookie,
    ]
    for (const cookie of cookies) {
      assert.equal((await sessionOf(cookie)).json.renewableUntil, null)
      for (const path of ['/console/api/session/renewal', '/console/api/passkeys/offer'])
        assertProblem(await post(path, {}, cookie), { status: 409, code: 'session_not_renewable' })
    }
  })

  test('from a link of a key lasts as long as the link states, but no longer than the key', async () => {
    const { key } = await app.addKey(app.location, { expiresAt: new Date(now + 40 * dayMs) })
    const made = await linkBy(key, { sessionSeconds: 30 * 86_400, renewSeconds: 365 * 86_400 })
    const { cookie, session } = await signedIn({ code: codeOf(made) })
    assert.equal(session.renewableUntil, new Date(now + 40 * dayMs).toISOString())
    now += 20 * dayMs
    assert.equal((await renew(cookie)).json.expiresAt, session.renewableUntil)
    now += 20 * dayMs
    assertProblem(await sessionOf(cookie), { status: 401, code: 'session_ended' })
  })

  test('that has just ended cannot be renewed, even if this process does not know it yet', async () => {
    const { cookie, session } = await byLink()
    now += dayMs
    assert.equal((await sessionOf(cookie)).status, 200)
    await endConsoleSession(app.pool, session.id, null, new Date(now))
    assertProblem(await renew(cookie), { status: 409, code: 'session_not_renewable' })
  })
})

describe('a passkey', () => {
  test('signs in again after signing out, with the rights of its link, and its owner can list and remove it', async () => {
    const began = now
    const { cookie } = await byLink()
    const { id, device } = await added(cookie)
    assert.equal((await call('DELETE', '/console/api/session', { headers: { cookie } })).status, 204)
    now = began + 40 * dayMs
    const { cookie: again, session } = await entered(device)
    assert.deepEqual([session.kind, session.name, session.scopes], ['link', 'Mme Dupont', ['read']])
    // 30 days would end 70 days after the link was used; 60 are allowed.
    assert.equal(session.expiresAt, new Date(began + 60 * dayMs).toISOString())
    const { json: sessions } = await read(again, '/v1/console/sessions/')
    assert.deepEqual(
      sessions.data.filter(({ isOwn }: any) => isOwn).map((one: any) => [one.id, one.address]),
      [[session.id, '127.0.0.1']],
    )
    const { json: list } = await read(again, '/v1/console/passkeys/')
    assert.deepEqual(
      list.data.map((one: any) => [one.id, one.label, one.isOwn, one.origin, one.lastUsedAt]),
      [[id, 'Phone', true, origin, new Date(now).toISOString()]],
    )
    const headers = { cookie: again, 'tillgate-page': secrets.get(again) ?? '' }
    assert.equal((await call('DELETE', `/console/api/v1/console/passkeys/${id}`, { headers })).status, 204)
    const logged = await acts()
    assert.deepEqual(
      ['passkey.added', 'passkey.removed'].map((act) => logged.filter((one) => one === act).length),
      [1, 1],
    )
    assertProblem(await enter(device), refused)
    now += 5 * secondMs
    const later = await startApp({ database: app.database, clock: () => new Date(now), publicUrl: origin })
    assertProblem(await later.get('/console/api/session', { key: null, headers }), {
      status: 401,
      code: 'session_ended',
    })
    await later.close()
  })

  test('expires with its link at the latest, however it is used', async () => {
    const { cookie } = await byLink()
    const { device } = await added(cookie)
    now += 59 * dayMs
    const { cookie: last } = await entered(device)
    // A passkey that is added in a session of the first passkey is valid no longer than that session.
    const other = new Authenticator()
    const headers = { cookie: last, 'tillgate-page': secrets.get(last) ?? '' }
    const offered = await call('POST', '/console/api/passkeys/offer', { headers: { ...json, ...headers }, body: '{}' })
    const answer = other.create(offered.json, origin)
    const made = await post('/console/api/passkeys', { label: 'Laptop', answer }, last, headers)
    assert.equal(made.status, 201, made.text)
    now += dayMs
    for (const one of [device, other]) assertProblem(await enter(one), refused)
  })

  test('ends with its location, with the key behind its link, and with the session that created it', async () => {
    const site = await app.addLocation()
    const one = await added((await byLink({ locationIds: [site.id] })).cookie)
    const both = await added((await byLink({ locationIds: [site.id, app.location] })).cookie)
    await deactivateLocation(app.pool, site.id, new Date(now))
    const closed = await entered(one.device)
    assertProblem(await read(closed.cookie), { status: 403, code: 'location_inactive' })
    await deleteLocation(app.pool, site.id, new Date(now))
    assertProblem(await enter(one.device), refused)
    assert.deepEqual(
      (await entered(both.device)).session.locations.map(({ id }: any) => id),
      [app.location],
    )

    const key = await app.addKey(app.location)
    const ofKey = codeOf(await linkBy(key.key, { renewSeconds: 86_400 }))
    const second = await added((await signedIn({ code: ofKey })).cookie)
    const { json: seen } = await app.get('/v1/console/passkeys/', { key: key.key })
    assert.deepEqual(
      seen.data.map(({ id }: any) => id),
      [second.id],
    )
    await revokeApiKey(app.pool, key.id, new Date(now))
    assertProblem(await enter(second.device), refused)

    const { cookie, session } = await byLink()
    const third = await added(cookie)
    await endConsoleSession(app.pool, session.id, null, new Date(now))
    assertProblem(await enter(third.device), refused)
  })

  test('ends all its sessions when it is removed, even if a session in between no longer exists', async () => {
    const { cookie } = await byLink()
    const first = await added(cookie)
    const between = await entered(first.device)
    const headers = { cookie: between.cookie, 'tillgate-page': secrets.get(between.cookie) ?? '' }
    const offered = await call('POST', '/console/api/passkeys/offer', { headers: { ...json, ...headers }, body: '{}' })
    const stolen = new Authenticator()
    const answer = stolen.create(offered.json, origin)
    assert.equal((await post('/console/api/passkeys', { label: 'x', answer }, between.cookie, headers)).status, 201)
    assert.equal((await call('DELETE', '/console/api/session', { headers })).status, 204)
    await pruneConsoleSessions(app.pool, new Date(now + 1))
    const thief = await entered(stolen)
    const removed = await call('DELETE', `/console/api/v1/console/passkeys/${first.id}`, { headers: { cookie } })
    assert.equal(removed.status, 204)
    assertProblem(await enter(stolen), refused)
    const [session] = await app.pool<{ endedAt: Date | null }[]>`
      select ended_at as "endedAt" from console_sessions where id = ${thief.session.id}`
    assert.deepEqual(session?.endedAt, new Date(now))
    // The owner's session, which the passkey did not open, still exists.
    assert.equal((await sessionOf(cookie)).status, 200)
  })

  test('cannot be added by a session that has just ended, even if this process does not know it yet', async () => {
    const { cookie, session } = await byLink()
    const device = new Authenticator()
    const answer = device.create(await offer(cookie), origin)
    await endConsoleSession(app.pool, session.id, null, new Date(now))
    const made = await post('/console/api/passkeys', { label: 'Phone', answer }, cookie)
    assertProblem(made, { status: 401, code: 'session_ended' })
    assertProblem(await enter(device), refused)
  })

  test('of other people can be neither listed nor removed', async () => {
    const [one, other] = [await byLink(), await byLink()]
    const mine = await added(one.cookie)
    const headers = { cookie: other.cookie }
    assert.deepEqual((await call('GET', '/console/api/v1/console/passkeys/', { headers })).json.data, [])
    const remove = (id: string, key: string) => app.request('DELETE', `/v1/console/passkeys/${id}`, { key })
    const missing = { status: 404, code: 'passkey_not_found' }
    assertProblem(await call('DELETE', `/console/api/v1/console/passkeys/${mine.id}`, { headers }), missing)
    assertProblem(await remove(mine.id, app.key), missing)
    assert.equal((await enter(mine.device)).status, 201)
  })

  test('is limited to ten per link, and one per device', async () => {
    const { cookie } = await byLink()
    const { device } = await added(cookie)
    const again = device.create(await offer(cookie), origin)
    const twice = await post('/console/api/passkeys', { label: 'Phone', answer: again }, cookie)
    assertProblem(twice, { status: 409, code: 'passkey_known' })
    const spare = device.create(await offer(cookie), origin)
    for (let n = 1; n < 10; n += 1) await added(cookie)
    assertProblem(await post('/console/api/passkeys/offer', {}, cookie), { status: 409, code: 'passkey_limit' })
    const beyond = await post('/console/api/passkeys', { label: 'Phone', answer: spare }, cookie)
    assertProblem(beyond, { status: 409, code: 'passkey_limit' })
  })
})

describe('a passkey sign-in is refused with the same text', () => {
  const owner = async () => added((await byLink()).cookie)

  const foreign = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
  const twists: Record<string, Twist> = {
    'a signature from a page of another origin': { origin: 'https://pos.example.evil.example' },
    'a signature from another port of the host': { origin: `${origin}:8443` },
    'a signature for another domain': { rpId: 'evil.example' },
    'a challenge that was never issued': { challenge: Buffer.from(`tgw_${'x'.repeat(43)}`).toString('base64url') },
    'an answer to the creation of a passkey': { type: 'webauthn.create' },
    'a signature without finger, face or PIN': { isUnverified: true },
    'a signature by another key': { by: foreign },
    'the user id of another person': {
      userHandle: Buffer.from('00000000-0000-4000-8000-000000000000').toString('base64url'),
    },
  }
  for (const [what, twist] of Object.entries(twists)) {
    test(`for ${what}`, async () => {
      const { device } = await owner()
      const answer = await enter(device, twist)
      const problem = assertProblem(answer, refused)
      assert.equal(problem.detail, assertProblem(await enter(new Authenticator()), refused).detail)
      assert.equal(answer.headers['set-cookie'], undefined)
      assert.equal((await enter(device)).status, 201, 'and the passkey itself goes on')
    })
  }

  test('for an answer that is sent twice, or after five minutes', async () => {
    const { device } = await owner()
    const answer = device.get(await challenge(), origin)
    assert.equal((await post('/console/api/session/passkey', answer)).status, 201)
    assertProblem(await post('/console/api/session/passkey', answer), refused)
    const late = device.get(await challenge(), origin)
    now += 5 * minuteMs + 1
    assertProblem(await post('/console/api/session/passkey', late), refused)
    // Two answers at the same time: only one signs in.
    const both = device.get(await challenge(), origin)
    const answers = await Promise.all([1, 2, 3].map(() => post('/console/api/session/passkey', both)))
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [201, 401, 401],
    )
  })

  test('for a counter that does not rise, which is logged, and for a foreign signature, which is not', async () => {
    const { device } = await owner()
    assert.equal((await enter(device, { counter: 1_000 })).status, 201)
    const before = (await acts()).filter((act) => act === 'passkey.refused').length
    for (const counter of [999, 1_000, 0]) assertProblem(await enter(device, { counter }), refused)
    assertProblem(await enter(device, { counter: 5, by: foreign }), refused)
    assert.equal((await acts()).filter((act) => act === 'passkey.refused').length, before + 3)
    assert.equal((await enter(device, { counter: 1_001 })).status, 201)
  })

  test('for a passkey created with a challenge of another session, or without one', async () => {
    const [one, other] = [await byLink(), await byLink()]
    const device = new Authenticator()
    const invalid = { status: 400, code: 'validation_failed' }
    const send = (answer: object, cookie: string) => post('/console/api/passkeys', { label: 'x', answer }, cookie)
    assertProblem(await send(device.create(await offer(one.cookie), origin), other.cookie), invalid)
    const { user, rp } = await offer(one.cookie)
    const ofNobody = { ...(await challenge()), user, rp }
    assertProblem(await send(device.create(ofNobody, origin), one.cookie), invalid)
    for (const twist of [{ origin: 'https://evil.example' }, { rpId: 'evil.example' }, { isUnverified: true }])
      assertProblem(await send(device.create(await offer(one.cookie), origin, twist), one.cookie), invalid)
    const once = device.create(await offer(one.cookie), origin)
    assert.equal((await send(once, one.cookie)).status, 201)
    assertProblem(await send(once, one.cookie), invalid)
    const credential = device.create(await offer(one.cookie), origin)
    assertProblem(await post('/console/api/session/passkey', credential), refused)
  })

  test('for a request from another site, over an unencrypted connection, or of excessive length', async () => {
    const { device } = await owner()
    const answer = device.get(await challenge(), origin)
    const from = (headers: Record<string, string>, body: object = answer) =>
      post('/console/api/session/passkey', body, undefined, headers)
    assertProblem(await from({ 'sec-fetch-site': 'cross-site' }), { status: 403, code: 'cross_site' })
    assertProblem(await from({ origin: 'https://evil.example' }), { status: 403, code: 'cross_site' })
    const long = { ...answer, more: 'x'.repeat(9_000) }
    assertProblem(await from({}, long), { status: 413, code: 'body_too_large' })
    assertProblem(await from({}, {}), { status: 400, code: 'validation_failed' })
    for (const response of [{}, { clientDataJSON: 'x' }, { clientDataJSON: 7 }])
      assertProblem(await from({}, { ...answer, response }), refused)
    assert.equal((await from({})).status, 201)
  })
})

test('passkey sign-in counts as an attempt of its address', async () => {
  const limited = await startApp({
    database: app.database,
    clock: () => new Date(now),
    publicUrl: origin,
    signInRate: new RateLimiter(10 / 60, 10, 'ten a minute'),
  })
  const ask = () => limited.request('POST', '/console/api/session/challenge', { key: null, headers: json, body: '{}' })
  const statuses = []
  for (let n = 0; n < 11; n += 1) statuses.push((await ask()).status)
  assert.deepEqual(statuses, [...Array.from({ length: 10 }, () => 200), 429])
  const answer = new Authenticator().get({ challenge: 'x', rpId: 'pos.example' }, origin)
  const tried = await limited.request('POST', '/console/api/session/passkey', {
    key: null,
    headers: json,
    body: JSON.stringify(answer),
  })
  assert.equal(tried.status, 429)
  await limited.close()
  // A code is refused as well, because attempts with passkeys count.
  assertProblem(await signIn({ code: 'x' }), { status: 401, code: 'code_invalid' })
})
