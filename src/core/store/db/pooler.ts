import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import type { Pool, Pooler } from './database.ts'

/** `pg` keeps the number that the other side gave itself as it let us in, without saying so in its types. */
type Named = Client & { processID: number | null }

/**
 * Finds out what stands between the pool and its database. A pooler lets us in itself, under a number of its own that is
 * not the one of the server process which answers. One that keeps track of named statements gives them names of its own
 * on the server; where ours is there as we sent it, it will be missing on the next server connection. `isPooler` is for
 * who knows already that there is one. Throws what the network, or the server, said.
 */
export async function findPooler(pool: Pool, isPooler = false): Promise<Pooler> {
  const client = (await pool.opener.open()) as Named
  try {
    // One transaction, so that one server process answers all of it.
    await client.query('begin')
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    if (!isPooler && rows[0]?.pid === client.processID) return 'none'
    const name = `tillgate_${randomUUID()}`
    await client.query({ name, text: 'select 1' })
    const { rowCount } = await client.query('select 1 from pg_prepared_statements where name = $1', [name])
    if (rowCount === 0) return 'prepared'
    await client.query(`deallocate "${name}"`)
    return 'plain'
  } finally {
    await client.query('rollback').catch(() => {})
    await client.end().catch(() => {})
  }
}

/**
 * Returns the time zone that answers are written in; everything that reads times here asks for UTC when it connects.
 */
export async function readTimeZone(pool: Pool): Promise<string> {
  const [row] = await pool<[{ zone: string }]>`select current_setting('TimeZone') as zone`
  return row.zone
}
