import { AppError, validationFailed } from '../contract/errors/errors.ts'
import { findLocation, updateLocationSettings } from '../contract/location/rows.ts'
import type { Location, LocationSettings } from '../contract/location/schema.ts'
import { settingsOf } from '../contract/location/settings.ts'
import { changesBetween, withoutValues } from '../domain/accounts/act-changes.ts'
import type { BusinessClock } from '../domain/days/business-time.ts'
import { isRejection, readRecord } from '../ingest/records.ts'
import { createLocation, isLocationRecord, type LocationRecord } from '../ingest/write/locations.ts'
import { applyRecords } from '../ingest/write/locked.ts'
import { dataParts } from '../modules.ts'
import { transact, type Pool } from '../store/db/database.ts'
import { takeHead } from '../store/journal/resumption.ts'
import type { Acting } from './acting.ts'

declare module '../modules.ts' {
  interface ModuleData {
    /** Checks again, after a location's settings have changed, the data that was computed with them. */
    settingsChanged?(pool: Pool, locationId: string, about: { clock: BusinessClock; now: Date }): Promise<unknown>
  }
}

/** The fields of a location's document that an operator may set. */
export const locationFields = [
  'name',
  'address',
  'city',
  'zip',
  'country',
  'siret',
  'naf',
  'tva',
  'phone',
  'text',
  'url',
] as const

export type LocationFields = Partial<Record<(typeof locationFields)[number], string>>

/** Checks a location as if a till had pushed it. Throws `validation_failed`. */
function toRecord(id: string, data: object): LocationRecord {
  const bytes = Buffer.from(JSON.stringify({ type: 'location', data: { ...data, id } }))
  const record = readRecord(bytes, { line: 1, locationId: id })
  if (!isRejection(record) && isLocationRecord(record)) return record
  const detail = isRejection(record) ? record.detail : 'the location cannot be stored'
  throw validationFailed([{ in: 'body', pointer: '', code: 'invalid_value', detail }])
}

/** Checks the fields of a new location; missing fields are empty. Throws `validation_failed`. */
export function checkFields(id: string, given: LocationFields): LocationRecord {
  return toRecord(id, Object.fromEntries(locationFields.map((field) => [field, given[field] ?? ''])))
}

/** Creates a location; returns false if a location with this id exists. Throws `validation_failed`. */
export async function addLocation(
  { pool, now, note }: Acting,
  id: string,
  { fields, settings }: { fields: LocationFields; settings: LocationSettings },
): Promise<boolean> {
  if (!(await createLocation(pool, checkFields(id, fields), settings, now))) return false
  const changes = withoutValues(changesBetween(null, { ...fields, ...settings }), locationFields)
  await note(id, { act: 'location.created', subject: id, changes })
  return true
}

/**
 * Changes the given fields and, with `settingsFrom`, the settings, in one transaction. Returns the new settings. Throws
 * `location_not_found` and `validation_failed`.
 */
export async function changeLocation(
  { pool, now, note }: Acting,
  id: string,
  { fields, settingsFrom }: { fields: LocationFields; settingsFrom(before: LocationSettings): LocationSettings },
): Promise<LocationSettings> {
  const { settings, changes } = await transact(pool, async (tx) => {
    // The lock of the journal head serializes this change with other changes and with location records of the till.
    const row = (await takeHead(tx, id, { now })) && (await findLocation(tx, id))
    if (!row) throw new AppError('location_not_found', `location ${id} does not exist: check the id`)
    const former = settingsOf(row)
    const settings = settingsFrom(former)
    const document = JSON.parse(row.document) as Location
    if (Object.keys(fields).length > 0) {
      await applyRecords(tx, id, [toRecord(id, { ...document, ...fields })], { now })
    }
    await updateLocationSettings(tx, id, settings)
    const before = { ...Object.fromEntries(locationFields.map((field) => [field, document[field]])), ...former }
    return { settings, changes: changesBetween(before, { ...before, ...fields, ...settings }) }
  })
  if (changes.some(({ field }) => field === 'retiredDevices' || field === 'reportNumbers')) {
    for (const part of dataParts()) await part.settingsChanged?.(pool, id, { clock: settings, now })
  }
  await note(id, { act: 'location.changed', subject: id, changes: withoutValues(changes, locationFields) })
  return settings
}
