import type { DeviceStatus } from './device-status.ts'
import type { Location } from '../../../core/contract/location/schema.ts'
import type { Warning } from '../../../core/schemas/warnings.ts'
import { warnOfList } from './catalog-warnings.ts'
import { Warnings, type Circumstances, type KnownIds } from './known.ts'
import { quoted, warnOfText } from './texts.ts'
import { warnOfReversal, warnOfTime } from './times.ts'

const texts = ['name', 'address', 'city', 'country', 'phone', 'siret', 'tva', 'naf', 'url', 'zip'] as const

const france = new Set(['france', 'fr', 'fra'])

/** Returns the warnings about a location: each rule is in `schemas/warnings.ts`. */
export function warnOfLocation(location: Location, known: KnownIds): Warning[] {
  const found = new Warnings()
  const { siret, country, deviceList } = location
  for (const name of texts) warnOfText(found, `/${name}`, location[name])
  if (siret !== '' && france.has(country.toLowerCase()) && !/^\d{14}$/.test(siret.replaceAll(' ', ''))) {
    found.add('/siret', 'siret_invalid', `${quoted(siret)} does not have 14 digits`)
  }
  if (!deviceList) return found.list
  // A location that was created without devices may be pushed, or imported, without them.
  if (deviceList.length === 0 && !known.devices) return found.list
  warnOfList(found, '/deviceList', deviceList, known.devices)
  const names = new Map<string, number>()
  for (const [i, { name }] of deviceList.entries()) {
    const first = names.get(name)
    if (first === undefined) names.set(name, i)
    else found.add(`/deviceList/${i}/name`, 'device_name_twice', `${quoted(name)} is also the name of device ${first}`)
  }
  return found.list
}

export function warnOfStatus(status: DeviceStatus, { known, nowMs, sightings }: Circumstances): Warning[] {
  const found = new Warnings()
  const { deviceId, at, completeUntil } = status
  const lastNumber = status.lastNumber ?? null
  if (known.devices && !known.devices.has(deviceId.toLowerCase())) {
    found.add('/deviceId', 'unknown_device', `device ${deviceId} does not belong to the location`)
  }
  warnOfTime(found, 'at', at, nowMs)
  warnOfTime(found, 'completeUntil', completeUntil, nowMs)
  warnOfReversal(found, '/at', ['at', at], ['completeUntil', completeUntil])
  const before = lastNumber === null ? undefined : sightings?.count(deviceId, lastNumber)
  if (lastNumber !== null && before !== undefined && lastNumber < before) {
    found.add('/lastNumber', 'count_restarted', `lastNumber is ${lastNumber}, but was ${before} before`)
  }
  return found.list
}
