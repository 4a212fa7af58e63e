import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { isFull, isUnavailable, openPool, transact, type Sql } from '../../../../../src/core/store/db/database.ts'
import { atEnd } from '../../../../support/database.ts'
import { eventually } from '../../../../support/waiting.ts'
import { answers, startCutNetwork, warm } from '../../cut-network.ts'

const { connection, network, one, pool, runs, two } = await startCutNetwork()

/** Breaks the only connection in the middle of a result, this many bytes after its start. */
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

describe('after a connection broke in the middle of a result', () => {
  for (const bytes of [900, 2_000, 20_000]) {
    for (const way of ['tag', 'unsafe', 'prepared', 'transaction'] as const) {
      test(`the next query has its own rows and no others (${bytes} bytes, ${way})`, async () => {
        await breakWithin(bytes)
        const reads = {
          tag: async () => (await one`select n from generate_series(1, 3) n`).map((row) => row['n']),
          unsafe: async () => (await one.unsafe('select n from generate_series(1, 3) n')).map((row) => row['n']),
          prepared: async () =>
            (await one.unsafe('select n from generate_series(1, 3) n', [], { prepare: true })).map((row) => row['n']),
          transaction: () =>
            transact(one, async (tx) => (await tx`select n from generate_series(1, 3) n`).map((row) => row['n'])),
        }
        const rows = await reads[way]()
        assert.deepEqual(rows, [1, 2, 3])
        const [first] = await one`select 'there' as found`
        assert.deepEqual({ ...first }, { found: 'there' })
      })
    }
  }
})

// A query without a response fails the test by its timeout.
describe('after connections were reset', { timeout: 240_000 }, () => {
  test('a query sent when the first one was rejected is answered, each with its own row', async () => {
    for (let round = 0; round < 3; round++) {
      await warm(two)
      const text = `select pg_sleep(60), ${round}`
      const lost = two.unsafe(text).then(
        () => assert.fail('it was to be lost'),
        () => Promise.all([answers(two), answers(two), answers(two)]),
      )
      await runs(text)
      network.reset()
      assert.deepEqual(await lost, [true, true, true])
      assert.deepEqual(await warm(two), Array(8).fill(true))
    }
  })

  test('queries at any time around the reset settle, inside and outside a transaction', async () => {
    for (let round = 0; round < 6; round++) {
      await warm(two)
      const taken = network.taken
      const all: Promise<unknown>[] = []
      // Statements sent now are written in the next turn, after the socket was closed.
      await turn()
      network.reset()
      while (network.taken < taken + 2) {
        const inTransaction = transact(two, (tx) => Promise.all([answers(tx), answers(tx)])).catch((error: unknown) =>
          assert.ok(isUnavailable(error), String(error)),
        )
        all.push(
          answers(two),
          inTransaction,
          turn().then(() => answers(two)),
        )
        // No more statements at once than in a busy process: more would occupy the new connections for a long time.
        if (all.length > 60) await Promise.race(all.slice(-30))
        await turn()
      }
      await Promise.all(all)
      assert.deepEqual(await warm(two), Array(8).fill(true))
    }
  })

  test('a transaction is rejected with its waiting statements, and sends nothing more', async () => {
    await pool`create table reset_rows (n int)`
    const late = Promise.withResolvers<Sql>()
    const text = 'select pg_sleep(60), 7'
    const waiting: Promise<boolean>[] = []
    const cut = async (query: PromiseLike<unknown>) => query.then(() => false, isUnavailable)
    const lost = transact(two, async (tx) => {
      late.resolve(tx)
      const slow = tx.unsafe(text).catch(() => {})
      // Statements that must be described first are sent alone, so that the next ones wait in the transaction.
      waiting.push(cut(tx`select ${1}::int as a`), cut(tx`select ${1}::int as b`), cut(tx`select ${1}::int as c`))
      await Promise.all([slow, ...waiting])
    })
    await runs(text)
    network.reset()
    await assert.rejects(lost, (error) => isUnavailable(error))
    assert.deepEqual(await Promise.all(waiting), [true, true, true])
    const tx = await late.promise
    await warm(two)
    await assert.rejects(
      async () => tx`insert into reset_rows values (1)`,
      (error) => isUnavailable(error),
    )
    assert.deepEqual(await warm(two), Array(8).fill(true))
    assert.equal((await pool`select 1 from reset_rows`).length, 0)
  })

  test('an idle transaction is rejected as well', async () => {
    const { promise: isReset, resolve } = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const lost = transact(two, async (tx) => {
      await answers(tx)
      begun.resolve()
      await isReset
      return await answers(tx)
    })
    await begun.promise
    network.reset()
    await assert.rejects(lost, (error) => isUnavailable(error))
    resolve()
    assert.deepEqual(await warm(two), Array(8).fill(true))
  })
})

test('the end of a connection by the server fails only its own query', async () => {
  for (const next of [() => answers(one), () => transact(one, (tx) => answers(tx))]) {
    await warm(one)
    const text = 'select pg_sleep(60), 8'
    const lost = assert.rejects(
      async () => one.unsafe(text),
      (error) => isUnavailable(error),
    )
    await runs(text)
    await pool`select pg_terminate_backend(pid) from pg_stat_activity where query = ${text}`
    await lost
    assert.equal(await next(), true)
  }
})

test('of several statements that fail, the first error is thrown', async () => {
  const refused = transact(pool, async (tx) => {
    const late = async () => {
      // One turn later than the statements next to it, as with several store functions.
      await Promise.resolve()
      await Promise.all([tx`select 1 / 0`, tx`select 4`])
    }
    await Promise.all([late(), tx`select 1`, tx`select 2`, tx`select 3`])
  })
  await assert.rejects(refused, { code: '22012' })
})

test('a pool with a deadline answers within it, rolls back late transactions, and continues on new connections', async () => {
  const limited = openPool(connection, { connections: 2, pipelining: true, deadlineMs: 300 })
  atEnd(() => limited.end({ timeout: 1 }))
  await pool`create table late (n int)`
  await assert.rejects(limited`select pg_sleep(30)`, { code: 'DEADLINE_PASSED' })
  const writing = transact(limited, async (tx) => {
    await tx`insert into late values (1)`
    await tx`select pg_sleep(0.6)`
  })
  await assert.rejects(writing, { code: 'DEADLINE_PASSED' })
  // On a busy machine a new connection takes longer than the deadline.
  await eventually(() => answers(limited), 'it answers again')
  await eventually(async () => {
    const rows =
      await pool`select 1 from pg_stat_activity where query like '%insert into late%' and state <> 'idle' and pid <> pg_backend_pid()`
    return rows.length === 0
  }, 'the late transaction has ended')
  assert.equal((await pool`select count(*) as n from late`)[0]?.['n'], 0)
  // A fragment of a statement is never sent alone, and does not wait.
  const fragment = pool`n = ${1}`
  assert.equal((await pool`select count(*) as n from late where ${fragment}`)[0]?.['n'], 0)
})

test('a full disk is distinguished from an unavailable database', () => {
  for (const code of ['53000', '53100', '53200', '58030']) assert.equal(isFull({ code }), true, code)
  for (const code of ['53300', '57P03', '23505', undefined]) assert.equal(isFull({ code }), false, String(code))
})
