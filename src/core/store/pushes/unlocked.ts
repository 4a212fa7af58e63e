import type { Head } from '../../domain/journal/chain.ts'
import { hasId } from '../db/by-id.ts'
import type { Pool } from '../db/database.ts'
import { storedColumns, toOrderRow, type OrderRow, type StoredOrder } from '../../contract/orders/rows.ts'
import { serverTimeline } from './statement.ts'

/** A recent state of a location; `isPlain` means that nothing must be checked before it is written to (`takeHead`). */
export type State = { head: Head; isPlain: boolean; rows: Map<string, OrderRow> }

type HeadRow = {
  locationId: string
  epoch: string
  lastSeq: number
  lastHash: string
  lastAcceptedAt: Date | null
  isPlain: boolean
}

const text = `
  select s.location_id as "locationId", s.epoch, s.last_seq as "lastSeq", s.last_hash as "lastHash",
    s.last_accepted_at as "lastAcceptedAt",
    s.erasures is null and coalesce(s.timeline = ${serverTimeline}, true) as "isPlain", ${storedColumns}
  from unnest($1::uuid[], $2::uuid[]) k(location_id, id)
  join location_seq s on s.location_id = k.location_id
  left join lateral (
    select * from orders o where o.location_id = k.location_id and ${hasId('k.id')}
  ) o on true`

/**
 * Reads, without a lock, the heads of locations and the existing orders among these, by location and all at one moment.
 * The writer verifies that they are still current (`writeProven`). Missing locations are left out.
 */
export async function readStates(
  connection: Pool,
  keys: readonly { locationId: string; id: string }[],
): Promise<Map<string, State>> {
  const [locationIds, ids] = [keys.map(({ locationId }) => locationId), keys.map(({ id }) => id)]
  const requested = new Set(locationIds)
  const isAnswer = (rows: readonly HeadRow[]) => rows.every(({ locationId }) => requested.has(locationId))
  const rows = await connection.prove<(HeadRow & Partial<StoredOrder>)[]>(text, [locationIds, ids], isAnswer)
  const found = new Map<string, State>()
  for (const row of rows) {
    const { locationId, epoch, lastSeq: seq, lastHash: hash, lastAcceptedAt, isPlain, ...order } = row
    let state = found.get(locationId)
    if (!state) {
      const head = { epoch, seq, hash, acceptedAt: lastAcceptedAt?.toISOString() ?? null }
      found.set(locationId, (state = { head, isPlain, rows: new Map() }))
    }
    if (order.id) state.rows.set(order.id, toOrderRow(order as StoredOrder))
  }
  return found
}
