import assert from 'node:assert/strict'
import { lstatSync } from 'node:fs'
import { chown, cp, lstat, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { findBinaryPackage } from '../../../src/core/embedded/binaries.ts'
import { openEmbeddedDatabase } from '../../../src/core/embedded/database.ts'
import { makeSandbox, needsReachableCheckout, needsRoot, nobody, query, startOpener } from './sandbox.ts'

/** Only this user may enter `closed`; `withoutLinks` is the package as npm installs it without install scripts. */
let closed: string
let withoutLinks: string

before(async () => {
  closed = await mkdtemp(join(tmpdir(), 'tillgate-test-'))
  withoutLinks = join(closed, 'package')
  const { root } = await findBinaryPackage()
  await cp(root, withoutLinks, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() })
})

after(() => rm(closed, { recursive: true, force: true }))

async function countLinks(root: string): Promise<number> {
  const entries = await readdir(join(root, 'native/lib'), { withFileTypes: true })
  return entries.filter((entry) => entry.isSymbolicLink()).length
}

test(
  'without the library links, and with a package that is not readable, the server runs from a copy',
  { skip: needsRoot },
  async (t) => {
    const sandbox = await makeSandbox(t)
    const systemDir = join(sandbox, 'system')
    const machine = { packageRoot: withoutLinks, systemDir }
    const { version } = await findBinaryPackage()
    const first = await openEmbeddedDatabase(join(sandbox, 'one'), { machine })
    await query(first.connection, 'select 1')
    const copy = join(systemDir, `postgresql-${version}`)
    assert.deepEqual(await readdir(systemDir), [`postgresql-${version}`])
    assert.equal(await countLinks(withoutLinks), 0)
    assert.ok((await countLinks(copy)) > 0)
    const { ino } = await stat(join(copy, 'native/bin/postgres'))
    await openEmbeddedDatabase(join(sandbox, 'two'), { machine })
    assert.equal((await stat(join(copy, 'native/bin/postgres'))).ino, ino)
  },
)

test('without the library links, a writable package gets them', async (t) => {
  const sandbox = await makeSandbox(t)
  const packageRoot = join(sandbox, 'package')
  await cp(withoutLinks, packageRoot, { recursive: true })
  assert.equal(await countLinks(packageRoot), 0)
  const database = await openEmbeddedDatabase(join(sandbox, 'data'), { machine: { packageRoot } })
  await query(database.connection, 'select 1')
  assert.ok((await countLinks(packageRoot)) > 0)
})

test(
  'without the library links, a read-only package is used with links next to the data',
  { skip: needsReachableCheckout() },
  async (t) => {
    const sandbox = await makeSandbox(t)
    const packageRoot = join(sandbox, 'package')
    await cp(withoutLinks, packageRoot, { recursive: true })
    await mkdir(join(sandbox, 'plain'))
    await chown(join(sandbox, 'plain'), nobody.uid, nobody.gid)
    const dataDir = join(sandbox, 'plain/data')
    for (let round = 0; round < 2; round += 1) {
      const opener = startOpener(t, dataDir, { ...nobody, machine: { packageRoot } })
      const opened = await opener.opened
      assert.equal(opened.error, undefined)
      await query(opened.connection, 'select 1')
      await opener.end('stop')
    }
    assert.equal(await countLinks(packageRoot), 0)
    const [link] = await readdir(join(dataDir, 'postgres.libraries'))
    assert.equal((await lstat(join(dataDir, 'postgres.libraries', link!))).isSymbolicLink(), true)
  },
)

for (const [system, target, message] of [
  ['Windows', { platform: 'win32', arch: 'x64', glibc: false }, /Windows: use WSL, or set DATABASE_URL/],
  ['Alpine', { platform: 'linux', arch: 'x64', glibc: false }, /Alpine.*set --pg-bin .*, or set DATABASE_URL/],
  [
    'a machine without a build',
    { platform: 'linux', arch: 'riscv64', glibc: true },
    /not available for linux-riscv64: set --pg-bin .*, or set DATABASE_URL/,
  ],
  [
    'another system',
    { platform: 'freebsd', arch: 'x64', glibc: false },
    /not available for freebsd-x64: set --pg-bin .*, or set DATABASE_URL/,
  ],
  [
    'a package that npm left out',
    leftOut(),
    /is not installed .*: run npm install, set --pg-bin .*, or set DATABASE_URL/,
  ],
] as const) {
  test(`${system} is named in one line with what to do`, async () => {
    await assert.rejects(findBinaryPackage(target), { name: 'EmbeddedDatabaseError', message })
  })
}

/** Returns a system that differs from this one, so npm did not install its package. */
function leftOut() {
  return { platform: process.platform === 'darwin' ? 'linux' : 'darwin', arch: process.arch, glibc: true } as const
}
