import assert from 'node:assert/strict'
import { userInfo } from 'node:os'
import { test } from 'node:test'
import { commandsOn, newFolder, serve, stop, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { idOf, linesOf, order, orderOf } from '../../support/records.ts'

const { connection, pool } = await createDatabase()
const env = { DATABASE_URL: toUrl(connection) }
const { run, json, refuses } = commandsOn({ env })
const folder = newFolder()

test('access lists changes made on the command line', async () => {
  const location = idOf('location', 1)
  const at = ['--location', location]
  await json`location create --id ${location} --name Bistro`
  const key = await json`key create ${at} --scope read`
  const next = await json`key rotate ${key.id}`
  await json`key revoke ${next.id}`
  const { stdout: input } = await run`export ${at}`
  await json`location update ${location} --name ${'Bistro Exemple'}`
  await commandsOn({ env, input }).json`import - ${at}`
  await json`resume ${at}`
  await json`backup ${folder}`
  const entries = await json`access ${at}`
  const entryOf = (name: string) => entries.find(({ act }: any) => act === name)
  assert.match(entryOf('journal.resumed').subject, /^\d+$/)
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
      ['journal.resumed', 'cli', entryOf('journal.resumed').subject],
      ['data.backed_up', 'cli', null],
    ],
  )
  assert.deepEqual(entryOf('key.revoked').changes, [{ field: 'state', before: 'active', after: 'revoked' }])
  // The account of the operating system; with sudo, the account that called sudo.
  const accountsOf = (list: any[]) => [...new Set(list.map(({ account }) => account))]
  assert.deepEqual(accountsOf(entries), [process.env['SUDO_USER'] ?? userInfo().username])
  await commandsOn({ env: { ...env, SUDO_USER: 'alice' } }).json`resume ${at}`
  assert.deepEqual(accountsOf(await json`access ${at} --after ${entries.length}`), ['alice'])
  assert.match((await run`access ${at} --since 2026-01-01`).stdout, /key\.revoked/)
  await refuses(/does not exist/)`access --location ${idOf('location', 9)}`
  await refuses(
    /^error: the log ends at \d+, so there are no entries after 9999: use a smaller --after$/m,
  )`access ${at} --after 9999`
})

test('entries that were changed are found by verify', async () => {
  const { id } = await json`location create --name Changed`
  assert.equal((await run`verify`).code, 0)
  await pool`update access_entries set document = replace(document, 'cli', 'nobody') where location_id = ${id}`
  const broken = await run`verify`
  assert.equal(broken.code, 1)
  assert.match(broken.stdout, /entry 1 of the access log/)
  await pool`update access_entries set document = replace(document, 'nobody', 'cli') where location_id = ${id}`
})

test('access lists the records that a key wrote, and no others', async () => {
  const { id: site } = await json`location create --name ${'Two tills'}`
  const at = ['--location', site]
  const [own, leaked] = [await json`key create ${at} --scope ingest`, await json`key create ${at} --scope ingest`]
  const served = await serve([], { env: { ...env, TILLGATE_OPERATIONS_ADDRESS: 'off' } })
  for (let n = 1; n <= 9; n++) {
    const record = order(orderOf(site, n))
    const answer = await fetch(`${served.url}/v1/ingest/`, {
      method: 'POST',
      headers: { 'x-api-key': (n % 3 === 0 ? leaked : own).key, 'content-type': 'application/x-ndjson' },
      // A record that is sent twice is written once.
      body: linesOf([record, record]),
    })
    assert.equal(answer.status, 200)
  }
  await stop(served)
  const by = [...at, '--key', leaked.id]
  const entries = await json`access ${by}`
  const pushes = entries.filter(({ operation }: any) => operation === 'POST /v1/ingest/')
  const requests = pushes.reduce((sum: number, one: any) => sum + one.requests, 0)
  assert.deepEqual([requests, pushes[0].from, pushes.at(-1).to], [3, 4, 10], 'the location itself is 1')
  assert.ok(entries.every(({ keyId, subject }: any) => [keyId, subject].includes(leaked.id)))
  const written = await json`access ${by} --written`
  assert.deepEqual(
    written.map(({ id, kind }: any) => `${kind} ${id}`),
    [3, 6, 9].map((n) => `order ${idOf('order', n)}`),
  )
  const { stdout } = await run`access ${by} --written`
  assert.equal(stdout.trim().split('\n').length, 4)
  assert.match((await run`verify`).stdout, new RegExp(`^verified +${site}`, 'm'))
})
