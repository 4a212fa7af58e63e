import { ChainWalk } from '../../domain/chain-walk.ts'
import { genesis, type ChainedEntry } from '../../../../core/domain/journal/chain.ts'
import { readResumed, type Resumed } from '../../../../core/domain/journal/marks.ts'
import type { Sql } from '../../../../core/store/db/database.ts'
import { listAsides, lyingIn } from '../../../../core/store/journal/asides.ts'
import { findHead, listJournal, walkJournal } from '../../../../core/store/journal/journal.ts'
import { findEpochFault, listResumed } from '../../../../core/store/journal/resumption.ts'
import { findAsidesFault } from '../../store/asides.ts'
import { findDivergenceOf } from '../../store/divergences.ts'
import { listDeletedJournals } from '../../../../core/store/repair/location-states.ts'
import { findRedacted } from '../../../../core/store/repair/redactions.ts'

/** Where a journal continued after the database was restored to an earlier state, and why. */
type Jump = Resumed & { sequence: number }

/**
 * `redacted` counts the entries with redacted data, `aside` the entries whose document is archived. `resumed` lists the
 * places where numbers were skipped; it is absent if there are none. `sequence` is the first invalid entry; null if the
 * entries are valid, but the data derived from them is not.
 */
export type Verdict = { entries: number } & (
  | {
      verified: true
      /** The entry after which the reading began; absent for the whole journal. */
      since?: number
      redacted?: number
      aside?: { documents: number; archives: string[] }
      resumed?: Jump[]
    }
  | { verified: false; sequence: number | null; reason: string }
)

export type Broken = { sequence: number | null; reason: string }

/** An entry that was verified before, with its hash as stored outside the database. */
export type From = { epoch: string; seq: number; hash: string }

/** A verified entry, and whether only the entries after it are read. */
export type Verified = From & { isStart: boolean }

/**
 * Returns whether the entry belonged to a deleted journal, or to a part of this one that was given up when it resumed.
 * Such an entry proves nothing.
 */
async function isGivenUp(sql: Sql, locationId: string, { epoch, seq }: From): Promise<boolean> {
  const deleted = await listDeletedJournals(sql)
  if (deleted.some((one) => one.locationId === locationId && one.epoch === epoch)) return true
  return (await listResumed(sql, locationId)).some(({ after, sequence }) => after < seq && sequence > seq)
}

/** Returns why the walk cannot continue from a verified entry; undefined if it can. */
async function findSeamFault(sql: Sql, locationId: string, { epoch, seq, hash }: From): Promise<Broken | undefined> {
  const [head, [entry]] = [await findHead(sql, locationId), await listJournal(sql, locationId, seq - 1, 1)]
  if (head && head.epoch !== epoch)
    return { sequence: null, reason: `the journal has epoch ${head.epoch}, but epoch ${epoch} was verified` }
  if (entry?.seq === seq && entry.hash === hash) return undefined
  return { sequence: seq, reason: 'it differs from the verified entry, or is missing' }
}

async function findStoredFault(
  sql: Sql,
  locationId: string,
  entries: readonly ChainedEntry[],
): Promise<Broken | undefined> {
  const found = await findDivergenceOf(sql, locationId, entries)
  return found && { sequence: found.seq, reason: `${found.id} in ${found.table} differs from the entry` }
}

/**
 * Walks the journal and recomputes each hash from the previous one. The walk starts at the first entry, or after an
 * already verified entry; in that case the resources changed since are also compared with their latest entries.
 */
export async function checkChain(
  sql: Sql,
  locationId: string,
  { onEntry, verified }: { onEntry: () => void; verified?: Verified | undefined },
): Promise<Omit<Extract<Verdict, { verified: true }>, 'verified'> & { broken?: Broken; head?: From }> {
  const head = (await findHead(sql, locationId)) ?? { epoch: '', seq: 0, hash: genesis }
  const known = verified && !(await isGivenUp(sql, locationId, verified)) ? verified : undefined
  const seam = known && (await findSeamFault(sql, locationId, known))
  if (seam) return { entries: 0, broken: seam }
  const from = known?.isStart ? known : undefined
  const asides = await listAsides(sql, locationId)
  const walk = new ChainWalk(await findRedacted(sql, locationId), from, lyingIn(asides))
  const broken = (reason: string, sequence = walk.expected) => ({ entries: walk.entries, broken: { sequence, reason } })
  const resumed: Jump[] = []
  const marks: { seq: number; kind: string; document: string }[] = []
  for await (const batch of walkJournal(sql, locationId, { after: walk.seq })) {
    for (const entry of batch) {
      if (walk.seq >= head.seq) return broken(`the journal ends at ${head.seq}, but entries follow`)
      const fault = walk.fault(entry)
      if (fault !== undefined) return broken(fault)
      const jump = readResumed(entry)
      if (jump) resumed.push({ sequence: entry.seq, ...jump })
      const { seq, kind, document } = entry
      if ((kind === 'aside' || kind === 'returned') && document !== null) marks.push({ seq, kind, document })
      onEntry()
    }
    const stored = from && (await findStoredFault(sql, locationId, batch))
    if (stored) return { entries: walk.entries, broken: stored }
  }
  if (walk.seq < head.seq) return broken(`the journal must end at ${head.seq}: entries are missing at its end`)
  if (walk.hash !== head.hash) return broken('its hash differs from the head of the journal', walk.seq)
  const epochFault = await findEpochFault(sql, locationId)
  if (epochFault) return { entries: walk.entries, broken: epochFault }
  const wrong = from ? undefined : findAsidesFault(asides, marks)
  if (wrong !== undefined) return { entries: walk.entries, broken: { sequence: null, reason: wrong } }
  const { entries, redactions, aside: documents } = walk
  const archives = [...new Set(asides.map(({ archive }) => archive))]
  const { epoch, seq, hash } = head
  return {
    entries,
    head: { epoch, seq, hash },
    ...(from && { since: from.seq }),
    ...(redactions > 0 && { redacted: redactions }),
    ...(archives.length > 0 && { aside: { documents, archives } }),
    ...(resumed.length > 0 && { resumed }),
  }
}
