import assert from 'node:assert/strict'
import { chmod } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  checkClock,
  checkCollation,
  checkDataDir,
  checkDisk,
  checkDurability,
  checkNode,
  checkPort,
  checkSchema,
  checkVersion,
  type Check,
} from '../../../src/modules/operations/cli/checks.ts'
import {
  checkAhead,
  checkBackup,
  checkPages,
  checkVerification,
} from '../../../src/modules/operations/cli/record-checks.ts'
import { readCollation, type ServerState } from '../../../src/core/store/db/server.ts'
import { checkClosings } from '../../../src/modules/proofs/cli/status.ts'
import { closeUpTo } from '../../../src/modules/proofs/projections/closings.ts'
import { createKeyFile, SigningKey } from '../../../src/modules/proofs/projections/signing-key.ts'
import { summariseClosings } from '../../../src/modules/proofs/store/closings.ts'
import { startApp, type Site } from '../../support/app.ts'
import { date, soldOn, storeDays } from '../../support/books-site.ts'
import { commandsOn, createDataDir, main, newFolder, start, tillgate, toUrl } from '../../support/cli.ts'
import { atEnd, createDatabase } from '../../support/database.ts'

const app = await startApp()
const empty = await createDatabase({ empty: true })
const dataDir = await createDataDir()
const taken = createServer().listen(0, '127.0.0.1')
await once(taken, 'listening')
atEnd(async () => taken.close())
const takenPort = (taken.address() as AddressInfo).port

const keyFile = join(newFolder(), 'key.pem')
createKeyFile(keyFile)
let closedAt = new Date('2026-03-10T12:00:00.000Z')
const signing = await startApp({
  clock: () => closedAt,
  signing: { signer: new SigningKey(keyFile), logName: 'tillgate.example' },
})

const closeSigned = async (site: Site, until: string, last: number) => {
  const body = JSON.stringify({ until, after: last })
  const headers = { 'content-type': 'application/json' }
  const answer = await signing.request('POST', '/v1/closings/', { key: site.key, headers, body })
  assert.equal(answer.status, 201, answer.text)
}

const closeWithoutKey = (site: Site, until: string, last: number) =>
  closeUpTo(signing.pool, site.id, { until, after: last, now: closedAt, seen: 0 })

const now = new Date('2026-03-14T12:00:00.000Z')
const healthy: ServerState = {
  version: '18.4',
  major: 18,
  encoding: 'UTF8',
  fsync: 'on',
  synchronousCommit: 'on',
  fullPageWrites: 'on',
  now,
}

const later = (ms: number) => new Date(now.getTime() + ms)

function statusesOf(stdout: string): Record<string, Check['status']> {
  const { checks } = JSON.parse(stdout) as { checks: Check[] }
  return Object.fromEntries(checks.map(({ name, status }) => [name, status]))
}

describe('a check of doctor', () => {
  test('fails if Node is too old', () => {
    assert.equal(checkNode('24.0.0').status, 'ok')
    assert.equal(checkNode('20.20.2').status, 'fail')
  })

  test('fails on a PostgreSQL before 15 and warns of one after 18', () => {
    const statuses = [14, 15, 18, 19].map((major) => checkVersion({ ...healthy, major }).status)
    assert.deepEqual(statuses, ['fail', 'ok', 'ok', 'warn'])
  })

  test('fails while pushes are refused because of the disk reserve', async () => {
    assert.equal((await checkDisk(dataDir, 0)).status, 'ok')
    const { status, detail } = await checkDisk(dataDir, 2 ** 50)
    assert.equal(status, 'fail')
    assert.match(detail, /pushes are refused, because the reserve is 1048576\.0 GiB/)
  })

  test('fails if acknowledged data can be lost', () => {
    assert.equal(checkDurability(healthy).status, 'ok')
    assert.equal(checkDurability({ ...healthy, synchronousCommit: 'remote_apply' }).status, 'ok')
    assert.equal(checkDurability({ ...healthy, fsync: 'off' }).status, 'fail')
    assert.match(checkDurability({ ...healthy, synchronousCommit: 'off' }).advice ?? '', /synchronous_commit on/)
    assert.equal(checkDurability({ ...healthy, fullPageWrites: 'off' }).status, 'warn')
  })

  test('reports a changed collation version, and what to do', async () => {
    const { pool } = app
    const [row] = await pool<{ name: string; version: string | null }[]>`
      select datcollate as name, pg_database_collation_actual_version(oid) as version
      from pg_database where datname = current_database() and datcollversion is not null`
    const expected = row?.version ? { name: row.name, stored: row.version, actual: row.version } : null
    assert.deepEqual(await readCollation(pool), expected)
    assert.equal(checkCollation(null).status, 'ok')
    const same = { name: 'en_US.UTF-8', stored: '2.36', actual: '2.36' }
    assert.deepEqual(checkCollation(same), { status: 'ok', detail: 'en_US.UTF-8, version 2.36' })
    const { status, detail, advice } = checkCollation({ ...same, actual: '2.41' })
    assert.equal(status, 'warn')
    assert.match(detail, /^the collation en_US\.UTF-8 had version 2\.36 .+ but has 2\.41 on this machine/)
    assert.match(advice ?? '', /reindex database .+ refresh collation version$/)
  })

  test('compares the clocks at the middle of the query', () => {
    assert.equal(checkClock(healthy, [later(-9_000), later(9_000)]).status, 'ok')
    assert.equal(checkClock(healthy, [later(3_000), later(3_000)]).status, 'warn')
    assert.equal(checkClock(healthy, [later(-90_000), later(-90_000)]).status, 'fail')
  })

  test('distinguishes a missing data directory from an impossible one', async () => {
    assert.match((await checkDataDir(join(dataDir, 'new/one'))).detail, /the first start creates it/)
    const file = await checkDataDir(join(import.meta.dirname, 'doctor.test.ts'))
    assert.equal(file.status, 'fail')
  })

  test('distinguishes a port in use by Tillgate from one in use by another program', async () => {
    assert.equal((await checkPort('127.0.0.1', 0)).status, 'ok')
    assert.match((await checkPort('127.0.0.1', app.port)).detail, /in use by Tillgate/)
    const other = await checkPort('127.0.0.1', takenPort)
    assert.deepEqual([other.status, other.advice], ['warn', 'choose another --port'])
  })

  test('warns of missing tables', async () => {
    assert.equal((await checkSchema(app.pool)).status, 'ok')
    assert.equal((await checkSchema(empty.pool)).status, 'warn')
  })
})

describe('doctor', () => {
  test('reports a machine as ready before the first start, and creates nothing', async () => {
    const { code, stdout } = await tillgate(['doctor', '--json', '--port', '0', '--data-dir', dataDir])
    assert.equal(code, 0, stdout)
    assert.deepEqual(Object.keys(statusesOf(stdout)), [
      'node',
      'open files',
      'binaries',
      'data directory',
      'disk',
      'database',
      'port',
    ])
  })

  test('checks the database of DATABASE_URL', async () => {
    const env = { DATABASE_URL: toUrl(app.database.connection) }
    const { code, stdout } = await commandsOn({ env }).run`doctor --json --port 0`
    // The server of the tests does not wait for its disk (test/support/test-servers.ts); an external one may.
    const [row] = await app.pool<{ fsync: string }[]>`show fsync`
    const isDurable = row?.fsync === 'on'
    assert.equal(code, isDurable ? 0 : 1, stdout)
    const names =
      'node|open files|database|version|pooler|durability|clock|schema|collation|pages|journals|closings|port'.split(
        '|',
      )
    const expected = Object.fromEntries(names.map((name) => [name, 'ok']))
    // The locations of this database were never verified and never backed up.
    const lacking = { verification: 'warn', backup: 'warn' }
    assert.deepEqual(statusesOf(stdout), { ...expected, ...lacking, durability: isDurable ? 'ok' : 'fail' })
  })

  test('exits with 1 if a check fails, and states what to do', async () => {
    const env = { DATABASE_URL: 'postgres://till:hunter2@127.0.0.1:1/pos' }
    const { code, stdout } = await tillgate(['doctor', '--port', '0'], { env })
    assert.equal(code, 1)
    assert.match(stdout, /^fail {2}database .+ cannot be reached: .+\n +-> start it, or correct DATABASE_URL$/m)
    assert.doesNotMatch(stdout, /hunter2/)
  })
})

describe('doctor, about the machine,', () => {
  test('warns of a data directory that other users can write to', async () => {
    const dir = await createDataDir()
    await chmod(dir, 0o711)
    assert.equal((await checkDataDir(dir)).status, 'ok')
    for (const mode of [0o777, 0o770, 0o702]) {
      await chmod(dir, mode)
      const { status, detail, advice } = await checkDataDir(dir)
      assert.deepEqual([status, advice], ['warn', `chmod go-w ${dir}`])
      assert.match(detail, new RegExp(`mode ${mode.toString(8)}`))
    }
    await chmod(dir, 0o700)
  })

  test(
    'warns of few file descriptors',
    { skip: process.platform !== 'linux' && 'the limit is read from /proc' },
    async () => {
      const doctor = `ulimit -n 200 && exec '${process.execPath}' '${main}' doctor --json --port 0`
      const { stdout } = await start('/bin/sh', ['-c', doctor], {
        env: { DATABASE_URL: toUrl(app.database.connection) },
      }).ended
      const found = JSON.parse(stdout).checks.find(({ name }: Check) => name === 'open files')
      assert.deepEqual([found.status, found.detail], ['warn', 'up to 200: connections fail beyond that'])
    },
  )
})

describe('doctor, about stored data,', () => {
  const now = new Date('2026-04-01T10:00:00.000Z')
  const before = (hours: number) => new Date(now.getTime() - hours * 3_600_000)
  const upkeep = {
    locations: 2,
    backup: before(1),
    backupSince: before(1),
    withoutBackup: 0,
    verify: before(2),
    verifySince: before(2),
    withoutVerify: 0,
    broken: 0,
  }

  test('names journals that are invalid, or were never or long ago verified or backed up', () => {
    assert.equal(checkVerification(upkeep, now).status, 'ok')
    assert.equal(checkVerification({ ...upkeep, broken: 1 }, now).status, 'fail')
    assert.equal(checkVerification({ ...upkeep, withoutVerify: 1 }, now).status, 'warn')
    assert.equal(checkBackup(upkeep, now).status, 'ok')
    assert.equal(checkBackup({ ...upkeep, backup: null, withoutBackup: 2 }, now).status, 'warn')
    assert.equal(checkBackup({ ...upkeep, backup: before(25) }, now).status, 'ok')
    assert.equal(checkBackup({ ...upkeep, backup: before(27) }, now).status, 'warn')
  })

  test('fails after a damaged page was read, until everything has been verified', () => {
    assert.equal(checkPages(null, upkeep).status, 'ok')
    assert.equal(checkPages(before(3), upkeep).status, 'ok')
    assert.equal(checkPages(before(1), upkeep).status, 'fail')
    assert.equal(checkPages(before(3), { ...upkeep, withoutVerify: 1 }).status, 'fail')
  })

  test('fails if a journal is ahead of the clock by more than the usual difference', () => {
    const ahead = (seconds: number) => ({
      locationId: 'x',
      at: new Date(now.getTime() + seconds * 1000),
      aheadMs: seconds * 1000,
    })
    assert.equal(checkAhead(undefined).status, 'ok')
    assert.equal(checkAhead(ahead(-5)).status, 'ok')
    assert.equal(checkAhead(ahead(60)).status, 'ok')
    const found = checkAhead(ahead(61))
    assert.equal(found.status, 'fail')
    assert.match(found.detail, /journal of x ends at 2026-04-01T10:01:01.000Z/)
  })

  test('warns of a location with checkpoints whose last closing has none after it, and of no other', async () => {
    assert.equal(checkClosings(await summariseClosings(signing.pool)).detail, 'no location has closings')
    const [signs, neverSigned, signsNoMore] = [
      await signing.addLocation(),
      await signing.addLocation(),
      await signing.addLocation(),
    ]
    for (const site of [signs, neverSigned, signsNoMore]) await storeDays(signing, site, { 2: [soldOn(site, 2, 1)] })
    await closeWithoutKey(neverSigned, date(2), 0)
    await closeSigned(signsNoMore, date(2), 0)
    closedAt = new Date('2026-03-10T13:00:00.000Z')
    await closeSigned(signs, date(2), 0)
    const whole = await summariseClosings(signing.pool)
    assert.deepEqual(whole, { closing: 3, signing: 2, unsigned: 0, oldest: new Date('2026-03-10T12:00:00.000Z') })
    assert.deepEqual(checkClosings(whole), {
      name: 'closings',
      status: 'ok',
      detail: '3 locations closing their days, 2 with checkpoints',
    })

    await storeDays(signing, signsNoMore, { 3: [soldOn(signsNoMore, 3, 1)] })
    await closeWithoutKey(signsNoMore, date(3), 1)
    const { status, detail } = checkClosings(await summariseClosings(signing.pool))
    assert.equal(status, 'warn')
    assert.match(detail, /the last closing is not signed in 1 location$/)
  })
})
