import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { BackupError, fileError } from './errors.ts'
import { refuseOthersDirectories } from './files.ts'
import { findManifest } from './stored-manifest.ts'

/** A directory with a backup, and when the backup was made, in milliseconds of Unix time. */
export type KeptBackup = { name: string; takenAt: number }

/** How many of the newest backups are kept, or for how long. */
export type Keep = { count: number } | { ms: number }

const parts = new Set(['manifest.json', 'keys', 'locations'])

async function list(dir: string) {
  return readdir(dir, { withFileTypes: true }).catch((error: unknown) => {
    throw fileError('file_unreadable', dir, error)
  })
}

/**
 * Lists the backups in a directory, newest first. `skipped` has for each other directory the reason why it may not be removed. Throws
 * `BackupError` for a directory that is itself a backup.
 */
export async function listBackups(parent: string): Promise<{ backups: KeptBackup[]; skipped: string[] }> {
  const entries = await list(parent)
  if (entries.some(({ name }) => name === 'manifest.json')) {
    throw new BackupError(
      'backup_invalid',
      `${parent} is a single backup without older states. Use the directory that contains several backups`,
    )
  }
  const backups: KeptBackup[] = []
  const skipped: string[] = []
  for (const { name } of entries.filter((entry) => entry.isDirectory())) {
    const dir = join(parent, name)
    const other = (await list(dir)).find((entry) => !parts.has(entry.name))
    const found = await findManifest(dir).catch((error: Error) => error)
    if (other) skipped.push(`${dir} contains ${other.name}, which is not part of a backup`)
    else if (found === undefined) skipped.push(`${dir} has no manifest.json`)
    else if (found instanceof Error) skipped.push(`${dir} cannot be read: ${found.message}`)
    else backups.push({ name, takenAt: Date.parse(found.takenAt) })
  }
  return { backups: backups.toSorted((a, b) => b.takenAt - a.takenAt), skipped }
}

/** Chooses the backups to remove; `backups` begins with the newest, which is never removed. */
export function chooseOld(backups: readonly KeptBackup[], keep: Keep, now: Date): KeptBackup[] {
  if ('count' in keep) return backups.slice(Math.max(1, keep.count))
  return backups.slice(1).filter(({ takenAt }) => takenAt < now.getTime() - keep.ms)
}

/** Removes a backup. If interrupted, the rest is no longer a backup. Throws `BackupError`. */
export async function removeBackup(parent: string, { name }: KeptBackup): Promise<void> {
  await refuseOthersDirectories(parent, `${name}/`)
  try {
    await rm(join(parent, name, 'manifest.json'))
    await rm(join(parent, name), { recursive: true })
  } catch (error) {
    throw fileError('output_failed', join(parent, name), error)
  }
}
