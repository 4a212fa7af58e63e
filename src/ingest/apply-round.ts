import { acceptanceTime } from '../domain/chain.ts'
import type { Transaction } from '../store/database.ts'
import { addDayCounts } from '../store/day-counts.ts'
import { toEntries } from '../store/journal.ts'
import { findOrdersOf, type OrderRow } from '../store/orders.ts'
import { resourceOf } from '../store/resources/all.ts'
import { takeFreeHeads, writeRound, type RoundPart } from '../store/rounds.ts'
import { Batch, type RecordOutcome } from './batch.ts'
import type { Incoming } from './records.ts'

/** What one location adds to a round: orders, and how far its journal was seen. */
export type Pushed = { records: readonly Incoming[]; seen: number }

/**
 * Applies orders of several locations in the caller's transaction, as `applyRecords` does those of one. Outcomes by
 * location, in the order of the records; a location is missing whose head somebody else holds or which has to be looked
 * at first, and nothing of it is written then.
 */
export async function applyRound(
  tx: Transaction,
  pushed: ReadonlyMap<string, Pushed>,
  now: Date,
): Promise<Map<string, RecordOutcome[]>> {
  const keys = new Map(
    [...pushed].flatMap(([locationId, { records }]) =>
      records.map(({ id }) => [`${locationId} ${id}`, { locationId, id }] as const),
    ),
  )
  // Sent together and carried out in this order: what is stored is read once the heads are ours.
  const [heads, stored] = await Promise.all([
    takeFreeHeads(tx, [...pushed.keys()]),
    findOrdersOf(tx, [...keys.values()]),
  ])
  const resource = resourceOf('order')
  const parts: RoundPart[] = []
  const fewer: Parameters<typeof addDayCounts>[] = []
  const outcomes = new Map<string, RecordOutcome[]>()
  for (const [locationId, { records, seen }] of pushed) {
    const head = heads.get(locationId)
    if (!head || head.seq < seen) continue
    const acceptedAt = acceptanceTime(head, now)
    const rows = stored.get(locationId) ?? new Map<string, OrderRow>()
    const batch = new Batch(new Map([['order', { resource, rows, changed: new Set() }]]), head.seq, acceptedAt)
    outcomes.set(
      locationId,
      records.map((record) => batch.apply(record)),
    )
    const { changes, rows: changed } = batch.take()
    const entries = toEntries({ locationId, head }, changes, acceptedAt)
    const last = entries.at(-1)
    if (!last) continue
    const orders = changed.flatMap((of) => of.rows as OrderRow[])
    parts.push({ locationId, entries, orders, days: batch.days.filter(({ n }) => n > 0) })
    const less = batch.days.filter(({ n }) => n < 0)
    if (less.length > 0) fewer.push([tx, locationId, less, last.seq])
  }
  if (parts.length > 0) await Promise.all([writeRound(tx, parts), ...fewer.map((less) => addDayCounts(...less))])
  return outcomes
}
