import type { Act, Acting } from '../acts/acting.ts'
import { recordAct } from '../store/accounts/access.ts'
import type { Pool } from '../store/db/database.ts'
import { caller } from './terminal/caller.ts'

/** Returns the context of an operator at the command line. */
export function atTerminal(pool: Pool, now: Date = new Date()): Acting {
  const note = async (locationId: string, { act, subject, changes = [] }: Act) =>
    recordAct(pool, locationId, { act, by: 'cli', account: caller, subject, changes }, now)
  return { pool, now, note }
}

/** Records an act of the command line in the access log of a location. */
export const byHand = (pool: Pool, locationId: string, act: Act, now?: Date): Promise<void> =>
  atTerminal(pool, now).note(locationId, act)
