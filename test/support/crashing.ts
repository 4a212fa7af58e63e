import type { Pool } from '../../src/core/store/db/database.ts'
import { lookAt } from './sessions.ts'

const ends = 'the process ends here'

/**
 * Runs some work, and rolls its transaction back at the n-th statement of the work, as the database does when the
 * process dies. Resolves to whether the work had that many statements.
 */
export async function crashing(pool: Pool, at: number, work: () => Promise<unknown>): Promise<boolean> {
  let left = at
  const stop = lookAt(pool, () => (text) => {
    // The beginning and end of a transaction are not part of its work.
    if (/^(begin|commit|rollback)\b/i.test(text)) return
    left -= 1
    if (left === 0) throw new Error(ends)
  })
  try {
    await work()
    return false
  } catch (error) {
    if (!(error instanceof Error && error.message === ends)) throw error
    return true
  } finally {
    stop()
  }
}
