import assert from 'node:assert/strict'
import { isUnavailable, openPool, type Sql } from '../../../src/core/store/db/database.ts'
import { atEnd, createDatabase } from '../../support/database.ts'
import { startNetwork } from '../../support/network.ts'
import { eventually } from '../../support/waiting.ts'

let count = 0

/** Queries a unique number. Resolves to true for a correct response, to false if the connection was lost. */
export async function answers(sql: Sql): Promise<boolean> {
  const n = ++count
  try {
    const rows = await sql`select ${n}::int as n, ${'x'.repeat(n % 2 === 0 ? 2_000 : 1)}::text as filling`
    assert.deepEqual(
      rows.map((row) => row['n']),
      [n],
    )
    return true
  } catch (error) {
    if (!isUnavailable(error)) throw error
    return false
  }
}

export const warm = (pool: Sql) => Promise.all(Array.from({ length: 8 }, () => answers(pool)))

/** Starts a database behind a network that can be cut, with its own pool. Call it from the top of a file. */
export async function startCutNetwork() {
  const { connection, pool } = await createDatabase()
  const network = await startNetwork(connection)
  const one = openPool(network.connection, { connections: 1, pipelining: true })
  const two = openPool(network.connection, { connections: 2, pipelining: true })
  atEnd(async () => {
    await Promise.all([one.end({ timeout: 1 }), two.end({ timeout: 1 })])
    await network.close()
  })
  /** Resolves when the statement runs. */
  const runs = (text: string) =>
    eventually(
      async () => (await pool`select 1 from pg_stat_activity where query = ${text} and state = 'active'`).length > 0,
      `${text} runs`,
    )
  return { connection, pool, network, one, two, runs }
}
