import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { prepareSample } from '../../../simulator/cli/sample.ts'
import { listApiKeys, revokeApiKey } from '../../../src/core/store/accounts/api-keys.ts'
import { findHead } from '../../../src/core/store/journal/journal.ts'
import { addLocation } from '../../support/app.ts'
import { createDataDir, serve, start, stop, tillgate, toUrl } from '../../support/cli.ts'
import { createDatabase } from '../../support/database.ts'
import { eventually } from '../../support/waiting.ts'

const [dataDir, scratch] = [await createDataDir(), await createDataDir()]
const { pool } = await createDatabase()
const used = await createDatabase()

describe('serve --sample', () => {
  test('prints a curl line that works when pasted', async () => {
    const args = ['src/main.ts', 'serve', '--sample', '--port', '0', '--data-dir', dataDir]
    const running = start(process.execPath, args)
    await eventually(() => running.written.stdout.includes('Ctrl-C'), 'serve says that it runs')
    const { stdout } = running.written
    const [, header = '', value = '', url = ''] = /curl -H '([\w-]+): (\S+)' '(\S+)'$/m.exec(stdout) ?? []
    const response = await fetch(url, { headers: { [header]: value } })
    assert.equal(response.status, 200, stdout)
    const { data, meta } = (await response.json()) as { data: unknown[]; meta: { totalCount: number } }
    assert.equal(data.length, 1)
    assert.ok(meta.totalCount > 100, `${meta.totalCount} orders`)
    const [, reference = ''] = /Reference +(\S+)/.exec(stdout) ?? []
    assert.equal((await fetch(reference)).status, 200)
    assert.equal((await stop(running, 'SIGINT')).code, 0)
  })
})

test('serve --sample reports a port in use before it creates a sample', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as AddressInfo
  const dir = join(scratch, 'untouched')
  const { code, stderr } = await tillgate(['serve', '--sample', '--port', String(port), '--data-dir', dir])
  taken.close()
  assert.equal(code, 2)
  assert.match(stderr, /^error: port \d+ of 127\.0\.0\.1 is in use: /)
  assert.equal(existsSync(dir), false)
})

describe('the sample', () => {
  test('is loaded once, and has the same key at each start', async () => {
    const sample = await prepareSample(pool, scratch)
    const head = await findHead(pool, sample.locationId)
    assert.deepEqual(await prepareSample(pool, scratch), sample)
    assert.deepEqual(await findHead(pool, sample.locationId), head)
    const keys = await listApiKeys(pool)
    assert.deepEqual(
      keys.map(({ name, scopes }) => ({ name, scopes })),
      [{ name: 'sample', scopes: ['read', 'webhooks', 'ingest'] }],
    )
  })

  test('has its key in a file that only its owner can read', async () => {
    assert.deepEqual(await readdir(scratch), ['sample.key'])
    const { mode } = await stat(join(scratch, 'sample.key'))
    assert.equal(mode & 0o777, 0o600)
  })

  test('in another database does not change the key of an embedded one next to it', async () => {
    const dir = await createDataDir({ filled: true })
    const file = join(dir, 'sample.key')
    await writeFile(file, 'of the embedded database\n')
    const other = await createDatabase()
    const args = ['--sample', '--data-dir', dir, '--database-url', toUrl(other.connection)]
    const keys: string[] = []
    for (let n = 0; n < 2; n++) {
      const served = await serve(args)
      keys.push(served.line.key)
      await stop(served)
    }
    assert.equal(await readFile(file, 'utf8'), 'of the embedded database\n')
    const [own = '', ...more] = (await readdir(dir)).filter((name) => name.startsWith('sample-'))
    assert.deepEqual([keys[0] === keys[1], more], [true, []], 'one key, at each start')
    assert.equal((await readFile(join(dir, own), 'utf8')).trim(), keys[0])
  })

  test('in an embedded database moves aside the key of another database, and both keep their keys at each start', async () => {
    const dir = join(scratch, 'shared')
    const first = await prepareSample(pool, dir)
    const embedded = await createDatabase()
    const second = await prepareSample(embedded.pool, dir)
    assert.equal((await readFile(join(dir, 'sample.key'), 'utf8')).trim(), second.key)
    for (let n = 0; n < 2; n++) {
      assert.deepEqual(await prepareSample(pool, dir, true), first)
      assert.deepEqual(await prepareSample(embedded.pool, dir), second)
    }
    const files = await readdir(dir)
    assert.equal(files.length, 2)
    for (const file of files) assert.equal((await stat(join(dir, file))).mode & 0o777, 0o600)
    await rm(dir, { recursive: true })
  })

  test('is not written through a link that another user placed', async () => {
    const [foreign, dir] = [join(scratch, 'foreign'), join(scratch, 'linked')]
    await mkdir(dir)
    await writeFile(foreign, 'precious')
    await symlink(foreign, join(dir, 'sample.key'))
    await symlink(foreign, join(dir, `sample.key.${process.pid}`))
    const sample = await prepareSample(pool, dir)
    assert.equal(await readFile(foreign, 'utf8'), 'precious')
    assert.equal((await readFile(join(dir, 'sample.key'), 'utf8')).trim(), sample.key)
    await rm(dir, { recursive: true })
    await rm(foreign)
  })

  test('gets a new key when the old one was revoked', async () => {
    const before = await prepareSample(pool, scratch)
    const [key] = await listApiKeys(pool)
    await revokeApiKey(pool, key?.id ?? '', new Date())
    const after = await prepareSample(pool, scratch)
    assert.notEqual(after.key, before.key)
    assert.deepEqual(await prepareSample(pool, scratch), after)
  })

  test('is refused if other locations exist', async () => {
    await addLocation(used.pool)
    await assert.rejects(prepareSample(used.pool, scratch), { code: 'sample_refused' })
  })
})
