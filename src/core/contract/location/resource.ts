import { toText } from '../../domain/documents/document-text.ts'
import type { Location } from './schema.ts'
import { findLocation, leaveOutDevices, updateLocation, type LocationRow } from './rows.ts'
import type { Resource } from '../resource.ts'

/** The location itself. Its stored document includes the devices, as in events and exports. */
export const location: Resource<LocationRow, Location, null> = {
  type: 'location',
  plural: 'locations',
  table: { name: 'locations', key: 'id', location: 'id' },
  dated: false,
  locationField: 'id',
  idOf: (_data, locationId) => locationId,
  facts: () => null,
  /** Keeps the stored devices if a push has no `deviceList`: a read omits it by default, and a till may push that document back. */
  complete(document, before) {
    const pushed = JSON.parse(document) as Location
    if (pushed.deviceList !== undefined) return document
    const { deviceList = [] } = before ? (JSON.parse(before.document) as Location) : {}
    return JSON.stringify({ ...pushed, deviceList })
  },
  // A location contains no numbers, so parsing loses nothing.
  entries: {
    read: (before) =>
      (JSON.parse(before ?? '{}') as Partial<Location>).deviceList?.map((one) => JSON.stringify(one)) ?? [],
    write: (entries, before) =>
      JSON.stringify({
        ...(JSON.parse(before ?? '{}') as Partial<Location>),
        deviceList: entries.map((entry) => JSON.parse(entry) as unknown),
      }),
  },
  events: () => ['location.updated'],
  row({ id, seq, document: given }, { before }) {
    const document = toText(given)
    return { ...(before as LocationRow), id, seq, document, withoutDevices: leaveOutDevices(document) }
  },
  columnsOf: (document) => ({ without_devices: leaveOutDevices(document) }),
  async find(sql, locationId) {
    const row = await findLocation(sql, locationId)
    return new Map(row && [[row.id, row]])
  },
  async upsert(sql, _locationId, rows) {
    for (const row of rows) await updateLocation(sql, row)
  },
  async *walk(sql, locationId) {
    const row = await findLocation(sql, locationId)
    if (row) yield [row.document]
  },
  counts: null,
}
