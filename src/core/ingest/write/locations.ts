import { installationId } from '../../domain/accounts/keys.ts'
import { settingsOf } from '../../contract/location/settings.ts'
import { isTimeZone } from '../../domain/days/time-zones.ts'
import { validator } from '../../domain/documents/validation.ts'
import { LocationSettings } from '../../contract/location/schema.ts'
import { transact, type Pool } from '../../store/db/database.ts'
import { findDeletedEnd } from '../../store/repair/location-states.ts'
import { insertLocation } from '../../contract/location/rows.ts'
import { resumeJournal } from '../../store/journal/resumption.ts'
import { applyRecords } from './locked.ts'
import type { RecordOutcome } from './decide.ts'
import type { Incoming } from '../records.ts'

export type LocationRecord = Incoming & { type: 'location' }

export const isLocationRecord = (record: Incoming): record is LocationRecord => record.type === 'location'

export const defaultLocationSettings: LocationSettings = {
  timeZone: 'Europe/Paris',
  currency: 'EUR',
  dayStartsAt: '05:00',
  fiscalYearStarts: '01-01',
  eReportingCategories: {},
  retiredDevices: {},
  paymentKinds: {},
  reportNumbers: 'consecutive',
}

/**
 * Creates a location from its record, which becomes the first entry of its journal, in one transaction. Returns
 * undefined, and changes nothing, if the location exists. If its id is that of a deleted location, the journal begins
 * with an entry of kind `resumed`, past every sequence of the deleted journal.
 */
export async function createLocation(
  pool: Pool,
  record: LocationRecord,
  settings: LocationSettings,
  now: Date,
): Promise<RecordOutcome | undefined> {
  const { id } = record
  // This id stands for the installation.
  if (id === installationId) return undefined
  return transact(pool, async (tx) => {
    const row = { id, document: '{}', withoutDevices: '{}', ...settings, seq: 0 }
    if (!(await insertLocation(tx, row, now))) return undefined
    // Sequences of a deleted journal must not be used again: a server or a partner may have seen them.
    const past = await findDeletedEnd(tx, id)
    if (past !== undefined) await resumeJournal(tx, id, { reason: 'a location with this id was deleted', now, past })
    const { outcomes } = await applyRecords(tx, id, [record], { now })
    return outcomes[0]
  })
}

/** Type of the line with settings in a file of records. It is not a record: tills do not push it. */
const settingsType = 'location.settings'

const settingsFaults = validator(LocationSettings, 'body', 'the settings')

/** Formats the settings of a location as a line of a file of records; export writes it before the location's own record. */
export function settingsLine(id: string, settings: LocationSettings): Buffer {
  const data = { id, ...settingsOf(settings) }
  return Buffer.from(`${JSON.stringify({ type: settingsType, data })}\n`)
}

/** Reads the settings in a `settingsLine`; undefined for any other line. `fault` says what is wrong with them. */
export function readSettingsLine(
  bytes: Buffer,
): { id: string; settings: LocationSettings; fault?: string } | undefined {
  if (!bytes.includes(settingsType)) return undefined
  let line: unknown
  try {
    line = JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
  const { type, data } = (line ?? {}) as { type?: unknown; data?: { id?: unknown } & LocationSettings }
  if (type !== settingsType) return undefined
  const { id, ...given } = data ?? ({} as LocationSettings & { id?: unknown })
  const settings = { ...defaultLocationSettings, ...given }
  const [fault] = settingsFaults(settings)
  if (fault) return { id: String(id), settings, fault: fault.detail }
  if (!isTimeZone(settings.timeZone)) return { id: String(id), settings, fault: 'timeZone must be an IANA name' }
  return { id: String(id).toLowerCase(), settings }
}
