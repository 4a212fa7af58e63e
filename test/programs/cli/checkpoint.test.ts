import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { chainHash, commitTo, genesis } from '../../../src/core/domain/journal/chain.ts'
import { readChain } from '../../../src/core/store/journal/journal.ts'
import { newDirectory } from '../backup/support.ts'
import { date, soldOn, zOn } from '../../support/books-site.ts'
import { tillgate, tillgateJson, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { idOf, linesOf, locationOf, order, report } from '../../support/records.ts'

const id = idOf('location', 7)
const at = ['--location', id]
const folder = newDirectory()
mkdirSync(folder, { recursive: true })

test('a key is created, a day closed, the journal signed; a kept checkpoint reveals every rewritten entry', async () => {
  const { pool, connection } = await createDatabase()
  const key = join(folder, 'key.pem')
  const env = {
    DATABASE_URL: toUrl(connection),
    TILLGATE_CHECKPOINT_KEY: key,
    TILLGATE_PUBLIC_URL: 'https://pos.example',
  }
  const site = { id, key: '' }
  const orders = [soldOn(site, 2, 1), soldOn(site, 2, 2)]
  const input = linesOf([
    { type: 'location', data: locationOf(id) },
    ...orders.map(order),
    report(zOn(site, 2, orders)),
  ])
  await tillgateJson(['import', '-'], { env, input })
  const unsigned = await tillgate(['checkpoint', 'make', ...at], { env: { ...env, TILLGATE_CHECKPOINT_KEY: '' } })
  assert.equal(unsigned.code, 2)
  assert.match(unsigned.stderr, /TILLGATE_CHECKPOINT_KEY/)
  const keyless = await tillgate(['checkpoint', 'make', ...at], { env })
  assert.equal(keyless.code, 2)
  assert.match(keyless.stderr, /key\.pem does not exist: create it with tillgate checkpoint key/)
  const early = await tillgate(['checkpoint', 'latest', ...at], { env })
  assert.match(early.stderr, /no checkpoint: see tillgate checkpoint make/)
  const unknown = await tillgate(['checkpoint', 'latest', '--location', idOf('location', 8)], { env })
  assert.match(unknown.stderr, /does not exist: see tillgate location list/)
  const keys = await tillgateJson(['checkpoint', 'key'], { env })
  assert.equal(statSync(key).mode & 0o777, 0o600)
  const again = await tillgateJson(['checkpoint', 'key'], { env })
  assert.deepEqual(again, keys)
  const verifier = keys.keys.find(({ location }: any) => location === id).key as string
  assert.match(verifier, new RegExp(`^pos\\.example/${id}/[0-9a-f]{8}\\+`))

  const closed = await tillgate(['books', 'close', ...at, '--until', date(2), '--after', '0'], { env })
  assert.match(closed.stdout, /day {5}1 {8}2026-03-02 {2}2 {7}22\.00 {2}2\.00 {2}22\.00/, closed.stderr)
  const repeated = await tillgate(['books', 'close', ...at, '--until', date(2), '--after', '0'], { env })
  assert.match(repeated.stderr, /closing_exists|the last daily closing is 1/)
  const shown = await tillgateJson(['books', 'closing', 'day', '1', ...at], { env })
  assert.equal(shown.perpetual.salesInclTax, 2200)

  const made = await tillgate(['checkpoint', 'make', ...at], { env })
  assert.equal(made.code, 0, made.stderr)
  const kept = join(folder, 'kept.checkpoint')
  writeFileSync(kept, made.stdout)
  assert.equal((await tillgate(['checkpoint', 'latest', ...at], { env })).stdout, made.stdout)
  const good = await tillgate(['verify', '--checkpoint', kept, '--key', verifier], { env })
  assert.equal(good.code, 0, good.stderr + good.stdout)
  const rotated = await tillgate(['checkpoint', 'rotate'], { env })
  assert.match(rotated.stdout, /^tillgate\/checkpoint-keys\nrotation /)
  const stranger = await tillgateJson(['checkpoint', 'key'], { env })
  const other = stranger.keys.find(({ location }: any) => location === id).key as string
  const wrongKey = await tillgate(['verify', '--checkpoint', kept, '--key', other], { env })
  assert.equal(wrongKey.code, 2)
  assert.match(wrongKey.stderr, /not signed by one of the given keys/)

  await pool`delete from journal where location_id = ${id} and kind in ('checkpoint', 'closing')`
  await pool`delete from checkpoints where location_id = ${id}`
  await pool`delete from closings where location_id = ${id}`
  let previous = genesis
  for (const entry of await readChain(pool, id, 0, { entries: 100, bytes: 1e9 })) {
    const document =
      entry.kind === 'report'
        ? String(entry.document).replace('"clerkName":"', '"clerkName":"X')
        : String(entry.document)
    const commitment = commitTo(entry.salt, document)
    previous = chainHash(previous, { ...entry, commitment })
    await pool`
      update journal set document = ${document}, commitment = ${commitment}, hash = ${previous}
      where location_id = ${id} and seq = ${entry.seq}`
    if (entry.kind === 'report')
      await pool`update reports set document = ${document} where location_id = ${id} and id = ${entry.id}`
    await pool`update location_seq set last_seq = ${entry.seq}, last_hash = ${previous} where location_id = ${id}`
  }
  const unseen = await tillgate(['verify'], { env })
  assert.equal(unseen.code, 0, unseen.stdout)
  const seen = await tillgate(['verify', '--checkpoint', kept, '--key', verifier], { env })
  assert.equal(seen.code, 1)
  assert.match(seen.stdout, /the checkpoint in .*kept\.checkpoint (does not match|covers)/)
  writeFileSync(kept, readFileSync(kept, 'utf8').replace(/\n\d+\n/, '\n1\n'))
  const changed = await tillgate(['verify', '--checkpoint', kept, '--key', verifier], { env })
  assert.match(changed.stderr, /not signed by one of the given keys/)
})

test('the printed key verifies with any address in the environment: the name of the installation is stored', async () => {
  const { connection } = await createDatabase()
  const key = join(folder, 'named.pem')
  const shell = { DATABASE_URL: toUrl(connection), TILLGATE_CHECKPOINT_KEY: key }
  const server = { ...shell, TILLGATE_PUBLIC_URL: 'https://pos.example' }
  const site = { id, key: '' }
  const input = linesOf([{ type: 'location', data: locationOf(id) }, order(soldOn(site, 2, 1))])
  await tillgateJson(['import', '-'], { env: shell, input })
  const early = await tillgate(['checkpoint', 'key'], { env: shell })
  assert.match(early.stderr, /is set when its server first starts/)
  // A closing by the command line is followed by a checkpoint, like a closing by the server.
  const closed = await tillgate(['books', 'close', ...at, '--until', date(2), '--after', '0'], { env: server })
  assert.equal(closed.code, 0, closed.stderr)
  const kept = join(folder, 'named.checkpoint')
  const { stdout } = await tillgate(['checkpoint', 'latest', ...at], { env: shell })
  assert.match(stdout, new RegExp(`^pos\\.example/${id}/`))
  writeFileSync(kept, stdout)
  for (const env of [shell, server, { ...shell, TILLGATE_PUBLIC_URL: 'https://other.example' }]) {
    const { keys } = await tillgateJson(['checkpoint', 'key'], { env })
    const verified = await tillgate(['verify', '--checkpoint', kept, '--key', keys[0].key], { env })
    assert.equal(verified.code, 0, verified.stderr + verified.stdout)
  }
})

test('serve does not start if the file of its key is missing, and names it', async () => {
  const { connection } = await createDatabase()
  const env = { DATABASE_URL: toUrl(connection), TILLGATE_CHECKPOINT_KEY: join(folder, 'none.pem') }
  const { code, stderr } = await tillgate(['serve', '--port', '0', '--operations-address', 'off'], { env })
  assert.equal(code, 2)
  assert.match(stderr, /^error: the key file .*none\.pem does not exist: create it with tillgate checkpoint key/m)
  assert.doesNotMatch(stderr, /TILLGATE_DEBUG/)
})
