import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { tillgate, tillgateJson, toUrl } from '../support/cli.ts'
import { createDatabase } from '../support/database.ts'
import { idOf } from '../support/records.ts'

const { connection, pool } = await createDatabase()
const env = { DATABASE_URL: toUrl(connection) }
const location = idOf('location', 1)
await tillgateJson(['location', 'create', '--id', location, '--name', 'Bistro'], { env })

describe('access', () => {
  test('shows what was done by hand', async () => {
    const key = await tillgateJson(['key', 'create', '--location', location, '--scope', 'read'], { env })
    const next = await tillgateJson(['key', 'rotate', key.id], { env })
    await tillgateJson(['key', 'revoke', next.id], { env })
    await tillgate(['export', '--location', location], { env })
    const entries = await tillgateJson(['access', '--location', location], { env })
    assert.deepEqual(
      entries.map(({ act, by, subject }: any) => [act, by, subject]),
      [
        ['key.created', 'cli', key.id],
        ['key.rotated', 'cli', key.id],
        ['key.revoked', 'cli', next.id],
        ['data.exported', 'cli', null],
      ],
    )
    const shown = await tillgate(['access', '--location', location, '--since', '2026-01-01'], { env })
    assert.match(shown.stdout, /key\.revoked/)
    assert.equal((await tillgate(['access', '--location', idOf('location', 9)], { env })).code, 2)
  })

  test('that was changed is found by verify', async () => {
    assert.equal((await tillgate(['verify'], { env })).code, 0)
    await pool`update access_entries set document = replace(document, 'cli', 'nobody') where seq = 2`
    const broken = await tillgate(['verify'], { env })
    assert.equal(broken.code, 1)
    assert.match(broken.stdout, /entry 2 of the log of access/)
  })
})
