import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { Decrypter } from 'age-encryption'
import { generateKey } from '../../../src/modules/backup/format/age-seal.ts'
import {
  createOpener,
  createSeal,
  type OpeningSecret,
  type SealingSecret,
} from '../../../src/modules/backup/format/encryption.ts'
import { readOpeningSecret, readSealingSecret } from '../../../src/modules/backup/cli/backup/secrets.ts'
import { verifyLocation } from '../../../src/modules/operations/cli/verify.ts'
import { startApp } from '../../support/app.ts'
import { commandsOn, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { everyRecord, order, orderOf } from '../../support/records.ts'
import { backUp, filesOf, newDirectory, restore, stranger } from './support.ts'

const app = await startApp()
await app.store(everyRecord(app.location))
const target = await createDatabase()
const [first, second, other] = [await generateKey(), await generateKey(), await generateKey()]
const sealed = { secret: { recipients: [first.recipient] } }
const opened = { secret: { identities: [first.identity] } }
const wrongKey = (message: RegExp) => ({ code: 'backup_key', message })

/** Checks that a restore is refused, and that nothing was written before. */
async function assertRefused(restoring: Promise<unknown>, message: RegExp): Promise<void> {
  await assert.rejects(restoring, wrongKey(message))
  assert.equal((await target.pool`select 1 from api_keys`).length, 0)
}

test('data encrypted to a recipient opens only with its identity, and reveals nothing to anyone else', async () => {
  const dir = newDirectory()
  const { entries } = await backUp(app.pool, dir, sealed)
  const files = await filesOf(dir)
  assert.ok([...files.keys()].every((file) => /(^|\/)manifest\S*\.json$/.test(file) || file.endsWith('.ndjson.gz.age')))
  const [key] = await app.pool<{ hash: string }[]>`select hash from api_keys limit 1`
  for (const { file, bytes } of files.values()) {
    for (const word of [key?.hash as string, 'Camille', 'operatorName'])
      assert.ok(!bytes.toString('latin1').includes(word), file)
  }
  await assertRefused(restore(target.pool, dir), /is encrypted to age1\w+: pass the identity file with --identity/)
  const wrong = { secret: { identities: [other.identity] } }
  await assertRefused(
    restore(target.pool, dir, wrong),
    new RegExp(`does not decrypt .* encrypted to ${first.recipient}`),
  )
  const cut = { secret: { identities: [first.identity.slice(0, -1)] } }
  await assertRefused(restore(target.pool, dir, cut), /truncated or changed/)
  await assertRefused(restore(target.pool, dir, { secret: { passphrase: 'a passphrase' } }), /--identity/)
  const restored = await restore(target.pool, dir, { secret: { identities: [other.identity, first.identity] } })
  assert.equal(restored.entries, entries)
  assert.equal((await verifyLocation(target.pool, app.location)).verified, true)
})

test('a run that cannot decrypt a backup can continue it, for each of several recipients', async () => {
  const dir = newDirectory()
  const both = { secret: { recipients: [second.recipient, first.recipient] } }
  const before = await backUp(app.pool, dir, both)
  await app.store([order(orderOf(app.location, 50))])
  const after = await backUp(app.pool, dir, { secret: { recipients: [first.recipient, second.recipient] } })
  assert.deepEqual([after.entries, after.segments], [1, 1])
  const known = new Set((await filesOf(dir)).keys())
  const named = after.manifest.locations.flatMap(({ tables, segments, stored }) => [
    ...stored.map((one) => one.file),
    ...tables.map((one) => one.file),
    ...segments.map((s) => s.file),
  ])
  assert.deepEqual(known, new Set(['manifest.json', after.manifest.keys.file, ...named]), 'what was replaced is gone')
  for (const { identity } of [first, second]) {
    const { pool } = await createDatabase()
    const { entries } = await restore(pool, dir, { secret: { identities: [identity] } })
    assert.equal(entries, before.entries + 1)
  }
})

test('a file of the backup is age around gzip, and a changed one is named', async () => {
  const dir = newDirectory()
  const { manifest } = await backUp(app.pool, dir, sealed)
  const file = manifest.locations.find(({ id }) => id === app.location)?.segments[0]?.file as string
  const path = join(dir, file)
  const decrypter = new Decrypter()
  decrypter.addIdentity(first.identity)
  const bytes = await readFile(path)
  assert.match(gunzipSync(await decrypter.decrypt(bytes)).toString(), /^\{"seq":1,/)
  bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1
  await writeFile(path, bytes)
  const { pool } = await createDatabase()
  await assert.rejects(restore(pool, dir, opened), { code: 'backup_damaged', message: new RegExp(file) })
})

test('a backup is continued with its first recipients, which must be given each time', async () => {
  const dir = newDirectory()
  await backUp(app.pool, dir, sealed)
  const manifest = await readFile(join(dir, 'manifest.json'))
  await assert.rejects(backUp(app.pool, dir), wrongKey(/pass the recipients again with --recipient/))
  await assert.rejects(
    backUp(app.pool, dir, { secret: { recipients: ['age1nobody'] } }),
    wrongKey(/not a valid age recipient/),
  )
  await assert.rejects(backUp(app.pool, dir, { secret: { recipients: [first.identity] } }), ({ message }: Error) => {
    assert.ok(!message.includes(first.identity), 'a secret that was given by mistake is not repeated')
    return true
  })
  assert.deepEqual(await readFile(join(dir, 'manifest.json')), manifest)
  const open = newDirectory()
  await backUp(app.pool, open)
  await assert.rejects(backUp(app.pool, open, sealed), wrongKey(/cannot be encrypted later/))
  await assert.rejects(restore(target.pool, open, opened), wrongKey(/remove --identity/))
})

test('encrypted data reveals neither that it is unchanged nor its content by a digest', async () => {
  const content = Buffer.from('the same content')
  const secrets: [SealingSecret, OpeningSecret][] = [
    [{ passphrase: 'a passphrase' }, { passphrase: 'a passphrase' }],
    [{ recipients: [first.recipient] }, { identities: [first.identity] }],
  ]
  for (const [sealing, opening] of secrets) {
    const [one, another] = [
      await createSeal(sealing, undefined, stranger),
      await createSeal(sealing, undefined, stranger),
    ]
    const files = await Promise.all([one, one, another].map((seal) => seal.seal(content, 'a/file')))
    assert.equal(new Set(files.map((file) => file.subarray(0, 12).toString('hex') + file.toString('hex'))).size, 3)
    assert.equal(new Set(files.map((file) => file.subarray(-32).toString('hex'))).size, 3)
    assert.equal(one.digest(content), one.digest(Buffer.from(content)))
    assert.equal(
      new Set([one, another, await createSeal(null, undefined, stranger)].map((seal) => seal.digest(content))).size,
      3,
    )
    const { open } = await createOpener(opening, one.encryption)
    assert.deepEqual(await open(files[0] as Buffer, 'a/file'), content)
  }
})

test('a file with identities contains nothing else, and is used without a passphrase', async () => {
  const file = newDirectory()
  await writeFile(file, 'no identity\n')
  await assert.rejects(readOpeningSecret({ identity: file }), { code: 'usage', message: /must contain age identities/ })
  await writeFile(file, `# public key: ${first.recipient}\r\n${first.identity}\r\n\r\n${second.identity}`)
  assert.deepEqual(await readOpeningSecret({ identity: file }), { identities: [first.identity, second.identity] })
  await assert.rejects(readOpeningSecret({ passphraseFile: '/dev/zero' }), {
    code: 'usage',
    message: /exceeds 1 MiB/,
  })
  const both = { passphraseFile: file, identity: file }
  await assert.rejects(readOpeningSecret(both), { code: 'usage', message: /cannot be combined/ })
})

test('the commands create a key, encrypt to it, and restore with it', async () => {
  const [dir, file] = [newDirectory(), newDirectory()]
  const { run, refuses } = commandsOn({ env: { DATABASE_URL: toUrl(app.database.connection) } })
  const made = await run`backup keygen ${file}`
  assert.match(made.stdout, /^age1[0-9a-z]{58}\n$/)
  assert.equal((await stat(file)).mode & 0o777, 0o600)
  const recipient = made.stdout.trim()
  await refuses(/"output_failed"/)`backup keygen ${file} --json`
  const backedUp = await run`backup ${dir} --recipient ${recipient}`
  assert.equal(backedUp.code, 0, backedUp.stderr)
  const set = { TILLGATE_BACKUP_RECIPIENT: recipient, TILLGATE_BACKUP_PASSPHRASE_FILE: file }
  await assert.rejects(readSealingSecret({}, set), { code: 'usage', message: /cannot be combined/ })
  assert.deepEqual(await readSealingSecret({ recipient: [second.recipient] }, set), { recipients: [second.recipient] })
  const { connection } = await createDatabase()
  const target = commandsOn({ env: { DATABASE_URL: toUrl(connection) } })
  await target.refuses(/"backup_key"/)`restore ${dir} --json`
  const restored = await target.run`restore ${dir} --identity ${file}`
  assert.equal(restored.code, 0, restored.stderr)
  const proved = await run`backup verify ${dir} --identity ${file}`
  assert.match(proved.stdout, /^intact {2}.*, but the author of the backup is not proven/)
  const signer = (await run`backup signer`).stdout.trim()
  assert.match(backedUp.stderr, new RegExp(`signed by ${signer}: store it separately`))
  const signed = await run`backup verify ${dir} --identity ${file} --signer ${signer}`
  assert.match(signed.stdout, new RegExp(`^verified {2}.*, signed by ${signer}\n$`))
  await target.refuses(/"backup_signer"/)`restore ${dir} --identity ${file} --signer ${stranger.publicKey} --json`
})
