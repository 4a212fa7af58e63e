import { transact, type Pool } from '../store/database.ts'
import { insertLocation } from '../store/locations.ts'
import { applyRecords, type Outcome } from './apply.ts'
import type { Incoming } from './records.ts'

export type LocationRecord = Extract<Incoming, { type: 'location' }>

/** What a location has beside its document. `timeZone` is an IANA name, `currency` an ISO 4217 code. */
export type LocationSettings = { timeZone: string; currency: string }

export const defaultLocationSettings: LocationSettings = { timeZone: 'Europe/Paris', currency: 'EUR' }

/**
 * Makes a location from its record, which becomes the first entry of its journal, in one transaction. Undefined when
 * the location is there already; it is left as it is then.
 */
export async function createLocation(
  pool: Pool,
  record: LocationRecord,
  settings: LocationSettings,
  now: Date,
): Promise<Outcome | undefined> {
  const { id } = record
  return transact(pool, async (tx) => {
    const row = { id, document: '{}', devices: '[]', ...settings, seq: 0 }
    if (!(await insertLocation(tx, row, now))) return undefined
    const [outcome] = await applyRecords(tx, id, [record], now)
    return outcome
  })
}
