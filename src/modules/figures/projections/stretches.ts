import type { OrderChange } from '../domain/sales.ts'
import { readStoredOrder } from '../../../core/domain/documents/stored-documents.ts'
import type { Sql } from '../../../core/store/db/database.ts'
import { readOrderChanges, type JournalOrder, type JournalStretch, type StretchSize } from '../store/projections.ts'
import type { Order } from '../../../core/contract/orders/schema.ts'
import { inShortTurns } from './short-turns.ts'
import type { ReadVersions } from './stored-orders.ts'

/** A stretch of the journal: its changes with parsed orders, and each order version in it by journal number. */
export type Stretch = Omit<JournalStretch, 'changes'> & { changes: OrderChange[]; versions: ReadVersions }

/** Reads the entries after a sequence, up to a limit. */
export type ReadStretch = (sql: Sql, locationId: string, after: number, size: StretchSize) => Promise<Stretch>

/** Parses a version of an order and the version before it. */
export const toChange = ({ document, before }: JournalOrder): OrderChange => ({
  before: before === null ? undefined : readStoredOrder(before),
  after: readStoredOrder(document),
})

export const readStretch: ReadStretch = async (sql, locationId, after, size) => {
  const { changes: written, ...stretch } = await readOrderChanges(sql, locationId, after, size)
  const changes: OrderChange[] = []
  const versions = new Map<number, Order>()
  await inShortTurns(written, (order) => {
    const change = toChange(order)
    changes.push(change)
    versions.set(order.seq, change.after)
  })
  return { ...stretch, changes, versions }
}

/** Stretches of two generations are kept: the one in use and the one being built. */
const keptStretches = 2

/**
 * Reads a stretch once for all projections of a location with the same cursor: reading documents is half the cost of
 * folding them. Later entries, redactions included, are in the next stretch.
 */
export function readOnce(): ReadStretch {
  const kept = new Map<string, Promise<Stretch>>()
  return (sql, locationId, after, size) => {
    const place = `${locationId} ${after} ${size.entries} ${size.bytes}`
    const known = kept.get(place)
    if (known) return known
    const [oldest] = kept.keys()
    if (oldest !== undefined && kept.size >= keptStretches) kept.delete(oldest)
    const stretch = readStretch(sql, locationId, after, size)
    kept.set(place, stretch)
    return stretch
  }
}
