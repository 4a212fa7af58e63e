import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { generateSecret } from '../../../src/core/delivery/secrets.ts'
import { hashKey, isWellFormedKey } from '../../../src/core/domain/accounts/keys.ts'
import { listActs } from '../../../src/core/store/accounts/access.ts'
import { findApiKey } from '../../../src/core/store/accounts/api-keys.ts'
import { insertWebhook } from '../../../src/core/contract/webhooks/rows.ts'
import { tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { idOf } from '../../support/records.ts'
import { dayMs } from '../../../src/core/domain/days/time-units.ts'

const { connection, pool } = await createDatabase()
const env = { DATABASE_URL: toUrl(connection) }
const location = idOf('location', 1)

const create = (...args: string[]) => tillgate(['key', 'create', '--location', location, ...args], { env })

describe('location', () => {
  test('create creates a location whose journal begins with it, and list shows it', async () => {
    const fields = ['--name', 'Bistro Exemple', '--city', 'Paris', '--siret', '98297498200018']
    const args = ['location', 'create', '--id', location.toUpperCase(), ...fields, '--time-zone', 'europe/brussels']
    const made = await tillgateJson(args, { env })
    assert.deepEqual(made, {
      id: location,
      name: 'Bistro Exemple',
      timeZone: 'Europe/Brussels',
      currency: 'EUR',
      dayStartsAt: '05:00',
      fiscalYearStarts: '01-01',
      eReportingCategories: {},
      retiredDevices: {},
      paymentKinds: {},
      reportNumbers: 'consecutive',
    })
    const [listed] = await tillgateJson(['location', 'list'], { env })
    assert.deepEqual(Object.keys(listed).slice(0, 4), ['id', 'name', 'address', 'siret'])
    assert.deepEqual([listed.id, listed.city, listed.zip, listed.timeZone], [location, 'Paris', '', 'Europe/Brussels'])
    const entries = await pool`select seq, kind, types from journal where location_id = ${location}`
    assert.deepEqual([...entries], [{ seq: 1, kind: 'location', types: ['location.updated'] }])
  })

  const mistakes: [string, string[], RegExp][] = [
    ['an id in use', ['--id', location], /location .+ already exists/],
    ['an invalid time zone', ['--time-zone', 'Europe/Atlantis'], /--time-zone must be a name such as/],
  ]
  for (const [name, args, expected] of mistakes) {
    test(`create refuses ${name}`, async () => {
      const { code, stderr } = await tillgate(['location', 'create', '--name', 'Bar', ...args], { env })
      assert.equal(code, 2)
      assert.match(stderr, expected)
    })
  }
})

describe('key', () => {
  test('create prints the key once, and only its hash is stored', async () => {
    const { code, stdout, stderr } = await create('--scope', 'ingest,read', '--name', 'till 1')
    assert.equal(code, 0, stderr)
    const key = stdout.trimEnd()
    assert.ok(isWellFormedKey(key) && key.startsWith('tg_live_'))
    assert.doesNotMatch(stderr, new RegExp(key))
    const stored = await findApiKey(pool, hashKey(key))
    assert.deepEqual([stored?.scopes, stored?.name, stored?.locationId], [['read', 'ingest'], 'till 1', location])
    assert.doesNotMatch(JSON.stringify(stored), new RegExp(key))
  })

  test('create sets recipient and expiry, and marks test keys', async () => {
    const recipient = idOf('operator', 1)
    const args = ['--scope', 'webhooks', '--recipient', recipient, '--expires', '90d', '--test', '--json']
    const { id, key } = JSON.parse((await create(...args)).stdout)
    assert.ok(key.startsWith('tg_test_'))
    const stored = await findApiKey(pool, hashKey(key))
    assert.deepEqual([stored?.id, stored?.recipientId], [id, recipient])
    const days = ((stored?.expiresAt?.getTime() ?? 0) - Date.now()) / dayMs
    assert.ok(days > 89.9 && days <= 90, `${days} days`)
  })

  test('create accepts a date as the last day of a key', async () => {
    const { key } = JSON.parse((await create('--scope', 'read', '--expires', '2999-12-31', '--json')).stdout)
    const stored = await findApiKey(pool, hashKey(key))
    assert.equal(stored?.expiresAt?.toISOString(), '2999-12-31T23:59:59.999Z')
  })

  const mistakes: [string, string[], RegExp][] = [
    ['an invalid scope', ['--scope', 'read,write'], /--scope must be one or more of read,webhooks,ingest/],
    ['an expiry in the past', ['--scope', 'read', '--expires', '2020-01-01'], /--expires must be in the future/],
    ['an invalid expiry', ['--scope', 'read', '--expires', '2999-02-30'], /--expires must be a duration/],
    ['an unknown location', ['--scope', 'read', '--location', idOf('location', 9)], /location \S+ does not exist/],
  ]
  for (const [name, args, expected] of mistakes) {
    test(`create refuses ${name}`, async () => {
      const { code, stdout, stderr } = await create(...args)
      assert.deepEqual([code, stdout], [2, ''])
      assert.match(stderr, expected)
    })
  }

  test('list shows the state of each, and no key or hash', async () => {
    const keys = await tillgateJson(['key', 'list', '--location', location], { env })
    assert.equal(keys.length, 3)
    const revoked = await tillgateJson(['key', 'revoke', keys[0].id], { env })
    assert.equal(revoked.id, keys[0].id)
    const { stdout } = await tillgate(['key', 'list', '--json'], { env })
    const states = JSON.parse(stdout).map(({ state }: { state: string }) => state)
    assert.deepEqual(states.toSorted(), ['active', 'active', 'revoked'])
    assert.doesNotMatch(stdout, /[0-9a-f]{64}|tg_(live|test)_\w{5}/)
    const { stdout: shown } = await tillgate(['key', 'list'], { env })
    assert.equal(shown.trimEnd().split('\n').length, 4)
  })

  test('list reports an unknown location', async () => {
    const { code, stderr } = await tillgate(['key', 'list', '--location', randomUUID()], { env })
    assert.equal(code, 2)
    assert.match(stderr, /location .+ does not exist: see tillgate location list\n$/)
  })

  test('revoke revokes all keys with a name and no other', async () => {
    const make = async (name: string) =>
      JSON.parse((await create('--scope', 'read', '--name', name, '--json')).stdout).id as string
    const [one, other, two] = [await make('Mme Dupont'), await make('M. Durand'), await make('Mme Dupont')]
    const revoked = await tillgateJson(['key', 'revoke', '--name', 'Mme Dupont'], { env })
    assert.deepEqual(new Set(revoked.map(({ id }: { id: string }) => id)), new Set([one, two]))
    const keys = await tillgateJson(['key', 'list', '--location', location], { env })
    const stateOf = (wanted: string) => keys.find(({ id }: { id: string }) => id === wanted).state
    assert.deepEqual([one, two, other].map(stateOf), ['revoked', 'revoked', 'active'])
    assert.match(
      (await tillgate(['key', 'revoke', '--name', 'Mme Dupont'], { env })).stderr,
      /no valid key named "Mme Dupont"/,
    )
    assert.match((await tillgate(['key', 'revoke'], { env })).stderr, /either the id of a key or --name/)
    await tillgateJson(['key', 'revoke', other], { env })
  })

  test('revoke names the webhooks that the key could change, and disables them on request', async () => {
    const [recipient, other] = [randomUUID(), randomUUID()]
    const made = JSON.parse((await create('--scope', 'webhooks', '--recipient', recipient, '--json')).stdout)
    const [first, second, foreign] = [randomUUID(), randomUUID(), randomUUID()]
    const of = {
      locationId: location,
      events: ['order.paid' as const],
      createdAt: new Date(),
      secret: generateSecret(),
    }
    for (const id of [first, second]) {
      await insertWebhook(pool, { ...of, id, recipientId: recipient, endpointUrl: `https://one.example/${id}` })
    }
    await insertWebhook(pool, { ...of, id: foreign, recipientId: other, endpointUrl: 'https://two.example/' })
    const named = await tillgate(['key', 'revoke', made.id], { env })
    assert.deepEqual([named.code, named.stdout], [0, `revoked ${made.id}\n`])
    for (const id of [first, second]) assert.match(named.stderr, new RegExp(id))
    assert.doesNotMatch(named.stderr, new RegExp(foreign))
    const stopped = await tillgateJson(['key', 'revoke', made.id, '--with-webhooks'], { env })
    assert.deepEqual([stopped.webhooksDisabled.toSorted(), stopped.webhooksRemaining], [[first, second].toSorted(), []])
    const again = await tillgate(['key', 'revoke', made.id], { env })
    assert.match(again.stdout, new RegExp(`^${made.id} was already revoked at ${stopped.revokedAt}\n$`))
    const acts = (await listActs(pool, { locationId: location, before: null, since: null, limit: 1_000 })).toReversed()
    const revoked = acts.filter(({ document }) => document.includes('key.revoked') && document.includes(made.id))
    assert.equal(revoked.length, 1)
    const states = await pool<{ id: string; state: string }[]>`select id, state from webhooks where state = 'enabled'`
    assert.deepEqual(
      states.map(({ id }) => id),
      [foreign],
    )
  })

  test('revoke does not mention webhooks for a key without access to them', async () => {
    const { id } = JSON.parse((await create('--scope', 'read,ingest', '--json')).stdout)
    const { stderr } = await tillgate(['key', 'revoke', id], { env })
    assert.doesNotMatch(stderr, /webhook/)
  })

  test('rotate creates a key with the same rights, and the old one is valid for a while', async () => {
    const recipient = randomUUID()
    const args = ['--scope', 'read,webhooks', '--recipient', recipient, '--name', 'loyalty', '--test', '--json']
    const former = JSON.parse((await create(...args)).stdout)
    const made = await tillgateJson(['key', 'rotate', former.id, '--overlap', '7d'], { env })
    assert.ok(made.key.startsWith('tg_test_'))
    const [before, after] = await Promise.all([former.key, made.key].map((key) => findApiKey(pool, hashKey(key))))
    assert.deepEqual(
      [after?.scopes, after?.recipientId, after?.name, after?.locationId, after?.expiresAt],
      [['read', 'webhooks'], recipient, 'loyalty', location, null],
    )
    const days = ((before?.expiresAt?.getTime() ?? 0) - Date.now()) / dayMs
    assert.ok(days > 6.9 && days <= 7, `${days} days`)
    await tillgateJson(['key', 'revoke', former.id], { env })
    const refused = await tillgate(['key', 'rotate', former.id], { env })
    assert.equal(refused.code, 2)
    assert.match(refused.stderr, /is revoked/)
  })

  test('rotate never extends the expiry of a key', async () => {
    const former = JSON.parse((await create('--scope', 'read', '--expires', '2h', '--json')).stdout)
    const [row] = await pool<{ at: Date }[]>`select expires_at as at from api_keys where id = ${former.id}`
    const { formerUntil } = await tillgateJson(['key', 'rotate', former.id, '--overlap', '7d'], { env })
    assert.equal(formerUntil, row?.at.toISOString())
    const [after] = await pool<{ at: Date }[]>`select expires_at as at from api_keys where id = ${former.id}`
    assert.deepEqual(after?.at, row?.at)
  })

  test('revoke reports an unknown key', async () => {
    const { code, stderr } = await tillgate(['key', 'revoke', idOf('order', 1), '--json'], { env })
    assert.equal(code, 2)
    assert.equal(JSON.parse(stderr).error.code, 'key_not_found')
  })
})
