import { CliError } from '../server/errors.ts'
import type { Pool } from '../store/db/database.ts'
import { findLocation } from '../contract/location/rows.ts'
import { findDeletedEnd } from '../store/repair/location-states.ts'

export const newJournalOption = ['--new-journal', 'start a new journal under the id of a deleted location'] as const

/**
 * Throws `CliError` if a location with this id was deleted here: a new journal with this id would replace the deleted
 * journal in the backups, where the law may require it.
 */
export async function refuseDeleted(pool: Pool, id: string): Promise<void> {
  const end = await findDeletedEnd(pool, id)
  if (end === undefined || (await findLocation(pool, id)) !== undefined) return
  throw new CliError(
    'location_deleted',
    `location ${id} was deleted at journal entry ${end}: restore it with tillgate restore <backup> --location ${id}, or start a new journal with --new-journal of tillgate import or tillgate location create`,
  )
}
