import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openEmbeddedDatabase } from '../../../src/core/embedded/database.ts'
import { openPool, type Pool } from '../../../src/core/store/db/database.ts'
import { createDataDir, findPostmaster, tillgate, tillgateJson } from '../../support/cli.ts'
import { atEnd } from '../../support/database.ts'
import { everyRecord, idOf, linesOf, order, orderOf } from '../../support/records.ts'
import { eventually } from '../../support/waiting.ts'

const dataDir = await createDataDir({ filled: true })
const env = { TILLGATE_DATA_DIR: dataDir, TILLGATE_OPERATIONS_ADDRESS: 'off' }
const [first, second] = [idOf('location', 7), idOf('location', 8)]
const run = (...args: string[]) => tillgate(args, { env })

async function fill(location: string): Promise<void> {
  const orders = Array.from({ length: 60 }, (_, n) => order(orderOf(location, 100 + n)))
  await tillgateJson(['import', '-'], { env, input: linesOf([...everyRecord(location), ...orders]) })
}

// The commands find and use this running server.
let server = await openEmbeddedDatabase(dataDir)
atEnd(() => server.release())

async function withPool<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
  const pool = openPool(server.connection, { connections: 1, pipelining: true })
  try {
    return await work(pool)
  } finally {
    await pool.end({ timeout: 5 })
  }
}

/** Overwrites 16 bytes of a table's page while the server is stopped. */
async function damage(table: string, page: number): Promise<void> {
  const path = await withPool(async (pool) => {
    const [row] = await pool<{ path: string }[]>`select pg_relation_filepath(${table}::text::regclass) as path`
    return row?.path as string
  })
  await server.release()
  await eventually(async () => (await findPostmaster(dataDir)) === undefined, 'the server is stopped')
  const file = await open(join(dataDir, 'postgres', path), 'r+')
  await file.write(Buffer.alloc(16, 0xa5), 0, 16, page * 8_192 + 4_000)
  await file.close()
  server = await openEmbeddedDatabase(dataDir)
}

const exported = async (location: string) => (await run('export', '--location', location)).stdout

await fill(first)
await fill(second)

test('a damaged page of orders fails the verification of its location, naming the table, and the others are verified', async () => {
  const before = [await exported(first), await exported(second)]
  assert.equal((await run('verify')).code, 0)
  // The first page only has rows of the location that was filled first.
  await damage('orders', 0)
  const { code, stdout } = await run('verify')
  assert.equal(code, 1)
  assert.match(
    stdout,
    new RegExp(`^broken +${first} +a page of the table orders is damaged: invalid page in block 0 `, 'm'),
  )
  assert.match(stdout, new RegExp(`^verified +${second} `, 'm'))
  const status = await tillgateJson(['status'], { env })
  assert.equal(status.verify.broken, 1)
  const doctor = await run('doctor', '--json', '--port', '0')
  assert.equal(doctor.code, 1)
  const failed = JSON.parse(doctor.stdout).checks.filter((one: { status: string }) => one.status === 'fail')
  assert.deepEqual(
    failed.map(({ name }: { name: string }) => name),
    ['verification', 'pages'],
  )

  const refused = await run('rebuild', '--location', first, '--json')
  assert.deepEqual([refused.code, JSON.parse(refused.stderr).error.code], [2, 'page_damaged'])
  assert.match(refused.stderr, /table orders .* nothing was changed.* tillgate rebuild --all/)
  const rebuilt = await run('rebuild', '--all')
  assert.equal(rebuilt.code, 0, rebuilt.stderr)
  assert.match(rebuilt.stdout, new RegExp(`^rebuilt  ${first}  from 67 entries$`, 'm'))
  const again = await run('verify')
  assert.equal(again.code, 0, again.stdout)
  assert.deepEqual([await exported(first), await exported(second)], before)
  assert.equal((await run('doctor', '--port', '0')).code, 0)
})

test('rows changed without the journal are rebuilt for one location, in place', async () => {
  const before = [await exported(first), await exported(second)]
  await withPool(async (pool) => {
    await pool`update orders set document = replace(document, 'Camille', 'Nobody') where location_id = ${first}`
    await pool`delete from reports where location_id = ${first}`
    await pool`update day_counts set n = n + 1 where location_id = ${first}`
  })
  assert.equal((await run('verify')).code, 1)
  const rows = async () =>
    withPool((pool) => pool`select ctid::text, xmin::text, id from orders where location_id = ${second} order by id`)
  const ofOther = await rows()
  const rebuilt = await run('rebuild', '--location', first)
  assert.equal(rebuilt.code, 0, rebuilt.stderr)
  assert.deepEqual([await exported(first), await exported(second)], before)
  assert.deepEqual(await rows(), ofOther, 'the other location is not touched')
  assert.equal((await run('verify')).code, 0)
})

test('rebuild refuses an invalid or unreadable journal', async () => {
  const document = await withPool(async (pool) => {
    const [row] = await pool<
      { document: string }[]
    >`select document from journal where location_id = ${second} and seq = 30`
    await pool`update journal set document = '{}' where location_id = ${second} and seq = 30`
    return row?.document as string
  })
  const before = await exported(second)
  const broken = await run('rebuild', '--location', second)
  assert.equal(broken.code, 2)
  assert.match(
    broken.stderr,
    new RegExp(`location ${second} at sequence 30: the document was changed, and not by a redaction`),
  )
  assert.equal(await exported(second), before)
  await withPool((pool) => pool`update journal set document = ${document} where location_id = ${second} and seq = 30`)

  await damage('journal', 0)
  const { code, stdout } = await run('verify')
  assert.equal(code, 1)
  assert.match(stdout, new RegExp(`^broken +${first} +a page of the table journal is damaged`, 'm'))
  assert.match(stdout, new RegExp(`^verified +${second} `, 'm'))
  const refused = await run('rebuild', '--location', first)
  assert.equal(refused.code, 2)
  assert.match(refused.stderr, /journal .*nothing was changed.*restore the last backup/)
  assert.equal((await exported(first)).split('\n').length, before.split('\n').length, 'what is readable can be saved')
})
