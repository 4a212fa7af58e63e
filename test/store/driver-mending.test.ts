import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isFull, openPool, transact } from '../../src/store/database.ts'
import { limitPool } from '../../src/store/limited-pool.ts'
import { atEnd, createDatabase } from '../support/database.ts'
import { startNetwork } from '../support/network.ts'
import { eventually } from '../support/waiting.ts'

const { connection, pool } = await createDatabase()
const network = await startNetwork(connection)
const one = openPool(network.connection, { connections: 1, pipelining: true })
atEnd(async () => {
  await one.end({ timeout: 1 })
  await network.close()
})

/** Breaks the one connection in the midst of a result, with so many bytes of the next one carried. */
async function breakWithin(bytes: number): Promise<void> {
  network.cutAfter(bytes)
  network.cut()
  await eventually(
    () =>
      one`select n, repeat('x', 100) as x from generate_series(1, 2000) n`.then(
        () => false,
        () => network.carried >= bytes,
      ),
    'a result breaks off',
  )
  network.cutAfter(null)
}

describe('after a connection broke in the midst of a result', () => {
  for (const bytes of [900, 2_000, 20_000]) {
    for (const way of ['object', 'raw', 'unsafe', 'transaction'] as const) {
      test(`the next query has its own rows and no others (${bytes} bytes, ${way})`, async () => {
        await breakWithin(bytes)
        const asked = {
          object: async () => (await one`select n from generate_series(1, 3) n`).map((row) => row['n']),
          raw: async () =>
            (await one`select n from generate_series(1, 3) n`.raw()).map((row) => Number(String(row[0]))),
          unsafe: async () => (await one.unsafe('select n from generate_series(1, 3) n')).map((row) => row['n']),
          transaction: () =>
            transact(one, async (tx) => (await tx`select n from generate_series(1, 3) n`).map((row) => row['n'])),
        }
        const rows = await asked[way]()
        assert.deepEqual(rows, [1, 2, 3])
        const [first] = await one`select 'there' as found`
        assert.deepEqual({ ...first }, { found: 'there' })
      })
    }
  }
})

test('statements that fail in a row are told by the first of them', async () => {
  const refused = transact(pool, async (tx) => {
    const late = async () => {
      // One turn later than its neighbours, as statements of several store functions are.
      await Promise.resolve()
      await Promise.all([tx`select 1 / 0`, tx`select 4`])
    }
    await Promise.all([late(), tx`select 1`, tx`select 2`, tx`select 3`])
  })
  await assert.rejects(refused, { code: '22012' })
})

test('a pool with a deadline answers within it, rolls late transactions back, and goes on with new connections', async () => {
  const limited = limitPool(() => openPool(connection, { connections: 2, pipelining: true }), 300)
  atEnd(() => limited.end({ timeout: 1 }))
  await pool`create table late (n int)`
  await assert.rejects(limited`select pg_sleep(30)`, { code: 'DEADLINE_PASSED' })
  const writing = transact(limited, async (tx) => {
    await tx`insert into late values (1)`
    await tx`select pg_sleep(0.6)`
  })
  await assert.rejects(writing, { code: 'DEADLINE_PASSED' })
  assert.equal((await limited`select 1 as n`)[0]?.['n'], 1)
  await eventually(async () => {
    const rows =
      await pool`select 1 from pg_stat_activity where query like '%insert into late%' and state <> 'idle' and pid <> pg_backend_pid()`
    return rows.length === 0
  }, 'the late transaction has ended')
  assert.equal((await pool`select count(*) as n from late`)[0]?.['n'], 0)
  // A fragment of a statement is never sent by itself, and waits for nothing.
  const fragment = limited`n = ${1}`
  assert.equal((await limited`select count(*) as n from late where ${fragment}`)[0]?.['n'], 0)
})

test('a full disk is told from a database that is away', () => {
  for (const code of ['53000', '53100', '53200', '58030']) assert.equal(isFull({ code }), true, code)
  for (const code of ['53300', '57P03', '23505', undefined]) assert.equal(isFull({ code }), false, String(code))
})
