import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { newDirectory } from '../backup/support.ts'
import { startApp } from '../../support/app.ts'
import { tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { idOf, order, smallOrderOf, timeOf } from '../../support/records.ts'

const app = await startApp()
const { pool } = app
const home = newDirectory()
mkdirSync(home, { recursive: true })
const env = { DATABASE_URL: toUrl(app.database.connection), TILLGATE_HEADS_DIR: home }

const sha256 = (...parts: string[]) => createHash('sha256').update(parts.join('')).digest('hex')

const small = (id: string, n: number, guests = 1) =>
  order(smallOrderOf(id, n, { guests, updatedAt: timeOf(n + guests) }))

const verify = (id: string, ...more: string[]) => tillgate(['verify', '--location', id, ...more], { env })

async function fill(): Promise<{ id: string; key: string }> {
  const site = await app.addLocation()
  await app.store(
    [1, 2, 3].map((n) => small(site.id, n)),
    site.key,
  )
  assert.equal((await verify(site.id)).code, 0)
  return site
}

test('only the entries after the last verified entry are read, and a change of that entry is found', async () => {
  const { id, key } = await fill()
  assert.match(readFileSync(join(home, 'postgres.verified'), 'utf8'), new RegExp(`^${id} [0-9a-f]{8} 3 `, 'm'))
  await app.store([small(id, 4), small(id, 1, 2)], key)
  const [next] = (await tillgateJson(['verify', '--location', id, '--since'], { env })).locations
  assert.deepEqual(next, { id, entries: 2, since: 3, verified: true })
  // Earlier entries are not read again: only a full run finds a document that was changed there.
  await pool`update journal set document = document || ' ' where location_id = ${id} and seq = 2`
  await app.store([small(id, 5)], key)
  const since = await verify(id, '--since')
  assert.equal(since.code, 0, since.stdout)
  assert.match(since.stdout, /1 entry after 5/)
  for (const flags of [[], ['--since', '--whole-every', '0']]) {
    const whole = await verify(id, ...flags)
    assert.equal(whole.code, 1, whole.stdout)
    assert.match(whole.stdout, /sequence 2/)
  }
  await pool`update journal set document = rtrim(document) where location_id = ${id} and seq = 2`

  await app.store([small(id, 6), small(id, 7)], key)
  await pool`update journal set document = document || ' ' where location_id = ${id} and seq = 8`
  assert.match((await verify(id, '--since')).stdout, /broken .* sequence 8/)
  await pool`update journal set document = rtrim(document) where location_id = ${id} and seq = 8`
  await pool`update orders set document = document || ' ' where location_id = ${id} and id = ${idOf('order', 6)}`
  assert.match((await verify(id, '--since')).stdout, new RegExp(`sequence 7: ${idOf('order', 6)} in orders`))
  await pool`update orders set document = rtrim(document) where location_id = ${id} and id = ${idOf('order', 6)}`
  await pool`delete from journal where location_id = ${id} and seq = 8`
  await pool`update location_seq set last_seq = 7 where location_id = ${id}`
  assert.equal((await verify(id, '--since')).code, 1)
})

test('a rewrite of the whole chain in the database is found by the copy outside of it, also at later runs', async () => {
  const { id, key } = await fill()
  await app.store([small(id, 4)], key)
  // Built according to docs/contract/journal.md: another document in the second entry, and all following hashes
  // adapted.
  type Row = { seq: number; epoch: string; at: Date; kind: string; of: string; prev: number | null; types: string[] }
  const rows = await pool<(Row & { document: string; salt: string })[]>`
    select j.seq, s.epoch, accepted_at as at, kind, j.id as of, prev_seq as prev, types, document, salt
    from journal j join location_seq s on s.location_id = j.location_id where j.location_id = ${id} order by j.seq`
  let hash = '0'.repeat(64)
  for (const { seq, epoch, at, kind, of, prev, types, document, salt } of rows) {
    const changed = seq === 2 ? document.replace('"guests":1', '"guests":8') : document
    const commitment = sha256('tillgate commitment v2\n32\n', salt, changed)
    const fields = [id, epoch, seq, at.toISOString(), kind, of, prev ?? '', types.join(','), commitment]
    hash = sha256(['tillgate journal v2', hash, ...fields].join('\n'))
    await pool`
      update journal set document = ${changed}, commitment = ${commitment}, hash = ${hash}
      where location_id = ${id} and seq = ${seq}`
    if (seq === 2) await pool`update orders set document = ${changed} where location_id = ${id} and seq = 2`
  }
  await pool`update location_seq set last_hash = ${hash} where location_id = ${id}`
  for (const flags of [['--since'], [], ['--since']]) {
    const { code, stdout } = await verify(id, ...flags)
    assert.equal(code, 1, stdout)
    assert.match(stdout, /sequence 3: it differs from the verified entry/)
  }
  // Without the state outside of the database, the rewrite cannot be detected.
  writeFileSync(join(home, 'postgres.verified'), '')
  assert.equal((await verify(id)).code, 0)
})

test('a journal that was resumed after a restore to an earlier state is read completely again', async () => {
  const { id, key } = await fill()
  await pool`delete from journal where location_id = ${id} and seq = 3`
  await pool`delete from orders where location_id = ${id} and seq = 3`
  await pool`update day_counts set n = n - 1 where location_id = ${id}`
  await pool`
    update location_seq set last_seq = 2, last_hash = (select hash from journal where location_id = ${id} and seq = 2)
    where location_id = ${id}`
  assert.equal((await verify(id, '--since')).code, 1)
  await tillgateJson(['resume', '--location', id, '--yes'], { env })
  await app.store([small(id, 9)], key)
  const { code, stdout } = await verify(id, '--since')
  assert.equal(code, 0, stdout)
  assert.doesNotMatch(stdout, / after 3/)
  assert.match((await verify(id, '--since')).stdout, /0 entries after [0-9,]+,000,001/)
})
