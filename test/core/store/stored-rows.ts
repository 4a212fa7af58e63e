import { defaultLocationSettings } from '../../../src/core/ingest/write/locations.ts'
import { randomUUID } from 'node:crypto'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { insertLocation } from '../../../src/core/contract/location/rows.ts'
import type { OrderRow } from '../../../src/core/contract/orders/rows.ts'
import { idOf, timeOf } from '../../support/records.ts'

export const at = new Date('2026-03-01T10:00:00.123Z')
export const rowOf = (id: string) => ({
  id,
  document: '{"a":1,"deviceList":[]}',
  withoutDevices: '{"a":1}',
  ...defaultLocationSettings,
  seq: 0,
})

/** Stores a location for a test, and resolves to its id. */
export async function newLocation(pool: Pool): Promise<string> {
  const id = randomUUID()
  await insertLocation(pool, rowOf(id), at)
  return id
}

export const orderRow = (n: number, changes: Partial<OrderRow> = {}): OrderRow => ({
  id: idOf('order', n),
  createdAt: timeOf(n),
  updatedAt: timeOf(n),
  closedAt: timeOf(n),
  reportId: null,
  canceled: false,
  transferred: false,
  paid: false,
  externalKey: null,
  alone: false,
  number: String(n),
  deviceId: idOf('device', 1),
  operatorId: idOf('operator', 1),
  channel: 'pos',
  serviceType: 'eat_in',
  training: false,
  seq: n + 1,
  document: `{"n":${n}}`,
  ...changes,
})
