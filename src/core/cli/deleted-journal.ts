import { CliError } from '../server/errors.ts'
import type { Pool } from '../store/db/database.ts'
import { findLocation } from '../contract/location/rows.ts'
import { findDeletedEnd } from '../store/repair/location-states.ts'

export const newJournalOption = [
  '--new-journal',
  'begin another journal under the id of a location that was deleted here',
] as const

/**
 * Throws `CliError` for the id of a location that was deleted here: a new journal under it would take the place of the one that
 * lies in the backups, which the law may want.
 */
export async function refuseDeleted(pool: Pool, id: string): Promise<void> {
  const end = await findDeletedEnd(pool, id)
  if (end === undefined || (await findLocation(pool, id)) !== undefined) return
  throw new CliError(
    'location_deleted',
    `location ${id} was deleted here, with a journal up to ${end}: tillgate restore <backup> --location ${id} brings it back with its journal and keys; --new-journal begins another one`,
  )
}
