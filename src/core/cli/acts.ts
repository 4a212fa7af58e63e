import type { ActChange, ActName } from '../schemas/access.ts'
import { recordAct } from '../store/accounts/access.ts'
import type { Pool } from '../store/db/database.ts'
import { caller } from './terminal/caller.ts'

/** Says what the command line did: `subject` is the id of what it was done to, null for the location itself. */
type ActByHand = { act: ActName; subject: string | null; changes?: ActChange[] }

/** Writes into the log of access what the command line has done to a location, and what it changed. */
export async function byHand(
  pool: Pool,
  locationId: string,
  { act, subject, changes = [] }: ActByHand,
  now: Date = new Date(),
): Promise<void> {
  await recordAct(pool, locationId, { act, by: 'cli', account: caller, subject, changes }, now)
}
