import { setTimeout as delay } from 'node:timers/promises'
import { databaseSettings, readConfig } from '../config.ts'
import { explain, openDatabase, type Database, type OpenOptions } from '../server/database.ts'
import { CliError, Interrupted } from '../server/errors.ts'
import { isRefused, isUnavailable } from '../store/db/database.ts'
import { catchInterrupts } from './terminal/interrupts.ts'
import { note } from './terminal/output.ts'

/** Shows the user the notices that starting the embedded server produced. */
export function showNotices({ started, notices }: Database): void {
  if (started) for (const notice of notices) note(notice)
}

/**
 * Runs a command's work on the database that its flags and variables name, and closes it afterwards, even if the user
 * interrupts. A data directory without a database is refused unless `creates` is true: a command in the wrong directory
 * would otherwise make a new, empty installation there. Bypasses a pooler if a direct URL is set.
 */
export async function withDatabase<T>(
  flags: Record<string, unknown>,
  work: (database: Database, signal: AbortSignal) => Promise<T>,
  {
    env = process.env,
    ...options
  }: Pick<OpenOptions, 'migrates' | 'creates' | 'acceptsOlder' | 'replacesLost'> & { env?: NodeJS.ProcessEnv } = {},
): Promise<T> {
  const config = readConfig(databaseSettings, flags, env)
  const interrupts = catchInterrupts()
  try {
    const database = await openDatabase(config, { creates: false, direct: true, ...options, signal: interrupts.signal })
    showNotices(database)
    const working = work(database, interrupts.signal)
    try {
      return await interrupts.race(working)
    } catch (error) {
      throw isRefused(error) ? await explain(database.pool, error, database.place) : error
    } finally {
      await database.close()
      // Interrupted work fails because the pool is closed; it has 2 s to clean up.
      await Promise.race([working.catch(() => {}), delay(2_000, undefined, { ref: false })])
    }
  } catch (error) {
    throw isUnavailable(error) && !(error instanceof Interrupted)
      ? new CliError('database_unavailable', `the database does not answer: ${(error as Error).message}`, {
          cause: error,
        })
      : error
  } finally {
    interrupts.release()
  }
}
