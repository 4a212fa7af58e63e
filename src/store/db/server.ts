import type { Sql } from './database.ts'

/** PostgreSQL 15 to 18 are tested. */
export const supportedVersions = { from: 15, to: 18 }

export type ServerState = {
  /** `15.18`. */
  version: string
  major: number
  /** Of the database, `UTF8` for every one that can hold what tills send. */
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

/** Makes one round trip to one node; throws when the database does not answer. */
export async function ping(sql: Sql): Promise<void> {
  await sql`select 1`
}
