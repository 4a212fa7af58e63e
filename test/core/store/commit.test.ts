import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isUnavailable, openPool, snapshot, transact, type Pool } from '../../../src/core/store/db/database.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { startFaultProxy, type CommitFault } from '../../support/fault-proxy.ts'
import { eventually } from '../../support/waiting.ts'

const { connection, pool: direct } = await createDatabase({ server: 'embedded' })
const proxy = await startFaultProxy(connection)
atEnd(() => proxy.close())
/** Opens a pool as `serve` does: a response that does not arrive is abandoned together with its connections. */
const limited = (connections: number) =>
  openPool(proxy.connection, { connections, pipelining: true, deadlineMs: 10_000 })

const pool = limited(2)
atEnd(() => pool.end({ timeout: 1 }))
await direct`create table marks (id int primary key, note text not null)`

let marks = 0

/** Runs a transaction that writes a row. Resolves to the id of the row. */
async function mark(through: Pool, note: string): Promise<number> {
  const id = ++marks
  await transact(through, async (tx) => {
    await tx`insert into marks values (${id}, ${note})`
  })
  return id
}

const isStored = async (id: number) => (await direct`select from marks where id = ${id}`).length === 1

test('a COMMIT that the database answers with ROLLBACK is an error, and nothing of the transaction is stored', async () => {
  proxy.failCommits('rollback')
  await assert.rejects(mark(pool, 'rolled back'), (error: Error) => {
    assert.match(error.message, /answered COMMIT with ROLLBACK/)
    assert.ok(isUnavailable(error), 'the error does not ask to send again')
    return true
  })
  assert.equal(await isStored(marks), false)
  assert.ok(await isStored(await mark(pool, 'after it')), 'the connection is of no use after a refused COMMIT')
})

test('the driver itself accepts that ROLLBACK as success, so the answer is checked', async () => {
  const before = proxy.commits
  proxy.failCommits('rollback')
  const id = ++marks
  const client = await pool.opener.open()
  await client.query('begin')
  await client.query('insert into marks values ($1, $2)', [id, 'by the driver'])
  await client.query('commit')
  await client.end()
  assert.equal(proxy.commits, before + 1)
  assert.equal(await isStored(id), false, 'the proxy does not do what it says: the tests above prove nothing')
})

test('a transaction that hides a failed statement is an error', async () => {
  const swallowed = transact(pool, async (tx) => {
    await tx`select 1 / 0`.catch(() => {})
  })
  await assert.rejects(swallowed, /answered COMMIT with ROLLBACK/)
})

const cuts: { fault: CommitFault; stored: boolean }[] = [
  { fault: 'cut-before', stored: false },
  { fault: 'cut-after', stored: true },
]

for (const { fault, stored } of cuts) {
  test(`a connection that ends ${stored ? 'instead of the answer to' : 'before'} COMMIT is an error, and the next transaction runs`, async () => {
    proxy.failCommits(fault)
    await assert.rejects(mark(pool, fault), (error: Error) => isUnavailable(error))
    await eventually(async () => (await isStored(marks)) === stored, `the row is${stored ? '' : ' not'} stored`)
    assert.ok(await isStored(await mark(pool, 'after it')))
  })
}

test('a second answer to the previous COMMIT does not confirm a transaction', async () => {
  const single = limited(1)
  atEnd(() => single.end({ timeout: 1 }))
  for (let round = 0; round < 20; round++) {
    proxy.failCommits('twice')
    await mark(single, 'answered twice')
    const noted: number[] = []
    const following = Array.from({ length: 4 }, () =>
      mark(single, 'the next').then(
        (id) => noted.push(id),
        () => {},
      ),
    )
    await Promise.all(following)
    for (const id of noted) assert.ok(await isStored(id), `${id} was reported as stored`)
  }
})

test('a connection with answers out of step is closed, and the pool continues with another', async () => {
  const single = limited(1)
  atEnd(() => single.end({ timeout: 1 }))
  proxy.failCommits('twice')
  // The second waits for the connection: its first statement is running when the extra response arrives.
  await Promise.allSettled([mark(single, 'answered twice'), mark(single, 'out of step')])
  await eventually(
    () =>
      mark(single, 'after it').then(
        () => true,
        () => false,
      ),
    'a transaction succeeds again',
  )
  assert.deepEqual([...(await single`select 7 as n`)], [{ n: 7 }])
  assert.ok(await isStored(marks))
})

test('a statement that receives the answer to a COMMIT is an error, never an empty result', async () => {
  const single = limited(1)
  atEnd(() => single.end({ timeout: 1 }))
  let refused = 0
  for (let round = 0; round < 20; round++) {
    proxy.failCommits('twice')
    const id = await mark(single, 'answered twice')
    // The first of the statements gets the surplus response; the following ones must not get each other's rows.
    const looks = Array.from({ length: 4 }, async (_, nth) => {
      try {
        assert.deepEqual([...(await single`select ${nth}::int as nth, id from marks where id = ${id}`)], [{ nth, id }])
      } catch (error) {
        assert.ok(isUnavailable(error), String(error))
        refused += 1
      }
    })
    await Promise.all(looks)
  }
  assert.ok(refused > 0, 'no answer was out of step: this proves nothing')
})

test('an error in the callback rolls back and is thrown to the caller', async () => {
  const id = ++marks
  const failing = transact(pool, async (tx) => {
    await tx`insert into marks values (${id}, 'undone')`
    throw new TypeError('not this one')
  })
  await assert.rejects(failing, TypeError)
  assert.equal(await isStored(id), false)
})

test('the first failed statement is thrown to the caller, also of many that were sent together', async () => {
  const failing = transact(pool, async (tx) => {
    const deep = async () => {
      const [row] = await Promise.all([tx`select 1 / ${0}::int`, tx`select 1`])
      return row
    }
    await Promise.all([tx`select 1`, deep(), tx`select 2`, tx`select ${3}::int`])
  })
  await assert.rejects(failing, { code: '22012' })
})

test('a transaction whose key another one has just inserted runs again from its start', async () => {
  const taken = await mark(direct, 'there before')
  let attempts = 0
  await transact(pool, async (tx) => {
    attempts += 1
    await tx`insert into marks values (${attempts === 1 ? taken : ++marks}, 'the second')`
  })
  assert.equal(attempts, 2)
  assert.ok(await isStored(marks))
})

test('consistent reads fail if their end is not confirmed', async () => {
  proxy.failCommits('rollback')
  await assert.rejects(
    snapshot(pool, (tx) => tx`select 1`),
    /answered COMMIT with ROLLBACK/,
  )
})
