import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { generateSecret } from '../../../src/core/delivery/secrets.ts'
import { hashKey, isWellFormedKey } from '../../../src/core/domain/accounts/keys.ts'
import { listActs } from '../../../src/core/store/accounts/access.ts'
import { findApiKey } from '../../../src/core/store/accounts/api-keys.ts'
import { insertWebhook } from '../../../src/core/contract/webhooks/rows.ts'
import { addLocation } from '../../support/app.ts'
import { commandsOn, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { idOf } from '../../support/records.ts'
import { dayMs } from '../../../src/core/domain/days/time-units.ts'

const { connection, pool } = await createDatabase()
const { run, json, refuses } = commandsOn({ env: { DATABASE_URL: toUrl(connection) } })
const location = await addLocation(pool)
const of = ['--location', location]
const create = (...args: string[]) => json`key create ${of} ${args}`
const stored = (key: string) => findApiKey(pool, hashKey(key))
const idsOf = (list: { id: string }[]) => list.map(({ id }) => id).toSorted()

function assertDays(at: Date | null | undefined, days: number): void {
  const left = ((at?.getTime() ?? 0) - Date.now()) / dayMs
  assert.ok(left > days - 0.1 && left <= days, `${left} days`)
}

describe('key', () => {
  test('create prints the key once, and only its hash is stored', async () => {
    const { code, stdout, stderr } = await run`key create ${of} --scope ingest,read --name ${'till 1'}`
    assert.equal(code, 0, stderr)
    const key = stdout.trimEnd()
    assert.ok(isWellFormedKey(key) && key.startsWith('tg_live_'))
    assert.doesNotMatch(stderr, new RegExp(key))
    const row = await stored(key)
    assert.deepEqual([row?.scopes, row?.name, row?.locationId], [['read', 'ingest'], 'till 1', location])
    assert.doesNotMatch(JSON.stringify(row), new RegExp(key))
  })

  test('create sets recipient and expiry, a date being the last day, and marks test keys', async () => {
    const recipient = idOf('operator', 1)
    const { id, key } = await create('--scope', 'webhooks', '--recipient', recipient, '--expires', '90d', '--test')
    assert.ok(key.startsWith('tg_test_'))
    const row = await stored(key)
    assert.deepEqual([row?.id, row?.recipientId], [id, recipient])
    assertDays(row?.expiresAt, 90)
    const dated = await create('--scope', 'read', '--expires', '2999-12-31')
    assert.equal((await stored(dated.key))?.expiresAt?.toISOString(), '2999-12-31T23:59:59.999Z')
  })

  test('create, list and revoke refuse what does not exist, or cannot be meant', async () => {
    const unknown = ['--location', idOf('location', 9)]
    const mistakes: [string[], RegExp][] = [
      [[...of, '--scope', 'read,write'], /--scope must be one or more of read,webhooks,ingest/],
      [[...of, '--scope', 'read', '--expires', '2020-01-01'], /--expires must be in the future/],
      [[...of, '--scope', 'read', '--expires', '2999-02-30'], /--expires must be a duration/],
      [['--scope', 'read', ...unknown], /location \S+ does not exist/],
    ]
    for (const [args, expected] of mistakes)
      assert.equal((await refuses(expected)`key create ${args}`).stdout, '', String(args))
    await refuses(/location .+ does not exist: see tillgate location list\n$/)`key list ${unknown}`
    await refuses(/"key_not_found"/)`key revoke ${idOf('order', 1)} --json`
    await refuses(/either the id of a key or --name/)`key revoke`
  })

  test('list shows the state of each, and no key or hash', async () => {
    const own = ['--location', await addLocation(pool)]
    const [first] = [await json`key create ${own} --scope read`, await json`key create ${own} --scope read`]
    await json`key revoke ${first.id}`
    const { stdout } = await run`key list ${own} --json`
    const states = JSON.parse(stdout).map(({ state }: { state: string }) => state)
    assert.deepEqual(states.toSorted(), ['active', 'revoked'])
    assert.doesNotMatch(stdout, /[0-9a-f]{64}|tg_(live|test)_\w{5}/)
    assert.equal((await run`key list ${own}`).stdout.trimEnd().split('\n').length, 3)
  })

  test('revoke revokes all keys with a name and no other', async () => {
    const make = async (name: string) => (await create('--scope', 'read', '--name', name)).id as string
    const [one, other, two] = [await make('Mme Dupont'), await make('M. Durand'), await make('Mme Dupont')]
    assert.deepEqual(idsOf(await json`key revoke --name ${'Mme Dupont'}`), [one, two].toSorted())
    const keys = await json`key list ${of}`
    const stateOf = (wanted: string) => keys.find(({ id }: { id: string }) => id === wanted).state
    assert.deepEqual([one, two, other].map(stateOf), ['revoked', 'revoked', 'active'])
    await refuses(/no valid key named "Mme Dupont"/)`key revoke --name ${'Mme Dupont'}`
  })

  test('revoke names the webhooks that the key could change, and disables them on request', async () => {
    const recipientId = randomUUID()
    const made = await create('--scope', 'webhooks', '--recipient', recipientId)
    const common = {
      locationId: location,
      events: ['order.paid' as const],
      createdAt: new Date(),
      secret: generateSecret(),
    }
    const [first, second, foreign] = [randomUUID(), randomUUID(), randomUUID()]
    for (const [id, recipient] of [
      [first, recipientId],
      [second, recipientId],
      [foreign, randomUUID()],
    ] as const)
      await insertWebhook(pool, { ...common, id, recipientId: recipient, endpointUrl: `https://one.example/${id}` })
    const named = await run`key revoke ${made.id}`
    assert.deepEqual([named.code, named.stdout], [0, `revoked ${made.id}\n`])
    for (const id of [first, second]) assert.match(named.stderr, new RegExp(id))
    assert.doesNotMatch(named.stderr, new RegExp(foreign))
    const stopped = await json`key revoke ${made.id} --with-webhooks`
    assert.deepEqual([stopped.webhooksDisabled.toSorted(), stopped.webhooksRemaining], [[first, second].toSorted(), []])
    const again = await run`key revoke ${made.id}`
    assert.match(again.stdout, new RegExp(`^${made.id} was already revoked at ${stopped.revokedAt}\n$`))
    const acts = await listActs(pool, { locationId: location, before: null, since: null, limit: 1_000 })
    const revoked = acts.filter(({ document }) => document.includes('key.revoked') && document.includes(made.id))
    assert.equal(revoked.length, 1)
    const enabled = await pool<{ id: string }[]>`select id from webhooks where state = 'enabled'`
    assert.deepEqual(idsOf(enabled), [foreign])
    // A key without access to webhooks has no webhooks to disable.
    const { id } = await create('--scope', 'read,ingest')
    assert.doesNotMatch((await run`key revoke ${id}`).stderr, /webhook/)
  })

  test('rotate creates a key with the same rights, and the old one is valid for a while, but never longer', async () => {
    const recipient = randomUUID()
    const args = ['--scope', 'read,webhooks', '--recipient', recipient, '--name', 'loyalty', '--test']
    const former = await create(...args)
    const made = await json`key rotate ${former.id} --overlap 7d`
    assert.ok(made.key.startsWith('tg_test_'))
    const after = await stored(made.key)
    assert.deepEqual(
      [after?.scopes, after?.recipientId, after?.name, after?.locationId, after?.expiresAt],
      [['read', 'webhooks'], recipient, 'loyalty', location, null],
    )
    assertDays((await stored(former.key))?.expiresAt, 7)
    await json`key revoke ${former.id}`
    await refuses(/is revoked/)`key rotate ${former.id}`
    const short = await create('--scope', 'read', '--expires', '2h')
    const expiry = (await stored(short.key))?.expiresAt
    const { formerUntil } = await json`key rotate ${short.id} --overlap 7d`
    assert.equal(formerUntil, expiry?.toISOString())
    assert.deepEqual((await stored(short.key))?.expiresAt, expiry)
  })
})
