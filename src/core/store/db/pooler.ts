import { randomUUID } from 'node:crypto'
import type { Client } from 'pg'
import type { Pool, Pooler } from './database.ts'

/** `pg` stores the process number that the other side sent at login, without declaring it in its types. */
type Named = Client & { processID: number | null }

/**
 * Detects a pooler between the pool and its database. A pooler handles the login itself, with a process number that
 * differs from that of the server process which answers. A pooler that tracks named statements renames them on the
 * server; if our name arrives unchanged, it will be missing on the next server connection. `isPooler` is for callers
 * that already know that there is a pooler. Throws the error of the network or the server.
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

/** Returns the session time zone of a connection, which must be UTC: each connection requests UTC, but a pooler may ignore that. */
export async function readTimeZone(pool: Pool): Promise<string> {
  const [row] = await pool<[{ zone: string }]>`select current_setting('TimeZone') as zone`
  return row.zone
}
