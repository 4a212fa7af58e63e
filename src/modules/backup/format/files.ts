import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { lstat, open, readdir, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeDirectory } from '../../../core/directories.ts'
import { BackupError, fileError } from './errors.ts'

/** A file of the backup: its path below the directory, its size, and its SHA-256 in hex. */
export type FileEntry = { file: string; bytes: number; sha256: string }

/** Suffix of a file that is being written. The next run removes the file that a killed run left. */
const draftEnd = '.part'

async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Returns the directories of a path below `dir`, from the top. */
function directoriesOf(dir: string, file: string): string[] {
  const parts = file.split('/').slice(0, -1)
  return parts.map((_, i) => join(dir, ...parts.slice(0, i + 1)))
}

/** Finds a symbolic link in the path of a directory: it may lead to files of others. */
async function findLink(dir: string, file: string): Promise<string | undefined> {
  for (const path of directoriesOf(dir, file)) {
    const found = await lstat(path).catch(() => undefined)
    if (found && !found.isDirectory()) return path
  }
  return undefined
}

const isLink = 'it is a link: a backup contains only directories and files'

/**
 * Throws `BackupError` if another account could replace a directory of the path with a link while this process writes
 * and removes below it: each directory must belong to this account or to root.
 */
export async function refuseOthersDirectories(dir: string, file: string): Promise<void> {
  const link = await findLink(dir, file)
  if (link !== undefined) throw fileError('output_failed', `the directory ${link}`, new Error(isLink))
  const own = process.geteuid?.()
  if (own === undefined) return
  for (const path of [dir, ...directoriesOf(dir, file)]) {
    const found = await stat(path).catch(() => undefined)
    const owner: number = found?.uid ?? own
    if (owner === own || owner === 0) continue
    const reason = `it belongs to the account ${owner}, but this is the account ${own}: run the backup as its owner, or change the owner`
    throw fileError('output_failed', `the directory ${path}`, new Error(reason))
  }
}

/**
 * Writes a file that only its owner may read. When this resolves, the file is on disk under its final name; a file
 * with that name is always complete. Throws `BackupError` if it cannot be written.
 */
export async function writeFileOf(dir: string, file: string, bytes: Buffer): Promise<FileEntry> {
  const path = join(dir, file)
  await refuseOthersDirectories(dir, file)
  await makeDirectory(dirname(path), 0o700).catch((error: NodeJS.ErrnoException) => {
    throw fileError('output_failed', `the directory ${error.path ?? dirname(path)}`, error)
  })
  try {
    await writeAndSync(path, bytes)
  } catch (error) {
    throw fileError('output_failed', path, error)
  }
  return { file, bytes: bytes.length, sha256: hash('sha256', bytes) }
}

async function writeAndSync(path: string, bytes: Buffer): Promise<void> {
  // `wx` creates the file and fails if the path exists, so a link at the path is not followed.
  await rm(path + draftEnd, { force: true })
  const draft = await open(path + draftEnd, 'wx', 0o600)
  try {
    await draft.writeFile(bytes)
    await draft.sync()
  } finally {
    await draft.close()
  }
  await rename(path + draftEnd, path)
  await syncDirectory(dirname(path))
}

/** Flags to open a file for reading: a link is not followed, and a pipe does not block. */
const asItIs = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const reasons: Record<string, string> = {
  ENOENT: 'is missing from the backup',
  ELOOP: 'is a link: a backup contains only files',
}

/** Reads at most `bytes` bytes, even if more are being appended. */
async function readBytes(handle: FileHandle, bytes: number): Promise<Buffer> {
  const buffer = Buffer.alloc(bytes)
  let at = 0
  while (at < bytes) {
    const { bytesRead } = await handle.read(buffer, at, bytes - at, at)
    if (bytesRead === 0) break
    at += bytesRead
  }
  return buffer.subarray(0, at)
}

/**
 * Reads a file of the backup. `judge` gets its size before anything is read and returns the fault, if any. Throws
 * `BackupError`.
 */
async function readFile(dir: string, file: string, judge: (bytes: number) => string | undefined): Promise<Buffer> {
  const path = join(dir, file)
  const damaged = (reason: string, cause?: unknown) => new BackupError('backup_damaged', `${file} ${reason}`, { cause })
  const link = await findLink(dir, file)
  if (link !== undefined) throw new BackupError('backup_damaged', `${link} cannot be read: ${isLink}`)
  const handle = await open(path, asItIs).catch((error: unknown) => {
    const reason = reasons[String((error as NodeJS.ErrnoException).code)]
    throw reason === undefined ? fileError('file_unreadable', path, error) : damaged(reason, error)
  })
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw fileError('file_unreadable', path, new Error('it is not a file'))
    const fault = judge(found.size)
    if (fault !== undefined) throw damaged(fault)
    return await readBytes(handle, found.size)
  } finally {
    await handle.close()
  }
}

/** Resolves to the bytes that were written. Throws `BackupError` if the file is missing, changed or unreadable. */
export async function readFileOf(dir: string, { file, bytes, sha256 }: FileEntry): Promise<Buffer> {
  const judge = (size: number) => (size === bytes ? undefined : `is damaged: it has ${size} bytes instead of ${bytes}`)
  const content = await readFile(dir, file, judge)
  if (hash('sha256', content) === sha256) return content
  throw new BackupError('backup_damaged', `${file} is damaged: its SHA-256 differs from the manifest`)
}

/** Returns the first file that is missing or has another size, such as one of a copy that was cut off. */
export async function findDamaged(dir: string, files: readonly FileEntry[]): Promise<string | undefined> {
  for (const { file, bytes } of files) {
    const found = await lstat(join(dir, file)).catch(() => undefined)
    if (!found?.isFile() || found.size !== bytes) return file
  }
  return undefined
}

/**
 * Reads a file that no manifest names, of at most `bytesAtMost` bytes; undefined if it does not exist. Throws
 * `BackupError`.
 */
export async function findFile(dir: string, file: string, bytesAtMost: number): Promise<Buffer | undefined> {
  const isThere = await lstat(join(dir, file)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw fileError('file_unreadable', join(dir, file), error)
  })
  if (!isThere) return undefined
  return readFile(dir, file, (size) =>
    size > bytesAtMost ? `has ${size} bytes, more than the limit of ${bytesAtMost}` : undefined,
  )
}

/** Removes files of the backup; files that do not exist are ignored. */
export async function removeFiles(dir: string, files: Iterable<string>): Promise<void> {
  for (const file of files) {
    await refuseOthersDirectories(dir, file)
    await rm(join(dir, file), { force: true })
  }
}

/** Removes files that the manifest does not name: files of a killed run, and files that were replaced. */
export async function removeOthers(dir: string, named: ReadonlySet<string>): Promise<void> {
  for (const part of ['keys', 'locations']) {
    await refuseOthersDirectories(dir, `${part}/`)
    const entries = await readdir(join(dir, part), { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name)
      const file = path.slice(join(dir, '/').length)
      const isOurs = /\.(ndjson\.gz(\.age)?|sealed|json)(\.part)?$/.test(file)
      if (entry.isFile() && isOurs && !named.has(file)) await removeFiles(dir, [file])
    }
  }
  await rm(join(dir, `manifest.json${draftEnd}`), { force: true })
}
