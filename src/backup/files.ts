import { hash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { makeDirectory } from '../directories.ts'
import { BackupError, fileError } from './errors.ts'

/** A file of the backup: its path below the directory, its size, and its SHA-256 in hex. */
export type FileEntry = { file: string; bytes: number; sha256: string }

/** Ends the name of a file that is being written; a run that was killed leaves it, and the next one removes it. */
const draftEnd = '.part'

async function syncDirectory(dir: string): Promise<void> {
  const handle = await open(dir)
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Writes a file that only its owner may read, on disk and under its name when this resolves. What has the name is never
 * half a file. Throws `BackupError` where it cannot be written.
 */
export async function writeWhole(dir: string, file: string, bytes: Buffer): Promise<FileEntry> {
  const path = join(dir, file)
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
  // Made anew, so that a link which somebody put in its place is not written through.
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

/** Opens a file itself: no link is followed, and a pipe is not waited for. */
const asItIs = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

const reasons: Record<string, string> = {
  ENOENT: 'is missing from the backup',
  ELOOP: 'is a link: a backup holds files only',
}

/** Resolves to the bytes that were written. Throws `BackupError` when the file is gone, is another one or cannot be read. */
export async function readWhole(dir: string, { file, sha256 }: FileEntry): Promise<Buffer> {
  const damaged = (reason: string, cause?: unknown) => new BackupError('backup_damaged', `${file} ${reason}`, { cause })
  const handle = await open(join(dir, file), asItIs).catch((error: unknown) => {
    const reason = reasons[String((error as NodeJS.ErrnoException).code)]
    throw reason === undefined ? fileError('file_unreadable', join(dir, file), error) : damaged(reason, error)
  })
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw fileError('file_unreadable', join(dir, file), new Error('it is no file'))
    const bytes = await handle.readFile()
    if (hash('sha256', bytes) === sha256) return bytes
    throw damaged('is damaged: its SHA-256 is not the one that the manifest names')
  } finally {
    await handle.close()
  }
}

/** Removes files of the backup that its manifest does not name: those of a run that was killed, and those replaced. */
export async function removeOthers(dir: string, named: ReadonlySet<string>): Promise<void> {
  for (const part of ['keys', 'locations']) {
    const entries = await readdir(join(dir, part), { recursive: true, withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = join(entry.parentPath, entry.name)
      const file = path.slice(join(dir, '/').length)
      const isOurs = /\.(ndjson\.gz(\.age)?|sealed)(\.part)?$/.test(file)
      if (entry.isFile() && isOurs && !named.has(file)) await rm(path, { force: true })
    }
  }
  await rm(join(dir, `manifest.json${draftEnd}`), { force: true })
}
