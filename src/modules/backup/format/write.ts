import type { Returned } from '../../../core/domain/journal/marks.ts'
import { snapshot, type Pool, type Sql } from '../../../core/store/db/database.ts'
import { listDayCounts } from '../../../core/contract/paging/day-counts.ts'
import { findHead, listJournal } from '../../../core/store/journal/journal.ts'
import { listDeletedJournals, type DeletedJournal } from '../../../core/store/repair/location-states.ts'
import { readLineage } from '../../../core/store/journal/resumption.ts'
import { listLocations } from '../../../core/contract/location/rows.ts'
import { schemaVersion } from '../../../core/store/db/migrations.ts'
import { BackupError } from './errors.ts'
import { findDamaged, removeFiles, removeOthers } from './files.ts'
import {
  filesNamedBy,
  filesOf,
  type BackedUpLocation,
  type DeletedLocation,
  type Manifest,
  type Segment,
} from './manifest.ts'
import { mergeFrom } from './merging.ts'
import type { Seal } from './seal.ts'
import { writeSegments } from './segments.ts'
import type { Signer } from './signing.ts'
import { storeManifest } from './stored-manifest.ts'
import { readKeys, readTables, writeLocationTables, writeTables } from './tables.ts'

export type WriteOptions = {
  dir: string
  seal: Seal
  signer: Signer
  version: string
  now: Date
  /** The existing backup; undefined begins one. */
  before: Manifest | undefined
  /**
   * Also removes files that a killed run left, and writes missing and cut-off files again. Set for the first run of a
   * process only, because every file is looked at.
   */
  sweeps: boolean
  /** Called after each segment with the number of new entries. */
  onEntries?: (entries: number) => void
}

/**
 * Counts what a run added; `deleted` are the locations that it found deleted. `renewed`: every segment was rewritten,
 * because the backup had an earlier format or other recipients.
 */
export type Written = {
  manifest: Manifest
  entries: number
  segments: number
  replaced: number
  deleted: readonly DeletedLocation[]
  /** Locations whose journals do not continue the backup, and deleted ones whose files are damaged: neither is written. */
  left: readonly LeftLocation[]
  renewed: boolean
}

export type LeftLocation = { id: string; reason: string }

const useAnother = 'use another copy of the backup'

/** Counts the documents of each kind over all days. */
export async function countKinds(sql: Sql, locationId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { kind, n } of await listDayCounts(sql, locationId)) counts[kind] = (counts[kind] ?? 0) + n
  return counts
}

/** Backs up one location as of one moment: the journal entries beyond the backup, and its small tables. */
class LocationBackup {
  readonly #sql: Sql
  readonly #options: WriteOptions & { renews: boolean }
  readonly #id: string
  entries = 0
  written = 0
  replaced = 0

  constructor(sql: Sql, id: string, options: WriteOptions & { renews: boolean }) {
    this.#sql = sql
    this.#id = id
    this.#options = options
  }

  /**
   * Resolves to the state of the location in the backup, `before` itself if nothing changed; undefined if the location
   * has been deleted since.
   */
  async run(before: BackedUpLocation | undefined): Promise<BackedUpLocation | undefined> {
    const { dir, seal, renews, sweeps } = this.#options
    const id = this.#id
    const head = await findHead(this.#sql, id)
    if (!head) {
      const journals = await listDeletedJournals(this.#sql)
      if (journals.some(({ locationId }) => locationId === id)) return undefined
      throw new Error(`location ${id} has no journal`)
    }
    const { epoch, seq, hash } = head
    const isDamaged = sweeps && before !== undefined && (await findDamaged(dir, filesOf(before))) !== undefined
    const kept = renews || isDamaged ? undefined : before
    const segments = await this.#extend(kept?.segments ?? [], seq)
    const place = { dir, folder: `locations/${id}`, seal }
    const tables = await writeLocationTables(place, await readTables(this.#sql, id), kept?.tables ?? [])
    if (kept?.head.seq === seq && areSame(tables, kept.tables)) return kept
    const counts = await countKinds(this.#sql, id)
    const lineage = (await readLineage(this.#sql, id)) ?? []
    const left = lineage.slice(0, -1).map((one) => ({ epoch: one.epoch, at: one.to }))
    const currentEpoch = lineage.at(-1)?.epoch ?? epoch
    const standing = { id, epoch, ...(currentEpoch !== epoch && { left, currentEpoch }), head: { seq, hash }, counts }
    return { ...standing, segments, tables, stored: kept?.stored ?? [] }
  }

  /**
   * Returns why the journal does not continue a backup: the backup is of another journal, or of a later or diverged
   * state, which this run would lose. `null` if the journal no longer exists; undefined if it continues the backup.
   */
  async findBreak(before: BackedUpLocation): Promise<string | null | undefined> {
    const head = await findHead(this.#sql, this.#id)
    if (!head) return null
    const { seq, hash } = before.head
    if (before.epoch === head.epoch && seq <= head.seq) {
      const [entry] = seq === 0 ? [] : await listJournal(this.#sql, this.#id, seq - 1, 1)
      if (seq === 0 || (entry?.seq === seq && entry.hash === hash)) return undefined
    }
    return (
      `the backup of location ${this.#id} ends at entry ${seq} of epoch ${before.epoch}, which is not in the database (epoch ` +
      `${head.epoch} up to ${head.seq}): this is another database, or an older state of the same database. Start a new backup in another directory`
    )
  }

  async #extend(kept: readonly Segment[], upTo: number): Promise<Segment[]> {
    const { dir, seal, onEntries } = this.#options
    const known = kept.at(-1)?.last ?? 0
    if (known >= upTo) return [...kept]
    const place = { dir, seal, locationId: this.#id, known }
    const from = mergeFrom(kept, upTo - known)
    const last: Segment[] = []
    const changed: Returned[] = []
    for await (const next of writeSegments(this.#sql, place, { after: (kept[from]?.first ?? known + 1) - 1, upTo })) {
      last.push(next.segment)
      changed.push(...next.changed)
      this.entries += next.fresh
      onEntries?.(this.entries)
    }
    this.written += last.length
    return [...(await this.#renew(kept.slice(0, from), changed)), ...last]
  }

  /** Rewrites the segments with documents that were redacted, or restored from an archive, after the segments were written. */
  async #renew(kept: readonly Segment[], changed: readonly Returned[]): Promise<Segment[]> {
    const { dir, seal } = this.#options
    const segments: Segment[] = []
    for (const segment of kept) {
      const isTouched = changed.some(({ from, to }) => from <= segment.last && to >= segment.first)
      if (!isTouched) {
        segments.push(segment)
        continue
      }
      this.replaced += 1
      const place = { dir, seal, locationId: this.#id, known: segment.last }
      const range = { after: segment.first - 1, upTo: segment.last }
      for await (const next of writeSegments(this.#sql, place, range)) segments.push(next.segment)
    }
    return segments
  }
}

/**
 * Returns a location of the backup as a deleted location; undefined unless its journal was deleted in this database.
 */
function asDeleted(location: BackedUpLocation, journals: readonly DeletedJournal[]): DeletedLocation | undefined {
  const { id, epoch, head } = location
  const ended = journals.find(
    (one) => one.locationId === id && one.epoch === epoch && (one.seq > head.seq || one.hash === head.hash),
  )
  return ended && { ...location, deletedAt: ended.deletedAt.toISOString(), ended: ended.seq }
}

/**
 * Records the former recipients of locations that were deleted before the recipients changed: their files cannot be
 * encrypted again.
 */
function withRecipients(
  deleted: readonly DeletedLocation[],
  before: Manifest | undefined,
  seal: Seal,
): DeletedLocation[] {
  const earlier = before?.encryption
  if (earlier?.kdf !== 'age' || earlier.check === seal.encryption?.check) return [...deleted]
  return deleted.map((one) => (one.recipients ? one : { ...one, recipients: earlier.recipients }))
}

/**
 * Returns whether the files of the live locations must be written again, because they are sealed to other recipients or
 * their author is unknown.
 */
function isRenewed({ encryption }: Seal, before: Manifest | undefined): boolean {
  return before !== undefined && (before.proven === null || encryption?.check !== before.encryption?.check)
}

const areSame = <T>(some: readonly T[], others: readonly T[]) =>
  some.length === others.length && some.every((one, i) => one === others[i])

async function removeReplaced({ dir, before, sweeps }: WriteOptions, manifest: Manifest): Promise<void> {
  const named = new Set(filesNamedBy(manifest))
  if (sweeps) return removeOthers(dir, named)
  return removeFiles(
    dir,
    (before ? filesNamedBy(before) : []).filter((file) => !named.has(file)),
  )
}

type Gathered = {
  locations: BackedUpLocation[]
  /** Locations of the previous backup whose journal was deleted after it, including those that were then restored. */
  found: DeletedLocation[]
  left: LeftLocation[]
  entries: number
  segments: number
  replaced: number
}

type Gathering = WriteOptions & { renews: boolean; journals: readonly DeletedJournal[] }

/** Backs up one location of the database, and adds it to the gathered locations. */
async function gather(
  pool: Pool,
  { id, before }: { id: string; before: BackedUpLocation | undefined },
  to: Gathered,
  options: Gathering,
): Promise<void> {
  const earlier = to.entries
  const onEntries = (n: number) => options.onEntries?.(earlier + n)
  await snapshot(pool, async (sql) => {
    const backup = new LocationBackup(sql, id, { ...options, onEntries })
    const reason = before && (await backup.findBreak(before))
    const former = before && reason !== undefined ? asDeleted(before, options.journals) : undefined
    if (before && typeof reason === 'string' && !former) {
      to.left.push({ id, reason })
      to.locations.push(before)
      return
    }
    if (former) to.found.push(former)
    const location = await backup.run(former ? undefined : before)
    // No result means that the location is being deleted: the next run handles it.
    const kept = location ?? (former ? undefined : before)
    if (kept) to.locations.push(kept)
    to.entries += backup.entries
    to.segments += backup.written
    to.replaced += backup.replaced
  })
}

/**
 * Keeps a backed-up location that is not in the database, as a deleted location or as a location that cannot be
 * continued.
 */
function keepGone(before: BackedUpLocation, to: Gathered, journals: readonly DeletedJournal[]): void {
  const former = asDeleted(before, journals)
  if (former) {
    to.found.push(former)
    return
  }
  to.locations.push(before)
  to.left.push({
    id: before.id,
    reason: `the backup has location ${before.id}, but the database does not: start a new backup`,
  })
}

/**
 * Throws `BackupError` if no journal of the backup can be continued, because the database is another one or an older
 * state; or if all files must be rewritten, which is impossible for a location in `left`.
 */
function refuseForeign(before: Manifest | undefined, { left }: Gathered, renews: boolean): void {
  const [first] = left
  if (!before || !first) return
  if (left.length === before.locations.length || renews) throw new BackupError('backup_foreign', first.reason)
}

/**
 * Updates a backup of a running database. Each location is as of one moment. The data of a deleted location stays, and
 * so does the data of a location whose journal no longer continues the backup (`left`). Writes only new data, then the
 * manifest that names it: if the run is killed, the previous backup is intact, and the next run continues. Throws
 * `BackupError` if the backup is of another database.
 */
export async function writeBackup(pool: Pool, options: WriteOptions): Promise<Written> {
  const { dir, seal, signer, version, now, before } = options
  const { current } = await schemaVersion(pool)
  const present = await listLocations(pool)
  const live = new Set(present.map(({ id }) => id))
  const journals = await listDeletedJournals(pool)
  const known = new Map(before?.locations.map((one) => [one.id, one]))
  const renews = isRenewed(seal, before)
  const done: Gathered = { locations: [], found: [], left: [], entries: 0, segments: 0, replaced: 0 }
  // The keys are read first, so that no key is backed up without its location. A key that is created in the meantime is
  // in the next run.
  const place = { dir, folder: 'keys', seal }
  const mayKeep = before && !renews && !(options.sweeps && (await findDamaged(dir, [before.keys])))
  const keys = await writeTables(place, await readKeys(pool), mayKeep ? [before.keys] : [])
  for (const { id } of present) {
    await gather(pool, { id, before: known.get(id) }, done, { ...options, renews, journals })
  }
  for (const one of known.values()) if (!live.has(one.id)) keepGone(one, done, journals)
  refuseForeign(before, done, renews)
  const { locations, found, left, entries, segments, replaced } = done
  for (const one of options.sweeps ? [...(before?.deleted ?? []), ...found] : []) {
    const file = await findDamaged(dir, filesOf(one))
    if (file !== undefined)
      left.push({ id: one.id, reason: `it is deleted, and ${file} is missing or cut off: ${useAnother}` })
  }
  const isSame = found.length === 0 && keys === before?.keys && areSame(locations, before.locations)
  const manifestAge = now.getTime() - Date.parse(before?.takenAt ?? '')
  if (before && isSame && !options.sweeps && manifestAge < 60_000) {
    return { manifest: before, entries, segments, replaced, deleted: [], left, renewed: false }
  }
  const deleted = withRecipients([...(before?.deleted ?? []), ...found], before, seal)
  const takenAt = now.toISOString()
  const parts = { tillgate: version, schema: current, takenAt, encryption: seal.encryption, keys, locations, deleted }
  const unchanged = new Set([...(before?.locations ?? []), ...(before?.deleted ?? [])])
  const manifest = await storeManifest(dir, parts, { seal, signer, unchanged, before })
  await removeReplaced(options, manifest)
  return { manifest, entries, segments, replaced, deleted: found, left, renewed: renews }
}
