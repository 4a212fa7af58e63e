import { LocationSettings } from './schema.ts'
import { canonicalTimeZone } from '../../domain/days/time-zones.ts'

export const settingNames = Object.keys(LocationSettings.properties) as (keyof LocationSettings)[]

/** Picks the settings from a larger object. */
export function settingsOf(all: LocationSettings): LocationSettings {
  const { timeZone, currency, dayStartsAt, fiscalYearStarts, eReportingCategories, retiredDevices } = all
  const { paymentKinds, reportNumbers } = all
  return {
    timeZone,
    currency,
    dayStartsAt,
    fiscalYearStarts,
    eReportingCategories,
    retiredDevices,
    paymentKinds,
    reportNumbers,
  }
}

export type SettingFault = { name: keyof LocationSettings; expected: string; given: unknown }

const isDay = (day: string) => new Date(`${day}T00:00:00.000Z`).toJSON()?.slice(0, 10) === day

/**
 * Returns the settings with the canonical name of the time zone. If a zone, currency or day has the right form but does
 * not exist, returns the first such fault.
 */
export function checkSettings(given: LocationSettings): LocationSettings | SettingFault {
  const { currency, dayStartsAt, fiscalYearStarts, retiredDevices } = given
  const timeZone = canonicalTimeZone(given.timeZone)
  const fault = (name: keyof LocationSettings, expected: string) => ({ name, expected, given: given[name] })
  if (timeZone === undefined) return fault('timeZone', 'a name such as Europe/Paris')
  if (!Intl.supportedValuesOf('currency').includes(currency)) {
    return fault('currency', 'an ISO 4217 code such as EUR')
  }
  if (!/^([01]\d|2[0-3]):[0-5]\d$/.test(dayStartsAt)) return fault('dayStartsAt', 'a time such as 05:00')
  if (!/^\d\d-\d\d$/.test(fiscalYearStarts) || !isDay(`2025-${fiscalYearStarts}`)) {
    return fault('fiscalYearStarts', 'a month and a day such as 04-01')
  }
  if (!Object.values(retiredDevices).every(isDay)) {
    return fault('retiredDevices', 'an object with a business day such as 2026-03-14 for each device')
  }
  return { ...settingsOf(given), timeZone }
}
