import { hash } from 'node:crypto'
import { join } from 'node:path'
import { Type, type Static } from 'typebox'
import { validator } from '../../../core/domain/documents/validation.ts'
import type { Fault } from '../../../core/contract/errors/errors.ts'
import { BackupError } from './errors.ts'
import { findFile, readFileOf, writeFileOf } from './files.ts'
import {
  Deletion,
  Encryption,
  File,
  LocationId,
  Proof,
  Segment,
  Standing,
  Tables,
  type BackedUpLocation,
  type FileEntry,
  type Manifest,
} from './manifest.ts'
import type { Seal } from './seal.ts'
import type { Signer } from './signing.ts'

const name = 'manifest.json'

/**
 * Maximum size of a manifest, in bytes. Manifests of formats 1 and 2 name every segment of every location and grow with
 * each push.
 */
const manifestAtMost = 32 * 1024 * 1024

/**
 * The manifest of one location. `pieces` are files with 32 segments each, which never change; the manifest itself has
 * the last segments.
 */
const LocationManifest = Type.Object({
  ...Standing.properties,
  tables: Type.Array(Tables),
  pieces: Type.Array(File),
  segments: Type.Array(Segment),
})

const piece = 32

/**
 * At least this many of the last segments stay outside pieces. At most 35 segments can still be merged, so a written
 * piece never changes.
 */
const besidePieces = 40

const Piece = Type.Array(Segment)

const head = {
  tillgate: Type.String(),
  schema: Type.Integer(),
  takenAt: Type.String(),
  encryption: Encryption,
  keys: Tables,
}

const StoredLocation = Type.Object({ id: LocationId, ...File.properties })

const Root = Type.Object({
  format: Type.Literal(3),
  ...head,
  locations: Type.Array(StoredLocation),
  deleted: Type.Array(Type.Object({ ...StoredLocation.properties, ...Deletion.properties })),
  proof: Proof,
})

const WholeLocation = Type.Object({ ...Standing.properties, segments: Type.Array(Segment), tables: Tables })

const WholeManifest = Type.Object({
  /** 1: the keys of all locations are in `keys`; 2: the keys of a location are among its tables. */
  format: Type.Union([Type.Literal(1), Type.Literal(2)]),
  ...head,
  locations: Type.Array(WholeLocation),
  /** Absent in backups from before locations could be deleted. */
  deleted: Type.Optional(Type.Array(Type.Object({ ...WholeLocation.properties, ...Deletion.properties }))),
})

const faultsOf = {
  root: validator(Root, 'body', 'the manifest'),
  whole: validator(WholeManifest, 'body', 'the manifest'),
  location: validator(LocationManifest, 'body', 'the manifest of the location'),
  piece: validator(Piece, 'body', 'the list of segments'),
}

type Root = Static<typeof Root>
type StoredLocation = Static<typeof StoredLocation>

function parse(path: string, bytes: Buffer, choose: (value: unknown) => (value: unknown) => Fault[]): unknown {
  let value: unknown
  try {
    value = JSON.parse(bytes.toString())
  } catch (error) {
    throw new BackupError('backup_damaged', `${path} is not JSON`, { cause: error })
  }
  const [fault] = choose(value)(value)
  if (!fault) return value
  throw new BackupError('backup_invalid', `${path} is not a manifest that this version supports: ${fault.detail}`)
}

/**
 * Returns the signed text: the manifest without its proof, as JSON without white space, its members in the order of the
 * file.
 */
function toSignedText(root: Omit<Root, 'proof'>): string {
  return JSON.stringify(root)
}

async function readPart(dir: string, entry: FileEntry, part: 'location' | 'piece'): Promise<unknown> {
  return parse(join(dir, entry.file), await readFileOf(dir, entry), () => faultsOf[part])
}

async function readLocation(dir: string, { id, file, bytes, sha256 }: StoredLocation): Promise<BackedUpLocation> {
  const own = { file, bytes, sha256 }
  const found = (await readPart(dir, own, 'location')) as Static<typeof LocationManifest>
  if (found.id !== id) throw new BackupError('backup_damaged', `${file} belongs to location ${found.id}, not ${id}`)
  const { pieces, segments: last, ...location } = found
  const segments: Segment[] = []
  for (const one of pieces) segments.push(...((await readPart(dir, one, 'piece')) as Segment[]))
  return { ...location, segments: [...segments, ...last], stored: [own, ...pieces] }
}

async function readRoot(dir: string, { proof, ...root }: Root): Promise<Manifest> {
  const locations: BackedUpLocation[] = []
  for (const one of root.locations) locations.push(await readLocation(dir, one))
  const deleted: Manifest['deleted'] = []
  for (const { id, file, bytes, sha256, ...deletion } of root.deleted) {
    deleted.push({ ...(await readLocation(dir, { id, file, bytes, sha256 })), ...deletion })
  }
  return { ...root, locations, deleted, proven: { proof, text: toSignedText(root) } }
}

/**
 * Reads the manifest of a directory; undefined if it has no backup yet. Throws `BackupError` for an invalid manifest.
 */
export async function findManifest(dir: string): Promise<Manifest | undefined> {
  const bytes = await findFile(dir, name, manifestAtMost)
  if (bytes === undefined) return undefined
  const isRoot = (value: unknown) => (value as { format?: unknown } | null)?.format === 3
  const found = parse(join(dir, name), bytes, (value) => (isRoot(value) ? faultsOf.root : faultsOf.whole)) as
    | Root
    | Static<typeof WholeManifest>
  if (found.format === 3) return readRoot(dir, found)
  const one = <T extends { tables: Tables }>(location: T) => ({ ...location, tables: [location.tables], stored: [] })
  return { ...found, locations: found.locations.map(one), deleted: (found.deleted ?? []).map(one), proven: null }
}

export async function readManifest(dir: string): Promise<Manifest> {
  const manifest = await findManifest(dir)
  if (manifest) return manifest
  throw new BackupError('backup_invalid', `there is no backup in ${dir}: ${name} is missing`)
}

/** Writes a part under a name derived from its content; an existing one is not written again. */
async function writePart(dir: string, start: string, part: unknown, kept: readonly FileEntry[]): Promise<FileEntry> {
  const bytes = Buffer.from(`${JSON.stringify(part)}\n`)
  const sha256 = hash('sha256', bytes)
  const same = kept.find((one) => one.sha256 === sha256)
  return same ?? writeFileOf(dir, `${start}-${sha256.slice(0, 16)}.json`, bytes)
}

async function storeLocation(dir: string, location: BackedUpLocation): Promise<BackedUpLocation> {
  const { id, epoch, left, currentEpoch, head, counts, tables, segments, stored } = location
  const inPieces = Math.max(0, Math.floor((segments.length - besidePieces) / piece)) * piece
  const pieces: FileEntry[] = []
  for (let at = 0; at < inPieces; at += piece) {
    const some = segments.slice(at, at + piece)
    pieces.push(await writePart(dir, `locations/${id}/segments`, some, stored))
  }
  const own = {
    id,
    epoch,
    ...(currentEpoch && { left, currentEpoch }),
    head,
    counts,
    tables,
    pieces,
    segments: segments.slice(inPieces),
  }
  return { ...location, stored: [await writePart(dir, `locations/${id}/manifest`, own, stored), ...pieces] }
}

type StoreOptions = {
  seal: Seal
  signer: Signer
  unchanged: ReadonlySet<BackedUpLocation>
  before: Manifest | undefined
}

/**
 * Throws `BackupError` if another process has written to the directory since `before` was read, so that its data is not
 * lost.
 */
async function refuseOvertaken(dir: string, before: Manifest | undefined): Promise<void> {
  if (before !== undefined && before.proven === null) return
  const found = await findFile(dir, name, manifestAtMost)
  if (before === undefined ? found === undefined : found?.includes(before.proven?.proof.signature ?? '')) return
  throw new BackupError(
    'backup_in_use',
    `another process wrote to the backup in ${dir} at the same time: run one at a time`,
  )
}

/**
 * Writes the manifests of the locations that are not in `unchanged`, then the signed manifest that names them all. A
 * file that it does not name is not part of the backup. Resolves to the manifest that reading it would return.
 */
export async function storeManifest(
  dir: string,
  manifest: Omit<Manifest, 'proven' | 'format'>,
  { seal, signer, unchanged, before }: StoreOptions,
): Promise<Manifest> {
  const keep = async <T extends BackedUpLocation>(one: T): Promise<T> =>
    unchanged.has(one) && one.stored.length > 0 ? one : { ...one, ...(await storeLocation(dir, one)) }
  const locations: BackedUpLocation[] = []
  for (const one of manifest.locations) locations.push(await keep(one))
  const deleted: Manifest['deleted'] = []
  for (const one of manifest.deleted) deleted.push(await keep(one))
  const { tillgate, schema, takenAt, encryption, keys } = manifest
  const fileOf = ({ id, stored: [own] }: BackedUpLocation) => ({ id, ...(own as FileEntry) })
  const root = {
    format: 3 as const,
    tillgate,
    schema,
    takenAt,
    encryption,
    keys,
    locations: locations.map(fileOf),
    deleted: deleted.map((one) => {
      const { deletedAt, ended, recipients } = one
      return { ...fileOf(one), deletedAt, ended, ...(recipients && { recipients }) }
    }),
  }
  const text = toSignedText(root)
  const proof = { signer: signer.publicKey, signature: signer.sign(text), mac: seal.mac?.(text) ?? null }
  await refuseOvertaken(dir, before)
  await writeFileOf(dir, name, Buffer.from(`${JSON.stringify({ ...root, proof }, null, 1)}\n`))
  return { ...manifest, format: 3, locations, deleted, proven: { proof, text } }
}
