import assert from 'node:assert/strict'
import { test } from 'node:test'
import { watchHealth } from '../../../src/core/server/health.ts'
import { openPool } from '../../../src/core/store/db/database.ts'
import { openServer, startApp } from '../../support/app.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { linesOf, order, orderOf } from '../../support/records.ts'

const database = await createDatabase()
const app = await startApp({ database })
await app.store([order(orderOf(app.location, 1))])

test('sessions that have become read-only are closed, and a server without a writable database is not ready', async () => {
  const [{ name }] = await database.pool<[{ name: string }]>`select current_database() as name`
  await database.pool.unsafe(`alter database ${name} set default_transaction_read_only = on`)
  // Every session of these pools is opened while new sessions are read-only, as after a failover that demoted the
  // server.
  const pool = openPool(database.connection, { connections: 3, pipelining: true })
  atEnd(() => pool.end({ timeout: 1 }))
  const stuck = await openServer(pool)
  atEnd(() => stuck.close())
  const push = async (n: number) => {
    const answer = await fetch(`http://127.0.0.1:${stuck.port}/v1/ingest/`, {
      method: 'POST',
      headers: { 'x-api-key': app.key, 'content-type': 'application/x-ndjson' },
      body: linesOf([order(orderOf(app.location, n))]),
    })
    return { status: answer.status, json: (await answer.json()) as { code?: string } }
  }
  const health = watchHealth(pool, null, { draining: new AbortController().signal })
  assert.equal((await health()).database, 'away')
  for (const n of [2, 3]) {
    const { status, json } = await push(n)
    assert.deepEqual([status, json.code], [503, 'database_unavailable'])
  }
  // From now on a new session may write; sessions that are still open may not.
  const writer = openPool(database.connection, { connections: 1, pipelining: true })
  await writer.unsafe(`set default_transaction_read_only = off`)
  await writer.unsafe(`alter database ${name} reset default_transaction_read_only`)
  await writer.end()
  let refused = 0
  for (let n = 4; ; n++) {
    const { status } = await push(n)
    if (status === 200) break
    refused += 1
    assert.ok(refused <= 5, 'each connection is tried once')
  }
  assert.equal((await health()).database, 'ok')
})
