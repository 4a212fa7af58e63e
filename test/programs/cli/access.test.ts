import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { serve, stop, tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { idOf, linesOf, order, orderOf } from '../../support/records.ts'

const { connection, pool } = await createDatabase()
const env = { DATABASE_URL: toUrl(connection) }
const location = idOf('location', 1)
await tillgateJson(['location', 'create', '--id', location, '--name', 'Bistro'], { env })

describe('access', () => {
  test('lists changes made on the command line', async () => {
    const key = await tillgateJson(['key', 'create', '--location', location, '--scope', 'read'], { env })
    const next = await tillgateJson(['key', 'rotate', key.id], { env })
    await tillgateJson(['key', 'revoke', next.id], { env })
    const { stdout: exported } = await tillgate(['export', '--location', location], { env })
    await tillgateJson(['location', 'update', location, '--name', 'Bistro Exemple'], { env })
    assert.equal((await tillgate(['import', '-', '--location', location], { env, input: exported })).code, 0)
    await tillgateJson(['resume', '--location', location], { env })
    const backup = await mkdtemp(join(tmpdir(), 'tillgate-access-'))
    atEnd(() => rm(backup, { recursive: true, force: true }))
    await tillgateJson(['backup', backup], { env })
    const entries = await tillgateJson(['access', '--location', location], { env })
    const subjectOf = (name: string) => entries.find(({ act }: any) => act === name)?.subject
    assert.match(subjectOf('journal.resumed'), /^\d+$/)
    assert.deepEqual(
      entries.map(({ act, by, subject }: any) => [act, by, subject]),
      [
        ['location.created', 'cli', location],
        ['key.created', 'cli', key.id],
        ['key.rotated', 'cli', key.id],
        ['key.revoked', 'cli', next.id],
        ['data.exported', 'cli', null],
        ['location.changed', 'cli', location],
        ['data.imported', 'cli', null],
        ['journal.resumed', 'cli', subjectOf('journal.resumed')],
        ['data.backed_up', 'cli', null],
      ],
    )
    // The account of the operating system; with sudo, the account that called sudo.
    assert.deepEqual(
      new Set(entries.map(({ account }: any) => account)),
      new Set([process.env['SUDO_USER'] ?? userInfo().username]),
    )
    const behind = { ...env, SUDO_USER: 'alice' }
    await tillgateJson(['resume', '--location', location], { env: behind })
    const after = await tillgateJson(['access', '--location', location, '--after', String(entries.length)], { env })
    assert.deepEqual(
      after.map(({ by, account }: any) => [by, account]),
      [['cli', 'alice']],
    )
    const changesOf = (name: string) => entries.find(({ act }: any) => act === name)?.changes
    assert.deepEqual(changesOf('key.revoked'), [{ field: 'state', before: 'active', after: 'revoked' }])
    const shown = await tillgate(['access', '--location', location, '--since', '2026-01-01'], { env })
    assert.match(shown.stdout, /key\.revoked/)
    assert.equal((await tillgate(['access', '--location', idOf('location', 9)], { env })).code, 2)
    const beyond = await tillgate(['access', '--location', location, '--after', '9999'], { env })
    assert.match(
      beyond.stderr,
      /^error: the log ends at \d+, so there are no entries after 9999: use a smaller --after$/m,
    )
  })

  test('entries that were changed are found by verify', async () => {
    assert.equal((await tillgate(['verify'], { env })).code, 0)
    await pool`update access_entries set document = replace(document, 'cli', 'nobody') where seq = 2`
    const broken = await tillgate(['verify'], { env })
    assert.equal(broken.code, 1)
    assert.match(broken.stdout, /entry 2 of the access log/)
  })
})

test('access lists the records that a key wrote, and no others', async () => {
  const site = idOf('location', 2)
  await tillgateJson(['location', 'create', '--id', site, '--name', 'Two tills'], { env })
  const [own, leaked] = [
    await tillgateJson(['key', 'create', '--location', site, '--scope', 'ingest'], { env }),
    await tillgateJson(['key', 'create', '--location', site, '--scope', 'ingest'], { env }),
  ]
  const served = await serve([], { env: { ...env, TILLGATE_OPERATIONS_ADDRESS: 'off' } })
  const forged: string[] = []
  for (let n = 1; n <= 9; n++) {
    const isForged = n % 3 === 0
    const record = order(orderOf(site, n))
    if (isForged) forged.push(idOf('order', n))
    const answer = await fetch(`${served.url}/v1/ingest/`, {
      method: 'POST',
      headers: { 'x-api-key': (isForged ? leaked : own).key, 'content-type': 'application/x-ndjson' },
      // A record that is sent twice is written once.
      body: linesOf([record, record]),
    })
    assert.equal(answer.status, 200)
  }
  await stop(served)
  const entries = await tillgateJson(['access', '--location', site, '--key', leaked.id], { env })
  const pushes = entries.filter(({ operation }: any) => operation === 'POST /v1/ingest/')
  assert.equal(
    pushes.reduce((sum: number, { requests }: any) => sum + requests, 0),
    3,
  )
  assert.deepEqual([pushes[0].from, pushes.at(-1).to], [4, 10], 'the location itself is 1')
  assert.ok(entries.every(({ keyId, subject }: any) => [keyId, subject].includes(leaked.id)))
  const written = await tillgateJson(['access', '--location', site, '--key', leaked.id, '--written'], { env })
  assert.deepEqual(
    written.map(({ id, kind }: any) => `${kind} ${id}`),
    forged.map((id) => `order ${id}`),
  )
  const { stdout } = await tillgate(['access', '--location', site, '--key', leaked.id, '--written'], { env })
  assert.equal(stdout.trim().split('\n').length, 4)
  assert.match((await tillgate(['verify'], { env })).stdout, new RegExp(`^verified +${site}`, 'm'))
})
