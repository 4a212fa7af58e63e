import { acceptanceTime, type Head } from '../../domain/journal/chain.ts'
import type { Transaction } from '../../store/db/database.ts'
import { toEntries } from '../../store/journal/journal.ts'
import type { KnownLocations } from '../../store/pushes/known-locations.ts'
import type { OrderRow } from '../../store/documents/orders.ts'
import { findOrdersOf } from '../../store/documents/stored-orders.ts'
import { resourceOf } from '../../store/resources/all.ts'
import type { RoundLine } from '../../store/db/round-line.ts'
import { takeFreeHeads, writeRound, type RoundPart } from '../../store/pushes/rounds.ts'
import { Batch, type RecordOutcome } from './batch.ts'
import { takesKey } from './second-keys.ts'
import type { Incoming } from '../records.ts'

/** Holds what one location adds to a round: orders, and how far its journal was seen. */
export type Pushed = { records: readonly Incoming[]; seen: number }

/** Outcomes of a location's records, in their order. */
type Outcomes = Map<string, RecordOutcome[]>

type Decided = { outcomes: RecordOutcome[]; part: RoundPart | undefined }

/** Decides the orders that follow a head. `rows` are stored versions; for the orders in `unseen` none was looked up. */
function decide(
  locationId: string,
  head: Head,
  { records, rows, now }: { records: readonly Incoming[]; rows: Map<string, OrderRow>; now: Date },
  unseen: readonly string[] = [],
): Decided {
  const acceptedAt = acceptanceTime(head, now)
  const stored = { resource: resourceOf('order'), rows, changed: new Set<string>() }
  const batch = new Batch(new Map([['order', stored]]), head.seq, acceptedAt)
  const outcomes = records.map((record) => batch.apply(record))
  const { changes, rows: changed } = batch.take()
  if (changes.length === 0) return { outcomes, part: undefined }
  const entries = toEntries({ locationId, head }, changes, acceptedAt)
  const orders = changed.flatMap((of) => of.rows as OrderRow[])
  return { outcomes, part: { locationId, before: head, entries, orders, unseen, days: batch.days } }
}

function remember(known: KnownLocations, { locationId, before, entries, orders }: RoundPart): void {
  const { seq, hash, acceptedAt } = entries.at(-1) ?? before
  known.remember(locationId, before, { epoch: before.epoch, seq, hash, acceptedAt }, orders)
}

/**
 * Applies orders of several locations in the caller's transaction, as `applyRecords` does those of one. Outcomes by
 * location, in the order of the records; a location is missing whose head somebody else holds or which has to be looked
 * at first, and nothing of it is written then.
 */
export async function applyRound(
  tx: Transaction,
  pushed: ReadonlyMap<string, Pushed>,
  now: Date,
  known: KnownLocations,
): Promise<Outcomes> {
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
  const parts: RoundPart[] = []
  const outcomes: Outcomes = new Map()
  for (const [locationId, { records, seen }] of pushed) {
    const head = heads.get(locationId)
    if (!head || head.seq < seen) continue
    const rows = stored.get(locationId) ?? new Map<string, OrderRow>()
    // A second key may be that of another order: it has to be looked at first.
    if (records.some((record) => takesKey(record, rows.get(record.id)))) continue
    const decided = decide(locationId, head, { records, rows, now })
    outcomes.set(locationId, decided.outcomes)
    if (decided.part) parts.push(decided.part)
  }
  for (const part of parts) remember(known, part)
  const written = parts.length > 0 ? await writeRound(tx, parts) : new Set()
  if (written.size < parts.length) throw new Error('a head that was taken is not there')
  return outcomes
}

/**
 * Does the same without reading the stored state first, for locations to which only this process writes. It sends one statement,
 * which is a transaction by itself, on a connection of `openRounds`. A location counts as missing also when its state is not
 * remembered, or when the stored state is not the remembered one.
 */
export async function applyKnown(
  line: RoundLine,
  pushed: ReadonlyMap<string, Pushed>,
  now: Date,
  known: KnownLocations,
): Promise<Outcomes> {
  const parts: RoundPart[] = []
  const outcomes: Outcomes = new Map()
  for (const [locationId, { records, seen }] of pushed) {
    const head = known.findHead(locationId, seen)
    if (!head) continue
    const ids = [...new Set(records.map(({ id }) => id))]
    const rows = known.findOrders(locationId, ids)
    const unseen = ids.filter((id) => !rows.has(id))
    const decided = decide(locationId, head, { records, rows, now }, unseen)
    // “Unchanged” must be confirmed by the database as well.
    if (!decided.part) continue
    outcomes.set(locationId, decided.outcomes)
    parts.push(decided.part)
  }
  if (parts.length === 0) return outcomes
  for (const part of parts) remember(known, part)
  const undo = (locationId: string) => {
    known.doubt(locationId)
    outcomes.delete(locationId)
  }
  try {
    const written = await writeRound(line, parts)
    for (const { locationId } of parts) if (!written.has(locationId)) undo(locationId)
    return outcomes
  } catch (error) {
    for (const { locationId } of parts) undo(locationId)
    throw error
  }
}
