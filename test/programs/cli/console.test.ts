import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { hashKey, installationId } from '../../../src/core/domain/accounts/keys.ts'
import { createPasskey } from '../../../src/modules/console/store/passkeys.ts'
import { addKey, addLocation } from '../../support/app.ts'
import { commandsOn, serve, stop, toUrl } from '../../support/cli.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { startReceiver } from '../../support/receiver.ts'
import { linesOf, order, smallOrderOf } from '../../support/records.ts'

const { connection, pool } = await createDatabase()
const env = { DATABASE_URL: toUrl(connection) }
const { run, json, refuses } = commandsOn({ env })
const location = await addLocation(pool)

const codeOf = (url: string) => new URL(url).hash.replace('#code=', '')

async function rowOf({ url }: { url: string }): Promise<any> {
  const [row] = await pool`select * from console_sessions where code_hash = ${hashKey(codeOf(url))}`
  return row
}

const link = (name: string) => json`console link --location ${location} --name ${name}`

describe('console', () => {
  test('prints a link for the operator, whose code is stored only as a hash', async () => {
    const { code, stdout, stderr } = await run`console`
    assert.equal(code, 0, stderr)
    const url = stdout.trimEnd()
    assert.match(url, /^http:\/\/127\.0\.0\.1:4747\/console\/#code=tgc_[\w-]{43}$/)
    const row = await rowOf({ url })
    assert.deepEqual([row.kind, row.scopes, row.location_ids], ['operator', ['read', 'webhooks', 'admin'], null])
    assert.ok(!JSON.stringify(row).includes(url.slice(-20)))
  })

  test('link prints a link for an owner, sessions lists it and end ends it', async () => {
    const named = commandsOn({ env: { ...env, TILLGATE_PUBLIC_URL: 'https://pos.example/till' } })
    const made = await named.json`console link --location ${location} --role owner --expires 2d --name ${'Mme Dupont'}`
    assert.ok(made.url.startsWith('https://pos.example/till/console/#code='))
    const { scopes, location_ids: locations, ends_at: endsAt, created_at: createdAt } = await rowOf(made)
    assert.deepEqual([scopes, locations, endsAt - createdAt], [['read'], [location], 2 * 86_400_000])
    const listed = await run`console sessions`
    assert.match(listed.stdout, new RegExp(`${made.id} +Mme Dupont +read +${location} +not used yet +- +-`))
    await json`console end ${made.id}`
    assert.notEqual((await rowOf(made)).ended_at, null)
  })

  test('end ends all sessions and links of a name, and no other', async () => {
    const [one, other, two] = [await link('M. Martin'), await link('Mme Petit'), await link('M. Martin')]
    const { ids } = await json`console end --name ${'M. Martin'}`
    assert.deepEqual(new Set(ids), new Set([one.id, two.id]))
    const rows = [await rowOf(one), await rowOf(two), await rowOf(other)]
    assert.deepEqual(
      rows.map(({ ended_at: at }) => at === null),
      [false, false, true],
    )
  })

  test('passkeys lists those of a person, and end removes one, or all of a name with their sessions', async () => {
    const made = await link('Mme Grand')
    const row = await rowOf(made)
    assert.equal(row.renew_s, 365 * 86_400)
    const passkey = async (credentialId: string) => {
      const at = new Date()
      const renewUntil = new Date(at.getTime() + 86_400_000)
      const of = { recipientId: null, keyId: null, returnUrl: null, idleS: null, lastsS: 60 }
      const session = { ...row, ...of, name: 'Mme Grand', locationIds: [location], renewUntil, grantId: row.id }
      const device = { credentialId, publicKey: 'x', counter: 0, transports: [], isSynced: false, label: 'Phone' }
      const key = { ...device, origin: 'https://pos.example', lineage: [row.id] }
      return (await createPasskey(pool, session, key, at)) as string
    }
    const ids = [await passkey('one'), await passkey('two'), await passkey('three')] as const
    const { stdout } = await run`console passkeys --name ${'Mme Grand'}`
    assert.match(stdout, new RegExp(`${ids[0]} +Mme Grand +Phone +read +${location} +https://pos.example`))
    const left = async (name = 'Mme Grand') =>
      (await json`console passkeys --name ${name}`).map(({ id }: any) => id).toSorted()
    assert.deepEqual(await left('Mme Petit'), [])
    await json`console end ${ids[0]}`
    assert.deepEqual(await left(), ids.slice(1).toSorted())
    const ended = await json`console end --name ${'Mme Grand'}`
    assert.deepEqual(new Set(ended.ids), new Set([made.id, ids[1], ids[2]]))
    assert.deepEqual(await left(), [])
    const acts = await pool`
      select 1 from access_entries where location_id = ${location} and document like '%passkey.removed%'`
    assert.equal(acts.length, 3)
  })

  test('refuses unknown locations, ids and names, and excessive durations', async () => {
    const linking = ['link', '--location', location]
    const wrong: [string[], RegExp][] = [
      [['--role', 'owner'], /--location is required with --role owner/],
      [['link', '--location', randomUUID()], /location \S+ does not exist/],
      [[...linking, '--expires', '30d'], /--expires must be a duration from 1m to 7d/],
      [[...linking, '--renew', '2y'], /--renew must be "never" or a duration from 1d to 365d/],
      [['end', randomUUID()], /no session or passkey has the id/],
      [['end', '--name', 'Nobody'], /no session, link or passkey has the name "Nobody"/],
      [['end'], /either the id of a session or a passkey, or --name/],
    ]
    for (const [args, expected] of wrong) await refuses(expected)`console ${args}`
  })
})

test('a server at its most verbose log level logs no code, cookie, key or signing secret, nor does any error or access log', async () => {
  const receiver = await startReceiver()
  atEnd(() => receiver.close())
  // The webhook is refused the first time, so that a failed attempt is logged too.
  receiver.answer('/till', (_, earlier) => (earlier === 0 ? { status: 500, body: 'no' } : 200))
  const { key } = await addKey(pool, location)
  const chatty = {
    ...env,
    TILLGATE_LOG_LEVEL: 'trace',
    TILLGATE_ALLOW_HTTP: 'on',
    TILLGATE_ALLOW_ADDRESS: '127.0.0.0/8',
    TILLGATE_SIGN_INS: '0',
  }
  const served = await serve(['--role', 'all'], { env: chatty })
  const secrets = new Map([['key', key]])
  const answers: string[] = []
  const ask = async (method: string, path: string, headers: Record<string, string> = {}, body?: object | string) => {
    const type = { 'content-type': typeof body === 'string' ? 'application/x-ndjson' : 'application/json' }
    const answer = await fetch(`${served.url}${path}`, {
      method,
      headers: { 'sec-fetch-site': 'same-origin', ...(body === undefined ? {} : type), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    return { answer, text: await answer.text() }
  }
  // Places where the code must not appear: refusals, lists, pages.
  const look = async (...args: Parameters<typeof ask>) => {
    const { answer, text } = await ask(...args)
    answers.push(text, ...[...answer.headers].map(([name, value]) => `${name}: ${value}`))
    return text
  }
  const enter = async (name: string, credential: object) => {
    const { answer, text } = await ask('POST', '/console/api/session', {}, credential)
    assert.equal(answer.status, 201, text)
    const cookie = String(answer.headers.get('set-cookie')).split(';', 1)[0] as string
    secrets.set(`cookie by ${name}`, cookie.split('=')[1] as string)
    const { pageSecret, ...rest } = JSON.parse(text) as { pageSecret: string }
    answers.push(JSON.stringify(rest))
    secrets.set(`page secret by ${name}`, pageSecret)
    return { cookie, 'tillgate-page': pageSecret }
  }
  const ownCode = codeOf((await run`console`).stdout.trim())
  const ofOwner = JSON.parse((await ask('POST', '/v1/console/links', { 'x-api-key': key }, { role: 'owner' })).text)
  secrets.set('code of the operator', ownCode).set('code of a link', codeOf(ofOwner.url))
  const sessions = {
    operator: await enter('code', { code: ownCode }),
    integrator: await enter('key', { key }),
    owner: await enter('link', { code: codeOf(ofOwner.url) }),
  }
  const listed = await run`console sessions`
  assert.equal(listed.stdout.match(/ signed in +127\.0\.0\.1 /g)?.length, 3, listed.stdout)
  answers.push(listed.stdout)
  const target = { endpointUrl: receiver.url('/till'), locationId: location, recipientId: randomUUID() }
  const webhook = { events: ['order.created'], ...target }
  const made = JSON.parse((await ask('POST', '/v1/webhooks/', { 'x-api-key': key }, webhook)).text)
  const read = await ask('GET', `/console/api/v1/webhooks/${made.id}/secret`, sessions.integrator)
  secrets.set('signing secret', JSON.parse(read.text).secret)
  await look('POST', '/v1/ingest/', { 'x-api-key': key }, linesOf([order(smallOrderOf(location, 1))]))
  await receiver.waitFor('/till', 1)
  const chosen = { 'tillgate-location': location }
  for (const [name, secret] of secrets) {
    const session = { ...sessions.operator, ...chosen }
    await look('POST', '/console/api/session', {}, { code: secret, name })
    await look('POST', '/console/api/session', {}, { code: `${secret}x` })
    await look('POST', '/console/api/session', {}, { key: `${secret}x` })
    await look('POST', '/console/api/session', {}, `{"code":"${secret}"`)
    await look('GET', `/console/api/v1/orders/?code=${secret}`, session)
    await look('GET', `/console/api/v1/orders/?since=${secret}`, session)
    await look('GET', `/console/api/v1/orders/${secret}`, session)
    await look('GET', `/console/api/v1/${secret}`, session)
    await look('GET', `/v1/orders/?since=${secret}`, { 'x-api-key': secret })
    await look('GET', '/v1/orders/', { authorization: `Bearer ${secret}` })
    await look('GET', `/${secret}`, { accept: 'text/html' })
    await look('GET', `/console/assets/${secret}.js`, { accept: 'text/html', referer: `${served.url}/${secret}` })
    await look('GET', '/console/api/session', { cookie: `a=${secret}`, 'user-agent': secret })
  }
  for (const path of [
    'access/',
    'keys/own',
    'keys/own/errors',
    `webhooks/${made.id}`,
    `webhooks/${made.id}/deliveries`,
  ])
    await look('GET', `/console/api/v1/${path}`, sessions.integrator)
  for (const path of ['keys/', 'acts/', 'system', 'webhooks/', 'overview'])
    await look('GET', `/console/api/v1/admin/${path}`, sessions.operator)
  await look('GET', '/console/api/v1/console/sessions/', { ...sessions.operator, ...chosen })
  for (const session of Object.values(sessions)) await look('DELETE', '/console/api/session', session)
  const { stdout, stderr } = await stop(served)
  assert.match(stderr, /"level":"debug"/)
  assert.match(stderr, /session/)
  const entries = JSON.stringify(await pool`select * from access_entries`)
  for (const [name, secret] of secrets) {
    const kept = secret.slice(-20)
    for (const [where, text] of Object.entries({ stdout, stderr, entries, answers: answers.join('\n') })) {
      const at = text.indexOf(kept)
      assert.equal(at, -1, `${name} in ${where}: ${text.slice(Math.max(0, at - 300), at + 60)}`)
    }
  }
})

test('an installation key is created without a location and another scope, and verify verifies the log of its creation', async () => {
  const { id } = await json`key create --scope admin --name desk`
  const [row] = await pool`select location_id, scopes from api_keys where id = ${id}`
  assert.deepEqual({ ...row }, { location_id: installationId, scopes: ['admin'] })
  for (const args of [['admin,read'], ['admin', '--location', location], ['read']])
    await refuses(/./)`key create --scope ${args}`
  assert.equal((await run`verify`).code, 0)
  await pool`update access_entries set document = replace(document, 'cli', 'nobody') where location_id = ${installationId}`
  const broken = await run`verify`
  assert.equal(broken.code, 1)
  assert.match(broken.stdout, /of the access log/)
})
