import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { copyFile, cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { generateKey } from '../../../src/modules/backup/format/age-seal.ts'
import { authenticate } from '../../../src/modules/backup/format/authenticity.ts'
import {
  createOpener,
  createSeal,
  type OpeningSecret,
  type SealingSecret,
} from '../../../src/modules/backup/format/encryption.ts'
import { getSigner, isSignedBy, toSigner } from '../../../src/modules/backup/format/signing.ts'
import { readManifest } from '../../../src/modules/backup/format/stored-manifest.ts'
import { writeTables } from '../../../src/modules/backup/format/tables.ts'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { revokeApiKey } from '../../../src/core/store/accounts/api-keys.ts'
import { deleteLocation } from '../../../src/core/store/repair/location-states.ts'
import { startApp } from '../../support/app.ts'
import { createDatabase } from '../../support/database.ts'
import { everyRecord, order, orderOf } from '../../support/records.ts'
import { passphrase } from './filled.ts'
import { backUp, filesOf, forge, newDirectory, restore, stranger, takenAt } from './support.ts'

const app = await startApp()
await app.store(everyRecord(app.location))
await app.store(everyRecord(app.other.id), app.other.key)
const signer = (await getSigner(app.pool, takenAt)).publicKey
const [first, second] = [await generateKey(), await generateKey()]
const byPassphrase = { passphrase }

async function judge(dir: string, secret: OpeningSecret, expected?: string) {
  const manifest = await readManifest(dir)
  const { mac } = await createOpener(secret, manifest.encryption)
  return authenticate(manifest, mac, expected)
}

const isChanged = {
  code: 'backup_damaged',
  message: /manifest.json was (changed after it was signed|written by someone)/,
}

test('the signature is Ed25519 by RFC 8032, over the signed part of a manifest only', () => {
  // RFC 8032, section 7.1, test 1: the secret key, from which the public key follows.
  const d = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex').toString('base64url')
  const x = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex').toString('base64url')
  const own = toSigner({ x, d }, [])
  assert.equal(own.publicKey, `tgs_${x}`)
  const signature = own.sign('{"format":3}')
  assert.equal(isSignedBy(own.publicKey, '{"format":3}', signature), true)
  assert.equal(isSignedBy(own.publicKey, '{"format":3} ', signature), false)
  assert.equal(isSignedBy(stranger.publicKey, '{"format":3}', signature), false)
  assert.equal(isSignedBy('tgs_none', '{"format":3}', 'none'), false)
})

test('a backup states what authenticates it: the passphrase, the requested signer, or nothing', async () => {
  const [plain, sealed] = [newDirectory(), newDirectory()]
  await backUp(app.pool, plain)
  await backUp(app.pool, sealed, { secret: byPassphrase })
  assert.equal(await judge(plain, null), null)
  assert.equal(await judge(plain, null, signer), 'signer')
  assert.equal(await judge(sealed, byPassphrase), 'passphrase')
  assert.equal(await judge(sealed, byPassphrase, signer), 'signer')
  await assert.rejects(judge(plain, null, stranger.publicKey), { code: 'backup_signer', message: new RegExp(signer) })
})

for (const [name, secret, opening] of [
  ['not sealed', null, null],
  ['sealed with a passphrase', byPassphrase, byPassphrase],
  ['sealed to a recipient', { recipients: [first.recipient] }, { identities: [first.identity] }],
] as [string, SealingSecret, OpeningSecret][]) {
  test(`no part of a backup that is ${name} can be replaced by an older or newer one, removed or added`, async () => {
    const [then, now] = [newDirectory(), newDirectory()]
    const key = await app.addKey(app.location)
    await backUp(app.pool, then, { secret })
    await cp(then, now, { recursive: true })
    await revokeApiKey(app.pool, key.id, takenAt)
    await app.store([order(orderOf(app.location, 500 + name.length))])
    await backUp(app.pool, now, { secret })
    assert.equal(await judge(now, opening, signer), 'signer')
    const whole = JSON.parse(await readFile(join(now, 'manifest.json'), 'utf8'))
    const before = JSON.parse(await readFile(join(then, 'manifest.json'), 'utf8'))
    const put = (change: object) => writeFile(join(now, 'manifest.json'), JSON.stringify({ ...whole, ...change }))
    const mixed = whole.locations.map((one: { id: string }) =>
      one.id === app.location ? before.locations.find(({ id }: { id: string }) => id === one.id) : one,
    )
    for (const { file } of (await filesOf(then)).values()) {
      if (file !== 'manifest.json') await copyFile(join(then, file), join(now, file))
    }
    for (const change of [
      { keys: before.keys, takenAt: '2030-01-01T00:00:00.000Z' },
      { locations: mixed },
      { locations: whole.locations.slice(1) },
      { locations: [] },
      { deleted: [{ ...whole.locations[0], deletedAt: 'then', ended: 3 }] },
      { proof: before.proof },
      { proof: { ...whole.proof, signer: stranger.publicKey } },
      { schema: 1 },
    ]) {
      await put(change)
      await assert.rejects(judge(now, opening), isChanged, JSON.stringify(change).slice(0, 80))
    }
    await put({})
    assert.equal(await judge(now, opening, signer), 'signer')
    // A person with write access to the directory can sign with another key, but not with the recorded key.
    await forge(now, await readManifest(now))
    await assert.rejects(
      judge(now, opening, signer),
      secret && 'passphrase' in secret ? isChanged : { code: 'backup_signer' },
    )
    await assert.rejects(
      backUp(app.pool, now, { secret }),
      secret && 'passphrase' in secret ? isChanged : { code: 'backup_signer' },
    )
  })
}

test('keys that a stranger encrypted to the manifest’s recipients are not restored if a signer is required', async () => {
  const dir = newDirectory()
  const secret = { recipients: [first.recipient] }
  const { manifest } = await backUp(app.pool, dir, { secret })
  const seal = await createSeal(secret, manifest.encryption, stranger)
  const row = { id: '00000000-0000-4000-8000-000000000001', hash: 'f'.repeat(64) }
  const keys = await writeTables({ dir, folder: 'keys', seal }, [{ table: 'api_keys', rows: [row] }], [])
  await forge(dir, { ...manifest, keys })
  const { pool } = await createDatabase()
  const opening = { secret: { identities: [first.identity] } }
  await assert.rejects(restore(pool, dir, { ...opening, signer }), { code: 'backup_signer' })
  assert.equal((await pool`select 1 from locations`).length, 0)
  await assert.rejects(backUp(app.pool, dir, { secret }), { code: 'backup_signer' }, 'and no run signs them')
})

test('a manifest with its members in another order is refused, and so is a MAC keyed with the passphrase itself', async () => {
  const dir = newDirectory()
  await backUp(app.pool, dir, { secret: byPassphrase })
  const { proof, ...body } = JSON.parse(await readFile(join(dir, 'manifest.json'), 'utf8'))
  const other = Object.fromEntries(Object.entries(body).toReversed())
  await writeFile(join(dir, 'manifest.json'), JSON.stringify({ ...other, proof }))
  await assert.rejects(judge(dir, byPassphrase), isChanged)
  // A MAC keyed with the passphrase itself is refused: each purpose has a key that is derived from the passphrase.
  const mac = createHmac('sha256', passphrase).update(JSON.stringify(body)).digest('hex')
  await writeFile(join(dir, 'manifest.json'), JSON.stringify({ ...body, proof: { ...proof, mac } }))
  await assert.rejects(judge(dir, byPassphrase), isChanged)
})

test('a restored installation continues its backup, with its own signing key', async () => {
  const dir = newDirectory()
  await backUp(app.pool, dir)
  const { pool } = await createDatabase()
  await restore(pool, dir)
  await backUp(pool, dir)
  const own = (await getSigner(pool, takenAt)).publicKey
  assert.notEqual(own, signer)
  assert.equal(await judge(dir, null, own), 'signer')
  await assert.rejects(judge(dir, null, signer), { code: 'backup_signer' })
  for (const { file, bytes } of (await filesOf(dir)).values()) {
    const [{ d }] = (await pool`select private_key as d from backup_signers where private_key is not null`) as [
      { d: string },
    ]
    assert.ok(!bytes.includes(d), `${file} has the key that signs it`)
  }
})

test('after a change of recipients existing data is encrypted to the new ones, except what was deleted before', async () => {
  const dir = newDirectory()
  const gone = await app.addLocation()
  await app.store([order(orderOf(gone.id, 1))], gone.key)
  await backUp(app.pool, dir, { secret: { recipients: [first.recipient] } })
  await deleteLocation(app.pool, gone.id, takenAt)
  await backUp(app.pool, dir, { secret: { recipients: [first.recipient] } })
  const { renewed, manifest } = await backUp(app.pool, dir, { secret: { recipients: [second.recipient] } })
  assert.equal(renewed, true)
  assert.deepEqual(
    manifest.deleted.map(({ recipients }) => recipients),
    [[first.recipient]],
  )
  const live = manifest.locations.flatMap(({ segments, tables }) => [...segments, ...tables])
  const opened = async (identity: string, file: string) => {
    const { open } = await createOpener({ identities: [identity] }, (await readManifest(dir)).encryption)
    return open(await readFile(join(dir, file)), file)
  }
  for (const { file } of [...live, manifest.keys]) assert.ok(await opened(second.identity, file))
  const { pool } = await createDatabase()
  await assert.rejects(restore(pool, dir, { secret: { identities: [first.identity] } }), { code: 'backup_key' })
  await restore(pool, dir, { secret: { identities: [second.identity] } })
  assert.equal((await verifyLocation(pool, app.location)).verified, true)
  const withDeleted = await createDatabase()
  await assert.rejects(
    restore(withDeleted.pool, dir, { secret: { identities: [second.identity] }, withDeleted: true }),
    { code: 'backup_key', message: /encrypted to earlier recipients/ },
  )
  const both = await createDatabase()
  const secret = { identities: [second.identity, first.identity] }
  const restored = await restore(both.pool, dir, { secret, withDeleted: true })
  assert.equal(restored.deleted, 0)
  assert.equal((await backUp(app.pool, dir, { secret: { recipients: [second.recipient] } })).renewed, false)
})

test('a run that was overtaken by another one writes no manifest, and deletes none of its files', async () => {
  const dir = newDirectory()
  const { manifest: before } = await backUp(app.pool, dir)
  await app.store([order(orderOf(app.location, 700))])
  await backUp(app.pool, dir)
  const files = await filesOf(dir)
  await app.store([order(orderOf(app.location, 701))])
  await assert.rejects(backUp(app.pool, dir, { before }), { code: 'backup_in_use' })
  const after = await filesOf(dir)
  for (const [file, { bytes }] of files) assert.deepEqual(after.get(file)?.bytes, bytes, file)
  await rm(join(dir, 'manifest.json'))
  await assert.rejects(backUp(app.pool, dir, { before }), { code: 'backup_in_use' })
})
