import { setImmediate } from 'node:timers/promises'
import type { Head } from '../../domain/journal/chain.ts'
import type { RecordType } from '../../contract/resources.ts'
import { reusePlans, type Transaction } from '../../store/db/database.ts'
import { giveBack, type OrderRow } from '../../contract/orders/rows.ts'
import { addDayCounts } from '../../contract/paging/day-counts.ts'
import { insertEntries, moveHead } from '../../store/journal/journal.ts'
import { resourceOf } from '../../contract/all-resources.ts'
import { takeHead, type Writing } from '../../store/journal/resumption.ts'
import { Batch, readArrivals, type RecordOutcome, type Stored } from './decide.ts'
import { eraseFrom } from './personal-data.ts'
import { SecondKeys } from './second-keys.ts'
import type { Incoming } from '../records.ts'
import { recordsPerTurn } from '../event-loop-share.ts'

/** Number of records sent to the database together, while the next ones are decided; a multiple of `recordsPerTurn`. */
const recordsAtOnce = 100

/** Reads the stored versions of everything that the records name, in one round trip. */
async function readStored(
  tx: Transaction,
  locationId: string,
  records: readonly Incoming[],
  now: Date,
): Promise<Map<RecordType, Stored>> {
  const byType = [...Map.groupBy(records, ({ type }) => type)]
  const read = byType.map(async ([type, of]): Promise<[RecordType, Stored]> => {
    const resource = resourceOf(type)
    const ids = [...new Set(of.map(({ id }) => id))].toSorted()
    const rows = await resource.find(tx, locationId, ids)
    const arrivals = resource.dated ? await readArrivals(tx, locationId, of, { rows, now }) : new Map()
    return [type, { resource, rows, changed: new Set(), arrivals }]
  })
  return new Map(await Promise.all(read))
}

/** Outcomes of the records, and the journal's head before and after; `isPlain`: the location has no redactions. */
export type Applied = { outcomes: RecordOutcome[]; before: Head; after: Head; isPlain: boolean }

/** Returns the ids of the stored orders whose entries are archived. */
const listAlone = (stored: Stored | undefined): string[] =>
  [...(stored?.rows.values() ?? [])].filter((row) => (row as OrderRow).alone).map(({ id }) => id)

class LocationMissing extends Error {}

/**
 * Applies records of one location in the caller's transaction: state, day counts and journal together. Locks the
 * location's head first, so writers of one location are serialized and compare with the latest version. Outcomes are in
 * the order of the records. Throws `LocationMissing` and `JournalRewound`.
 */
export async function applyRecords(
  tx: Transaction,
  locationId: string,
  records: readonly Incoming[],
  writing: Writing,
): Promise<Applied> {
  // Sent together and executed in this order: stored versions are read once the head is locked.
  const [, head, stored, secondKeys] = await Promise.all([
    reusePlans(tx),
    takeHead(tx, locationId, writing),
    readStored(tx, locationId, records, writing.now),
    SecondKeys.read(tx, locationId, records),
  ])
  if (!head) throw new LocationMissing(`location ${locationId} does not exist`)
  const alone = new Set(listAlone(stored.get('order')))
  const batch = new Batch(locationId, head, stored, writing.now)
  const outcomes: RecordOutcome[] = []
  const sent: Promise<unknown>[] = []
  const erased = eraseFrom(records, locationId, head.erasures)
  for (let at = 0; at < erased.length; at += recordsPerTurn) {
    if (at > 0) await setImmediate()
    for (const record of erased.slice(at, at + recordsPerTurn)) {
      const outcome = secondKeys.refusal(record) ?? batch.apply(record)
      secondKeys.note(record, outcome)
      outcomes.push(outcome)
    }
    if (outcomes.length % recordsAtOnce !== 0 && outcomes.length < erased.length) continue
    const { entries, rows } = batch.take()
    // Sent together too, the journal first: rows of the latest state take their documents from it.
    const replaced = entries.flatMap(({ id }) => (alone.delete(id) ? [id] : []))
    if (replaced.length > 0) sent.push(giveBack(tx, locationId, replaced))
    sent.push(secondKeys.release(tx, locationId))
    sent.push(insertEntries(tx, locationId, entries), ...rows.map((of) => of.resource.upsert(tx, locationId, of.rows)))
    // The `await` at the end throws a failure. Until then it must not be reported as an unhandled rejection.
    for (const one of sent) one.catch(() => {})
  }
  const { last } = batch
  if (last) sent.push(addDayCounts(tx, locationId, batch.days, last.seq), moveHead(tx, locationId, last))
  await Promise.all(sent)
  const { epoch, seq, hash, acceptedAt } = head
  return { outcomes, before: { epoch, seq, hash, acceptedAt }, after: batch.end, isPlain: head.erasures === null }
}
