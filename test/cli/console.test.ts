import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { hashKey, installationId } from '../../src/domain/keys.ts'
import { addLocation } from '../support/app.ts'
import { tillgate, tillgateJson, toUrl } from '../support/cli.ts'
import { createDatabase } from '../support/database.ts'

const { connection, pool } = await createDatabase()
const env = { DATABASE_URL: toUrl(connection) }
const location = await addLocation(pool)

const rowOf = async (url: string) => {
  const code = new URL(url).hash.replace('#code=', '')
  const [row] = await pool`select * from console_sessions where code_hash = ${hashKey(code)}`
  return row as any
}

describe('console', () => {
  test('prints a link for the operator, whose code is stored as a hash alone', async () => {
    const { code, stdout, stderr } = await tillgate(['console'], { env })
    assert.equal(code, 0, stderr)
    const url = stdout.trimEnd()
    assert.match(url, /^http:\/\/127\.0\.0\.1:4747\/console\/#code=tgc_[\w-]{43}$/)
    const row = await rowOf(url)
    assert.deepEqual([row.kind, row.scopes, row.location_ids], ['operator', ['read', 'webhooks', 'admin'], null])
    assert.ok(!JSON.stringify(row).includes(url.slice(-20)))
  })

  test('link prints one for an owner, sessions shows it and end takes it back', async () => {
    const named = { ...env, TILLGATE_PUBLIC_URL: 'https://pos.example/till' }
    const args = [
      'console',
      'link',
      '--location',
      location,
      '--role',
      'owner',
      '--expires',
      '2d',
      '--name',
      'Mme Dupont',
    ]
    const made = await tillgateJson(args, { env: named })
    assert.ok(made.url.startsWith('https://pos.example/till/console/#code='))
    const row = await rowOf(made.url)
    assert.deepEqual(
      [row.scopes, row.location_ids, row.ends_at - row.created_at],
      [['read'], [location], 2 * 86_400_000],
    )
    const listed = await tillgate(['console', 'sessions'], { env })
    assert.match(listed.stdout, new RegExp(`${made.id} +Mme Dupont +read +${location} +not used yet`))
    await tillgateJson(['console', 'end', made.id], { env })
    assert.notEqual((await rowOf(made.url)).ended_at, null)
  })

  test('refuses what opens nothing, or too much', async () => {
    const wrong: [string[], RegExp][] = [
      [['console', '--role', 'owner'], /--location is missing/],
      [['console', 'link', '--location', randomUUID()], /there is no location/],
      [['console', 'link', '--location', location, '--expires', '30d'], /--expires must be a duration from 1m to 7d/],
      [['console', 'end', randomUUID()], /there is no session/],
    ]
    for (const [args, expected] of wrong) {
      const { code, stderr } = await tillgate(args, { env })
      assert.equal(code, 2)
      assert.match(stderr, expected)
    }
  })
})

describe('a key of the installation', () => {
  test('is made without a location and without another scope, and verify proves the log that says so', async () => {
    const { id } = await tillgateJson(['key', 'create', '--scope', 'admin', '--name', 'desk'], { env })
    const [row] = await pool`select location_id, scopes from api_keys where id = ${id}`
    assert.deepEqual({ ...row }, { location_id: installationId, scopes: ['admin'] })
    assert.equal((await tillgate(['key', 'create', '--scope', 'admin,read'], { env })).code, 2)
    assert.equal((await tillgate(['key', 'create', '--scope', 'admin', '--location', location], { env })).code, 2)
    assert.equal((await tillgate(['key', 'create', '--scope', 'read'], { env })).code, 2)
    assert.equal((await tillgate(['verify'], { env })).code, 0)
    await pool`update access_entries set document = replace(document, 'cli', 'nobody') where location_id = ${installationId}`
    const broken = await tillgate(['verify'], { env })
    assert.equal(broken.code, 1)
    assert.match(broken.stdout, /log of access/)
  })
})
