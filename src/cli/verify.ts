import type { Command } from 'commander'
import { databaseSettings } from '../config.ts'
import { readHeads } from '../embedded/heads.ts'
import { findDeletedEnd } from '../store/repair/location-states.ts'
import { genesis } from '../domain/journal/chain.ts'
import { ChainWalk } from '../domain/journal/chain-walk.ts'
import { readResumed, type Resumed } from '../domain/journal/marks.ts'
import { findCheckpointsFault } from '../projections/verify-checkpoints.ts'
import { findClosingsFault } from '../projections/verify-closings.ts'
import { findFiguresFault } from '../projections/verify.ts'
import { installationId } from '../domain/accounts/keys.ts'
import { findAccessFault, findAccessHead } from '../store/accounts/access.ts'
import { snapshot, type Pool, type Sql } from '../store/db/database.ts'
import { findBooksFault } from '../store/books/batches.ts'
import { listDayCounts, type DayChange } from '../store/documents/day-counts.ts'
import { countRowsByDay, findColumnFault, findDivergence } from '../store/repair/divergences.ts'
import { findHead, listJournal } from '../store/journal/journal.ts'
import { findLocation, listLocations } from '../store/documents/locations.ts'
import { describeDamage, findDamage } from '../store/repair/damage.ts'
import { findAsidesFault } from '../store/repair/asides.ts'
import { findRedacted } from '../store/repair/redactions.ts'
import { listAsides, lyingIn } from '../store/journal/asides.ts'
import { countEntries } from '../store/journal/resumption.ts'
import { recordUpkeep } from '../store/db/upkeep.ts'
import { readKeptCheckpoints, requireLocations, type KeptCheckpoint } from './kept-checkpoints.ts'
import { withDatabase } from './database.ts'
import { CliError } from '../server/errors.ts'
import { addSettings, finish, readUuid } from './terminal/options.ts'
import { count, note, oneLine, print, printJson, some } from './terminal/output.ts'
import { showProgress, type Progress } from './terminal/progress.ts'

const batchSize = 500

/** Says where a journal went on after the database had gone back to an older state, and why. */
type Jump = Resumed & { sequence: number }

/** `redacted` counts the entries with something blanked, `aside` those whose document lies in an archive, `resumed` lists jumps of the number; absent when there are none. `sequence` is the first entry that does not hold; null where the entries hold and what follows from them does not. */
export type Verdict = { entries: number } & (
  | { verified: true; redacted?: number; aside?: { documents: number; archives: string[] }; resumed?: Jump[] }
  | { verified: false; sequence: number | null; reason: string }
)

type Broken = { sequence: number | null; reason: string }

/** Walks the journal from its first entry and recomputes each hash from the one before. */
async function checkChain(
  sql: Sql,
  locationId: string,
  onEntry: () => void,
): Promise<Omit<Extract<Verdict, { verified: true }>, 'verified'> & { broken?: Broken }> {
  const head = (await findHead(sql, locationId)) ?? { seq: 0, hash: genesis }
  const asides = await listAsides(sql, locationId)
  const walk = new ChainWalk(await findRedacted(sql, locationId), undefined, lyingIn(asides))
  const broken = (reason: string, sequence = walk.expected) => ({ entries: walk.entries, broken: { sequence, reason } })
  const resumed: Jump[] = []
  const marks: { seq: number; kind: string; document: string }[] = []
  let batch = await listJournal(sql, locationId, 0, batchSize)
  while (batch.length > 0) {
    const next = listJournal(sql, locationId, batch.at(-1)?.seq ?? 0, batchSize)
    for (const entry of batch) {
      if (walk.seq >= head.seq) return broken(`the journal ends at ${head.seq}, and entries follow`)
      const fault = walk.fault(entry)
      if (fault !== undefined) return broken(fault)
      const jump = readResumed(entry)
      if (jump) resumed.push({ sequence: entry.seq, ...jump })
      const { seq, kind, document } = entry
      if ((kind === 'aside' || kind === 'returned') && document !== null) marks.push({ seq, kind, document })
      onEntry()
    }
    batch = await next
  }
  if (walk.seq < head.seq) return broken(`the journal must reach ${head.seq}: entries are missing at its end`)
  if (walk.hash !== head.hash) return broken('it is not the entry that the head names', walk.seq)
  const wrong = findAsidesFault(asides, marks)
  if (wrong !== undefined) return { entries: walk.entries, broken: { sequence: null, reason: wrong } }
  const { entries, redactions, aside: documents } = walk
  const archives = [...new Set(asides.map(({ archive }) => archive))]
  return {
    entries,
    ...(redactions > 0 && { redacted: redactions }),
    ...(archives.length > 0 && { aside: { documents, archives } }),
    ...(resumed.length > 0 && { resumed }),
  }
}

const dayKey = ({ kind, day }: DayChange) => `${kind} ${day}`

async function findCountFault(sql: Sql, locationId: string): Promise<string | undefined> {
  const kept = new Map((await listDayCounts(sql, locationId)).map((row) => [dayKey(row), row.n]))
  const rows = new Map((await countRowsByDay(sql, locationId)).map((row) => [dayKey(row), row.n]))
  const wrong = [...new Set([...kept.keys(), ...rows.keys()])].find((key) => kept.get(key) !== rows.get(key))
  if (wrong === undefined) return undefined
  return `the count of ${wrong} is ${kept.get(wrong) ?? 0}, and there are ${rows.get(wrong) ?? 0}`
}

/** Proves one location, as it stands at one moment: journal, what is stored beside it, counts and figures. */
export async function verifyLocation(
  pool: Pool,
  locationId: string,
  { onEntry = () => {}, kept = [] }: { onEntry?: () => void; kept?: readonly KeptCheckpoint[] } = {},
): Promise<Verdict> {
  return snapshot(pool, async (sql): Promise<Verdict> => {
    const { broken, ...walked } = await checkChain(sql, locationId, onEntry)
    const { entries } = walked
    if (broken) return { entries, verified: false, ...broken }
    const divergence = await findDivergence(sql, locationId)
    if (divergence) {
      const reason = `${divergence.id} in ${divergence.table} is not what the entry says`
      return { entries, verified: false, sequence: divergence.seq, reason }
    }
    const access = await findAccessFault(sql, locationId)
    if (access) {
      const reason = `entry ${access.sequence} of the log of access: ${access.reason}`
      return { entries, verified: false, sequence: null, reason }
    }
    const reason =
      (await findColumnFault(sql, locationId)) ??
      (await findCountFault(sql, locationId)) ??
      (await findBooksFault(sql, locationId)) ??
      (await findClosingsFault(sql, locationId)) ??
      (await findCheckpointsFault(sql, locationId, kept)) ??
      (await findFiguresFault(sql, locationId, new Date()))
    return reason === undefined ? { ...walked, verified: true } : { entries, verified: false, sequence: null, reason }
  })
}

/** Says why a journal is shorter than what was acknowledged of it, which neither its hashes nor anything else in the database shows. */
async function findShortfall(pool: Pool, id: string, acknowledged: number): Promise<string | undefined> {
  const [head, deleted] = await Promise.all([findHead(pool, id), findDeletedEnd(pool, id)])
  const end = Math.max(head?.seq ?? 0, deleted ?? 0)
  if (end >= acknowledged) return undefined
  return `${head ? `the journal ends at ${end}` : 'the location is not in the database'}, and ${acknowledged} was acknowledged: the database went back to an older state`
}

/**
 * Verifies one location; `acknowledged` is how far its journal was acknowledged, by what is kept outside the database. 0 where
 * nothing is known.
 */
async function verifyAll(
  pool: Pool,
  id: string,
  acknowledged: number,
  { onEntry, kept }: { onEntry: () => void; kept: readonly KeptCheckpoint[] },
): Promise<Verdict> {
  let entries = 0
  const counted = () => {
    entries += 1
    onEntry()
  }
  const verdict = await verifyLocation(pool, id, { onEntry: counted, kept }).catch(
    async (error: unknown): Promise<Verdict> => {
      const damage = await findDamage(pool, error)
      // What cannot be read does not hold; the other locations can still be read.
      if (damage) return { entries, verified: false, sequence: null, reason: describeDamage(damage) }
      throw error
    },
  )
  const reason = verdict.verified ? await findShortfall(pool, id, acknowledged) : undefined
  return reason === undefined ? verdict : { entries: verdict.entries, verified: false, sequence: null, reason }
}

async function listIds(
  pool: Pool,
  locationId: string | undefined,
  acknowledged: ReadonlyMap<string, number>,
): Promise<string[]> {
  if (locationId === undefined) {
    const ids = (await listLocations(pool)).map(({ id }) => id)
    for (const [id, seq] of acknowledged) {
      if (!ids.includes(id) && (await findShortfall(pool, id, seq)) !== undefined) ids.push(id)
    }
    // Of the installation there is a log of what was done, and nothing else.
    return (await findAccessHead(pool, installationId)) ? [...ids, installationId] : ids
  }
  if (await findLocation(pool, locationId)) return [locationId]
  throw new CliError('location_not_found', `there is no location ${locationId}: see tillgate location list`)
}

async function totalEntries(pool: Pool, ids: readonly string[]): Promise<number> {
  // For the progress alone: where a page is damaged, the verification says so.
  const counts = await Promise.all(ids.map((id) => countEntries(pool, id).catch(() => 0)))
  return counts.reduce((sum, n) => sum + n, 0)
}

function describe(id: string, verdict: Verdict): string {
  const redacted = 'redacted' in verdict ? `, ${count(verdict.redacted ?? 0)} redacted` : ''
  if (verdict.verified) {
    const jumps = (verdict.resumed ?? []).map(
      ({ after, sequence, reason }) => `resumed   ${id}  after ${after} at ${sequence}: ${oneLine(reason)}`,
    )
    const aside = verdict.aside
      ? [`aside     ${id}  ${some(verdict.aside.documents, 'document')} in ${verdict.aside.archives.join(', ')}`]
      : []
    return [`verified  ${id}  ${some(verdict.entries, 'entry', 'entries')}${redacted}`, ...aside, ...jumps].join('\n')
  }
  const where = verdict.sequence === null ? '' : `sequence ${verdict.sequence}: `
  return `broken    ${id}  ${where}${verdict.reason}`
}

type Flags = { location?: string; checkpoint?: string[]; key?: string[]; json?: true }

async function run(flags: Flags): Promise<void> {
  const locationId = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const kept = await readKeptCheckpoints(flags.checkpoint ?? [], flags.key ?? [])
  const verdicts = await withDatabase(flags, async ({ pool, heads }) => {
    const acknowledged = heads === null ? new Map<string, number>() : await readHeads(heads)
    const ids = await listIds(pool, locationId, acknowledged)
    await requireLocations(pool, kept, ids)
    const progress: Progress = showProgress(await totalEntries(pool, ids))
    let done = 0
    const onEntry = () => {
      done += 1
      if (done % batchSize === 0) progress.update(done, done)
    }
    try {
      const verdicts: ({ id: string } & Verdict)[] = []
      for (const id of ids) {
        const verdict = await verifyAll(pool, id, acknowledged.get(id) ?? 0, {
          onEntry,
          kept: kept.filter(({ locationId: of }) => of === id),
        })
        verdicts.push({ id, ...verdict })
        await recordUpkeep(pool, id, 'verify', { at: new Date(), ok: verdict.verified }).catch((error: Error) =>
          note(`That ${id} was verified could not be kept: ${error.message}`),
        )
      }
      return verdicts
    } finally {
      progress.stop()
    }
  })
  const verified = verdicts.every((verdict) => verdict.verified)
  if (flags.json) printJson({ verified, locations: verdicts })
  else for (const { id, ...verdict } of verdicts) print(describe(id, verdict))
  if (verdicts.length === 0 && !flags.json) note('There are no locations.')
  if (!verified) process.exitCode = 1
}

export function define(command: Command): void {
  command
    .description(
      'Verify the journal of each location: that no entry is missing, that every hash is right, and that ' +
        'orders, reports, catalog, counts and figures agree with it. Also verifies the access log. Needs no ' +
        'running server. Exits with 1 and names the first wrong sequence, or the table with a damaged page; the other locations are ' +
        'still verified.',
    )
    .option('--location <id>', 'only this location')
    .option(
      '--checkpoint <file...>',
      'checkpoints that were kept elsewhere: the journal must be the one that they sign',
    )
    .option('--key <key...>', 'verifier keys that these must be signed by, each by one of them')
  addSettings(command, databaseSettings).action(run)
  finish(command, [
    'verify',
    'verify --checkpoint kept/*.checkpoint',
    'verify --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --json',
  ])
}
