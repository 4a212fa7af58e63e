import { Type, type Static } from 'typebox'
import { BackupError } from './errors.ts'

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' })

/** The path of a file, relative to the directory of the backup; files with other paths are never opened. */
const Path = Type.String({ pattern: '^(keys|locations)(/[0-9a-z][0-9a-z.-]*)+$' })

/**
 * Maximum size of a file, in bytes. Backups write far smaller files, so a manifest that names a larger size is an
 * attack.
 */
const bytesAtMost = 256 * 1024 * 1024

const Bytes = Type.Integer({ minimum: 0, maximum: bytesAtMost })

export const File = Type.Object({ file: Path, bytes: Bytes, sha256: Digest })

/** A packed file. `text` is its unpacked size; formats 1 and 2 do not have it. */
const Packed = Type.Object({ ...File.properties, text: Type.Optional(Bytes) })

/** A file with consecutive entries of one journal. `redactions` counts its redaction entries. */
export const Segment = Type.Object({
  ...Packed.properties,
  first: Type.Integer(),
  last: Type.Integer(),
  entries: Type.Integer({ minimum: 1 }),
  redactions: Type.Integer(),
})

/** Rows of small tables. `content` shows whether they changed, without unpacking them. */
export const Tables = Type.Object({ ...Packed.properties, content: Digest })

export const LocationId = Type.String({ pattern: '^[0-9a-f-]{36}$' })

/** How far a journal reaches, and the state that is derived from it. */
export const Standing = Type.Object({
  id: LocationId,
  epoch: Type.String(),
  /**
   * `left` has the former epochs with the last number of each, `currentEpoch` the epoch in which the journal ends.
   * Both are absent in the first epoch.
   */
  left: Type.Optional(Type.Array(Type.Object({ epoch: Type.String(), at: Type.Integer() }))),
  currentEpoch: Type.Optional(Type.String()),
  head: Type.Object({ seq: Type.Integer(), hash: Digest }),
  /** Orders and reports by kind, over all days. */
  counts: Type.Record(Type.String(), Type.Integer()),
})

/** A key derived from a passphrase. `check` shows whether a passphrase is the right one. */
const ScryptEncryption = Type.Object({
  kdf: Type.Literal('scrypt'),
  salt: Type.String({ maxLength: 128 }),
  /**
   * N of scrypt: 65,536 in every backup, which takes 64 MiB of memory. Limited, because the key is derived before the
   * passphrase proves the manifest.
   */
  cost: Type.Integer({ minimum: 2, maximum: 2 ** 17 }),
  check: Digest,
})

/**
 * The age keys that files are sealed to. `check` is an age file in base64: an identity that opens it opens all files.
 */
const AgeEncryption = Type.Object({
  kdf: Type.Literal('age'),
  recipients: Type.Array(Type.String(), { minItems: 1 }),
  check: Type.String(),
})

export const Encryption = Type.Union([ScryptEncryption, AgeEncryption, Type.Null()])

/**
 * Proves who wrote a manifest. `signature` is made with the installation's key, `signer`; `mac` with the passphrase,
 * null without one.
 */
export const Proof = Type.Object({
  signer: Type.String({ pattern: '^tgs_[A-Za-z0-9_-]{43}$' }),
  signature: Type.String({ maxLength: 128 }),
  mac: Type.Union([Digest, Type.Null()]),
})

/**
 * What a manifest adds to the last backed-up state of a deleted location. `ended` is the last number of its journal.
 */
export const Deletion = Type.Object({
  deletedAt: Type.String(),
  ended: Type.Integer(),
  /** The recipients that its files are sealed to, if the recipients were replaced later. */
  recipients: Type.Optional(Type.Array(Type.String())),
})

export type FileEntry = Static<typeof File>
export type Segment = Static<typeof Segment>
export type Tables = Static<typeof Tables>
export type Standing = Static<typeof Standing>
export type Deletion = Static<typeof Deletion>
export type ScryptEncryption = Static<typeof ScryptEncryption>
export type AgeEncryption = Static<typeof AgeEncryption>
export type Encryption = ScryptEncryption | AgeEncryption
export type Proof = Static<typeof Proof>

/**
 * `stored` are the files of its manifest, the manifest first; empty in formats 1 and 2, which have one manifest for all
 * locations.
 */
export type BackedUpLocation = Standing & { segments: Segment[]; tables: Tables[]; stored: FileEntry[] }

export type DeletedLocation = BackedUpLocation & Deletion

/** The data of a manifest, of any format version. */
export type Manifest = {
  format: number
  tillgate: string
  schema: number
  takenAt: string
  encryption: Encryption | null
  keys: Tables
  locations: BackedUpLocation[]
  deleted: DeletedLocation[]
  /**
   * The proof of who wrote `text`, the signed text, which leads to the digests of all files; null in formats 1 and 2.
   */
  proven: { proof: Proof; text: string } | null
}

/**
 * Returns the locations that a restore restores. A deleted location is restored to its last state if its id is not in
 * use again; its earlier states stay in the backup.
 */
export function locationsToRestore({ locations, deleted }: Manifest, withDeleted: boolean): BackedUpLocation[] {
  if (!withDeleted) return locations
  const live = new Set(locations.map(({ id }) => id))
  const last = new Map(deleted.map((location) => [location.id, location]))
  return [...locations, ...[...last.values()].filter(({ id }) => !live.has(id))]
}

/**
 * Chooses one location of the backup. A location that was deleted and made again occurs more than once, each time with
 * another epoch. Throws `BackupError`.
 */
export function chooseLocation({ locations, deleted }: Manifest, id: string, epoch?: string): BackedUpLocation {
  const named = [
    ...deleted.map((location) => ({ location, state: `deleted at ${location.deletedAt}` })),
    ...locations.map((location) => ({ location, state: 'in use when the backup was made' })),
  ].filter(({ location }) => location.id === id)
  const epochOf = (location: BackedUpLocation) => location.currentEpoch ?? location.epoch
  // A location that was deleted and completely restored occurs twice: its later state contains the earlier one.
  const isPart = (one: BackedUpLocation) =>
    named.some(({ location }) => location.left?.some(({ epoch, at }) => epoch === epochOf(one) && at >= one.head.seq))
  const last = new Map(
    named.filter(({ location }) => !isPart(location)).map(({ location }) => [epochOf(location), location]),
  )
  const [only] = last.values()
  const matching = named.findLast(({ location }) => epochOf(location) === epoch)?.location
  const isOnly = last.size === 1 && (epoch === undefined || epoch === only?.epoch)
  const found = matching ?? (isOnly ? only : undefined)
  if (found !== undefined) return found
  const shown = named.filter(({ location }) => !isPart(location))
  const list = shown.map(({ location, state }) => `--epoch ${epochOf(location)}: up to ${location.head.seq}, ${state}`)
  throw new BackupError(
    'backup_invalid',
    named.length === 0
      ? `the backup has no location ${id}: see locations in its manifest.json`
      : `the backup has ${last.size === 1 ? `no epoch ${epoch}` : `${last.size} journals`} of location ${id}; choose the epoch with --epoch:\n${list.join('\n')}`,
  )
}

/** Counts the journal entries of these locations in the backup. */
export function countBackedUp(locations: readonly BackedUpLocation[]): number {
  return locations.reduce((sum, { segments }) => sum + segments.reduce((n, { entries }) => n + entries, 0), 0)
}

/** Lists every file of a location. */
export const filesOf = ({ stored, tables, segments }: BackedUpLocation): FileEntry[] => [
  ...stored,
  ...tables,
  ...segments,
]

/** Lists every file of a backup except `manifest.json`. */
export function filesNamedBy({ keys, locations, deleted }: Pick<Manifest, 'keys' | 'locations' | 'deleted'>): string[] {
  return [keys, ...[...locations, ...deleted].flatMap(filesOf)].map(({ file }) => file)
}
