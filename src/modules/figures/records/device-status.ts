import { toText } from '../../../core/domain/documents/document-text.ts'
import type { Fault } from '../../../core/contract/errors/errors.ts'
import { clockAheadMs } from '../../../core/domain/days/till-clocks.ts'
import type { DeviceStatus } from '../schemas/device-status.ts'
import { findDeviceStatuses, upsertDeviceStatuses, type DeviceStatusRow } from '../store/device-statuses.ts'
import type { Resource } from '../../../core/contract/resource.ts'

/** Returns the faults of a promise about the future: sales still to come cannot have arrived. */
function clockFaults(status: DeviceStatus, now: Date): Fault[] {
  const latest = new Date(now.getTime() + clockAheadMs).toISOString()
  return (['at', 'completeUntil'] as const)
    .filter((field) => status[field] > latest)
    .map((field) => ({
      in: 'body',
      pointer: `/data/${field}`,
      code: 'clock_ahead',
      detail: `${field} is in the future: the server time is ${now.toISOString()}`,
    }))
}

type Facts = Pick<DeviceStatus, 'at' | 'completeUntil' | 'lastNumber'>

/** The status that a till reports. Only the latest is stored, not journaled: one per minute would flood the journal. */
export const deviceStatuses: Resource<DeviceStatusRow, DeviceStatus, Facts> = {
  type: 'device.status',
  plural: 'deviceStatuses',
  table: { name: 'device_statuses', key: 'device_id', location: 'location_id' },
  dated: false,
  journaled: false,
  locationField: null,
  faults: clockFaults,
  idOf: ({ deviceId }) => deviceId.toLowerCase(),
  facts: ({ at, completeUntil, lastNumber }) => ({ at, completeUntil, lastNumber: lastNumber ?? null }),
  isStale: ({ at }, before) => at < before.at,
  events: () => [],
  row({ id, document }, { facts, before }) {
    const { at, completeUntil, lastNumber } = facts
    // If the previous status agreed, orders are counted from it on; if the counter decreased, counting starts again.
    const agreed = before && before.missing === 0 ? before : undefined
    const kept = before && !agreed ? { until: before.baseUntil, number: before.baseNumber } : undefined
    const from = kept ?? (agreed ? { until: agreed.completeUntil, number: agreed.lastNumber } : undefined)
    const counts = from && from.number !== null && lastNumber !== null && lastNumber >= from.number
    const base = counts ? from : { until: completeUntil, number: lastNumber }
    return {
      id,
      seq: 0,
      document: toText(document),
      at,
      completeUntil,
      lastNumber,
      baseUntil: base.until,
      baseNumber: base.number,
      // The missing orders are counted when the status is read; until then it is unknown whether the status agrees.
      missing: -1,
      before: before?.completeUntil ?? null,
    }
  },
  inherited: ['baseUntil', 'baseNumber', 'missing', 'before'],
  find: (sql, locationId) => findDeviceStatuses(sql, locationId),
  upsert: upsertDeviceStatuses,
  // Yields nothing: a status would be outdated when it is read back.
  async *walk() {},
  counts: null,
}
