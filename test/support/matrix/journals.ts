import type { EventType } from '../../../src/core/schemas/events.ts'
import type { Pool } from '../../../src/core/store/db/database.ts'
import { digestOf } from './digest.ts'

export type Entry = {
  locationId: string
  seq: number
  acceptedAt: Date
  kind: string
  id: string
  types: EventType[]
  digest: string
}

export type Journal = { entries: Entry[]; bySeq: Map<number, Entry>; byVersion: Map<string, Entry> }

export const emptyJournal = (): Journal => ({ entries: [], bySeq: new Map(), byVersion: new Map() })

/** Reads every journal, by location. */
export async function readJournals(pool: Pool): Promise<Map<string, Journal>> {
  const rows = await pool<(Omit<Entry, 'digest'> & { document: string })[]>`
    select location_id as "locationId", seq, accepted_at as "acceptedAt", kind, id, types, document
    from journal order by location_id, seq`
  const journals = new Map<string, Journal>()
  for (const { document, ...row } of rows) {
    const entry = { ...row, digest: digestOf(JSON.parse(document)) }
    const journal = journals.get(row.locationId) ?? emptyJournal()
    journals.set(row.locationId, journal)
    journal.entries.push(entry)
    journal.bySeq.set(entry.seq, entry)
    journal.byVersion.set(`${entry.id} ${entry.digest}`, entry)
  }
  return journals
}

/**
 * The journals that a restore abandoned, in their last state: responses before `beganAt` belong to this timeline or an
 * earlier one, responses to requests after `endedAt` to a later one. Locations without a journal here did not change.
 */
export type Abandoned = { beganAt: number; endedAt: number; journals: ReadonlyMap<string, Journal> }

export type JournalTimeline = { from: number; to: number; journal: Journal }

/** Returns the timelines of one journal in order; the last one is the stored journal. */
export function timelinesOf(locationId: string, all: readonly Abandoned[], stored: Journal): JournalTimeline[] {
  const own = all.flatMap((abandoned) => {
    const journal = abandoned.journals.get(locationId)
    return journal ? [{ ...abandoned, journal }] : []
  })
  return [...own, undefined].map((one, i) => ({
    from: own[i - 1]?.beganAt ?? -Infinity,
    to: one?.endedAt ?? Infinity,
    journal: one?.journal ?? stored,
  }))
}
