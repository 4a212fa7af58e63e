import type { Head, NewEntry } from '../../domain/journal/chain.ts'
import type { Pool, Sql } from '../../store/db/database.ts'
import type { OrderRow } from '../../contract/orders/rows.ts'
import type { KnownLocations } from '../../store/pushes/known-locations.ts'
import { writeProven, type LocationWrite } from '../../store/pushes/statement.ts'
import { readStates } from '../../store/pushes/unlocked.ts'
import { resourceOf } from '../../contract/all-resources.ts'
import { recordsPerTurn } from '../event-loop-share.ts'
import { Batch, readArrivals, type RecordOutcome } from './decide.ts'
import type { Incoming } from '../records.ts'

/** Maximum records of a push whose orders are remembered: more would displace orders that tills change again. */
const rememberedRecords = 100

/** Orders of one location, and the highest sequence seen of its journal. */
export type Pushed = { records: readonly Incoming[]; seen: number }

export type FastOptions = {
  /** Whether unknown state may be read: only if no change to it is in progress. */
  mayRead: boolean
  /** Awaited between two pieces of work. */
  turn: () => Promise<unknown>
  /** Called when the next orders of these locations may follow, possibly before these are committed. */
  onSent?: () => void
}

/** Outcomes by location, in the order of the records; a missing location was not written. */
export type Outcomes = Map<string, RecordOutcome[]>

/** The basis of decisions. `unseen` are orders assumed to be new; `isRead` means that the rest was read a moment ago. */
type Basis = { head: Head; rows: Map<string, OrderRow>; unseen: readonly string[]; isRead: boolean }

const idsOf = ({ records }: Pushed) => [...new Set(records.map(({ id }) => id))]

/** Returns what is remembered of a location, if it is likely up to date. */
function recall(known: KnownLocations, locationId: string, pushed: Pushed): Basis | undefined {
  const head = known.findHead(locationId, pushed.seen)
  if (!head) return undefined
  const ids = idsOf(pushed)
  const rows = known.findOrders(locationId, ids)
  const unseen = ids.filter((id) => !rows.has(id))
  if (unseen.length > 0 && !known.areNew(locationId)) return undefined
  return { head, rows, unseen, isRead: false }
}

async function read(
  connection: Pool,
  known: KnownLocations,
  pushed: ReadonlyMap<string, Pushed>,
): Promise<Map<string, Basis>> {
  const keys = [...pushed].flatMap(([locationId, of]) => idsOf(of).map((id) => ({ locationId, id })))
  const states = keys.length === 0 ? new Map() : await readStates(connection, keys)
  const found = new Map<string, Basis>()
  for (const [locationId, { head, isPlain, rows }] of states) {
    const of = pushed.get(locationId) as Pushed
    known.setPlain(locationId, isPlain)
    // A rewound journal is reported when its lock is taken.
    if (!isPlain || head.seq < of.seen) continue
    found.set(locationId, { head, rows, unseen: idsOf(of).filter((id) => !rows.has(id)), isRead: true })
  }
  return found
}

/** The outcomes of the records, and what to write, if anything. */
type Decided = { outcomes: RecordOutcome[]; write: LocationWrite | undefined; end: Head }

async function decideLocation(
  locationId: string,
  { records }: Pushed,
  { head, rows, unseen }: Basis,
  { sql, now, turn }: { sql: Sql; now: Date; turn: () => Promise<unknown> },
): Promise<Decided> {
  const arrivals = await readArrivals(sql, locationId, records, { rows, now })
  const stored = { resource: resourceOf('order'), rows, changed: new Set<string>(), arrivals }
  const batch = new Batch(locationId, head, new Map([['order', stored]]), now)
  const outcomes: RecordOutcome[] = []
  const entries: NewEntry[] = []
  const orders = new Map<string, OrderRow>()
  for (let at = 0; at < records.length; at += recordsPerTurn) {
    if (at > 0) await turn()
    for (const record of records.slice(at, at + recordsPerTurn)) outcomes.push(batch.apply(record))
    const taken = batch.take()
    entries.push(...taken.entries)
    for (const row of taken.rows.flatMap((of) => of.rows as OrderRow[])) orders.set(row.id, row)
  }
  const changed = [...orders.values()]
  const write = { locationId, before: head, entries, orders: changed, unseen, days: batch.days }
  return { outcomes, write: entries.length > 0 ? write : undefined, end: batch.end }
}

/**
 * Writes orders without a lock: decides from the remembered or recently read state of their locations, and sends one
 * statement that verifies it, which is a transaction of its own. A location missing from the answer must be repeated,
 * with a read first or under its lock.
 */
export class Fast {
  readonly #known: KnownLocations

  constructor(known: KnownLocations) {
    this.#known = known
  }

  async write(
    connection: Pool,
    pushed: ReadonlyMap<string, Pushed>,
    now: Date,
    options: FastOptions,
  ): Promise<Outcomes> {
    const known = this.#known
    const bases = await this.#bases(connection, pushed, options.mayRead)
    const outcomes: Outcomes = new Map()
    const writes: LocationWrite[] = []
    const ends = new Map<string, Head>()
    for (const [locationId, basis] of bases) {
      // An archived version is restored under the lock before another replaces it.
      if (basis.rows.values().some(({ alone }) => alone)) continue
      const of = pushed.get(locationId) as Pushed
      const decided = await decideLocation(locationId, of, basis, { sql: connection, now, turn: options.turn })
      if (decided.write) {
        writes.push(decided.write)
        ends.set(locationId, decided.end)
        // “Unchanged” is certain only if the stored order was read, not if it was remembered.
      } else if (!basis.isRead) continue
      outcomes.set(locationId, decided.outcomes)
    }
    if (writes.length === 0) return outcomes
    for (const write of writes) this.#remember(write, ends.get(write.locationId) as Head, pushed)
    const writing = writeProven(connection, writes)
    options.onSent?.()
    try {
      const written = await writing
      for (const { locationId, unseen } of writes) {
        if (!written.has(locationId)) {
          known.wasWrong(locationId)
          outcomes.delete(locationId)
        } else if (unseen.length > 0 && bases.get(locationId)?.isRead === false) known.wereNew(locationId)
      }
      return outcomes
    } catch (error) {
      for (const { locationId } of writes) known.forget(locationId)
      throw error
    }
  }

  async #bases(connection: Pool, pushed: ReadonlyMap<string, Pushed>, mayRead: boolean): Promise<Map<string, Basis>> {
    const bases = new Map<string, Basis>()
    const others = new Map<string, Pushed>()
    for (const [locationId, of] of pushed) {
      const basis = recall(this.#known, locationId, of)
      if (basis) bases.set(locationId, basis)
      else others.set(locationId, of)
    }
    if (mayRead && others.size > 0) {
      for (const [locationId, basis] of await read(connection, this.#known, others)) bases.set(locationId, basis)
    }
    return bases
  }

  #remember({ locationId, before, orders }: LocationWrite, end: Head, pushed: ReadonlyMap<string, Pushed>): void {
    const isSmall = (pushed.get(locationId)?.records.length ?? 0) <= rememberedRecords
    if (isSmall) this.#known.remember(locationId, before, end, orders)
    else this.#known.rememberEnd(locationId, before, end)
  }
}
