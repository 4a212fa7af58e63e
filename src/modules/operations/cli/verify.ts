import type { Command } from 'commander'
import { databaseSettings } from '../../../core/config.ts'
import { findDeletedEnd } from '../../../core/store/repair/location-states.ts'
import { findFiguresFault } from '../projections/verify.ts'
import { installationId } from '../../../core/domain/accounts/keys.ts'
import { findAccessFault, findAccessHead } from '../../../core/store/accounts/access.ts'
import { snapshot, type Pool, type Sql } from '../../../core/store/db/database.ts'
import { listDayCounts, type DayChange } from '../../../core/contract/paging/day-counts.ts'
import { countRowsByDay, findColumnFault, findDivergence } from '../store/divergences.ts'
import { findHead } from '../../../core/store/journal/journal.ts'
import { findLocation, listLocations } from '../../../core/contract/location/rows.ts'
import { describeDamage, findDamage } from '../store/damage.ts'
import { countEntries } from '../../../core/store/journal/resumption.ts'
import { recordUpkeep } from '../../../core/store/db/upkeep.ts'
import { withDatabase } from '../../../core/cli/database.ts'
import { readAcknowledged } from '../../../core/server/acknowledged.ts'
import { CliError } from '../../../core/server/errors.ts'
import { addSettings, finish, readUuid, readInteger } from '../../../core/cli/terminal/options.ts'
import { count, note, oneLine, print, printJson, some } from '../../../core/cli/terminal/output.ts'
import { showProgress, type Progress } from '../../../core/cli/terminal/progress.ts'
import { checkChain, type From, type Verdict, type Verified } from './verify/chain.ts'
import { VerifiedHeads } from './verify/verified-heads.ts'
import { dataParts } from '../../../core/modules.ts'

/** Proofs that were stored outside the database, such as the files of `--checkpoint`. */
export type KeptProofs = {
  /** Throws if a proof belongs to a location that is not among `ids`. */
  requireLocations(pool: Pool, ids: readonly string[]): Promise<void>
  /** The proofs of one location, as the module reads them. */
  of(locationId: string): readonly unknown[]
}

/** A module's part of `verify`. */
export type VerifyExtension = {
  define(command: Command): Promise<void>
  /** Verifies only files, without a database; false if the flags name no files. */
  verifyFiles?(flags: Record<string, unknown>): Promise<boolean>
  /** Reads proofs that were stored elsewhere; undefined if the flags name no such proofs. */
  readKept?(flags: Record<string, unknown>): Promise<KeptProofs | undefined>
}

declare module '../../../core/modules.ts' {
  interface ModuleData {
    /** Describes the first of the module's rows that does not follow from the journal; undefined if all rows follow. */
    findFault?(sql: Sql, locationId: string, kept: readonly unknown[]): Promise<string | undefined>
    verifying?: VerifyExtension
  }
}

const extensions = () => dataParts().flatMap((part) => part.verifying ?? [])

const dayKey = ({ kind, day }: DayChange) => `${kind} ${day}`

async function findCountFault(sql: Sql, locationId: string): Promise<string | undefined> {
  const kept = new Map((await listDayCounts(sql, locationId)).map((row) => [dayKey(row), row.n]))
  const rows = new Map((await countRowsByDay(sql, locationId)).map((row) => [dayKey(row), row.n]))
  const wrong = [...new Set([...kept.keys(), ...rows.keys()])].find((key) => kept.get(key) !== rows.get(key))
  if (wrong === undefined) return undefined
  return `the count of ${wrong} is ${kept.get(wrong) ?? 0} instead of ${rows.get(wrong) ?? 0}`
}

type Options = {
  onEntry?: () => void
  /** Proofs of the location that were stored elsewhere. */
  kept?: readonly unknown[]
  /** The last entry that was verified before, which must still exist. */
  known?: Verified | undefined
  /** Called with the verified head. */
  onHead?: (head: From) => void
}

function proved(
  walked: Omit<Verdict & { verified: true }, 'verified'>,
  head: From | undefined,
  onHead: Options['onHead'],
): Verdict {
  if (head) onHead?.(head)
  return { ...walked, verified: true }
}

async function findModuleFault(sql: Sql, locationId: string, kept: readonly unknown[]): Promise<string | undefined> {
  for (const { findFault } of dataParts()) {
    const fault = await findFault?.(sql, locationId, kept)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Verifies one location as of one moment: journal, stored state, access log, counts and figures. */
export async function verifyLocation(
  pool: Pool,
  locationId: string,
  { onEntry = () => {}, kept = [], known, onHead }: Options = {},
): Promise<Verdict> {
  return snapshot(pool, async (sql): Promise<Verdict> => {
    const { broken, head, ...walked } = await checkChain(sql, locationId, { onEntry, verified: known })
    const { entries } = walked
    if (broken) return { entries, verified: false, ...broken }
    // Sums over all orders are only verified if all orders are verified too.
    if (walked.since !== undefined) return proved(walked, head, onHead)
    const divergence = await findDivergence(sql, locationId)
    if (divergence) {
      const reason = `${divergence.id} in ${divergence.table} differs from the entry`
      return { entries, verified: false, sequence: divergence.seq, reason }
    }
    const access = await findAccessFault(sql, locationId)
    if (access) {
      const reason = `entry ${access.sequence} of the access log: ${access.reason}`
      return { entries, verified: false, sequence: null, reason }
    }
    const reason =
      (await findColumnFault(sql, locationId)) ??
      (await findCountFault(sql, locationId)) ??
      (await findModuleFault(sql, locationId, kept)) ??
      (await findFiguresFault(sql, locationId, new Date()))
    return reason === undefined ? proved(walked, head, onHead) : { entries, verified: false, sequence: null, reason }
  })
}

/** Returns the fault if a journal ends before its acknowledged head. Nothing in the database itself shows this. */
async function findShortfall(pool: Pool, id: string, acknowledged: number): Promise<string | undefined> {
  const [head, deleted] = await Promise.all([findHead(pool, id), findDeletedEnd(pool, id)])
  const end = Math.max(head?.seq ?? 0, deleted ?? 0)
  if (end >= acknowledged) return undefined
  return `${head ? `the journal ends at ${end}` : 'the location is not in the database'}, but entries up to ${acknowledged} were acknowledged: the database was restored to an earlier state`
}

/**
 * Verifies one location; `acknowledged` is the acknowledged head of its journal, stored outside the database, or 0 if
 * unknown.
 */
async function verifyAll(
  pool: Pool,
  id: string,
  acknowledged: number,
  { onEntry = () => {}, ...options }: Options,
): Promise<Verdict> {
  let entries = 0
  const counted = () => {
    entries += 1
    onEntry()
  }
  const shortfall = await findShortfall(pool, id, acknowledged)
  // If entries are missing at the end, report that rather than the missing verified entry among them.
  const known = shortfall === undefined ? options.known : undefined
  const verdict = await verifyLocation(pool, id, { ...options, known, onEntry: counted }).catch(
    async (error: unknown): Promise<Verdict> => {
      const damage = await findDamage(pool, error)
      // Unreadable data fails the verification; the other locations can still be read.
      if (damage) return { entries, verified: false, sequence: null, reason: describeDamage(damage) }
      throw error
    },
  )
  if (!verdict.verified || shortfall === undefined) return verdict
  return { entries: verdict.entries, verified: false, sequence: null, reason: shortfall }
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
    // The installation has an access log and nothing else.
    return (await findAccessHead(pool, installationId)) ? [...ids, installationId] : ids
  }
  if (await findLocation(pool, locationId)) return [locationId]
  throw new CliError('location_not_found', `location ${locationId} does not exist: see tillgate location list`)
}

async function totalEntries(pool: Pool, ids: readonly string[]): Promise<number> {
  // Only for the progress: a damaged page is reported by the verification itself.
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
      ? [`archived  ${id}  ${some(verdict.aside.documents, 'document')} in ${verdict.aside.archives.join(', ')}`]
      : []
    const since = verdict.since === undefined ? '' : ` after ${count(verdict.since)}`
    const what =
      id === installationId ? 'the access log of the installation' : some(verdict.entries, 'entry', 'entries')
    return [`verified  ${id}  ${what}${since}${redacted}`, ...aside, ...jumps].join('\n')
  }
  const where = verdict.sequence === null ? '' : `sequence ${verdict.sequence}: `
  return `broken    ${id}  ${where}${verdict.reason}`
}

type VerifyFlags = { location?: string; since?: true; wholeEvery: string; json?: true }

async function run(flags: VerifyFlags): Promise<void> {
  for (const { verifyFiles } of extensions()) if (await verifyFiles?.(flags)) return
  const locationId = flags.location === undefined ? undefined : readUuid('--location', flags.location)
  const kept = (await Promise.all(extensions().map(async ({ readKept }) => readKept?.(flags)))).flatMap(
    (of) => of ?? [],
  )
  const wholeEveryDays = readInteger('--whole-every', flags.wholeEvery, 0, 3_650)
  if (flags.since && kept.length > 0)
    throw new CliError('usage', '--checkpoint reads the whole journal: remove --since')
  const verdicts = await withDatabase(flags, async ({ pool, heads, kept: outside }) => {
    if (flags.since && heads === null)
      note(
        'Reading everything: verified positions are stored outside the database, and TILLGATE_HEADS_DIR is not available.',
      )
    const verifiedHeads = await VerifiedHeads.open(heads, {
      isUsed: flags.since === true,
      wholeEveryDays,
      now: new Date(),
    })
    const acknowledged = await readAcknowledged(outside)
    const ids = await listIds(pool, locationId, acknowledged)
    for (const proofs of kept) await proofs.requireLocations(pool, ids)
    const progress: Progress = showProgress(await totalEntries(pool, ids))
    let done = 0
    const onEntry = () => {
      done += 1
      if (done % 500 === 0) progress.update(done, done)
    }
    try {
      const verdicts: ({ id: string } & Verdict)[] = []
      for (const id of ids) {
        let head: From | undefined
        const verdict = await verifyAll(pool, id, acknowledged.get(id) ?? 0, {
          known: verifiedHeads.of(id),
          onHead: (one) => (head = one),
          onEntry,
          kept: kept.flatMap((proofs) => proofs.of(id)),
        })
        verdicts.push({ id, ...verdict })
        if (verdict.verified && head)
          await verifiedHeads
            .keep(id, { head, isFull: verdict.since === undefined })
            .catch((error: Error) => note(`The verified position of ${id} could not be stored: ${error.message}`))
        await recordUpkeep(pool, id, 'verify', { at: new Date(), ok: verdict.verified }).catch((error: Error) =>
          note(`The verification of ${id} could not be recorded: ${error.message}`),
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

export async function define(command: Command): Promise<void> {
  command
    .description(
      'Verify the journal of each location: no entry is missing, every hash is correct, and ' +
        'orders, reports, catalog, counts and figures agree with it. Also verifies the access log. Needs no ' +
        'running server. Exits with 1 and names the first wrong sequence, or the table with a damaged page; the other locations are ' +
        'still verified. With --proof, --growth or --archive it verifies these files instead, without a database.',
    )
    .option('--location <id>', 'only this location')
    .option(
      '--since',
      'read only entries after the last verified one; everything if that is more than 30 days ago or unknown',
    )
    .option(
      '--whole-every <days>',
      'with --since, read the whole journal if that was last done this many days ago',
      '30',
    )
  for (const extension of extensions()) await extension.define(command)
  addSettings(command, databaseSettings).action(run)
  finish(command, [
    'verify',
    'verify --since',
    'verify --checkpoint kept/*.checkpoint',
    'verify --proof order.tlog-proof --key "$VERIFIER_KEY"',
    'verify --growth growth.txt --checkpoint kept.checkpoint --key "$VERIFIER_KEY"',
    'verify --archive archive-2026.zip --key "$VERIFIER_KEY"',
    'verify --location 272461e9-4fd9-5db0-b95b-cc91735b6bf6 --json',
  ])
}
