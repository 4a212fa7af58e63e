import type { ActChange, ActName } from '../schemas/access.ts'
import { recordAct } from '../store/access.ts'
import type { Pool } from '../store/database.ts'

/** Writes into the log of access what the command line has done to a location, and what it changed. */
export async function byHand(
  pool: Pool,
  locationId: string,
  act: ActName,
  subject: string | null,
  now: Date = new Date(),
  changes: ActChange[] = [],
): Promise<void> {
  await recordAct(pool, locationId, { act, by: 'cli', subject, changes }, now)
}
