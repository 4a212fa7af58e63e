import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { chown, mkdir, readdir, readFile, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createOpener } from '../../../src/modules/backup/format/encryption.ts'
import { readManifest } from '../../../src/modules/backup/format/stored-manifest.ts'
import { readLines } from '../../../src/modules/backup/format/tables.ts'
import { installationId } from '../../../src/core/domain/accounts/keys.ts'
import { createApiKey } from '../../../src/core/store/accounts/api-keys.ts'
import { startApp } from '../../support/app.ts'
import { createDatabase } from '../../support/database.ts'
import { everyRecord, order, orderOf } from '../../support/records.ts'
import { backUp, filesOf, forge, newDirectory, restore } from './support.ts'

const app = await startApp()
await app.store(everyRecord(app.location))
const { pool } = await createDatabase()
let orders = 2_000

async function newBackup() {
  const dir = newDirectory()
  const { manifest } = await backUp(app.pool, dir)
  return { dir, manifest, path: join(dir, 'manifest.json') }
}

test('a manifest that is a pipe, a link or endless is refused at once, for reads and writes', async () => {
  for (const [make, code] of [
    [(path: string) => execFileSync('mkfifo', [path]), 'file_unreadable'],
    [(path: string) => symlink('/dev/zero', path), 'backup_damaged'],
    [(path: string) => mkdir(path), 'file_unreadable'],
    [
      async (path: string) => {
        await writeFile(path, '{')
        await truncate(path, 33 * 1024 * 1024)
      },
      'backup_damaged',
    ],
  ] as const) {
    const { dir, path } = await newBackup()
    await rm(path)
    await make(path)
    await assert.rejects(restore(pool, dir), { code })
    await assert.rejects(backUp(app.pool, dir), { code })
  }
})

test('the file with a location’s manifest has its signed size, and is a regular file', async () => {
  const { dir, manifest } = await newBackup()
  const [own] = manifest.locations[0]?.stored ?? []
  assert.ok(own)
  const path = join(dir, own.file)
  await truncate(path, 2 ** 31)
  await assert.rejects(restore(pool, dir), {
    code: 'backup_damaged',
    message: /it has 2147483648 bytes instead of/,
  })
  await rm(path)
  execFileSync('mkfifo', [path])
  await assert.rejects(restore(pool, dir), { code: 'file_unreadable', message: /is not a file/ })
})

test('a file larger than its manifest states is not read, and a stated size that exceeds the memory is refused', async () => {
  const { dir, manifest } = await newBackup()
  const [segment] = manifest.locations.find(({ id }) => id === app.location)?.segments ?? []
  assert.ok(segment)
  await truncate(join(dir, segment.file), 2 ** 31)
  await assert.rejects(restore(pool, dir), { code: 'backup_damaged', message: /it has 2147483648 bytes/ })
  for (const change of [{ bytes: 2 ** 31 }, { text: 2 ** 31 }]) {
    const named = { ...segment }
    Object.assign(segment, change)
    await forge(dir, manifest)
    await assert.rejects(restore(pool, dir), { code: 'backup_invalid', message: /268435456/ })
    Object.assign(segment, named)
  }
})

test('a file that unpacks to more than the manifest states, or to more than the limit, is not unpacked', async () => {
  const dir = newDirectory()
  await mkdir(dir)
  const opener = await createOpener(null, null)
  const entryOf = async (bytes: Buffer, text?: number) => {
    await writeFile(join(dir, 'file'), bytes)
    return { file: 'file', bytes: bytes.length, sha256: hash('sha256', bytes), ...(text !== undefined && { text }) }
  }
  const line = '{"a":1}\n'
  assert.deepEqual(await readLines(dir, await entryOf(gzipSync(line), line.length), opener), [{ a: 1 }])
  for (const text of [line.length - 1, line.length + 1]) {
    await assert.rejects(readLines(dir, await entryOf(gzipSync(line), text), opener), { code: 'backup_damaged' })
  }
  // 300 MB packed in 300 kB, ten times: the ratio alone would allow 660 MB unpacked.
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024))
  const padded = Buffer.concat([bomb, ...Array.from({ length: 9 }, () => bomb)])
  await assert.rejects(readLines(dir, await entryOf(padded), opener), { code: 'backup_damaged', message: /268435456/ })
})

test('a link in place of a directory is not followed: nothing behind it is read, written or deleted', async () => {
  for (const part of ['keys', 'locations', `locations/${app.location}`, `locations/${app.location}/journal`]) {
    const { dir } = await newBackup()
    const away = newDirectory()
    await rename(join(dir, part), away)
    const theirs = join(away, 'theirs.ndjson.gz')
    await writeFile(theirs, 'not of the backup')
    await symlink(away, join(dir, part))
    const before = await readdir(away)
    await assert.rejects(restore(pool, dir), { code: 'backup_damaged', message: /link/ })
    await app.store([order(orderOf(app.location, ++orders))])
    const isRefused = ({ code }: { code?: string }) => code === 'output_failed' || code === 'backup_damaged'
    await assert.rejects(backUp(app.pool, dir), isRefused)
    const manifest = await readManifest(dir).catch(() => undefined)
    await assert.rejects(backUp(app.pool, dir, { before: manifest }), isRefused)
    assert.deepEqual([await readFile(theirs, 'utf8'), await readdir(away)], ['not of the backup', before])
  }
})

test(
  'a backup is not written into directories of another account, which could place links there',
  { skip: process.geteuid?.() !== 0 && 'only root gives files away' },
  async () => {
    for (const part of ['', 'keys', `locations/${app.location}`]) {
      const { dir } = await newBackup()
      const files = await filesOf(dir)
      await chown(join(dir, part), 65_534, 65_534)
      await app.store([order(orderOf(app.location, ++orders))])
      const grant = {
        locationId: installationId,
        recipientId: null,
        scopes: ['admin' as const],
        expiresAt: null,
        name: part,
      }
      await createApiKey(app.pool, 'live', grant, new Date())
      await assert.rejects(backUp(app.pool, dir), { code: 'output_failed', message: /belongs to the account 65534/ })
      assert.deepEqual((await filesOf(dir)).get('manifest.json')?.bytes, files.get('manifest.json')?.bytes)
      const target = await createDatabase()
      await restore(target.pool, dir)
    }
  },
)
