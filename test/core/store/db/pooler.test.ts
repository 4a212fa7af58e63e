import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createLog } from '../../../../src/core/server/log.ts'
import { openReplica } from '../../../../src/core/server/replica.ts'
import {
  openPool,
  poolerOf,
  transact,
  type Pool,
  type Pooler,
  type Sql,
} from '../../../../src/core/store/db/database.ts'
import { Hints } from '../../../../src/core/store/db/hints.ts'
import { findPooler, readTimeZone } from '../../../../src/core/store/db/pooler.ts'
import { Reader } from '../../../../src/core/store/db/reader/reader.ts'
import { toUrl } from '../../../support/cli.ts'
import { atEnd, createDatabase } from '../../../support/database.ts'
import { at, dial } from '../../../support/network.ts'
import { kinds, Messages } from '../../../support/postgres-messages.ts'
import { eventually } from '../../../support/waiting.ts'

const { connection, pool } = await createDatabase({ server: 'embedded' })
const external = await createDatabase()

/** Opens connections to the same server that assume a pooler. There is none, so prepared statements remain visible. */
function behind(pooler: Pooler): { pool: Pool; reader: Reader } {
  const pool = openPool({ ...connection, pooler }, { connections: 1, pipelining: true })
  const reader = new Reader(pool, { connections: 1, pipelining: true, deadlineMs: 10_000 })
  atEnd(async () => {
    reader.end()
    await pool.end({ timeout: 1 })
  })
  return { pool, reader }
}

const readers = Object.fromEntries((['none', 'prepared', 'plain'] as const).map((kind) => [kind, behind(kind)]))

const read = async (kind: Pooler, text: string) => String(await readers[kind]?.reader.first(text, []))

test('a server without a pooler is recognized', async () => {
  assert.equal(await findPooler(pool), 'none')
})

test('the pooler of this test run is recognized', async () => {
  assert.equal(await findPooler(external.pool), poolerOf(external.pool))
  assert.equal(await readTimeZone(external.pool), 'UTC')
})

test('a pooler that forwards named statements unchanged loses them', async () => {
  // A direct connection shows names as they were sent, like a pooler that forwards them.
  assert.equal(await findPooler(pool, true), 'plain')
  const left = await pool`select from pg_prepared_statements where name like 'tillgate_%'`
  assert.equal(left.length, 0, 'the look leaves a statement behind')
})

test('reads change a session setting only if the session is their own', async () => {
  const text = "select current_setting('plan_cache_mode')"
  assert.equal(await read('none', text), 'force_generic_plan')
  assert.equal(await read('prepared', text), 'auto')
  assert.equal(await read('plain', text), 'auto')
})

test('a replica is read in the way that its pooler needs, which the first read detects', async () => {
  const questions = [
    "select current_setting('plan_cache_mode')",
    'select (count(*) > 0)::text from pg_prepared_statements',
  ]
  const ask = async (reader: Reader) => {
    const answers: string[] = []
    for (const text of questions) answers.push(String(await reader.first(text, [])))
    return answers
  }
  const asReplica = async (databasePooler: 'transaction' | null) => {
    const config = { dbPipelining: true, databasePooler }
    const { replica, close } = openReplica(
      toUrl(external.connection),
      external.pool,
      config,
      createLog('error', { write: () => {} }),
    )
    const answers = await replica.read(({ reader }) => ask(reader))
    await close()
    return answers
  }
  /** Queries as they are sent to the database itself behind a pooler. */
  const asOwn = async (pooler: Pooler) => {
    const pool = openPool({ ...external.connection, pooler }, { connections: 1, pipelining: true })
    const own = new Reader(pool, { connections: 1, pipelining: true, deadlineMs: 10_000 })
    const answers = await ask(own)
    own.end()
    await pool.end({ timeout: 1 })
    return answers
  }
  const between = poolerOf(external.pool)
  assert.deepEqual(await asReplica(null), await asOwn(between))
  // The setting for the database also applies to its replica. Without a pooler, names are lost as behind a plain one.
  assert.deepEqual(await asReplica('transaction'), await asOwn(between === 'none' ? 'plain' : between))
  if (external.server === 'embedded') assert.notDeepEqual(await asOwn('plain'), await asOwn('none'))
})

test('behind a pooler that loses named statements no statement is named', async () => {
  const text = 'select count(*)::text from pg_prepared_statements'
  assert.notEqual(await read('none', text), '0')
  assert.equal(await read('plain', text), '0')
  assert.equal(await read('plain', text), '0')
  const { pool } = readers['plain'] as { pool: Pool }
  await pool`select ${1}::int`
  const [row] = await pool<[{ n: number }]>`select count(*) as n from pg_prepared_statements where ${true}`
  assert.equal(row.n, 0)
})

/** Starts a proxy that counts statements sent before the previous response, inside and outside transactions. */
async function watchPipelining() {
  const seen = { behind: 0, inTransaction: 0, queries: 0 }
  let isInTransaction = false
  const server = createServer((client) => {
    const upstream = dial(connection)
    const [sent, received] = [new Messages('client'), new Messages('server')]
    let awaited = 0
    client.on('data', (chunk: Buffer) => {
      for (const message of sent.add(chunk)) {
        const kind = message[0]
        if (sent.isStarting) sent.started()
        if (kind === kinds.query || kind === kinds.bind) seen.queries += 1
        if (awaited > 0 && [kinds.query, kinds.parse, kinds.bind].some((start) => start === kind)) {
          if (isInTransaction) seen.inTransaction += 1
          else seen.behind += 1
        }
        if (kind === kinds.query || kind === kinds.sync) awaited += 1
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk: Buffer) => {
      for (const message of received.add(chunk)) {
        if (message[0] !== kinds.ready) continue
        awaited = Math.max(awaited - 1, 0)
        isInTransaction = message[5] !== 'I'.charCodeAt(0)
      }
      client.write(chunk)
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('close', () => other.destroy()).on('error', () => {})
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEnd(async () => void server.close())
  return { seen, at: at(connection, (server.address() as AddressInfo).port) }
}

test('behind a pooler that loses named statements a query waits for the previous answer, in transactions also without pipelining', async () => {
  const counted = async (pooler: Pooler, pipelining: boolean) => {
    const { seen, at } = await watchPipelining()
    const through = openPool({ ...at, pooler }, { connections: 1, pipelining })
    const several = (sql: Sql) =>
      Promise.all(Array.from({ length: 6 }, (_, n) => (n % 2 === 0 ? sql`select 1` : sql`select ${n}::int`)))
    await Promise.all([several(through), transact(through, several), several(through), transact(through, several)])
    await through.end({ timeout: 1 })
    assert.ok(seen.queries >= 24)
    return [seen.behind, seen.inTransaction].map((n) => n > 0)
  }
  assert.deepEqual(await counted('plain', true), [false, true])
  assert.deepEqual(await counted('none', false), [false, false])
  assert.deepEqual(await counted('none', true), [true, true])
})

test('hints use the connection past the pooler if there is one, and nobody waits for them otherwise', async () => {
  const speaking = new Hints(pool)
  const past = new Hints(
    openPool({ ...connection, pooler: 'plain', direct: connection }, { connections: 1, pipelining: true }),
  )
  const deaf = new Hints(openPool({ ...connection, pooler: 'plain' }, { connections: 1, pipelining: true }))
  await Promise.all([past.listen(), deaf.listen()])
  const heard: string[] = []
  past.subscribe({ committed: (id) => heard.push(`past ${id}`) })
  deaf.subscribe({ committed: (id) => heard.push(`deaf ${id}`) })
  speaking.committed('a')
  await eventually(() => heard.length > 0, 'the hint is heard')
  assert.deepEqual(heard, ['past a'])
  await Promise.all([speaking.close(), past.close(), deaf.close()])
})
