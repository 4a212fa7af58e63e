import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { validator } from '../domain/documents/validation.ts'
import { BackupError, fileError } from './errors.ts'
import { writeWhole } from './files.ts'

const Digest = Type.String({ pattern: '^[0-9a-f]{64}$' })

/** Files lie below the directory; nothing else is ever opened. */
const Path = Type.String({ pattern: '^(keys|locations)(/[0-9a-z][0-9a-z.-]*)+$' })

const File = Type.Object({ file: Path, bytes: Type.Integer(), sha256: Digest })

/** A run of entries of one journal. `redactions` counts the entries among them that tell of a redaction. */
const Segment = Type.Object({
  ...File.properties,
  first: Type.Integer(),
  last: Type.Integer(),
  entries: Type.Integer(),
  redactions: Type.Integer(),
})

/** Describes rows of small tables. `content` tells whether they changed, without unpacking them. */
const Tables = Type.Object({ ...File.properties, content: Digest })

const BackedUpLocation = Type.Object({
  id: Type.String({ pattern: '^[0-9a-f-]{36}$' }),
  epoch: Type.String(),
  head: Type.Object({ seq: Type.Integer(), hash: Digest }),
  /** Orders and reports by kind, over all days. */
  counts: Type.Record(Type.String(), Type.Integer()),
  segments: Type.Array(Segment),
  tables: Tables,
})

/**
 * Describes what the backup has of a location that was deleted since: `segments` and `tables` are those of the last run
 * before, and `ended` is the last number that its journal had.
 */
const DeletedLocation = Type.Object({
  ...BackedUpLocation.properties,
  deletedAt: Type.String(),
  ended: Type.Integer(),
})

/** Describes a key from a passphrase. `check` tells whether it is the one. */
const ScryptEncryption = Type.Object({
  kdf: Type.Literal('scrypt'),
  salt: Type.String(),
  /** Up to 1 GiB of memory: what a manifest says is worked before the passphrase proves it. */
  cost: Type.Integer({ minimum: 2, maximum: 2 ** 20 }),
  check: Digest,
})

/**
 * Describes the keys of age that files are sealed to. `check` is a file of age in base64: who opens it opens the
 * others.
 */
const AgeEncryption = Type.Object({
  kdf: Type.Literal('age'),
  recipients: Type.Array(Type.String(), { minItems: 1 }),
  check: Type.String(),
})

const Manifest = Type.Object({
  /** 1: the keys of all locations are in `keys`; 2: those of a location are among its tables. */
  format: Type.Union([Type.Literal(1), Type.Literal(2)]),
  tillgate: Type.String(),
  schema: Type.Integer(),
  takenAt: Type.String(),
  encryption: Type.Union([ScryptEncryption, AgeEncryption, Type.Null()]),
  keys: Tables,
  locations: Type.Array(BackedUpLocation),
  deleted: Type.Array(DeletedLocation),
})

export type Segment = Static<typeof Segment>
export type Tables = Static<typeof Tables>
export type BackedUpLocation = Static<typeof BackedUpLocation>
export type DeletedLocation = Static<typeof DeletedLocation>
export type ScryptEncryption = Static<typeof ScryptEncryption>
export type AgeEncryption = Static<typeof AgeEncryption>
export type Encryption = ScryptEncryption | AgeEncryption
export type Manifest = Static<typeof Manifest>

const name = 'manifest.json'

const faultsOf = validator(Manifest, 'body', 'the manifest')

/** Resolves to undefined when there is no backup yet. Throws `BackupError` for an invalid manifest. */
export async function findManifest(dir: string): Promise<Manifest | undefined> {
  let text: string
  try {
    text = await readFile(join(dir, name), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw fileError('file_unreadable', join(dir, name), error)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new BackupError('backup_damaged', `${join(dir, name)} is no JSON`, { cause: error })
  }
  const [fault] = faultsOf(value)
  if (!fault) return value as Manifest
  throw new BackupError(
    'backup_invalid',
    `${join(dir, name)} is not a manifest that this version reads: ${fault.detail}`,
  )
}

export async function readManifest(dir: string): Promise<Manifest> {
  const manifest = await findManifest(dir)
  if (manifest) return manifest
  throw new BackupError('backup_invalid', `there is no backup in ${dir}: it has no ${name}`)
}

/** Is called last: what the manifest does not name is no part of the backup. */
export async function writeManifest(dir: string, manifest: Manifest): Promise<void> {
  await writeWhole(dir, name, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
}

/**
 * Returns what a restore brings back. Of a deleted location that is its last state, where its id is not in use again: the others
 * stay in the backup.
 */
export function locationsToRestore({ locations, deleted }: Manifest, withDeleted: boolean): BackedUpLocation[] {
  if (!withDeleted) return locations
  const live = new Set(locations.map(({ id }) => id))
  const last = new Map(deleted.map((location) => [location.id, location]))
  return [...locations, ...[...last.values()].filter(({ id }) => !live.has(id))]
}

/**
 * Chooses what the backup has of one location. A location that was deleted and made again is there more than once: each has an
 * epoch of its own. Throws `BackupError`.
 */
export function chooseLocation({ locations, deleted }: Manifest, id: string, epoch?: string): BackedUpLocation {
  const named = [
    ...deleted.map((location) => ({ location, state: `deleted at ${location.deletedAt}` })),
    ...locations.map((location) => ({ location, state: 'in use when the backup was made' })),
  ].filter(({ location }) => location.id === id)
  // One that was deleted and came back has one epoch and is there twice: its later state goes further.
  const last = new Map(named.map(({ location }) => [location.epoch, location]))
  const found = epoch === undefined && last.size === 1 ? named.at(-1)?.location : last.get(epoch ?? '')
  if (found !== undefined) return found
  const list = named.map(({ location, state }) => `--epoch ${location.epoch}: up to ${location.head.seq}, ${state}`)
  throw new BackupError(
    'backup_invalid',
    named.length === 0
      ? `the backup has no location ${id}`
      : `the backup has ${last.size === 1 ? 'another journal' : `${last.size} journals`} of location ${id}; choose one:\n${list.join('\n')}`,
  )
}

/** Counts the entries that their journals have. */
export function countBackedUp(locations: readonly BackedUpLocation[]): number {
  return locations.reduce((sum, { segments }) => sum + segments.reduce((n, { entries }) => n + entries, 0), 0)
}
