import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { appendFile, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { writeFileOf } from '../../../src/modules/backup/format/files.ts'
import type { FileEntry } from '../../../src/modules/backup/format/files.ts'
import { startApp } from '../../support/app.ts'
import { createDatabase } from '../../support/database.ts'
import { fill } from './filled.ts'
import { backUp, filesOf, forge, newDirectory, restore } from './support.ts'

const source = await startApp()
await fill(source)

test('a damaged file, a missing file and a false entry are named, and a target with data is refused', async () => {
  const dir = newDirectory()
  const { manifest } = await backUp(source.pool, dir)
  const segment = manifest.locations.find(({ id }) => id === source.location)?.segments[0]
  assert.ok(segment)
  const path = join(dir, segment.file)
  const files = await filesOf(dir)
  const { pool } = await createDatabase()
  const isEmpty = async () => assert.equal((await pool`select 1 from locations`).length, 0)
  await appendFile(path, 'x')
  await assert.rejects(restore(pool, dir), {
    code: 'backup_damaged',
    message: new RegExp(`${segment.file} is damaged`),
  })
  await isEmpty()
  await truncate(path, 10)
  await assert.rejects(restore(pool, dir), { code: 'backup_damaged' })
  await rm(path)
  await assert.rejects(restore(pool, dir), {
    code: 'backup_damaged',
    message: new RegExp(`${segment.file} is missing`),
  })
  await isEmpty()
  await mkdir(path)
  await assert.rejects(restore(pool, dir), {
    code: 'file_unreadable',
    message: new RegExp(`${segment.file} cannot be`),
  })
  await rm(path, { recursive: true })
  await writeFile(path, files.get(segment.file)?.bytes as Buffer)
  await writeFile(join(dir, 'manifest.json'), '{"format":2}')
  await assert.rejects(restore(pool, dir), { code: 'backup_invalid' })
  await writeFile(join(dir, 'manifest.json'), files.get('manifest.json')?.bytes as Buffer)
  await assert.rejects(restore(source.pool, dir), { code: 'target_not_empty' })
  await assert.rejects(restore(pool, newDirectory()), { code: 'backup_invalid' })
  await restore(pool, dir)
})

test('of two concurrent restores into one database one succeeds, and the other is refused', async () => {
  const dir = newDirectory()
  await backUp(source.pool, dir)
  const { pool } = await createDatabase()
  const [one, other] = (await Promise.allSettled([restore(pool, dir), restore(pool, dir)])).toSorted((a, b) =>
    a.status.localeCompare(b.status),
  )
  assert.equal(one?.status, 'fulfilled')
  assert.equal(
    (other as PromiseRejectedResult).reason.code,
    'target_not_empty',
    String((other as PromiseRejectedResult).reason),
  )
})

test('a truncated file is reported even if the manifest has its digest, and so are rows that no table accepts', async () => {
  const dir = newDirectory()
  const { manifest } = await backUp(source.pool, dir)
  const { pool } = await createDatabase()
  const [location] = manifest.locations
  const [segment] = location?.segments ?? []
  const [tables] = location?.tables ?? []
  assert.ok(tables && segment)
  const whole = await readFile(join(dir, segment.file))
  const row = gzipSync('{"table":"locations","row":{"id":"none"}}\n')
  const cases: [FileEntry, Buffer, RegExp][] = [
    [segment, whole.subarray(0, 100), /journal\S+ is not a backup file: .*unexpected end of file/],
    [segment, gzipSync(gunzipSync(whole).subarray(0, 1_000)), /journal\S+ is not a backup file: .*JSON/],
    [segment, Buffer.from('hello'), /journal\S+ is not a backup file: .*header/],
    [segment, gzipSync('null\n'), /journal\S+ does not contain the entries/],
    [tables, gzipSync('{"table":"locations"}\n'), /tables\S+ names an unknown table or column/],
    [tables, row, /the database does not accept rows of this backup: .*uuid/],
  ]
  for (const [file, bytes, message] of cases) {
    const before = await readFile(join(dir, file.file))
    const named = { ...file }
    Object.assign(file, await writeFileOf(dir, file.file, bytes), { text: undefined })
    await forge(dir, manifest)
    await assert.rejects(restore(pool, dir), { code: 'backup_damaged', message })
    await writeFile(join(dir, file.file), before)
    Object.assign(file, named)
    await pool`delete from location_seq`
    await pool`delete from locations`
  }
})

test('a malicious backup is refused: file names outside its directory, links, pipes, bombs and garbage', async () => {
  const dir = newDirectory()
  const { manifest } = await backUp(source.pool, dir)
  const { pool } = await createDatabase()
  const [location, ...others] = manifest.locations
  const [tables] = location?.tables ?? []
  assert.ok(location && tables)
  const path = join(dir, tables.file)
  const name = async (change: object) => {
    const locations = [{ ...location, tables: [{ ...tables, ...change }] }, ...others]
    await forge(dir, { ...manifest, locations })
  }
  const refuses = (code: string, message: RegExp) => assert.rejects(restore(pool, dir), { code, message })
  for (const file of ['../../etc/passwd', '/etc/passwd', 'keys/../../x', 'locations/..', 'keys//x', 'keys/.x']) {
    await name({ file })
    await refuses('backup_invalid', /manifest/)
  }
  const garbage = [
    Buffer.alloc(0),
    Buffer.from('no gzip'),
    ...['{"no', 'null', '{"table":"journal","row":{}}'].map((text) => gzipSync(text)),
  ]
  for (const bytes of [...garbage, gzipSync(Buffer.alloc(100 * 1024 * 1024))]) {
    await writeFile(path, bytes)
    await name({ bytes: bytes.length, sha256: hash('sha256', bytes), text: undefined })
    await refuses('backup_damaged', new RegExp(tables.file))
  }
  await rm(path)
  await symlink('/dev/zero', path)
  await refuses('backup_damaged', /is a link/)
  await rm(path)
  execFileSync('mkfifo', [path])
  await refuses('file_unreadable', /is not a file/)
  assert.equal((await pool`select 1 from locations`).length, 0)
})
