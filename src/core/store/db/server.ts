import { createHash } from 'node:crypto'
import type { Sql } from './database.ts'
import { sqlState } from './sql-state.ts'

/** The major versions of PostgreSQL that are tested. */
export const supportedVersions = { from: 15, to: 18 }

export type ServerState = {
  /** Such as `15.18`. */
  version: string
  major: number
  /** The encoding of the database. Only `UTF8` can store everything that tills send. */
  encoding: string
  fsync: string
  synchronousCommit: string
  fullPageWrites: string
  /** The server's clock. */
  now: Date
}

export async function readServerState(sql: Sql): Promise<ServerState> {
  const [row] = await sql<[ServerState]>`
    select current_setting('server_version') as version,
      current_setting('server_version_num')::int / 10000 as major,
      current_setting('server_encoding') as encoding,
      current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as "synchronousCommit",
      current_setting('full_page_writes') as "fullPageWrites",
      clock_timestamp() as now`
  return row
}

/** The collation of a database: the version with which its text indexes were built, and the current one of the machine. */
export type Collation = { name: string; stored: string; actual: string }

/** Reads the collation; null if a version is unknown, as for `C`. */
export async function readCollation(sql: Sql): Promise<Collation | null> {
  const [row] = await sql<Collation[]>`
    select datcollate as name, datcollversion as stored, pg_database_collation_actual_version(oid) as actual
    from pg_database
    where datname = current_database() and datcollversion is not null
      and pg_database_collation_actual_version(oid) is not null`
  return row ?? null
}

/** Makes one round trip to one node; throws if the database does not answer. */
export async function ping(sql: Sql): Promise<void> {
  await sql`select 1`
}

/** Maximum number of further sessions tried: a session that answers that it may not write is discarded. */
const sessionsTried = 16

const isReadOnly = (error: unknown) => /^(25006|55000)$/.test(String(sqlState(error)))

/** Asks one node, as a push would: throws if the database does not answer, or accepts no writes. Writes nothing. */
export async function tryToWrite(sql: Sql): Promise<void> {
  for (let left = sessionsTried; ; left--) {
    try {
      await sql`update location_seq set last_seq = last_seq where false`
      return
    } catch (error) {
      if (left === 0 || !isReadOnly(error)) throw error
    }
  }
}

/**
 * Identifies the database for its lifetime, in twelve characters: two processes that get the same name use the same
 * database. A restored copy has another name. On Citus each node has its own name. Null if the role may not read it.
 */
export async function findInstallation(sql: Sql): Promise<string | null> {
  const rows = await sql<{ name: string }[]>`
    select c.system_identifier::text || '/' || d.oid::text as name
    from pg_control_system() c, pg_database d where d.datname = current_database()`.catch(() => [])
  const name = rows[0]?.name
  return name === undefined ? null : createHash('sha256').update(name).digest('hex').slice(0, 12)
}

/** Whether this account may create tables in its current schema. */
export async function mayMakeTables(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ may: boolean }]>`
    select coalesce(has_schema_privilege(current_schema(), 'create'), false) as may`
  return row.may
}
