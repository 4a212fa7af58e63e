import { canonicalTimeZone } from '../domain/time-zones.ts'
import { defaultLocationSettings, isLocationRecord, type LocationRecord } from '../ingest/locations.ts'
import { isRejection, readRecord } from '../ingest/records.ts'
import type { LocationSettings } from '../schemas/locations.ts'
import { CliError } from '../server/errors.ts'

/** The documented fields of a location that a person may give. */
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

/** A day that every year has: not 29 February. */
function isMonthAndDay(text: string): boolean {
  return /^\d\d-\d\d$/.test(text) && new Date(`2025-${text}T00:00:00.000Z`).toJSON()?.slice(5, 10) === text
}

/** What is not given is as usual. Throws `CliError` naming what is wrong. */
export function readLocationSettings(flags: Partial<LocationSettings>): LocationSettings {
  const { timeZone, currency, dayStartsAt, fiscalYearStarts, eReportingCategories, retiredDevices } = {
    ...defaultLocationSettings,
    ...flags,
  }
  if (!Intl.supportedValuesOf('currency').includes(currency)) {
    throw new CliError('usage', `--currency must be an ISO 4217 code such as EUR, not ${JSON.stringify(currency)}`)
  }
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(dayStartsAt)) {
    throw new CliError('usage', `--day-starts-at must be a time such as 05:00, not ${JSON.stringify(dayStartsAt)}`)
  }
  if (!isMonthAndDay(fiscalYearStarts)) {
    const given = JSON.stringify(fiscalYearStarts)
    throw new CliError('usage', `--fiscal-year-starts must be a month and a day such as 04-01, not ${given}`)
  }
  const known = canonicalTimeZone(timeZone)
  if (known !== undefined) {
    return { timeZone: known, currency, dayStartsAt, fiscalYearStarts, eReportingCategories, retiredDevices }
  }
  throw new CliError('usage', `--time-zone must be a name such as Europe/Paris, not ${JSON.stringify(timeZone)}`)
}

/** The record of a location, checked as if a till had pushed it. Throws `CliError`. */
export function toRecordOf(id: string, data: object): LocationRecord {
  const value = { type: 'location', data }
  const place = { line: 1, locationId: id }
  const record = readRecord(Buffer.from(JSON.stringify(value)), place)
  if (!isRejection(record) && isLocationRecord(record)) return record
  throw new CliError('usage', `the location cannot be stored: ${isRejection(record) ? record.detail : record.type}`)
}
