import type { ModuleData } from '../../core/modules.ts'
import { dayMs } from '../../core/domain/days/time-units.ts'
import { pruneConsoleSessions } from './store/console-sessions.ts'
import { prunePasskeys } from './store/passkeys.ts'

/** Links, sessions and passkeys stay in their list this long after their end. */
const keptMs = 30 * dayMs

export const data: ModuleData = {
  async expire(pool, { now }) {
    const keptFrom = new Date(now.getTime() - keptMs)
    await pruneConsoleSessions(pool, keptFrom)
    await prunePasskeys(pool, keptFrom, now)
  },
}
