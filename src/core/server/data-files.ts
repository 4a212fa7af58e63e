import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Log } from './log.ts'

/** Returns whether a file is missing. A file that cannot be checked counts as present. */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined
  } catch {
    return false
  }
}

/**
 * Returns a function that checks whether the files of the embedded database are missing from the directory of its
 * cluster; it logs this once. PostgreSQL itself may serve from open files for a minute, and what it acknowledges then
 * is lost. A check costs a `stat` of a local file, some 3 µs, and is synchronous.
 */
export function watchData(home: string, log: Log): () => boolean {
  const path = join(home, 'postgres', 'PG_VERSION')
  let wasGone = false
  return () => {
    const isGone = isMissing(path)
    if (isGone && !wasGone) {
      log.error(
        `the database is missing: ${path} no longer exists. Nothing is acknowledged; see docs/operate/going-back.md`,
      )
    }
    wasGone = isGone
    return isGone
  }
}
