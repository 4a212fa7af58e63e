import type { LocationSettings } from '../schemas/locations.ts'

/** The settings of a location alone, of something that has more. */
export function settingsOf(all: LocationSettings): LocationSettings {
  const { timeZone, currency, dayStartsAt, fiscalYearStarts, eReportingCategories, retiredDevices } = all
  return { timeZone, currency, dayStartsAt, fiscalYearStarts, eReportingCategories, retiredDevices }
}
