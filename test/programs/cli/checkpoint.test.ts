import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { chainHash, commitTo, genesis } from '../../../src/core/domain/journal/chain.ts'
import { readChain } from '../../../src/core/store/journal/journal.ts'
import { date, soldOn, zOn } from '../../support/books-site.ts'
import { commandsOn, newFolder, type Commands } from '../../support/cli.ts'
import { idOf, order, report } from '../../support/records.ts'
import { at, id, keyOf, newShop, site } from './shop.ts'

const folder = newFolder()

test('a key is created, a day closed, the journal signed; a kept checkpoint reveals every rewritten entry', async () => {
  const key = join(folder, 'key.pem')
  const settings = { TILLGATE_CHECKPOINT_KEY: key, TILLGATE_PUBLIC_URL: 'https://pos.example' }
  const { env, pool, push, run, json, refuses } = await newShop(settings)
  const orders = [soldOn(site, 2, 1), soldOn(site, 2, 2)]
  await push(...orders.map(order), report(zOn(site, 2, orders)))
  const keyless = commandsOn({ env: { ...env, TILLGATE_CHECKPOINT_KEY: '' } })
  await keyless.refuses(/TILLGATE_CHECKPOINT_KEY/)`checkpoint make ${at}`
  await refuses(/key\.pem does not exist: create it with tillgate checkpoint key/)`checkpoint make ${at}`
  await refuses(/no checkpoint: see tillgate checkpoint make/)`checkpoint latest ${at}`
  await refuses(/does not exist: see tillgate location list/)`checkpoint latest --location ${idOf('location', 8)}`
  const keys = await json`checkpoint key`
  assert.equal(statSync(key).mode & 0o777, 0o600)
  assert.deepEqual(await json`checkpoint key`, keys)
  const verifier = keyOf(keys)
  assert.match(verifier, new RegExp(`^pos\\.example/${id}/[0-9a-f]{8}\\+`))

  const closed = await run`books close ${at} --until ${date(2)} --after 0`
  assert.match(closed.stdout, /day {5}1 {8}2026-03-02 {2}2 {7}22\.00 {2}2\.00 {2}22\.00/, closed.stderr)
  const repeated = await run`books close ${at} --until ${date(2)} --after 0`
  assert.match(repeated.stderr, /closing_exists|the last daily closing is 1/)
  const shown = await json`books closing day 1 ${at}`
  assert.equal(shown.perpetual.salesInclTax, 2200)

  const made = await run`checkpoint make ${at}`
  assert.equal(made.code, 0, made.stderr)
  const kept = join(folder, 'kept.checkpoint')
  writeFileSync(kept, made.stdout)
  assert.equal((await run`checkpoint latest ${at}`).stdout, made.stdout)
  const good = await run`verify --checkpoint ${kept} --key ${verifier}`
  assert.equal(good.code, 0, good.stderr + good.stdout)
  const rotated = await run`checkpoint rotate`
  assert.match(rotated.stdout, /^tillgate\/checkpoint-keys\nrotation /)
  const other = keyOf(await json`checkpoint key`)
  await refuses(/not signed by the owner of a given key/)`verify --checkpoint ${kept} --key ${other}`

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
  const unseen = await run`verify`
  assert.equal(unseen.code, 0, unseen.stdout)
  const seen = await run`verify --checkpoint ${kept} --key ${verifier}`
  assert.equal(seen.code, 1)
  assert.match(seen.stdout, /the checkpoint in .*kept\.checkpoint (does not match|covers)/)
  writeFileSync(kept, readFileSync(kept, 'utf8').replace(/\n\d+\n/, '\n1\n'))
  const changed = await run`verify --checkpoint ${kept} --key ${verifier}`
  assert.match(changed.stderr, /not signed by the owner of a given key/)
})

test('the printed key verifies with any address in the environment: the name of the installation is stored', async () => {
  const { env, push, ...shell } = await newShop({ TILLGATE_CHECKPOINT_KEY: join(folder, 'named.pem') })
  const [server, elsewhere] = ['pos', 'other'].map((name) =>
    commandsOn({ env: { ...env, TILLGATE_PUBLIC_URL: `https://${name}.example` } }),
  ) as [Commands, Commands]
  await push(order(soldOn(site, 2, 1)))
  const early = await shell.run`checkpoint key`
  assert.match(early.stderr, /is set when its server first starts/)
  // A closing by the command line is followed by a checkpoint, like a closing by the server.
  const closed = await server.run`books close ${at} --until ${date(2)} --after 0`
  assert.equal(closed.code, 0, closed.stderr)
  const kept = join(folder, 'named.checkpoint')
  const { stdout } = await shell.run`checkpoint latest ${at}`
  assert.match(stdout, new RegExp(`^pos\\.example/${id}/`))
  writeFileSync(kept, stdout)
  for (const { json, run } of [shell, server, elsewhere]) {
    const verified = await run`verify --checkpoint ${kept} --key ${keyOf(await json`checkpoint key`)}`
    assert.equal(verified.code, 0, verified.stderr + verified.stdout)
  }
})

test('serve does not start if the file of its key is missing, and names it', async () => {
  const { refuses } = await newShop({ TILLGATE_CHECKPOINT_KEY: join(folder, 'none.pem') })
  const missing = /^error: the key file .*none\.pem does not exist: create it with tillgate checkpoint key/m
  const { stderr } = await refuses(missing)`serve --port 0 --operations-address off`
  assert.doesNotMatch(stderr, /TILLGATE_DEBUG/)
})
