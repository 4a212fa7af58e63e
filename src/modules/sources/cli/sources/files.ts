import { createReadStream, createWriteStream } from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { once } from 'node:events'
import { createGunzip } from 'node:zlib'
import { Unzip, UnzipInflate, type UnzipFile } from 'fflate'
import { CliError } from '../../../../core/server/errors.ts'
import { makeScratchFolder, removeScratch, temporary } from '../../../../core/cli/terminal/scratch.ts'
import type { SourceFile } from '../../adapters/adapter.ts'

/** Limits of an archive: unpacked bytes of all files, and their number. A till's export is smaller. */
const archiveLimit = { bytes: 1024 ** 3, names: 10_000 }

/** Whether a file name in an archive stays inside the folder of the archive. */
const isSafe = (name: string) => !name.startsWith('/') && !name.includes('\\') && !name.split('/').includes('..')

const tooMuch = () =>
  new Error(
    `its contents exceed ${archiveLimit.bytes / 1024 ** 3} GiB or ${archiveLimit.names} files: import it in parts`,
  )

const unreadable = (what: string, error: unknown) =>
  new CliError('file_unreadable', `${what}: ${(error as Error).message}`, { cause: error })

/** Files of a source; `close` removes the unpacked ones. */
export type SourceFiles = { files: SourceFile[]; close(): Promise<void> }

const fileAt = (path: string, name = basename(path)): SourceFile => ({
  name,
  read: () => createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>,
})

/** Returns a compressed file, which each read unpacks. Throws `CliError` if it is truncated. */
const packedFileAt = (path: string): SourceFile => ({
  name: basename(path).replace(/\.gz$/, ''),
  async *read() {
    let bytes = 0
    try {
      const unpacked = createReadStream(path).pipe(createGunzip({ chunkSize: 256 * 1024 }))
      for await (const chunk of unpacked as AsyncIterable<Buffer>) {
        bytes += chunk.length
        if (bytes > archiveLimit.bytes) throw tooMuch()
        yield chunk
      }
    } catch (error) {
      throw unreadable(`${basename(path)} cannot be unpacked`, error)
    }
  },
})

/** Writes the files of an archive into a folder, piece by piece; resolves to them, under their names in the archive. */
async function unzip(path: string, folder: string): Promise<SourceFile[]> {
  const files: SourceFile[] = []
  const outs = new Set<ReturnType<typeof createWriteStream>>()
  let bytes = 0
  let failed: Error | undefined
  const unpack = new Unzip((file: UnzipFile) => {
    const { name } = file
    if (name.endsWith('/')) return
    if (!isSafe(name)) failed ??= new Error(`it contains a path outside the archive: ${name}`)
    if (files.length >= archiveLimit.names) failed ??= tooMuch()
    if (failed) return
    // Files are named by number: a name in the archive never becomes a path.
    const at = join(folder, String(files.length))
    files.push(fileAt(at, name))
    const out = createWriteStream(at, { mode: 0o600 }).on('error', (error) => (failed ??= error))
    outs.add(out)
    file.ondata = (error, chunk, isLast) => {
      if (error) failed ??= error
      bytes += chunk?.length ?? 0
      if (bytes > archiveLimit.bytes) failed ??= tooMuch()
      if (failed) return
      out.write(chunk)
      if (isLast) out.end(() => outs.delete(out))
    }
    file.start()
  })
  unpack.register(UnzipInflate)
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      unpack.push(chunk)
      if (failed) throw failed
      for (const out of outs) if (out.writableNeedDrain) await once(out, 'drain')
    }
    unpack.push(new Uint8Array(0), true)
    for (const out of outs) {
      if (!out.writableEnded) throw new Error('it is incomplete')
      if (!out.writableFinished) await once(out, 'finish')
    }
    if (failed) throw failed
    if (files.length === 0) throw new Error('it contains no files')
    return files
  } finally {
    for (const out of outs) out.destroy()
  }
}

/** Detects by its first bytes whether a file is compressed. */
async function magicOf(path: string): Promise<'zip' | 'gzip' | undefined> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(2), 0, 2, 0)
    if (buffer[0] === 0x50 && buffer[1] === 0x4b) return 'zip'
    return buffer[0] === 0x1f && buffer[1] === 0x8b ? 'gzip' : undefined
  } finally {
    await file.close()
  }
}

async function openFolder(path: string): Promise<SourceFile[]> {
  const entries = (await readdir(path, { withFileTypes: true })).filter((entry) => entry.isFile())
  return entries
    .map(({ name }) => name)
    .toSorted()
    .map((name) => fileAt(join(path, name)))
}

/** Opens one file. The files of a ZIP archive, and standard input, are written to `scratch` first. */
async function openFile(path: string, scratch: () => Promise<string>): Promise<SourceFile[]> {
  let at = path
  if (path === '-') {
    if (process.stdin.isTTY) throw new CliError('usage', 'standard input is a terminal: pipe the file to it')
    at = join(await scratch(), 'standard input')
    await pipeline(process.stdin, createWriteStream(at, { mode: 0o600 }))
  }
  const magic = await magicOf(at)
  if (magic === 'gzip') return [packedFileAt(at)]
  if (magic === undefined) return [fileAt(at)]
  try {
    return await unzip(at, await scratch())
  } catch (error) {
    throw unreadable(`${basename(at)} cannot be unpacked`, error)
  }
}

/** Opens a file, the files of a directory or of a ZIP archive, or standard input for `-`. Throws `CliError`. */
export async function openSourceFiles(path: string): Promise<SourceFiles> {
  const folders: string[] = []
  const scratch = async () => {
    const folder = makeScratchFolder(temporary('import'))
    folders.push(folder)
    return folder
  }
  const close = async () => {
    for (const folder of folders) await removeScratch(folder)
  }
  try {
    const isFolder = path !== '-' && (await stat(path)).isDirectory()
    return { files: isFolder ? await openFolder(path) : await openFile(path, scratch), close }
  } catch (error) {
    await close()
    throw error instanceof CliError ? error : unreadable(`${path} cannot be read`, error)
  }
}

/** Reads a JSON file that a person wrote. Throws `CliError`. */
export async function readJson(path: string, what: string): Promise<unknown> {
  try {
    return JSON.parse((await readFile(path, 'utf8')).replace(/^\ufeff/, '')) as unknown
  } catch (error) {
    throw unreadable(`${what} ${path} cannot be read`, error)
  }
}
