import { randomBytes } from 'node:crypto'
import { chown, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Account } from './accounts.ts'
import { EmbeddedDatabaseError, isSystemError } from './error.ts'

/** Resolves to the text of the file, or undefined if it does not exist. */
export async function findText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return undefined
    throw error
  }
}

/**
 * Writes a file that only its owner may read; after a crash at any moment it is complete or missing. The file gets the
 * owner of the directory, even if root writes it, so that the directory's owner can use it.
 */
export async function writePrivateFile(path: string, text: string): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(draft, 'wx', 0o600)
    try {
      await handle.writeFile(text)
      const { uid, gid } = await stat(dirname(path))
      if (process.getuid?.() === 0) await handle.chown(uid, gid)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
  await syncPath(dirname(path))
}

/** Flushes a file, or the list of a directory's entries, to the disk. */
export async function syncPath(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Gives a path that Tillgate just made to the server's account. */
export async function giveTo(account: Account, path: string): Promise<void> {
  if (!account.switching) return
  try {
    await chown(path, account.uid, account.gid)
  } catch (error) {
    throw new EmbeddedDatabaseError(
      `PostgreSQL does not run as root, and root cannot give ${path} to ${account.name} (a container without CAP_CHOWN?): run Tillgate as an ordinary user, or set DATABASE_URL`,
      { cause: error },
    )
  }
}
