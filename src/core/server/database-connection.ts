import type { Config } from '../config.ts'
import { openPool, type Connection, type Pool } from '../store/db/database.ts'
import { migrate } from '../store/db/migrations.ts'
import { findPooler, readTimeZone } from '../store/db/pooler.ts'
import { CliError } from './errors.ts'

/**
 * Determines how the database of an open pool is reached, and whether a pooler is in between. Throws `CliError` if a
 * pooler does not forward the requested time zone: times would be misread.
 */
export async function findConnection(
  pool: Pool,
  { databasePooler: given }: Pick<Config, 'databasePooler'>,
): Promise<Connection> {
  const pooler = given === 'off' ? 'none' : await findPooler(pool, given === 'transaction')
  if (pooler === 'none') return pool.from
  const zone = await readTimeZone(pool)
  if (zone === 'UTC') return { ...pool.from, pooler }
  const advice = "let the pooler pass TimeZone, or run: alter role … set timezone = 'UTC'"
  throw new CliError('database_time_zone', `the connection pooler returns sessions in ${zone}: ${advice}`)
}

/** Migrates over a direct connection if one is set: migrations need one session, and on a cluster its coordinator. */
export async function migrateDirectly(pool: Pool): Promise<string[]> {
  const { direct } = pool.from
  if (!direct) return migrate(pool)
  const past = openPool(direct, { connections: 1, pipelining: true })
  try {
    return await migrate(past)
  } finally {
    await past.end({ timeout: 2 })
  }
}

/** Returns the same URL with `***` in place of its password. */
export function hidePassword(url: string): string {
  // Up to the last @: a password that was not percent-encoded must not show either.
  return url.replace(/^(\w+:\/\/[^:/@]*):.*@/, '$1:***@').replaceAll(/([?&]password=)[^&]*/gi, '$1***')
}
