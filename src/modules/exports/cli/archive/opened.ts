import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, openAsBlob } from 'node:fs'
import { mkdir, open, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { Decrypter } from 'age-encryption'
import { freeBytes } from '../../../../core/server/disk.ts'
import { CliError } from '../../../../core/server/errors.ts'
import { makeScratchFolder, removeScratch, temporary } from '../../../../core/cli/terminal/scratch.ts'
import { loadVerifier, type OpenedZip } from './verifier.ts'

/** An entry in a journal file, as `writeJournal` writes it. */
export type ArchivedEntry = { seq: number; hash: string; salt: string; commitment: string; document: string }

type Manifest = { location: string; fiscalYear: number; files: { file: string; sha256: string }[] }

const invalid = (reason: string, cause?: unknown) => new CliError('archive_invalid', reason, { cause })

/** Returns whether a file is unpacked, to be read again. Other files are only compared with the manifest. */
const isKept = (name: string) => /^(start|end)\.json$|^journal\/\d{12,16}\.ndjson$/.test(name)

const inMebibytes = (bytes: number) => `${Math.ceil(bytes / 2 ** 20)} MiB`

/** The first bytes of every age file. */
const sealedStart = 'age-encryption.org/'

async function isSealed(path: string): Promise<boolean> {
  const handle = await open(path)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(sealedStart.length), 0, sealedStart.length, 0)
    return buffer.toString('latin1', 0, bytesRead) === sealedStart
  } finally {
    await handle.close()
  }
}

/** Yields the bytes of a file, decrypted if age encrypted it. */
async function* plainBytes(path: string, identities: readonly string[]): AsyncGenerator<Uint8Array> {
  if (!(await isSealed(path))) {
    yield* createReadStream(path)
    return
  }
  if (identities.length === 0) throw new CliError('usage', `${path} is encrypted: give --identity`)
  const decrypter = new Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  const sealed = Readable.toWeb(createReadStream(path)) as ReadableStream<Uint8Array>
  yield* Readable.fromWeb((await decrypter.decrypt(sealed)) as Parameters<typeof Readable.fromWeb>[0])
}

/** Returns the unencrypted archive: the file itself, or a temporary file. Close it after use. */
export async function plainFile(
  path: string,
  identities: readonly string[],
): Promise<{ path: string; close(): Promise<void> }> {
  if (!(await isSealed(path))) return { path, close: async () => {} }
  const folder = makeScratchFolder(temporary('archive'))
  const opened = join(folder, 'plain.zip')
  try {
    await pipeline(plainBytes(path, identities), createWriteStream(opened, { mode: 0o600 }))
  } catch (error) {
    await removeScratch(folder)
    if (error instanceof CliError) throw error
    throw invalid(`${path} cannot be opened with this identity: ${(error as Error).message}`, error)
  }
  return { path: opened, close: () => removeScratch(folder) }
}

/** An archive of a year, unpacked and compared with its manifest. */
export class OpenedArchive {
  readonly name: string
  readonly sha256: string
  readonly location: string
  readonly year: number
  /** Numbers of its first and last entries. */
  readonly from: number
  readonly to: number
  readonly #folder: string
  /** The number of the first entry in each of its journal files, in order. */
  readonly #firsts: readonly number[]
  #read: { first: number; entries: Map<number, ArchivedEntry> } | undefined

  constructor(of: {
    path: string
    sha256: string
    folder: string
    manifest: Manifest
    ends: { from: number; to: number }
    firsts: readonly number[]
  }) {
    this.name = basename(of.path)
    this.sha256 = of.sha256
    this.location = of.manifest.location
    this.year = of.manifest.fiscalYear
    this.from = of.ends.from
    this.to = of.ends.to
    this.#folder = of.folder
    this.#firsts = of.firsts
  }

  /** Reads the entries from one number to another, inclusive, and returns them by number. */
  async entries(from: number, to: number): Promise<Map<number, ArchivedEntry>> {
    const found = new Map<number, ArchivedEntry>()
    for (const [i, first] of this.#firsts.entries()) {
      if (first > to || (this.#firsts[i + 1] ?? Infinity) <= from) continue
      for (const [seq, entry] of await this.#file(first)) if (seq >= from && seq <= to) found.set(seq, entry)
    }
    return found
  }

  async #file(first: number): Promise<Map<number, ArchivedEntry>> {
    if (this.#read?.first === first) return this.#read.entries
    const text = await readFile(join(this.#folder, `journal/${String(first).padStart(12, '0')}.ndjson`), 'utf8')
    const entries = new Map<number, ArchivedEntry>()
    for (const line of text.split('\n')) {
      if (line === '') continue
      const entry = JSON.parse(line) as ArchivedEntry
      entries.set(entry.seq, entry)
    }
    this.#read = { first, entries }
    return entries
  }

  async close(): Promise<void> {
    await removeScratch(this.#folder)
  }
}

/** Writes the files to keep into a folder. Each must match its entry in the manifest. */
async function unpack(zip: OpenedZip, folder: string, { files }: Manifest): Promise<void> {
  const names = files.map(({ file }) => file)
  const needed = names.filter(isKept).reduce((sum, name) => sum + zip.sizeOf(name), 0)
  const free = await freeBytes(folder)
  if (needed > free)
    throw new CliError(
      'output_failed',
      `the archive unpacks to ${inMebibytes(needed)}, but ${tmpdir()} has ${inMebibytes(free)} free: set TMPDIR to a directory with enough space`,
    )
  await mkdir(join(folder, 'journal'))
  for (const { file, sha256 } of files) {
    const sum = createHash('sha256')
    const summed = async function* () {
      for await (const piece of zip.pieces(file)) {
        sum.update(piece)
        yield piece
      }
    }
    if (isKept(file)) await pipeline(summed, createWriteStream(join(folder, file), { flags: 'wx', mode: 0o600 }))
    else for await (const _ of summed());
    if (sum.digest('hex') !== sha256) throw new Error(`${file} differs from the manifest`)
  }
}

const readJson = async <T>(path: string) => JSON.parse(await readFile(path, 'utf8')) as T

/** Unpacks the archive into the folder. Resolves to its manifest. */
async function unpackPlain(path: string, identities: readonly string[], folder: string): Promise<Manifest> {
  const plain = await plainFile(path, identities)
  try {
    const { openZip } = loadVerifier()
    const zip = await openZip(await openAsBlob(plain.path))
    const manifest = JSON.parse(Buffer.from(await zip.read('manifest.json')).toString()) as Manifest
    await unpack(zip, folder, manifest)
    return manifest
  } finally {
    await plain.close()
  }
}

/**
 * Reads back a complete archive of a year: every member must match the manifest. Close it after use. Throws `CliError`.
 */
export async function openArchive(path: string, identities: readonly string[]): Promise<OpenedArchive> {
  const folder = makeScratchFolder(temporary('archive'))
  try {
    const hash = createHash('sha256')
    for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer)
    const manifest = await unpackPlain(path, identities, folder)
    const { fromSequence } = await readJson<{ fromSequence: number }>(join(folder, 'start.json'))
    const { toSequence } = await readJson<{ toSequence: number }>(join(folder, 'end.json'))
    const firsts = manifest.files
      .flatMap(({ file }) => /^journal\/(\d{12,16})\.ndjson$/.exec(file)?.[1] ?? [])
      .map(Number)
    const ends = { from: fromSequence, to: toSequence }
    return new OpenedArchive({
      path,
      sha256: hash.digest('hex'),
      folder,
      manifest,
      ends,
      firsts: firsts.toSorted((a, b) => a - b),
    })
  } catch (error) {
    await removeScratch(folder)
    if (error instanceof CliError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' && !message.includes('tillgate-archive-')) {
      throw new CliError('file_unreadable', `${path} cannot be read: ${message}`, { cause: error })
    }
    throw invalid(`${path} is not the archive of a year: ${message}`, error)
  }
}

export async function keepOnDisk(path: string): Promise<void> {
  for (const one of [path, dirname(path)]) {
    const handle = await open(one)
    try {
      await handle.sync()
    } finally {
      await handle.close()
    }
  }
}
