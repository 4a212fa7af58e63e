import type { Head } from '../domain/journal/chain.ts'
import { snapshot, type Pool, type Sql } from '../store/db/database.ts'
import { listDayCounts } from '../store/documents/day-counts.ts'
import { findHead, listJournal } from '../store/journal/journal.ts'
import { listDeletedJournals, type DeletedJournal } from '../store/repair/location-states.ts'
import { listLocations } from '../store/documents/locations.ts'
import { schemaVersion } from '../store/db/migrations.ts'
import type { Seal } from './seal.ts'
import { BackupError } from './errors.ts'
import { removeOthers } from './files.ts'
import { writeManifest, type BackedUpLocation, type DeletedLocation, type Manifest, type Segment } from './manifest.ts'
import { writeSegments } from './segments.ts'
import { readKeys, readTables, writeTables } from './tables.ts'

export type WriteOptions = {
  dir: string
  seal: Seal
  /** That of this program. */
  version: string
  now: Date
  /** The backup as it stands; undefined begins one. */
  before: Manifest | undefined
  /** Called after each segment with the number of entries that were written. */
  onEntries?: (entries: number) => void
}

/** Tells what a run added; `deleted` are the locations that it found deleted. */
export type Written = {
  manifest: Manifest
  entries: number
  segments: number
  replaced: number
  deleted: readonly DeletedLocation[]
}

/** Sums up over the days how many there are of each kind. */
export async function countKinds(sql: Sql, locationId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { kind, n } of await listDayCounts(sql, locationId)) counts[kind] = (counts[kind] ?? 0) + n
  return counts
}

/** Backs up one location as it stands at one moment: what its journal has beyond the backup, and its small tables. */
class LocationBackup {
  readonly #sql: Sql
  readonly #options: WriteOptions
  readonly #id: string
  entries = 0
  written = 0
  replaced = 0

  constructor(sql: Sql, id: string, options: WriteOptions) {
    this.#sql = sql
    this.#id = id
    this.#options = options
  }

  /**
   * Resolves to what the backup then has of the location; undefined when it was deleted meanwhile. `again` says that
   * the backup has an earlier one of this id.
   */
  async run(before: BackedUpLocation | undefined, again: boolean): Promise<BackedUpLocation | undefined> {
    const { dir, seal } = this.#options
    const id = this.#id
    const head = await findHead(this.#sql, id)
    if (!head) {
      const journals = await listDeletedJournals(this.#sql)
      if (journals.some(({ locationId }) => locationId === id)) return undefined
      throw new Error(`there is no journal of location ${id}`)
    }
    const { epoch, seq, hash } = head
    await this.#refuseForeign(before, head)
    const segments = await this.#extend(before?.segments ?? [], { upTo: seq, mark: again ? `-${epoch}` : '' })
    const tables = await readTables(this.#sql, id)
    return {
      id,
      epoch,
      head: { seq, hash },
      counts: await countKinds(this.#sql, id),
      segments,
      tables: await writeTables(dir, `locations/${id}`, { tables, seal }, before?.tables),
    }
  }

  /**
   * Throws for a backup of another journal, of a later state, or of one that went another way: it would be lost if this
   * run went on with it.
   */
  async #refuseForeign(before: BackedUpLocation | undefined, head: Head): Promise<void> {
    if (!before) return
    const { seq, hash } = before.head
    if (before.epoch === head.epoch && seq <= head.seq) {
      const [entry] = seq === 0 ? [] : await listJournal(this.#sql, this.#id, seq - 1, 1)
      if (seq === 0 || (entry?.seq === seq && entry.hash === hash)) return
    }
    throw new BackupError(
      'backup_foreign',
      `the backup has location ${this.#id} in epoch ${before.epoch} up to ${seq}, and the database has epoch ` +
        `${head.epoch} up to ${head.seq} without that entry: it is another or an older database. Begin a new backup elsewhere`,
    )
  }

  async #extend(kept: readonly Segment[], { upTo, mark }: { upTo: number; mark: string }): Promise<Segment[]> {
    const { dir, seal, onEntries } = this.#options
    const place = { dir, seal, locationId: this.#id, mark }
    const added: Segment[] = []
    const redacted = new Set<number>()
    for await (const next of writeSegments(this.#sql, place, { after: kept.at(-1)?.last ?? 0, upTo })) {
      added.push(next.segment)
      for (const sequence of next.redacted) redacted.add(sequence)
      this.entries += next.segment.entries
      onEntries?.(this.entries)
    }
    this.written += added.length
    if (redacted.size === 0) return [...kept, ...added]
    // What was blanked since must not live on in the backup: those segments are written anew, under another name.
    const segments: Segment[] = []
    for (const segment of kept) {
      const isTouched = [...redacted].some((sequence) => sequence >= segment.first && sequence <= segment.last)
      if (!isTouched) {
        segments.push(segment)
        continue
      }
      this.replaced += 1
      const range = { after: segment.first - 1, upTo: segment.last }
      for await (const next of writeSegments(this.#sql, { ...place, mark: `${mark}-r${upTo}` }, range))
        segments.push(next.segment)
    }
    return [...segments, ...added]
  }
}

/**
 * Finds what the backup before has of locations that are deleted now. Throws `BackupError` for one that is not there
 * and was never deleted here: the backup is of another database.
 */
function findDeleted(
  before: readonly BackedUpLocation[],
  live: ReadonlySet<string>,
  journals: readonly DeletedJournal[],
): DeletedLocation[] {
  return before.flatMap((location) => {
    const { id, epoch, head } = location
    const ended = journals.find((journal) => journal.locationId === id && journal.epoch === epoch)
    if (ended && (ended.seq > head.seq || ended.hash === head.hash)) {
      return [{ ...location, deletedAt: ended.deletedAt.toISOString(), ended: ended.seq }]
    }
    if (live.has(id)) return []
    throw new BackupError(
      'backup_foreign',
      `the backup has location ${id}, and the database has not: begin a new backup`,
    )
  })
}

/**
 * Brings a backup up to date with a running database. Each location is as it stands at one moment; what there is of one
 * that was deleted stays. Writes only what is new, then the manifest that names it: killed at any moment, the backup is
 * the one before, and the next run goes on. Throws `BackupError` when the backup is of another database.
 */
export async function writeBackup(pool: Pool, options: WriteOptions): Promise<Written> {
  const { dir, seal, version, now, before } = options
  const { current } = await schemaVersion(pool)
  const present = await listLocations(pool)
  const live = new Set(present.map(({ id }) => id))
  const found = findDeleted(before?.locations ?? [], live, await listDeletedJournals(pool))
  const gone = new Set(found.map(({ id }) => id))
  const deleted = [...(before?.deleted ?? []), ...found]
  const known = new Map(before?.locations.filter(({ id }) => !gone.has(id)).map((one) => [one.id, one]))
  const locations: BackedUpLocation[] = []
  let [entries, segments, replaced] = [0, 0, 0]
  // The keys first: one that is made meanwhile comes with the next run, and never without its location.
  const keys = await writeTables(dir, 'keys', { tables: await readKeys(pool), seal }, before?.keys)
  for (const { id } of present) {
    const earlier = entries
    const onEntries = (n: number) => options.onEntries?.(earlier + n)
    const again = deleted.some((one) => one.id === id)
    const one = await snapshot(pool, async (sql) => {
      const backup = new LocationBackup(sql, id, { ...options, onEntries })
      const location = await backup.run(known.get(id), again)
      if (location) locations.push(location)
      // It is being deleted at this moment: the next run finds out.
      else if (known.has(id)) locations.push(known.get(id) as BackedUpLocation)
      return backup
    })
    entries += one.entries
    segments += one.written
    replaced += one.replaced
  }
  const manifest: Manifest = {
    format: 2,
    tillgate: version,
    schema: current,
    takenAt: now.toISOString(),
    encryption: seal.encryption,
    keys,
    locations,
    deleted,
  }
  await writeManifest(dir, manifest)
  await removeOthers(dir, new Set(namedBy(manifest)))
  return { manifest, entries, segments, replaced, deleted: found }
}

function namedBy({ keys, locations, deleted }: Manifest): string[] {
  const ofLocations = [...locations, ...deleted].flatMap(({ tables, segments }) => [tables, ...segments])
  return [keys.file, ...ofLocations.map(({ file }) => file)]
}
