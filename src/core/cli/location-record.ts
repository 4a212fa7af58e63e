import { checkSettings } from '../contract/location/settings.ts'
import { defaultLocationSettings, isLocationRecord, type LocationRecord } from '../ingest/write/locations.ts'
import { isRejection, readRecord } from '../ingest/records.ts'
import type { LocationSettings } from '../contract/location/schema.ts'
import { CliError } from '../server/errors.ts'

/** A person may give these documented fields of a location. */
export const fields = [
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

/** Returns settings in which what is not given is as usual. Throws `CliError` naming what is wrong. */
export function readLocationSettings(flags: Partial<LocationSettings>): LocationSettings {
  const read = checkSettings({ ...defaultLocationSettings, ...flags })
  if (!('expected' in read)) return read
  const option = `--${read.name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
  throw new CliError('usage', `${option} must be ${read.expected}, not ${JSON.stringify(read.given)}`)
}

/** Makes the record of a location, checked as if a till had pushed it. Throws `CliError`. */
export function toRecordOf(id: string, data: object): LocationRecord {
  const value = { type: 'location', data }
  const circumstances = { line: 1, locationId: id }
  const record = readRecord(Buffer.from(JSON.stringify(value)), circumstances)
  if (!isRejection(record) && isLocationRecord(record)) return record
  throw new CliError('usage', `the location cannot be stored: ${isRejection(record) ? record.detail : record.type}`)
}
