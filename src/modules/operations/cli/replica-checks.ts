import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../../../core/config.ts'
import { findConnection, hidePassword } from '../../../core/server/database-connection.ts'
import { openPool, type Pool } from '../../../core/store/db/database.ts'
import { schemaVersion } from '../../../core/store/db/migrations.ts'
import { within } from '../../../core/store/db/patience.ts'
import { compareRoles, findForeignEntry, readReplay, readWrittenUpTo } from '../../../core/store/db/replica-state.ts'
import { checkPooler, fail, messageOf, ok, warn, type Check, type Finding } from './checks.ts'
import { count } from '../../../core/cli/terminal/output.ts'

/** A replica that accepts a connection and does not answer within this time is unreachable. */
const silenceMs = 5_000

/** A replica that is at most this far behind counts as up to date. */
const catchUpMs = 2_000

/**
 * Checks whether the server is a replica, and not the database server itself. A server that is not a replica would
 * answer reads without the pushed records.
 */
async function checkRole(primary: Pool, replica: Pool, place: string): Promise<Finding> {
  const role = await compareRoles(primary, replica)
  if (role === 'copies') return ok(`${place} answers, and is a replica`)
  const advice = 'set DATABASE_READ_URL to a streaming replica of DATABASE_URL, or unset it'
  if (role === 'is the same')
    return warn(`${place} is the database server itself, so it does not speed up reads`, advice)
  return fail(`${place} is not a replica: it accepts writes`, advice)
}

/** Checks that tables and journals are those of the database, although they may lag behind. */
async function checkContent(primary: Pool, replica: Pool): Promise<Finding> {
  const [there, here] = await Promise.all([schemaVersion(replica), schemaVersion(primary)])
  const foreign = 'DATABASE_READ_URL must be a streaming replica of the database in DATABASE_URL'
  const other = await findForeignEntry(primary, replica)
  if (other) {
    const { locationId, seq } = other
    return fail(
      `the replica has entry ${seq} of location ${locationId}, which is not in the database: the replica belongs to another database`,
      foreign,
    )
  }
  if (there.current !== here.current) {
    const advice = 'reads that it cannot answer go to the database; check its replication'
    return warn(`schema version ${there.current}, but the database has ${here.current}`, advice)
  }
  return ok(`version ${there.current}, with the same journals`)
}

/** Checks whether the replica has, or soon gets, everything that the database has written until now. */
async function checkLag(primary: Pool, replica: Pool): Promise<Finding> {
  const writtenUpTo = await readWrittenUpTo(primary)
  const deadline = performance.now() + catchUpMs
  for (;;) {
    const { bytes, at, isPaused, isStreaming } = await readReplay(replica, writtenUpTo)
    if (bytes === 0) return ok('it is up to date')
    if (performance.now() < deadline && !isPaused) {
      await delay(50)
      continue
    }
    const detail = `${count(bytes)} bytes behind${at === null ? '' : `; its last commit is from ${at.toISOString()}`}`
    if (isPaused) return warn(`its replay is paused, ${detail}`, 'select pg_wal_replay_resume() on the replica')
    if (!isStreaming)
      return warn(`it is not connected to its primary, ${detail}`, 'see primary_conninfo and the log of the replica')
    return warn(detail, 'see pg_stat_replication on the primary; reads that need newer data go to the database')
  }
}

async function finding(check: Promise<Finding>): Promise<Finding> {
  return check.catch((error: unknown) => fail(messageOf(error), 'see the logs of both servers'))
}

/** Resolves to the checks of the replica in DATABASE_READ_URL, compared with its database. */
export async function checkReplica(
  primary: Pool,
  url: string,
  config: Pick<Config, 'databasePooler' | 'dbPipelining'>,
): Promise<Check[]> {
  const place = hidePassword(url)
  const options = { connections: 1, pipelining: config.dbPipelining }
  let pool = openPool({ url, isCopy: true }, options)
  try {
    const connection = await within(silenceMs, findConnection(pool, config))
    await pool.end({ timeout: 1 })
    pool = openPool(connection, options)
    const role = await within(silenceMs, checkRole(primary, pool, place))
    const checks: Check[] = [
      { name: 'replica', ...role },
      { name: 'replica pooler', ...checkPooler(pool, { isReplica: true }) },
    ]
    if (role.status === 'warn') return checks
    const content = await finding(checkContent(primary, pool))
    checks.push({ name: 'replica tables', ...content })
    if (role.status === 'fail' || content.status === 'fail') return checks
    return [...checks, { name: 'replica lag', ...(await finding(checkLag(primary, pool))) }]
  } catch (error) {
    const advice = 'start it, or correct DATABASE_READ_URL; until then the database answers all reads'
    return [{ name: 'replica', ...fail(`${place} cannot be used: ${messageOf(error)}`, advice) }]
  } finally {
    await pool.end({ timeout: 1 })
  }
}
