import { snapshot, type Pool, type Sql } from '../store/database.ts'
import { listDayCounts } from '../store/day-counts.ts'
import { findHead } from '../store/journal.ts'
import { listLocations } from '../store/locations.ts'
import { schemaVersion } from '../store/migrations.ts'
import type { Seal } from './encryption.ts'
import { BackupError } from './errors.ts'
import { removeOthers } from './files.ts'
import { writeManifest, type BackedUpLocation, type Manifest, type Segment } from './manifest.ts'
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

/** What a run added. */
export type Written = { manifest: Manifest; entries: number; segments: number; replaced: number }

/** Sums over the days: how many there are of each kind. */
export async function countKinds(sql: Sql, locationId: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { kind, n } of await listDayCounts(sql, locationId)) counts[kind] = (counts[kind] ?? 0) + n
  return counts
}

/** One location as it stands at one moment: what its journal has beyond the backup, and its small tables. */
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

  async run(before: BackedUpLocation | undefined): Promise<BackedUpLocation> {
    const { dir, seal } = this.#options
    const id = this.#id
    const head = await findHead(this.#sql, id)
    if (!head) throw new Error(`there is no journal of location ${id}`)
    const { epoch, seq, hash } = head
    this.#refuseForeign(before, head)
    const segments = await this.#extend(before?.segments ?? [], seq)
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

  /** A backup of another journal, or of a later state, is not gone on with: it would be lost. */
  #refuseForeign(before: BackedUpLocation | undefined, head: { epoch: string; seq: number }): void {
    if (!before || (before.epoch === head.epoch && before.head.seq <= head.seq)) return
    throw new BackupError(
      'backup_foreign',
      `the backup has location ${this.#id} in epoch ${before.epoch} up to ${before.head.seq}, and the database has epoch ` +
        `${head.epoch} up to ${head.seq}: it is another or an older database. Begin a new backup elsewhere`,
    )
  }

  async #extend(kept: readonly Segment[], upTo: number): Promise<Segment[]> {
    const { dir, seal, onEntries } = this.#options
    const place = { dir, seal, locationId: this.#id }
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
      for await (const next of writeSegments(this.#sql, { ...place, mark: `-r${upTo}` }, range))
        segments.push(next.segment)
    }
    return [...segments, ...added]
  }
}

/**
 * Brings a backup up to date with a running database. Each location is as it stands at one moment. Writes only what is
 * new, then the manifest that names it: killed at any moment, the backup is the one before, and the next run goes on.
 */
export async function writeBackup(pool: Pool, options: WriteOptions): Promise<Written> {
  const { dir, seal, version, now, before } = options
  const { current } = await schemaVersion(pool)
  const known = new Map(before?.locations.map((location) => [location.id, location]))
  const locations: BackedUpLocation[] = []
  let [entries, segments, replaced] = [0, 0, 0]
  // The keys first: one that is made meanwhile comes with the next run, and never without its location.
  const keys = await writeTables(dir, 'keys', { tables: await readKeys(pool), seal }, before?.keys)
  for (const { id } of await listLocations(pool)) {
    const earlier = entries
    const onEntries = (n: number) => options.onEntries?.(earlier + n)
    const one = await snapshot(pool, async (sql) => {
      const backup = new LocationBackup(sql, id, { ...options, onEntries })
      locations.push(await backup.run(known.get(id)))
      return backup
    })
    entries += one.entries
    segments += one.written
    replaced += one.replaced
  }
  const lost = [...known.keys()].find((id) => !locations.some((location) => location.id === id))
  if (lost !== undefined) {
    throw new BackupError(
      'backup_foreign',
      `the backup has location ${lost}, and the database has not: begin a new backup`,
    )
  }
  const manifest: Manifest = {
    format: 1,
    tillgate: version,
    schema: current,
    takenAt: now.toISOString(),
    encryption: seal.encryption,
    keys,
    locations,
  }
  await writeManifest(dir, manifest)
  await removeOthers(dir, new Set(namedBy(manifest)))
  return { manifest, entries, segments, replaced }
}

function namedBy({ keys, locations }: Manifest): string[] {
  return [keys.file, ...locations.flatMap(({ tables, segments }) => [tables.file, ...segments.map(({ file }) => file)])]
}
