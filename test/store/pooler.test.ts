import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openPool, poolerOf, type Pool, type Pooler } from '../../src/store/database.ts'
import { Hints } from '../../src/store/hints.ts'
import { findPooler, readTimeZone } from '../../src/store/pooler.ts'
import { Reader } from '../../src/store/reader/reader.ts'
import { atEnd, createDatabase } from '../support/database.ts'
import { eventually } from '../support/waiting.ts'

const { connection, pool } = await createDatabase({ server: 'embedded' })
const external = await createDatabase()

/** One connection to the same server that is told what stands between; nothing does, so what it leaves can be seen. */
function behind(pooler: Pooler): { told: Pool; reader: Reader } {
  const told = openPool({ ...connection, pooler }, { connections: 1, pipelining: true })
  const reader = new Reader(told, { connections: 1, pipelining: true, deadlineMs: 10_000 })
  atEnd(async () => {
    reader.end()
    await told.end({ timeout: 1 })
  })
  return { told, reader }
}

const readers = Object.fromEntries((['none', 'prepared', 'plain'] as const).map((kind) => [kind, behind(kind)]))

const read = async (kind: Pooler, text: string) => String(await readers[kind]?.reader.first(text, []))

test('a server without a pooler is found to be one', async () => {
  assert.equal(await findPooler(pool), 'none')
})

test('what stands before the server of this run is found to be what the run was started with', async () => {
  assert.equal(await findPooler(external.pool), poolerOf(external.pool))
  assert.equal(await readTimeZone(external.pool), 'UTC')
})

test('a pooler that sends named statements on as they are loses them', async () => {
  // Without anything between, a name is on the server as it was sent: what such a pooler shows, too.
  assert.equal(await findPooler(pool, true), 'plain')
  const left = await pool`select from pg_prepared_statements where name like 'tillgate_%'`
  assert.equal(left.length, 0, 'the look leaves a statement behind')
})

test('reads change a setting of their session only where the session is theirs', async () => {
  const text = "select current_setting('plan_cache_mode')"
  assert.equal(await read('none', text), 'force_generic_plan')
  assert.equal(await read('prepared', text), 'auto')
  assert.equal(await read('plain', text), 'auto')
})

test('behind a pooler that loses named statements nothing has a name', async () => {
  const text = 'select count(*)::text from pg_prepared_statements'
  assert.notEqual(await read('none', text), '0')
  assert.equal(await read('plain', text), '0')
  assert.equal(await read('plain', text), '0')
  const { told } = readers['plain'] as { told: Pool }
  await told`select ${1}::int`
  const [row] = await told<[{ n: number }]>`select count(*) as n from pg_prepared_statements where ${true}`
  assert.equal(row.n, 0)
})

test('hints go past the pooler where there is a way, and nobody waits for them where there is none', async () => {
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
