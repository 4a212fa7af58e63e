import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import type { OpeningSecret } from '../../../src/modules/backup/format/encryption.ts'
import { readManifest } from '../../../src/modules/backup/format/stored-manifest.ts'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { hashKey } from '../../../src/core/domain/accounts/keys.ts'
import { listAllWebhooks } from '../../../src/core/contract/webhooks/rows.ts'
import { findApiKey } from '../../../src/core/store/accounts/api-keys.ts'
import { tillgate, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { idOf, linesOf, order, orderOf } from '../../support/records.ts'
import { filesOf, newDirectory, restore, stranger } from './support.ts'

// Backups and exports of builds before the first release: format 1 before 25 November 2026, format 2 of that day,
// format 3 of 29 November, the last day on which tables were counted from 1. The first two took two runs, the second
// one after a location had been deleted; the third is from the database into which the second was restored, with one
// more order and webhook.
const folder = join(import.meta.dirname, 'old')
const exported = await readFile(join(folder, 'export.ndjson'), 'utf8')
const keys = JSON.parse(await readFile(join(folder, 'keys.json'), 'utf8')) as Record<string, string>
const identity = join(folder, 'identity.txt')
const secrets: Record<string, OpeningSecret> = {
  plain: null,
  passphrase: { passphrase: 'correct horse battery staple' },
  age: { identities: [(await readFile(identity, 'utf8')).trim()] },
}

async function unpack(name: string): Promise<string> {
  const dir = newDirectory()
  await mkdir(dir)
  execFileSync('tar', ['-xzf', join(folder, `${name}.tar.gz`), '-C', dir, '--no-same-owner'])
  return join(dir, name)
}

test('a backup of 21 November, whose database is no longer supported, is restored with its history', async () => {
  const dir = await unpack('1-first')
  const { pool, connection } = await createDatabase()
  assert.equal((await restore(pool, dir)).entries, 12)
  assert.equal((await verifyLocation(pool, idOf('location', 7))).verified, true)
  const env = { DATABASE_URL: toUrl(connection) }
  assert.equal((await tillgate(['export'], { env })).stdout, exported)
  const key = 'tg_live_fwvhPtufUFTv6XZxTrfCmTcJtdlYVYHa0az2Z3'
  assert.equal((await findApiKey(pool, hashKey(key)))?.locationId, idOf('location', 7))
})

test('a backup of the last build before the first release, whose database is refused, is restored with keys and webhooks', async () => {
  const dir = await unpack('3-plain')
  const { format, schema } = await readManifest(dir)
  assert.deepEqual([format, schema], [3, 36])
  const { pool, connection } = await createDatabase()
  const restored = await restore(pool, dir)
  assert.deepEqual(restored, { locations: 2, entries: 22, webhooks: 0, sources: 0, deleted: 0 })
  for (const n of [7, 8]) assert.equal((await verifyLocation(pool, idOf('location', n))).verified, true)
  for (const key of [keys['2'] as string, 'tg_live_AmquQs8q9ebBpKgjF21tmcDaM3rP7TxF3xjmc8'])
    assert.equal((await findApiKey(pool, hashKey(key)))?.locationId, idOf('location', 7))
  const [webhook] = await listAllWebhooks(pool, idOf('location', 7))
  assert.equal(webhook?.endpointUrl, 'https://receiver.example/hook')
  const env = { DATABASE_URL: toUrl(connection) }
  const { stdout } = await tillgate(['export', '--location', idOf('location', 7)], { env })
  const lines = stdout.split('\n').filter((line) => !line.includes(orderOf(idOf('location', 7), 901).id))
  assert.equal(lines.join('\n'), exported)
})

for (const format of [1, 2]) {
  for (const [kind, secret] of Object.entries(secrets)) {
    test(`a backup of format ${format} (${kind}) is restored with everything that its program exported, and its keys`, async () => {
      const dir = await unpack(`${format}-${kind}`)
      assert.equal((await readManifest(dir)).format, format)
      const { pool, connection } = await createDatabase()
      const restored = await restore(pool, dir, { secret, withDeleted: true })
      assert.deepEqual(restored, { locations: 2, entries: 19, webhooks: 0, sources: 0, deleted: 0 })
      for (const n of [7, 8]) assert.equal((await verifyLocation(pool, idOf('location', n))).verified, true)
      assert.equal((await findApiKey(pool, hashKey(keys[format] as string)))?.locationId, idOf('location', 7))
      const env = { DATABASE_URL: toUrl(connection) }
      const { stdout } = await tillgate(['export', '--location', idOf('location', 7)], { env })
      assert.equal(stdout, exported)
      await assert.rejects(restore(pool, dir, { secret, signer: stranger.publicKey }), { code: 'backup_signer' })
    })
  }

  test(`a backup of format ${format} is continued: current data is rewritten and signed, deleted data remains`, async () => {
    const dir = await unpack(`${format}-plain`)
    const before = await readManifest(dir)
    const { pool, connection } = await createDatabase()
    await restore(pool, dir)
    const env = { DATABASE_URL: toUrl(connection) }
    const input = linesOf([order(orderOf(idOf('location', 7), 900))])
    await tillgate(['import', '-', '--location', idOf('location', 7)], { env, input })
    const { code, stderr } = await tillgate(['backup', dir], { env })
    assert.equal(code, 0, stderr)
    assert.match(stderr, /rewritten: it had an older format/)
    const signer = /signed by (tgs_\S+):/.exec(stderr)?.[1] ?? ''
    const now = await readManifest(dir)
    assert.deepEqual(
      now.deleted.map(({ id, segments }) => ({ id, segments })),
      before.deleted.map(({ id, segments }) => ({ id, segments })),
    )
    const files = await filesOf(dir)
    for (const { file } of before.locations.flatMap(({ segments }) => segments))
      assert.equal(files.has(file), false, file)
    const target = await createDatabase()
    // 19 earlier entries, the entry that resumes the restored journal, and the order.
    assert.equal((await restore(target.pool, dir, { signer, withDeleted: true })).entries, 21)
  })
}
