import type { ChainedEntry } from '../../../core/domain/journal/chain.ts'
import type { Lost } from '../../../core/domain/journal/marks.ts'
import { ChainWalk } from '../../operations/domain/chain-walk.ts'
import { type Sql, transact, type Pool } from '../../../core/store/db/database.ts'
import { findMissing } from '../../../core/store/journal/asides.ts'
import { findHead } from '../../../core/store/journal/journal.ts'
import { findLocation, listLocations } from '../../../core/contract/location/rows.ts'
import { schemaVersion } from '../../../core/store/db/migrations.ts'
import { findDeletedEnd } from '../../../core/store/repair/location-states.ts'
import { replayEntries } from '../../operations/store/replay.ts'
import { resumeJournal } from '../../../core/store/journal/resumption.ts'
import { sqlState } from '../../../core/store/db/sql-state.ts'
import { insertTextRows, type TextRow } from '../store/table-rows.ts'
import { pauseWebhooks } from '../../../core/contract/webhooks/rows.ts'
import { dataParts } from '../../../core/modules.ts'
import { insertBackupSigner } from '../store/backup-signers.ts'
import type { Opener } from './seal.ts'
import { BackupError } from './errors.ts'
import { readFileOf } from './files.ts'
import { locationsToRestore, type BackedUpLocation, type Manifest, type Tables } from './manifest.ts'
import { readSegment, redactedBy } from './segments.ts'
import { loadTables } from './tables.ts'
import { countKinds } from './write.ts'

declare module '../../../core/modules.ts' {
  interface ModuleData {
    /**
     * Pauses everything that starts by itself at a restored location, such as sources. Resolves to the number of paused
     * items.
     */
    pauseRestored?(tx: Sql, locationId: string): Promise<number>
  }
}

export type RestoreOptions = {
  dir: string
  opener: Opener
  now: Date
  /**
   * Whether webhooks and sources continue; otherwise webhooks are disabled and sources paused until the operator acts.
   */
  delivers: boolean
  /** Also restores deleted locations whose data is in the backup, without keys and with their webhooks disabled. */
  withDeleted?: boolean
  /** The last acknowledged number of each location, if known: entries up to it that are not in the backup are lost. */
  acknowledged?: ReadonlyMap<string, number>
  /** Called with the number of entries that were proved and written. */
  onEntries?: (entries: number) => void
}

/**
 * `deleted` counts the deleted locations that were not restored; `lost` has the acknowledged entries that the backup
 * lacks.
 */
export type Restored = {
  locations: number
  entries: number
  webhooks: number
  sources: number
  deleted: number
  lost?: LostOf[]
}

export type LostOf = Lost & { id: string }

/** Number of entries per transaction. */
const batch = 500

/**
 * The head of a restored journal before its first entry. It has no timeline, because the timeline of this server
 * belongs to another journal.
 */
const beginning = { last_seq: '0', last_hash: '0'.repeat(64), last_accepted_at: null, timeline: null }

async function refuseNonEmpty(pool: Pool): Promise<void> {
  const [found] = await listLocations(pool)
  if (!found) return
  throw new BackupError(
    'target_not_empty',
    `the database already has location ${found.id}: restore into an empty database`,
  )
}

/** Proves every file before anything is written: a damaged backup leaves the target unchanged. */
async function proveFiles(dir: string, keys: Tables, locations: readonly BackedUpLocation[]): Promise<void> {
  await readFileOf(dir, keys)
  for (const { tables, segments } of locations) {
    for (const file of [...tables, ...segments]) await readFileOf(dir, file)
  }
}

/**
 * Throws `BackupError` for rows that the tables do not accept: no run wrote such a file, even if its SHA-256 is right.
 * Rethrows any other error.
 */
function asDamage(error: unknown): never {
  const state = sqlState(error)
  if (typeof state !== 'string' || !/^(22|23|42)/.test(state)) throw error
  const reason = `the database does not accept rows of this backup: ${(error as Error).message}`
  throw new BackupError('backup_damaged', reason, { cause: error })
}

class LocationRestore {
  readonly #pool: Pool
  readonly #location: BackedUpLocation
  readonly #options: RestoreOptions & { withKeys: boolean }
  entries = 0
  webhooks = 0
  sources = 0
  lost: LostOf[] = []

  constructor(pool: Pool, location: BackedUpLocation, options: RestoreOptions & { withKeys: boolean }) {
    this.#pool = pool
    this.#location = location
    this.#options = options
  }

  async run(): Promise<void> {
    const { dir, opener } = this.#options
    const tables = new Map(
      (await loadTables(dir, this.#location.tables, opener)).map(({ table, rows }) => [table, rows]),
    )
    await this.#makeLocation(tables)
    await this.#replay()
    await this.#compare()
    await this.#finish(tables)
  }

  #broken(reason: string, sequence?: number): BackupError {
    const where = sequence === undefined ? '' : ` at sequence ${sequence}`
    return new BackupError('backup_damaged', `location ${this.#location.id}${where}: ${reason}`)
  }

  async #makeLocation(tables: ReadonlyMap<string, TextRow[]>): Promise<void> {
    const rows = (table: string, change: TextRow = {}) =>
      (tables.get(table) ?? []).map((row) => ({ ...row, ...change }))
    await transact(this.#pool, async (tx) => {
      await insertTextRows(tx, 'locations', rows('locations', { seq: '0' }))
      await insertTextRows(tx, 'location_seq', rows('location_seq', beginning))
    }).catch(async (error: unknown) => {
      if (sqlState(error) === '23505') await this.#refuseSecond()
      asDamage(error)
    })
  }

  /**
   * Throws `BackupError` if the location exists now, although it was missing a moment ago: another restore writes to
   * the same database.
   */
  async #refuseSecond(): Promise<void> {
    const { id } = this.#location
    if (!(await listLocations(this.#pool)).some((one) => one.id === id)) return
    throw new BackupError(
      'target_not_empty',
      `location ${id} was added to the database during the restore: another restore is running; wait until it ends`,
    )
  }

  /**
   * Resolves to the commitment to the new content of each redacted document, by sequence; its latest redaction counts.
   */
  async #redacted(): Promise<Map<number, string>> {
    const found = new Map<number, string>()
    for (const segment of this.#location.segments) {
      if (segment.redactions === 0) continue
      for (const entry of await this.#read(segment)) {
        for (const { sequence, commitment } of redactedBy(entry)) found.set(sequence, commitment)
      }
    }
    return found
  }

  #read(segment: BackedUpLocation['segments'][number]): Promise<ChainedEntry[]> {
    const { id: locationId, epoch } = this.#location
    return readSegment(this.#options, segment, { locationId, epoch })
  }

  async #replay(): Promise<void> {
    const { id, head, segments } = this.#location
    const walk = new ChainWalk(await this.#redacted(), undefined, () => true)
    for (const segment of segments) {
      const entries = await this.#read(segment)
      for (const entry of entries) {
        const fault = walk.fault(entry)
        if (fault !== undefined) throw this.#broken(fault, entry.seq)
      }
      for (let from = 0; from < entries.length; from += batch) {
        const some = entries.slice(from, from + batch)
        await transact(this.#pool, (tx) => replayEntries(tx, id, some))
        this.entries += some.length
        this.#options.onEntries?.(this.entries)
      }
    }
    if (walk.seq !== head.seq || walk.hash !== head.hash) {
      throw this.#broken(`the journal ends at ${walk.seq} instead of ${head.seq}`)
    }
  }

  /** Throws `BackupError` unless the counts and the head of the restored journal equal those of the backup. */
  async #compare(): Promise<void> {
    const { id, counts, head } = this.#location
    const found = await countKinds(this.#pool, id)
    const kinds = new Set([...Object.keys(found), ...Object.keys(counts)])
    for (const kind of kinds) {
      if (found[kind] === counts[kind]) continue
      throw this.#broken(`the journal has ${found[kind] ?? 0} entries of kind ${kind} instead of ${counts[kind] ?? 0}`)
    }
    if ((await findHead(this.#pool, id))?.hash !== head.hash) throw this.#broken('the head differs')
    const missing = await findMissing(this.#pool, id)
    if (missing !== undefined) throw this.#broken('the document is missing and was not archived', missing)
  }

  async #finish(tables: ReadonlyMap<string, TextRow[]>): Promise<void> {
    const { id, head } = this.#location
    const { now, delivers, withKeys } = this.#options
    const acknowledged = this.#options.acknowledged?.get(id) ?? 0
    if (acknowledged > head.seq) this.lost = [{ id, from: head.seq + 1, to: acknowledged }]
    const done = new Set(['locations', 'location_seq', 'api_keys'])
    await transact(this.#pool, async (tx) => {
      for (const [table, rows] of tables) if (!done.has(table)) await insertTextRows(tx, table, rows)
      if (!delivers) {
        this.webhooks = await pauseWebhooks(tx, id, now)
        for (const part of dataParts()) this.sources += (await part.pauseRestored?.(tx, id)) ?? 0
      }
      // The original may have continued after the backup, and issued numbers that are unknown here.
      const past = (await findDeletedEnd(tx, id)) ?? 0
      if (head.seq > 0) await resumeJournal(tx, id, { reason: 'restored from a backup', now, past, acknowledged })
    }).catch(asDamage)
    if (!withKeys) return
    // The keys are inserted in a separate transaction, because on Citus they are on every node.
    await transact(this.#pool, (tx) => insertTextRows(tx, 'api_keys', tables.get('api_keys') ?? [])).catch(asDamage)
  }
}

async function refuseNewer(pool: Pool, { schema, tillgate }: Manifest): Promise<void> {
  const { newest } = await schemaVersion(pool)
  if (schema <= newest) return
  const versions = `schema version ${schema}, but this Tillgate supports up to ${newest}`
  throw new BackupError(
    'backup_invalid',
    `the backup was made by Tillgate ${tillgate} with ${versions}: use that version or a newer one`,
  )
}

/**
 * Restores one location into an installation that may be in use: its journal with its numbers, its keys and its
 * webhooks. The location must not exist. Everything is proved as in `restoreBackup`. After an interruption, delete the
 * partial location and restore it again. Throws `BackupError`.
 */
export async function restoreLocation(
  pool: Pool,
  manifest: Manifest,
  location: BackedUpLocation,
  options: RestoreOptions,
): Promise<Restored> {
  const { dir, opener } = options
  const { id } = location
  await refuseNewer(pool, manifest)
  const head = await findHead(pool, id)
  if (head !== undefined || (await findLocation(pool, id)) !== undefined) {
    throw new BackupError(
      'target_not_empty',
      `location ${id} already exists, in epoch ${head?.epoch ?? 'none'} up to ${head?.seq ?? 0}: to replace it, back it up, then run tillgate location deactivate ${id} and tillgate location delete ${id} --confirm <name> --grace 0`,
    )
  }
  await proveFiles(dir, manifest.keys, [location])
  const one = new LocationRestore(pool, location, { ...options, withKeys: true })
  await one.run()
  if (manifest.format === 1) {
    const loaded = await loadTables(dir, [manifest.keys], opener)
    const own = loaded.flatMap(({ rows }) => rows).filter((row) => row['location_id'] === id)
    await transact(pool, (tx) => insertTextRows(tx, 'api_keys', own)).catch(asDamage)
  }
  const { entries, webhooks, sources, lost } = one
  return { locations: 1, entries, webhooks, sources, deleted: 0, ...(lost.length > 0 && { lost }) }
}

/**
 * Fills an empty database from a backup. Every file is proved before anything is written, and every entry of every
 * journal as it is written. Throws `BackupError`.
 */
export async function restoreBackup(pool: Pool, manifest: Manifest, options: RestoreOptions): Promise<Restored> {
  const { dir, opener } = options
  await refuseNewer(pool, manifest)
  await refuseNonEmpty(pool)
  await proveFiles(dir, manifest.keys, [...manifest.locations, ...manifest.deleted])
  let [entries, webhooks, sources] = [0, 0, 0]
  const lost: LostOf[] = []
  const locations = locationsToRestore(manifest, options.withDeleted === true)
  for (const location of locations) {
    const earlier = entries
    const onEntries = (n: number) => options.onEntries?.(earlier + n)
    const isLive = manifest.locations.includes(location)
    const delivers = options.delivers && isLive
    const one = new LocationRestore(pool, location, { ...options, delivers, onEntries, withKeys: isLive })
    await one.run()
    entries += one.entries
    webhooks += one.webhooks
    sources += one.sources
    lost.push(...one.lost)
  }
  // Last, so that no key works until everything is restored.
  await transact(pool, async (tx) => {
    for (const { table, rows } of await loadTables(dir, [manifest.keys], opener)) await insertTextRows(tx, table, rows)
  }).catch(asDamage)
  const signer = manifest.proven?.proof.signer
  if (signer !== undefined) await insertBackupSigner(pool, { publicKey: signer, privateKey: null }, options.now)
  const left = manifest.locations.length + manifest.deleted.length - locations.length
  return { locations: locations.length, entries, webhooks, sources, deleted: left, ...(lost.length > 0 && { lost }) }
}
