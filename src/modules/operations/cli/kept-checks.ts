import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Database } from '../../../core/server/database.ts'
import { readDatabaseUrl } from '../../../core/store/db/driver/database-url.ts'
import { summariseLosses } from '../../../core/store/journal/losses.ts'
import type { Check } from './checks.ts'

/** Whether a directory is writable, or can be created in its nearest existing parent. */
async function canBeKept(path: string): Promise<boolean> {
  for (let at = path; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined)
    if (!found && at !== dirname(at)) continue
    if (!found?.isDirectory()) return false
    return access(at, constants.W_OK).then(
      () => true,
      () => false,
    )
  }
}

/**
 * Warns about entries that were lost when the database was restored to an earlier state, and if the acknowledged heads,
 * which reveal such losses, cannot be stored outside the database. Returns no check if there is no problem.
 */
export async function checkKept({ pool, kept, connection }: Database): Promise<Check[]> {
  const name = 'going back'
  const { entries } = await summariseLosses(pool).catch(() => ({ entries: 0 }))
  if (entries > 0) {
    const detail = `at least ${entries} acknowledged entries were lost when the database was restored to an earlier state`
    return [{ name, status: 'warn', detail, advice: 'see tillgate loss list and tillgate loss acknowledge' }]
  }
  if (kept !== null && (await canBeKept(kept.heads))) return []
  const hosts = 'url' in connection ? readDatabaseUrl(connection.url).hosts.length : 1
  const where =
    kept === null
      ? 'not stored: the account has no home directory, or the role cannot read pg_control_system()'
      : `not stored in ${kept.heads}, which is not writable`
  const detail = `last acknowledged entries: ${where}${hosts > 1 ? `; DATABASE_URL has ${hosts} hosts` : ''}`
  const advice =
    'set TILLGATE_HEADS_DIR to a directory that survives restarts: without it, pushes to a returning former primary are accepted and then lost'
  return [{ name, status: 'warn', detail, advice }]
}
